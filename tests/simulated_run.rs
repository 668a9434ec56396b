//! Promise: a run on the simulated drive is reproducible, and a resume keeps what was measured.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::VecDeque;
use std::path::Path;

use ptse::drive::{Drive, PurgeMethod};
use ptse::journal::read::{Journal, read};
use ptse::journal::record::{Line, Record, Resumed, RunOpened, SCHEMA, Warning};
use ptse::journal::recorder::Recorder;
use ptse::journal::{Entry, JOURNAL_FILE, RunState, SAMPLES_FILE};
use ptse::run::driver::Position;
use ptse::run::machine::Outcome;
use ptse::run::{Driver, Ending, records};
use ptse::spec::{Plan, Source, load};
use ptse::units::Nanos;
use ptse::verdict::verify::verify;
use tokio::sync::mpsc::unbounded_channel;

const DRIVE: &str = "sim:small,capacity=512MiB";

/// Four cells of two virtual seconds, after a purge and a fill.
const TEST: &str = r#"
schema = "ptse-spec/1"
[test]
name = "test/small"
title = "Small"
[stimulus]
threads = 2
queue_depth = 4
[[step]]
do = "purge"
[[step]]
do = "fill"
pattern = "sequential"
block = "128KiB"
amount = "2x"
of = "capacity"
[[step]]
do = "rounds"
pattern = "random"
loop = [ { read_percent = [100, 0] }, { block = ["64KiB", "4KiB"] } ]
cell_time = "2s"
rounds_max = 8
track = [ { iops = { read_percent = 0, block = "4KiB" } } ]
"#;

fn plan(drive: &dyn Drive) -> Plan {
    let source = Source {
        name: "test/small".to_owned(),
        text: TEST.to_owned(),
        folder: None,
    };
    let loaded = load(&source, &[], false).unwrap_or_else(|e| panic!("{}", e.render(false)));
    Plan::resolve(&loaded.spec, drive.geometry()).unwrap()
}

fn opened(drive: &dyn Drive, seed: u64) -> Line {
    let record = Record::RunOpened(Box::new(RunOpened {
        schema: SCHEMA.to_owned(),
        tool: "ptse test".to_owned(),
        spec_name: "test/small".to_owned(),
        spec_text: TEST.to_owned(),
        spec_sha256: ptse::journal::chain::digest(TEST.as_bytes()),
        overrides: Vec::new(),
        quick: false,
        effective: TEST.to_owned(),
        seed,
        purge_method: "auto".to_owned(),
        waivers: Vec::new(),
        erase_consent: None,
        drive: records::drive(drive.identity()),
        host: records::host(drive.host()),
        fields: std::collections::BTreeMap::new(),
    }));
    Line {
        at: records::date(drive.calendar(), Nanos(0), String::new),
        record,
    }
}

/// Runs until the end, or until a stop is asked for after `stop_after` records.
async fn drive_on(
    dir: &Path,
    resume: Option<&Journal>,
    stop_after: Option<u64>,
) -> (Ending, RunState) {
    let mut drive = ptse::sim::open(DRIVE).unwrap();
    let plan = plan(&drive);
    let (state, replay, resumed, recorder) = match resume {
        None => {
            let line = opened(&drive, drive.seed());
            let state = RunState::open(&line).unwrap();
            let recorder = Recorder::create(dir).unwrap();
            recorder.write(Entry::Record {
                number: 1,
                line: Box::new(line),
            });
            (state, VecDeque::new(), None, recorder)
        }
        Some(journal) => {
            let mut lines: VecDeque<Line> = journal.lines.iter().cloned().collect();
            let state = RunState::open(&lines.pop_front().unwrap()).unwrap();
            let (tool, address) = ("ptse test".to_owned(), DRIVE.to_owned());
            let resumed = Resumed {
                tool,
                address,
                pause_s: 0,
            };
            (
                state,
                lines,
                Some(resumed),
                Recorder::reopen(dir, journal).unwrap(),
            )
        }
    };
    let (watcher, mut entries) = unbounded_channel();
    let (stop, stops) = unbounded_channel();
    let driver = Driver {
        plan: &plan,
        drive: &mut drive,
        purge_method: PurgeMethod::Auto,
        state,
        replay,
        resumed,
        recorder,
        watcher,
        stops,
        position: Position::Idle,
        drive_time: Nanos(0),
    };
    let watch = async {
        while let Some(entry) = entries.recv().await {
            if let Entry::Record { number, .. } = entry
                && stop_after == Some(number)
            {
                stop.send("test".to_owned()).unwrap();
            }
        }
    };
    let (ended, ()) = tokio::join!(driver.run(), watch);
    ended.unwrap()
}

fn run(dir: &Path, resume: Option<&Journal>, stop_after: Option<u64>) -> (Ending, RunState) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(drive_on(dir, resume, stop_after))
}

fn journal(dir: &Path) -> Journal {
    read(&dir.join(JOURNAL_FILE)).unwrap()
}

