//! `ptse report`: writes the derived files of a run anew from its journal and samples.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::commands::exit::{CommandError, Exit};
use crate::commands::stored::Stored;
use crate::journal::RunState;
use crate::report;
use crate::spec::Plan;

/// Arguments of `ptse report`.
#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// Run folder
    run: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When the record cannot be read or a file cannot be written.
pub fn command(args: &ReportArgs) -> Result<Exit, CommandError> {
    let stored = Stored::open(&args.run)?;
    let written = write(&stored.folder, &stored.plan, &stored.journal.state)?;
    drop(writeln!(std::io::stdout(), "report: {}", written.display()));
    Ok(Exit::Passed)
}

/// Writes all derived files; returns the one to open.
///
/// # Errors
/// When a file cannot be written.
pub fn write(folder: &Path, plan: &Plan, state: &RunState) -> Result<PathBuf, CommandError> {
    let report = report::build(state, plan);
    report::write_all(&report, folder).map_err(CommandError::device)?;
    Ok(folder.join("report.html"))
}
