//! `ptse resume`: goes on with a run after a crash, a power cut or Ctrl-C.

use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::commands::exit::{CommandError, Exit};
use crate::commands::logging;
use crate::commands::measure::{self, Measure};
use crate::commands::run::{ALL_NAMESPACES, WAIVED, tool};
use crate::commands::stored::{self, Stored};
use crate::commands::target::{self, Consent};
use crate::drive::guard::Carries;
use crate::drive::{Calendar, Drive, PurgeMethod};
use crate::journal::RunState;
use crate::journal::record::{Line, Resumed, RunOpened};
use crate::journal::recorder::{Claim, Recorder};
use crate::run::records;
use crate::ui::terminal;

/// Arguments of `ptse resume`.
#[derive(Debug, clap::Args)]
pub struct ResumeArgs {
    /// Run folder
    run: PathBuf,
    /// Name of the drive, where the record knows it by nothing that outlives a boot
    #[arg(long, value_name = "SERIAL")]
    erase: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// What was refused or failed, with its exit code.
pub fn command(args: &ResumeArgs) -> Result<Exit, CommandError> {
    let log_filter = logging::filter()?;
    let claim = claim(&args.run)?;
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
    let mut target = open_again(&stored, &opened, args.erase.as_deref())?;
    refuse_another_drive(&opened, &*target.drive)?;
    let resumed = Resumed {
        tool: tool(),
        address: target.drive.identity().address.clone(),
        pause_s: pause_s(state, &*target.drive),
        drive: Some(records::drive(target.drive.identity())),
        host: Some(records::host(target.drive.host())),
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
    let recorder = Recorder::reopen(claim, &stored.folder, &stored.journal)
        .map_err(|error| cannot_write(&stored.folder, &error))?;
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

/// Takes the right to write the record before it is read.
fn claim(run: &Path) -> Result<Claim, CommandError> {
    let folder = stored::folder_of(run);
    Claim::take(folder).map_err(|error| {
        if error.kind() == std::io::ErrorKind::NotFound
            && let Err(unreadable) = Stored::open(run)
        {
            return unreadable;
        }
        cannot_write(folder, &error)
    })
}

fn cannot_write(folder: &Path, error: &std::io::Error) -> CommandError {
    CommandError::device(format!(
        "cannot write the record in {}: {error}",
        folder.display()
    ))
}

/// Finds the drive and opens it; the guard runs again. No consent is asked for anew: the one in
/// the journal is for this very drive, whatever its node is called now. Of the signatures that
/// were allowed exactly those may still be there; anything made since is refused.
///
/// A node's name is no identity: where the record has nothing better, the operator names the drive
/// again.
fn open_again(
    stored: &Stored,
    opened: &RunOpened,
    erase: Option<&str>,
) -> Result<target::Open, CommandError> {
    let identity = target::find_again(&opened.drive)?;
    if identity.is_known_by_name_only() && erase.is_none() {
        return Err(CommandError::device(format!(
            "{} has neither a serial number nor a world-wide name, so nothing shows that it still \
             is the drive of this run; if it is, add --erase {}",
            target::description(&identity),
            identity.confirm_name
        )));
    }
    let waivers = opened
        .waivers
        .iter()
        .filter_map(|one| one.strip_prefix(WAIVED));
    let known: Vec<String> = waivers.map(str::to_owned).collect();
    let consent = Consent {
        erase: erase.or(Some(&identity.confirm_name)),
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

/// `None` where the clock went back since the last record.
fn pause_s(state: &RunState, drive: &dyn Drive) -> Option<u64> {
    match drive.calendar() {
        Calendar::Virtual { .. } => Some(0),
        Calendar::Wall => {
            let pause = chrono::Local::now().fixed_offset() - state.last_at;
            u64::try_from(pause.num_seconds()).ok()
        }
    }
}
