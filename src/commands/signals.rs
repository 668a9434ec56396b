//! Ctrl-C, SIGTERM and SIGHUP end a run in order; a second one ends it at once.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::journal::RESERVE_FILE;

/// Exit code 4, as `Exit::Interrupted`.
const INTERRUPTED: i32 = 4;

/// Listens from now on for the run in `folder`; the receiver gets the cause of each stop that is
/// asked for.
///
/// # Errors
/// When the system refuses a signal handler.
pub fn listen(folder: &Path) -> std::io::Result<UnboundedReceiver<String>> {
    let (causes, receiver) = unbounded_channel();
    let kinds = [
        (SignalKind::interrupt(), "Ctrl-C"),
        (SignalKind::terminate(), "SIGTERM"),
        (SignalKind::hangup(), "SIGHUP"),
    ];
    let is_asked = Arc::new(AtomicBool::new(false));
    for (kind, name) in kinds {
        let mut stream = signal(kind)?;
        let (causes, is_asked) = (causes.clone(), Arc::clone(&is_asked));
        let folder = folder.to_owned();
        tokio::spawn(async move {
            while stream.recv().await.is_some() {
                if is_asked.swap(true, Ordering::Relaxed) {
                    end_at_once(name, &folder);
                }
                drop(writeln!(
                    std::io::stderr(),
                    "ptse: {name}: stopping in order"
                ));
                drop(causes.send(name.to_owned()));
            }
        });
    }
    Ok(receiver)
}

/// Nothing is lost: the journal is synced after every record. Only the reserve is given back.
fn end_at_once(name: &str, folder: &Path) -> ! {
    drop(std::fs::remove_file(folder.join(RESERVE_FILE)));
    drop(writeln!(
        std::io::stderr(),
        "ptse: {name}: ended at once; go on with: ptse resume {}",
        folder.display()
    ));
    std::process::exit(INTERRUPTED);
}
