//! The program's own log: what a developer needs when something went wrong. It is no evidence;
//! nothing on a report comes from it.
//!
//! A run writes it as JSON lines to `log.jsonl` in its folder. `PTSE_LOG` sets what is logged, in
//! the form of tracing's filters (`info` when unset, `debug`, `ptse::drive=trace`).

use std::fs::OpenOptions;
use std::path::Path;

use tracing_subscriber::EnvFilter;

use crate::commands::exit::CommandError;

/// File name of the log in a run folder.
pub const LOG_FILE: &str = "log.jsonl";

/// Reads `PTSE_LOG`, so that a wrong one is refused before anything is begun.
///
/// # Errors
/// When it is no filter (usage).
pub fn filter() -> Result<EnvFilter, CommandError> {
    match std::env::var("PTSE_LOG") {
        Ok(text) => EnvFilter::try_new(&text).map_err(|error| {
            CommandError::usage(format!(
                "PTSE_LOG='{text}' is no filter of log lines: {error}"
            ))
        }),
        Err(_) => Ok(EnvFilter::new("info")),
    }
}

/// Logs to the run folder from now on; a resume adds to the log that is there.
///
/// # Errors
/// When the file cannot be opened.
pub fn begin(folder: &Path, filter: EnvFilter) -> Result<(), CommandError> {
    let path = folder.join(LOG_FILE);
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .map_err(|error| {
            CommandError::device(format!("cannot write {}: {error}", path.display()))
        })?;
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_env_filter(filter)
        .with_writer(file)
        .finish();
    // One process does one run, so there is no other subscriber; without one nothing is logged.
    drop(tracing::subscriber::set_global_default(subscriber));
    Ok(())
}
