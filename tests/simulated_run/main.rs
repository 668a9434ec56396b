//! Promise: a run on the simulated drive is reproducible, and a resume keeps what was measured.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;

use std::path::Path;

use ptse::drive::Drive;
use ptse::journal::record::{Line, Record, Warning};
use ptse::journal::recorder::Recorder;
use ptse::journal::{Entry, JOURNAL_FILE, SAMPLES_FILE};
use ptse::run::Ending;
use ptse::run::machine::Outcome;
use ptse::units::Nanos;
use ptse::verdict::verify::verify;

use harness::{DRIVE, journal, plan, run, run_with};

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
        let none = Some(Nanos(0));
        assert!(round.cells.iter().all(|cell| cell.idle_gap == none));
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

/// A machine that sleeps in the middle of a round: an interruption that goes on by itself, in new
/// rounds (design 6).
#[test]
fn a_machine_that_slept_goes_on_with_a_new_round() {
    use std::sync::atomic::{AtomicU64, Ordering};
    /// Looks at the clock, one for each event; a round has about sixteen, the fill a few.
    static LOOKS: AtomicU64 = AtomicU64::new(0);
    fn suspended() -> Nanos {
        let looks = LOOKS.fetch_add(1, Ordering::Relaxed);
        Nanos(if looks < 40 {
            7
        } else {
            7 + 90 * 1_000_000_000
        })
    }
    let dir = tempfile::tempdir().unwrap();
    let (ending, state) = run_with(dir.path(), None, None, suspended);
    assert!(matches!(ending, Ending::Closed(_)), "{ending:?}");
    let [stop] = state.interruptions.as_slice() else {
        panic!("{:?}", state.interruptions)
    };
    let cause = &stop.interrupted.as_ref().unwrap().what.cause;
    assert_eq!(
        cause,
        "the machine was suspended or this program stopped for 1 min 30 s"
    );
    assert_eq!(stop.resumed.as_ref().unwrap().what.pause_s, Some(90));
    let broken: Vec<bool> = state
        .rounds(2)
        .map(|round| round.closed.is_none())
        .collect();
    assert_eq!(broken.iter().filter(|one| **one).count(), 1, "{broken:?}");
    assert!(matches!(broken.last(), Some(false)));
}