#[test]
fn the_same_profile_spec_and_seed_give_the_same_bytes() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    for dir in &dirs {
        let (ending, _) = run(dir.path(), None, None);
        assert!(matches!(
            ending,
            Ending::Closed(Outcome::Steady | Outcome::NotSteady)
        ));
    }
    for file in [JOURNAL_FILE, SAMPLES_FILE] {
        let bytes = |dir: &tempfile::TempDir| std::fs::read(dir.path().join(file)).unwrap();
        assert!(bytes(&dirs[0]) == bytes(&dirs[1]), "{file} differs");
    }
}

#[test]
fn a_complete_run_verifies_and_holds_the_standards_procedure() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), None, None);
    let journal = journal(dir.path());
    let drive = ptse::sim::open(DRIVE).unwrap();
    let samples = std::fs::read(dir.path().join(SAMPLES_FILE)).unwrap();
    assert_eq!(verify(&journal.state, &plan(&drive), Some(&samples)), []);
    let fill = &journal.state.attempt(1).unwrap().cells[0];
    assert_eq!(fill.write.bytes, 2 * drive.geometry().capacity.0);
    assert_eq!(fill.read.ios, 0);
    for round in journal.state.rounds(2) {
        let order: Vec<u32> = round.cells.iter().map(|cell| cell.key.cell_index).collect();
        assert_eq!(order, [0, 1, 2, 3]);
        assert!(
            round
                .cells
                .iter()
                .all(|cell| cell.elapsed == Nanos::from_secs(2))
        );
        assert!(round.cells.iter().all(|cell| cell.idle_gap == Nanos(0)));
    }
}

/// Stopped after any record and resumed, the run completes, every cell measured before is
/// unchanged, no window spans the interruption, and it verifies.
#[test]
fn a_run_stopped_after_any_record_goes_on() {
    let whole = tempfile::tempdir().unwrap();
    run(whole.path(), None, None);
    let records = journal(whole.path()).state.record_last;
    for stop_after in 2..records {
        let dir = tempfile::tempdir().unwrap();
        let (ending, _) = run(dir.path(), None, Some(stop_after));
        if ending == Ending::Closed(Outcome::Steady) {
            continue;
        }
        assert_eq!(
            ending,
            Ending::Interrupted {
                cause: "test".to_owned()
            },
            "{stop_after}"
        );
        check_resume(dir.path(), stop_after);
    }
}

fn check_resume(dir: &Path, stop_after: u64) {
    let before = journal(dir);
    let (ending, state) = run(dir, Some(&before), None);
    assert!(
        matches!(ending, Ending::Closed(_)),
        "{stop_after}: {ending:?}"
    );
    let after = journal(dir);
    assert_eq!(
        after.lines[..before.lines.len()],
        before.lines[..],
        "{stop_after}"
    );
    let drive = ptse::sim::open(DRIVE).unwrap();
    let samples = std::fs::read(dir.join(SAMPLES_FILE)).unwrap();
    assert_eq!(
        verify(&after.state, &plan(&drive), Some(&samples)),
        [],
        "{stop_after}"
    );
    let attempt = state.attempt(2).unwrap();
    let windows = attempt
        .rounds
        .iter()
        .filter_map(|round| round.closed.as_ref());
    for window in windows
        .flat_map(|closed| &closed.what.variables)
        .filter_map(|v| v.window.as_ref())
    {
        assert!(
            window.round_first >= attempt.rounds[0].number,
            "{stop_after}"
        );
    }
}

/// A resume of a resume repeats both segments.
#[test]
fn a_run_interrupted_twice_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), None, Some(11));
    let first = journal(dir.path());
    run(dir.path(), Some(&first), Some(first.state.record_last + 8));
    let second = journal(dir.path());
    assert_eq!(second.state.interruptions.len(), 2);
    let (ending, state) = run(dir.path(), Some(&second), None);
    assert!(matches!(ending, Ending::Closed(_)));
    assert_eq!(state.segment(), 2);
}

/// The calendar of a rebuilt drive never runs backwards.
#[test]
fn dates_never_go_back() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), None, Some(9));
    let before = journal(dir.path());
    run(dir.path(), Some(&before), None);
    let dates: Vec<String> = journal(dir.path())
        .lines
        .into_iter()
        .map(|line| line.at)
        .collect();
    assert!(dates.is_sorted(), "{dates:?}");
}

/// A warning may stand between any two records; a resume repeats the work around it.
#[test]
fn a_warning_in_the_middle_of_a_round_does_not_stop_a_resume() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), None, Some(16));
    let lines = journal(dir.path()).lines;
    let warned = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(warned.path()).unwrap();
    let text = "the room became hot".to_owned();
    let warning = Record::Warning(Warning {
        kind: "test".to_owned(),
        text,
    });
    for (index, line) in (1..).zip(lines) {
        let (number, at) = (index, line.at.clone());
        recorder.write(Entry::Record {
            number,
            line: Box::new(line),
        });
        if index > 3 {
            let line = Line {
                at,
                record: warning.clone(),
            };
            recorder.write(Entry::Record {
                number,
                line: Box::new(line),
            });
        }
    }
    recorder.finish();
    let before = journal(warned.path());
    let (ending, state) = run(warned.path(), Some(&before), None);
    assert!(matches!(ending, Ending::Closed(_)), "{ending:?}");
    assert!(state.warnings.len() > 5);
}
