//! What `run` and `resume` share: drive, recorder, terminal and signals brought together, and the
//! report at the end.

use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use tokio::sync::mpsc::unbounded_channel;
use tracing_subscriber::EnvFilter;

use crate::commands::exit::{CommandError, Exit};
use crate::commands::pulse::Pulse;
use crate::commands::stored::Stored;
use crate::commands::{logging, report, signals};
use crate::drive::{Calendar, Drive, PurgeMethod};
use crate::journal::RunState;
use crate::journal::record::{Line, Resumed};
use crate::journal::recorder::Recorder;
use crate::run::driver::Position;
use crate::run::machine::Outcome;
use crate::run::{Absence, Driver, Ending};
use crate::spec::Plan;
use crate::ui::terminal::Terminal;
use crate::units::Nanos;

/// A run that is ready to go.
#[derive(Debug)]
pub struct Measure<'run> {
    /// Its folder.
    pub folder: &'run Path,
    /// Its plan.
    pub plan: &'run Plan,
    /// Its drive.
    pub drive: &'run mut dyn Drive,
    /// How to purge.
    pub purge_method: PurgeMethod,
    /// The state to start from.
    pub state: RunState,
    /// Records to repeat on a simulated drive.
    pub replay: VecDeque<Line>,
    /// The record of a resume.
    pub resumed: Option<Resumed>,
    /// Its files.
    pub recorder: Recorder,
    /// What the program logs.
    pub log_filter: EnvFilter,
}

/// Runs to the end, writes the report and says where it is.
///
/// # Errors
/// When the drive failed, or a repeated drive does not repeat.
pub async fn measure(ready: Measure<'_>) -> Result<Exit, CommandError> {
    let Measure {
        folder,
        plan,
        drive,
        purge_method,
        state,
        replay,
        resumed,
        recorder,
        log_filter,
    } = ready;
    logging::begin(folder, log_filter)?;
    let pulse = Pulse::start()
        .map_err(|error| CommandError::device(format!("cannot start a thread: {error}")))?;
    let absence = match drive.calendar() {
        Calendar::Wall => {
            let beat = pulse.beat();
            Absence::new(move || beat.absent())
        }
        // Its clock stands still meanwhile.
        Calendar::Virtual { .. } => Absence::new(|| Nanos(0)),
    };
    let (watcher, entries) = unbounded_channel();
    let stops = signals::listen(folder)
        .map_err(|error| CommandError::device(format!("cannot listen to signals: {error}")))?;
    let mut out = std::io::stdout();
    let is_live = out.is_terminal();
    let waiting = if replay.is_empty() {
        "preparing"
    } else {
        "repeating the records that exist"
    };
    let terminal = Terminal::new(
        plan,
        state_after(&state, &replay),
        is_live,
        waiting,
        &mut out,
    );
    let driver = Driver {
        plan,
        drive,
        purge_method,
        state,
        replay,
        resumed,
        recorder,
        watcher,
        stops,
        absence,
        position: Position::Idle,
        drive_time: Nanos(0),
    };
    let (ended, ()) = tokio::join!(driver.run(), terminal.watch(entries));
    let (ending, _) = ended.map_err(CommandError::record)?;
    finish(folder, &ending)
}

/// What the terminal starts from: the records that exist are not shown again.
fn state_after(state: &RunState, replay: &VecDeque<Line>) -> RunState {
    let mut state = state.clone();
    for line in replay {
        state.apply(line).expect("the reader has folded it before");
    }
    state
}

fn finish(folder: &Path, ending: &Ending) -> Result<Exit, CommandError> {
    let written = write_report(folder, ending)?;
    let mut out = std::io::stdout();
    let place = folder.display();
    let (exit, text) = match ending {
        Ending::Closed(Outcome::Steady) => (Exit::Passed, "steady state reached".to_owned()),
        Ending::Closed(Outcome::Done) => (Exit::Passed, "done".to_owned()),
        Ending::Closed(Outcome::NotSteady) => {
            (Exit::NotPassed, "steady state not reached".to_owned())
        }
        Ending::Interrupted { cause } => (
            Exit::Interrupted,
            format!("interrupted ({cause}); go on with: ptse resume {place}"),
        ),
        Ending::Failed { cause } => {
            drop(writeln!(out, "the run can go on with: ptse resume {place}"));
            return Err(CommandError::device(cause));
        }
    };
    drop(writeln!(out, "{text}\nreport: {}", written.display()));
    Ok(exit)
}

/// Writes the report from what is on disk, not from what was meant to be there. A full disk ends
/// a run as interrupted, whether or not its report fits.
fn write_report(folder: &Path, ending: &Ending) -> Result<PathBuf, CommandError> {
    let written = Stored::open(folder)
        .and_then(|stored| report::write(folder, &stored.plan, &stored.journal.state));
    match (written, ending) {
        (Err(error), Ending::Interrupted { .. } | Ending::Failed { .. }) => {
            drop(writeln!(
                std::io::stderr(),
                "ptse: no report was written: {error}"
            ));
            Ok(folder.join("report.html"))
        }
        (written, _) => written,
    }
}

/// A runtime for one run: one thread, since I/O never touches it.
///
/// # Errors
/// When the system refuses it.
pub fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::device(format!("cannot start the runtime: {error}")))
}
