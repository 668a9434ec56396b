//! Ctrl-C, SIGTERM and SIGHUP end a run in order; a second one ends it at once.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Exit code 4, as `Exit::Interrupted`.
const INTERRUPTED: i32 = 4;

/// Listens from now on; the receiver gets the cause of each stop that is asked for.
///
/// # Errors
/// When the system refuses a signal handler.
pub fn listen() -> std::io::Result<UnboundedReceiver<String>> {
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
        tokio::spawn(async move {
            while stream.recv().await.is_some() {
                if is_asked.swap(true, Ordering::Relaxed) {
                    // Nothing is lost: the journal is synced after every record.
                    std::process::exit(INTERRUPTED);
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
