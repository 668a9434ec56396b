//! `ptse resume`: goes on with a run after a crash, a power cut or Ctrl-C.

use std::collections::VecDeque;
use std::io::Write;
use std::path::PathBuf;

use crate::commands::exit::{CommandError, Exit};
use crate::commands::logging;
use crate::commands::measure::{self, Measure};
use crate::commands::run::{ALL_NAMESPACES, WAIVED, tool};
use crate::commands::stored::Stored;
use crate::commands::target::{self, Consent};
use crate::drive::guard::Carries;
use crate::drive::{Calendar, Drive, PurgeMethod};
use crate::journal::RunState;
use crate::journal::record::{Line, Resumed, RunOpened};
use crate::journal::recorder::Recorder;
use crate::ui::terminal;

/// Arguments of `ptse resume`.
#[derive(Debug, clap::Args)]
pub struct ResumeArgs {
    /// Run folder
    run: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// What was refused or failed, with its exit code.
pub fn command(args: &ResumeArgs) -> Result<Exit, CommandError> {
    let log_filter = logging::filter()?;
    let stored = Stored::open(&args.run)?;
    let state = &stored.journal.state;
    if state.closed.is_some() {
        return Err(CommandError::usage(format!(
            "the run in {} is complete; `ptse report` writes its report anew",
            stored.folder.display()
        )));
    }
    if let Some(torn) = stored.journal.torn {
        drop(writeln!(
            std::io::stderr(),
            "ptse: the last line of the journal was torn ({} bytes); it is cut off",
            torn.bytes
        ));
    }
    let opened = state.opened.clone();
    let mut target = open_again(&stored, &opened)?;
    refuse_another_drive(&opened, &*target.drive)?;
    let resumed = Resumed {
        tool: tool(),
        address: target.drive.identity().address.clone(),
        pause_s: pause_s(state, &*target.drive),
    };
    let (state, replay) = start_from(&stored, &*target.drive);
    let folder = stored.folder.display().to_string();
    drop(writeln!(
        std::io::stdout(),
        "{}",
        terminal::greeting(&state, &folder)
    ));
    if !replay.is_empty() {
        let count = replay.len();
        drop(writeln!(
            std::io::stdout(),
            "repeating {count} records on the simulated drive before going on"
        ));
    }
    let recorder = Recorder::reopen(&stored.folder, &stored.journal).map_err(|error| {
        CommandError::device(format!("cannot write the record in {folder}: {error}"))
    })?;
    let runtime = measure::runtime()?;
    runtime.block_on(measure::measure(Measure {
        folder: &stored.folder,
        plan: &stored.plan,
        drive: &mut *target.drive,
        purge_method: purge_method(&opened),
        state,
        replay,
        resumed: Some(resumed),
        recorder,
        log_filter,
    }))
}

fn purge_method(opened: &RunOpened) -> PurgeMethod {
    PurgeMethod::named(&opened.purge_method).unwrap_or_default()
}

/// Finds the drive and opens it; the guard runs again. No consent is asked for anew: the one in
/// the journal is for this very drive, whatever its node is called now. Of the signatures that
/// were allowed exactly those may still be there; anything made since is refused.
fn open_again(stored: &Stored, opened: &RunOpened) -> Result<target::Open, CommandError> {
    let identity = target::find_again(&opened.drive)?;
    let waivers = opened
        .waivers
        .iter()
        .filter_map(|one| one.strip_prefix(WAIVED));
    let known: Vec<String> = waivers.map(str::to_owned).collect();
    let consent = Consent {
        erase: Some(&identity.confirm_name),
        carries: Carries::Known(&known),
        purge: purge_method(opened),
        all_namespaces: opened.waivers.iter().any(|one| one == ALL_NAMESPACES),
        out: &stored.folder,
        can_ask: false,
    };
    target::inspect(&identity.address, &consent)?.open(&consent)
}

/// The same drive is the same anchor, size and block; anything else is named.
fn refuse_another_drive(opened: &RunOpened, drive: &dyn Drive) -> Result<(), CommandError> {
    let (was, is) = (&opened.drive, drive.identity());
    let pairs = [
        ("identity", was.anchor.clone(), is.anchor.clone()),
        ("model", was.model.clone(), is.model.clone()),
        (
            "capacity in bytes",
            was.capacity_bytes.to_string(),
            is.capacity.0.to_string(),
        ),
        (
            "logical block in bytes",
            was.logical_block_bytes.to_string(),
            is.logical_block.0.to_string(),
        ),
    ];
    for (what, was, is) in pairs {
        if was != is {
            return Err(CommandError::device(format!(
                "this is not the drive of the run: its {what} was '{was}' and is '{is}'"
            )));
        }
    }
    Ok(())
}

/// A real drive goes on from the fold; a simulated one repeats every record first.
fn start_from(stored: &Stored, drive: &dyn Drive) -> (RunState, VecDeque<Line>) {
    match drive.calendar() {
        Calendar::Wall => (stored.journal.state.clone(), VecDeque::new()),
        Calendar::Virtual { .. } => {
            let mut lines: VecDeque<Line> = stored.journal.lines.iter().cloned().collect();
            let first = lines
                .pop_front()
                .expect("a journal that was read holds a record");
            let state = RunState::open(&first).expect("the reader has folded it before");
            (state, lines)
        }
    }
}

fn pause_s(state: &RunState, drive: &dyn Drive) -> u64 {
    match drive.calendar() {
        Calendar::Virtual { .. } => 0,
        Calendar::Wall => {
            let pause = chrono::Local::now().fixed_offset() - state.last_at;
            u64::try_from(pause.num_seconds()).unwrap_or(0)
        }
    }
}
