//! Is it the host? CPU of the workers is told for each cell, and the other threads use next to
//! none. In a process of its own, so that threads of other tests do not count.

use std::fs;
use std::path::Path;

use ptse::drive::{Command, Drive, Event, Measurement, file};
use ptse::stimulus::{
    Access, BlockShares, Cell, CellKey, Content, EngineKind, Programme, Until, Zone,
};
use ptse::units::{Bytes, GIB, KIB, Nanos, SECOND_NS};

/// Bound of the issue: 0.5 % of a core, in parts of a second.
const OTHERS_PER_SECOND: u64 = 200;

/// Reads of a file that holds nothing: the cheapest target there is, at the largest rate.
fn reads(cell_index: u32, rate_iops: Option<u64>, seconds: u64) -> Cell {
    Cell {
        key: CellKey {
            step_index: 0,
            round: 1,
            cell_index,
        },
        access: Access {
            threads: 1,
            queue_depth: 128,
            engine: EngineKind::Ring,
            read_percent: 100,
            random_percent: 100,
            read_blocks: BlockShares::one(Bytes(4 * KIB)),
            write_blocks: BlockShares::one(Bytes(4 * KIB)),
            zones: vec![Zone {
                weight: 1,
                start: Bytes(0),
                end: Bytes(GIB),
            }],
            content: Content::Random,
            logical_block: Bytes(4 * KIB),
            rate_iops,
        },
        until: Until::Time(Nanos::from_secs(seconds)),
        seed: 1,
        reads_back: false,
    }
}

/// Nanoseconds on a CPU of all threads of this process that are not workers, nor the kernel's own
/// that move I/Os of targets without `RWF_NOWAIT`.
fn others_ran() -> u64 {
    let tasks = fs::read_dir("/proc/self/task").expect("threads of this process");
    let of_task = |task: &Path| {
        let name = fs::read_to_string(task.join("comm")).ok()?;
        let is_worker = name.starts_with("ptse-worker") || name.starts_with("iou-");
        let times = fs::read_to_string(task.join("schedstat")).ok()?;
        let ran = times.split_whitespace().next()?.parse::<u64>().ok()?;
        (!is_worker).then_some(ran)
    };
    tasks.filter_map(|task| of_task(&task.ok()?.path())).sum()
}

/// All in one test: its parts would take each other's CPU.
#[test]
fn workers_are_judged_and_everybody_else_is_idle() {
    let image = tempfile::NamedTempFile::new().expect("a file");
    image.as_file().set_len(GIB).expect("a sparse file");
    let mut drive = file::open(image.path()).expect("a target");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let cells = vec![reads(0, None, 4), reads(1, Some(200), 1)];
    drive.link().send(Command::Run(Programme { cells }));
    let mut samples = Vec::new();
    let mut measured: Vec<Measurement> = Vec::new();
    loop {
        match runtime.block_on(drive.link().next_event()).expect("alive") {
            Event::Tick(tick) if tick.key.cell_index == 0 => samples.push((tick.at, others_ran())),
            Event::Tick(_) => {}
            Event::CellDone(cell) => measured.push(*cell),
            Event::ProgrammeDone { .. } => drive.link().send(Command::Proceed),
            Event::Stopped { .. } => break,
            other @ (Event::Purged(_) | Event::Cache(_) | Event::Health(_) | Event::Failed(_)) => {
                panic!("{other:?}")
            }
        }
    }
    // From the first second's tick to the third's: set-up and end lie outside.
    let (from, to) = (samples[0], samples[2]);
    let (span, ran) = (to.0.0 - from.0.0, to.1 - from.1);
    assert!(span >= SECOND_NS, "{samples:?}");
    let bound = span / OTHERS_PER_SECOND;
    println!("threads that are not workers ran {ran} ns in {span} ns");
    assert!(ran <= bound, "{ran} ns in {span} ns, at most {bound}");

    let [closed, paced] = measured.as_slice() else {
        panic!("two cells: {measured:?}");
    };
    assert_eq!((closed.workers.len(), paced.workers.len()), (1, 1));
    let reason = |cell: &Measurement| cell.host_limited.clone().unwrap_or_default();
    let load = paced.workers[0];
    assert!(load.cpu_permille < 500, "200 I/Os a second: {load:?}");
    assert!(!reason(paced).contains("was busy"), "{paced:?}");
    if reason(closed).contains("RWF_NOWAIT") {
        println!("skipped: this file system takes no I/O without waiting");
        return;
    }
    // Done-when of the issue: the null-like file at QD128 is marked, with the figures.
    assert!(
        reason(closed).contains("worker 0 was busy"),
        "{:?}",
        closed.workers
    );
}
