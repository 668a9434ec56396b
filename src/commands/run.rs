//! `ptse run`: from a test file and a drive to a report.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;

use chrono::{DateTime, FixedOffset};

use crate::commands::arguments::TestArgs;
use crate::commands::exit::{CommandError, Exit};
use crate::commands::measure::{self, Measure};
use crate::commands::target;
use crate::commands::{folder, logging, test_file};
use crate::drive::{Calendar, Drive};
use crate::journal::record::{Line, Record, RunOpened, SCHEMA};
use crate::journal::recorder::Recorder;
use crate::journal::{Entry, RunState};
use crate::run::records;
use crate::spec::Loaded;
use crate::stimulus::Geometry;
use crate::ui::terminal;

/// Arguments of `ptse run`.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    #[command(flatten)]
    test: TestArgs,
    /// Serial number of the drive to erase, or the kernel name of a device without one
    #[arg(long, value_name = "SERIAL")]
    erase: Option<String>,
}

/// The waiver of the journal for other namespaces that the purge erases.
pub const ALL_NAMESPACES: &str = "all-namespaces";

/// What stands in front of a signature that was allowed, among the waivers of the journal.
pub const WAIVED: &str = "even-with-signatures: ";

/// `ptse` and its version as major.minor: what the journal records.
pub fn tool() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let short = version.rsplit_once('.').map_or(version, |(short, _)| short);
    format!("ptse {short}")
}

/// Runs the command.
///
/// # Errors
/// What was refused or failed, with its exit code.
pub fn command(args: &RunArgs) -> Result<Exit, CommandError> {
    let log_filter = logging::filter()?;
    let test = &args.test;
    let loaded = test_file::load_test(&test.spec, &test.set, test.quick)?;
    let out = test.out_absolute();
    let consent = test.consent(args.erase.as_deref(), &out);
    let inspected = target::inspect(&test.drive, &consent)?;
    let identity = inspected.identity();
    let geometry = Geometry {
        capacity: identity.capacity,
        logical_block: identity.logical_block,
    };
    let plan = test_file::resolve(&loaded, geometry)?;
    test_file::refuse_not_built(&test.spec, &plan.not_built())?;
    let mut target = inspected.open(&consent)?;
    let opened = opened(test, &loaded, &target);
    let start = start_of(&*target.drive);
    let drive = &opened.drive;
    let folder = folder::make(
        &test.out,
        start,
        &drive.model,
        drive.serial.as_deref(),
        &plan.spec.test.name,
    )?;
    folder::check_space(&folder, &plan).inspect_err(|_| drop(std::fs::remove_dir(&folder)))?;
    let line = Line {
        at: date_text(&*target.drive, start),
        record: Record::RunOpened(Box::new(opened)),
    };
    let state = RunState::open(&line).expect("the line was just made");
    drop(writeln!(
        std::io::stdout(),
        "{}",
        terminal::greeting(&state, &folder.display().to_string())
    ));
    let runtime = measure::runtime()?;
    runtime.block_on(async {
        let recorder = begin(&folder, line).await?;
        let ready = Measure {
            folder: &folder,
            plan: &plan,
            drive: &mut *target.drive,
            purge_method: test.purge,
            state,
            replay: VecDeque::new(),
            resumed: None,
            recorder,
            log_filter,
        };
        measure::measure(ready).await
    })
}

/// Creates the files and commits the opening record before anything touches the drive.
async fn begin(folder: &std::path::Path, line: Line) -> Result<Recorder, CommandError> {
    let failed = |error: std::io::Error| {
        CommandError::device(format!(
            "cannot write the record in {}: {error}; free space or choose another folder with \
             --out",
            folder.display()
        ))
    };
    let mut recorder = Recorder::create(folder).map_err(failed)?;
    recorder
        .write_and_wait(Entry::Record {
            number: 1,
            line: Box::new(line),
        })
        .await;
    match recorder.fault_now() {
        Some(fault) => Err(failed(fault.into_error())),
        None => Ok(recorder),
    }
}

fn opened(test: &TestArgs, loaded: &Loaded, target: &target::Open) -> RunOpened {
    let drive = &*target.drive;
    RunOpened {
        schema: SCHEMA.to_owned(),
        tool: tool(),
        spec_name: loaded.name.clone(),
        spec_text: loaded.text.clone(),
        spec_sha256: loaded.sha256.clone(),
        overrides: test.set.clone(),
        quick: test.quick,
        effective: loaded.effective.clone(),
        seed: target.seed,
        purge_method: test.purge.word().to_owned(),
        waivers: target
            .signatures
            .iter()
            .map(|one| format!("{WAIVED}{one}"))
            .chain(target.reaches_others.then(|| ALL_NAMESPACES.to_owned()))
            .collect(),
        erase_consent: target.consent.clone(),
        drive: records::drive(drive.identity()),
        host: records::host(drive.host()),
        fields: BTreeMap::new(),
    }
}

fn start_of(drive: &dyn Drive) -> DateTime<FixedOffset> {
    match drive.calendar() {
        Calendar::Wall => chrono::Local::now().fixed_offset(),
        Calendar::Virtual { start } => start,
    }
}

fn date_text(drive: &dyn Drive, start: DateTime<FixedOffset>) -> String {
    let start_of_clock = crate::units::Nanos(0);
    records::date(drive.calendar(), start_of_clock, || {
        start.to_rfc3339_opts(chrono::SecondsFormat::Millis, false)
    })
}
