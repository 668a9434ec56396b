//! One file for each subcommand: wiring and exit codes. The only modules that print, apart from
//! the terminal display in `ui`.

pub mod arguments;
pub mod drives;
pub mod exit;
pub mod folder;
pub mod logging;
pub mod measure;
pub mod plan;
pub mod pulse;
pub mod report;
pub mod resume;
pub mod run;
pub mod signals;
pub mod specs;
pub mod stored;
pub mod target;
pub mod test_file;
pub mod verify;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands::exit::{CommandError, Exit};

/// Takes a solid-state drive from purge to a PTS-format report.
#[derive(Debug, Parser)]
#[command(name = "ptse", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What can be tested here, and for each drive why not
    Drives(drives::DrivesArgs),
    /// The built-in tests and simulated drives; `show NAME` prints one
    Specs(specs::SpecsArgs),
    /// What a test would do to a drive; touches nothing
    Plan(plan::PlanArgs),
    /// Run a test: ERASES THE DRIVE
    Run(run::RunArgs),
    /// Go on after a crash, a power cut or Ctrl-C
    Resume(resume::ResumeArgs),
    /// Write the report files of a run anew from its record
    Report(report::ReportArgs),
    /// Recompute everything a run claims from its raw records
    Verify(verify::VerifyArgs),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors and go to standard output.
            let code = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Passed
            };
            drop(error.print());
            return code.into();
        }
    };
    let result = match &cli.command {
        Command::Drives(args) => drives::command(args),
        Command::Specs(args) => specs::command(args),
        Command::Plan(args) => plan::command(args),
        Command::Run(args) => run::command(args),
        Command::Resume(args) => resume::command(args),
        Command::Report(args) => report::command(args),
        Command::Verify(args) => verify::command(args),
    };
    match result {
        Ok(exit) => exit.into(),
        // Whoever reads the output has seen enough, as `head` does.
        Err(error) if error.is_closed_pipe => Exit::Passed.into(),
        Err(CommandError { exit, message, .. }) => {
            drop(writeln!(std::io::stderr(), "ptse: {}", message.trim_end()));
            exit.into()
        }
    }
}
