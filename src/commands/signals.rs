//! Ctrl-C, SIGTERM and SIGHUP end a run in order; a second one ends it at once.

use std::io::Write;

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
    for (kind, name) in kinds {
        let mut stream = signal(kind)?;
        let causes = causes.clone();
        tokio::spawn(async move {
            let mut is_second = false;
            while stream.recv().await.is_some() {
                if is_second {
                    // Nothing is lost: the journal is synced after every record.
                    std::process::exit(INTERRUPTED);
                }
                is_second = true;
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
