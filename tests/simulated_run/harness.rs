//! A small test on a small simulated drive, run by the driver itself.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::VecDeque;
use std::path::Path;

use ptse::drive::{Drive, PurgeMethod};
use ptse::journal::read::{Journal, read};
use ptse::journal::record::{Line, Record, Resumed, RunOpened, SCHEMA};
use ptse::journal::recorder::{Claim, Recorder};
use ptse::journal::{Entry, JOURNAL_FILE, RunState};
use ptse::run::driver::Position;
use ptse::run::{Absence, Driver, Ending, records};
use ptse::spec::{Loaded, Plan, Source, load};
use ptse::units::Nanos;
use tokio::sync::mpsc::unbounded_channel;

pub(crate) const DRIVE: &str = "sim:small,capacity=512MiB";

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

pub(crate) fn plan(drive: &dyn Drive) -> Plan {
    Plan::resolve(&test().spec, drive.geometry()).unwrap()
}

fn test() -> Loaded {
    let source = Source {
        name: "test/small".to_owned(),
        text: TEST.to_owned(),
        folder: None,
    };
    load(&source, &[], false).unwrap_or_else(|e| panic!("{}", e.render(false)))
}

pub(crate) fn opened(drive: &dyn Drive, seed: u64) -> Line {
    let record = Record::RunOpened(Box::new(RunOpened {
        schema: SCHEMA.to_owned(),
        tool: "ptse test".to_owned(),
        spec_name: "test/small".to_owned(),
        spec_text: TEST.to_owned(),
        spec_sha256: ptse::journal::chain::digest(TEST.as_bytes()),
        overrides: Vec::new(),
        quick: false,
        effective: test().effective,
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
    suspended: fn() -> Nanos,
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
                pause_s: Some(0),
                drive: None,
                host: None,
            };
            (
                state,
                lines,
                Some(resumed),
                Recorder::reopen(Claim::take(dir).unwrap(), dir, journal).unwrap(),
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
        absence: Absence::new(suspended),
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

pub(crate) fn run(
    dir: &Path,
    resume: Option<&Journal>,
    stop_after: Option<u64>,
) -> (Ending, RunState) {
    run_with(dir, resume, stop_after, || Nanos(0))
}

pub(crate) fn run_with(
    dir: &Path,
    resume: Option<&Journal>,
    stop_after: Option<u64>,
    suspended: fn() -> Nanos,
) -> (Ending, RunState) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(drive_on(dir, resume, stop_after, suspended))
}

pub(crate) fn journal(dir: &Path) -> Journal {
    read(&dir.join(JOURNAL_FILE)).unwrap()
}
