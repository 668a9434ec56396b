//! Runs the engine of ptse as the program does, with full accounting, and times its CPU use.

use std::os::fd::OwnedFd;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use ptse::engine::{Clock, Engine, Event, Outcome, SILENT_AFTER, Target};
use ptse::stats::Flow;
use ptse::stimulus::{
    Access, BlockShares, Cell, CellKey, Content, EngineKind, Programme, Until, Zone,
};
use ptse::units::{Bytes, Nanos, per_second, to_f64};

use crate::{Failure, Sample};

/// Time before the measured cell, in which nothing is measured.
const WARM_UP: Nanos = Nanos(100_000_000);
/// Longest time without a word of the engine.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the engine is asked to do.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) threads: u32,
    pub(crate) queue_depth: u32,
    pub(crate) read_percent: u8,
    pub(crate) block: u64,
    pub(crate) range: u64,
    pub(crate) logical_block: u32,
    pub(crate) content: Content,
}

impl Job {
    /// 4 KiB random reads over `range` bytes.
    pub(crate) fn reads(queue_depth: u32, range: u64) -> Self {
        Self {
            threads: 1,
            queue_depth,
            read_percent: 100,
            block: 4096,
            range,
            logical_block: 512,
            content: Content::Random,
        }
    }

    /// 4 KiB random writes over `range` bytes.
    pub(crate) fn writes(queue_depth: u32, range: u64, content: Content) -> Self {
        Self {
            read_percent: 0,
            content,
            ..Self::reads(queue_depth, range)
        }
    }

    fn cell(&self, cell_index: u32, until: Until) -> Cell {
        let block = BlockShares::one(Bytes(self.block));
        Cell {
            key: CellKey {
                step_index: 0,
                round: 1,
                cell_index,
            },
            access: Access {
                threads: self.threads,
                queue_depth: self.queue_depth,
                engine: EngineKind::Ring,
                read_percent: self.read_percent,
                random_percent: 100,
                read_blocks: block.clone(),
                write_blocks: block,
                zones: vec![Zone {
                    weight: 1,
                    start: Bytes(0),
                    end: Bytes(self.range),
                }],
                content: self.content,
                logical_block: Bytes(u64::from(self.logical_block)),
                rate_iops: None,
            },
            until,
            seed: 1,
            reads_back: false,
        }
    }
}

/// Measures a job on an open target for some time.
pub(crate) fn measure(file: &Arc<OwnedFd>, job: &Job, time: Nanos) -> Result<Sample, Failure> {
    let cells = vec![
        job.cell(0, Until::Time(WARM_UP)),
        job.cell(1, Until::Time(time)),
    ];
    let results = run(file, job.logical_block, cells)?;
    let [(_, before), (outcome, after)] = results.as_slice() else {
        return Err(Failure(format!("{} cells came back", results.len())));
    };
    let ios = outcome.read.tally.ios + outcome.write.tally.ios;
    Ok(Sample {
        iops: per_second(ios, outcome.elapsed).unwrap_or(0.0),
        user_ns: to_f64(after.user_ns - before.user_ns) / to_f64(ios.max(1)),
        total_ns: to_f64(after.total_ns() - before.total_ns()) / to_f64(ios.max(1)),
    })
}

/// Does exactly so many I/Os; for counting instructions.
pub(crate) fn count(file: &Arc<OwnedFd>, job: &Job, ios: u64) -> Result<u64, Failure> {
    let amount = Until::Transferred(Bytes(ios * job.block));
    let results = run(file, job.logical_block, vec![job.cell(0, amount)])?;
    Ok(results
        .iter()
        .map(|(outcome, _)| outcome.read.tally.ios + outcome.write.tally.ios)
        .sum())
}

/// Counts so many latencies as the engine does for each I/O, or only makes them up.
pub(crate) fn account(what: &str, times: &str) -> ExitCode {
    let Ok(times) = times.parse::<u64>() else {
        return ExitCode::FAILURE;
    };
    let mut flow = Flow::default();
    if what == "latencies" {
        for latency_ns in 0..times {
            flow.add(4096, std::hint::black_box(latency_ns));
        }
    } else {
        for latency_ns in 0..times {
            std::hint::black_box(latency_ns);
        }
    }
    println!("{} latencies", flow.histogram.count());
    ExitCode::SUCCESS
}

fn run(
    file: &Arc<OwnedFd>,
    logical_block: u32,
    cells: Vec<Cell>,
) -> Result<Vec<(Outcome, Usage)>, Failure> {
    let target = Target {
        file: Arc::clone(file),
        logical_block,
        silent_after: SILENT_AFTER,
        clock: Clock::start(),
    };
    let (sender, events) = channel();
    let emit = Box::new(move |event| drop(sender.send((event, Usage::now()))));
    let engine = Engine::start(&target, emit)?;
    engine.run(Programme { cells });
    let mut results = Vec::new();
    loop {
        let Ok((event, usage)) = events.recv_timeout(PATIENCE) else {
            return Err(Failure("the engine says nothing any more".to_owned()));
        };
        match event {
            Event::Cell(outcome) => results.push((*outcome, usage)),
            Event::ProgrammeDone { .. } => engine.proceed(),
            Event::Stopped { .. } => return Ok(results),
            Event::Failed(fault) => return Err(Failure(fault.to_string())),
            Event::Tick(_) => {}
        }
    }
}

/// CPU time of all threads of this process.
#[derive(Clone, Copy)]
struct Usage {
    user_ns: u64,
    system_ns: u64,
}

impl Usage {
    fn now() -> Self {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the call writes a whole `rusage` to the place it is given.
        unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) };
        // SAFETY: every bit pattern, zeros included, is a valid `rusage`.
        let usage = unsafe { usage.assume_init() };
        let ns = |time: libc::timeval| {
            u64::try_from(time.tv_sec * 1_000_000 + time.tv_usec).unwrap_or(0) * 1000
        };
        Self {
            user_ns: ns(usage.ru_utime),
            system_ns: ns(usage.ru_stime),
        }
    }

    fn total_ns(&self) -> u64 {
        self.user_ns + self.system_ns
    }
}
