//! The rows of the table: what is run on what, ours and theirs.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ptse::stimulus::Content;
use ptse::units::Nanos;

use crate::fio::{self, Setup};
use crate::targets::{self, Loop, SIZE, SparseFile, Zram};
use crate::{Effort, Failure, Finding, Sample, ours};

/// Something that can be measured for a time.
type Run<'a> = Box<dyn Fn(Nanos) -> Result<Sample, Failure> + 'a>;

/// Measures every row that is wanted; one that cannot be measured says why.
pub(crate) fn measure_all(
    wanted: &[&str],
    effort: Effort,
    interrupted: &AtomicBool,
) -> Vec<Finding> {
    let mut bench = Bench {
        wanted,
        effort,
        interrupted,
        findings: Vec::new(),
    };
    for part in [file_rows, zram_row, loop_rows, null_rows] {
        if let Err(Failure(cause)) = part(&mut bench) {
            println!("skipped: {cause}");
        }
    }
    bench.findings
}

struct Bench<'a> {
    wanted: &'a [&'a str],
    effort: Effort,
    interrupted: &'a AtomicBool,
    findings: Vec<Finding>,
}

impl Bench<'_> {
    fn wants(&self, names: &[&str]) -> bool {
        let is_wanted = |name: &&str| self.wanted.iter().any(|word| name.contains(word));
        let is_over = self.interrupted.load(Ordering::Acquire);
        !is_over && (self.wanted.is_empty() || names.iter().any(is_wanted))
    }

    /// Alternating pairs; who begins alternates too.
    fn row(
        &mut self,
        name: &'static str,
        what: &'static str,
        ours: &Run<'_>,
        theirs: &Run<'_>,
    ) -> Result<(), Failure> {
        if !self.wants(&[name]) {
            return Ok(());
        }
        println!("{name}: {what}");
        let mut finding = Finding {
            name,
            what,
            ours: Vec::new(),
            theirs: Vec::new(),
        };
        for pair in 0..self.effort.pairs {
            let mut sides = [(ours, &mut finding.ours), (theirs, &mut finding.theirs)];
            if pair % 2 == 1 {
                sides.reverse();
            }
            for (run, into) in sides {
                into.push(run(self.effort.time)?);
            }
            if self.interrupted.load(Ordering::Acquire) {
                return Err(Failure("interrupted".to_owned()));
            }
        }
        self.findings.push(finding);
        Ok(())
    }
}

fn engine<'a>(file: &'a Arc<OwnedFd>, job: ours::Job) -> Run<'a> {
    Box::new(move |time| ours::measure(file, &job, time))
}

fn reads_by_fio(target: &Path, setup: Setup, queue_depth: u32, jobs: u32) -> Run<'_> {
    Box::new(move |time| {
        let job = fio::Job {
            target,
            setup,
            queue_depth,
            jobs,
            pattern: "randread",
            size: SIZE,
            is_direct: true,
            more: &[],
        };
        fio::measure(&job, time)
    })
}

fn file_rows(bench: &mut Bench<'_>) -> Result<(), Failure> {
    const ROWS: [(&str, &str, u32, Setup); 3] = [
        (
            "null-qd128-tuned",
            "null-like file QD128, fio tuned",
            128,
            Setup::Tuned,
        ),
        (
            "null-qd128-default",
            "null-like file QD128, fio default",
            128,
            Setup::Default,
        ),
        (
            "null-qd1-tuned",
            "null-like file QD1, fio tuned",
            1,
            Setup::Tuned,
        ),
    ];
    if !bench.wants(&ROWS.map(|row| row.0)) {
        return Ok(());
    }
    let sparse = SparseFile::new()?;
    let file = targets::open_direct(sparse.path())?;
    for (name, what, depth, setup) in ROWS {
        let ours = engine(&file, ours::Job::reads(depth, SIZE));
        let theirs = reads_by_fio(sparse.path(), setup, depth, 1);
        bench.row(name, what, &ours, &theirs)?;
    }
    Ok(())
}

fn zram_row(bench: &mut Bench<'_>) -> Result<(), Failure> {
    const NAME: &str = "zram-2jobs-qd128-tuned";
    if !bench.wants(&[NAME]) {
        return Ok(());
    }
    let zram = Zram::new()?;
    let file = targets::open_direct(zram.path())?;
    let job = ours::Job {
        threads: 2,
        logical_block: 4096,
        ..ours::Job::reads(128, SIZE)
    };
    let ours = engine(&file, job);
    let theirs = reads_by_fio(zram.path(), Setup::Tuned, 128, 2);
    let done = bench.row(NAME, "zram, nothing written, 2 jobs QD128", &ours, &theirs);
    drop(ours);
    drop(file);
    done
}

fn loop_rows(bench: &mut Bench<'_>) -> Result<(), Failure> {
    const ROWS: [(&str, &str, u32); 2] = [
        ("loop-qd32-tuned", "loop device, direct I/O, QD32", 32),
        ("loop-qd128-tuned", "loop device, direct I/O, QD128", 128),
    ];
    if !bench.wants(&ROWS.map(|row| row.0)) {
        return Ok(());
    }
    let device = Loop::new()?;
    let file = targets::open_direct(device.path())?;
    for (name, what, depth) in ROWS {
        let ours = engine(&file, ours::Job::reads(depth, SIZE));
        let theirs = reads_by_fio(device.path(), Setup::Tuned, depth, 1);
        bench.row(name, what, &ours, &theirs)?;
    }
    Ok(())
}

fn null_rows(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let file = targets::open_null()?;
    let writes = |content| engine(&file, ours::Job::writes(128, SIZE, content));
    bench.row(
        "write-stamped-against-none",
        "/dev/null QD128: stamped pool against zeros, both ours",
        &writes(Content::Random),
        &writes(Content::Zero),
    )?;
    let refill: Run<'_> = Box::new(move |time| {
        let job = fio::Job {
            target: Path::new("/dev/null"),
            setup: Setup::Tuned,
            queue_depth: 128,
            jobs: 1,
            pattern: "randwrite",
            size: SIZE,
            is_direct: false,
            more: &["--refill_buffers"],
        };
        fio::measure(&job, time)
    });
    bench.row(
        "write-fresh-against-refill",
        "/dev/null QD128: fresh random data, fio --refill_buffers",
        &writes(Content::Fresh),
        &refill,
    )
}

/// Does `ios` reads of holes at a queue depth, for a counter of instructions around it.
pub(crate) fn load(path: &str, depth: &str, ios: &str) -> ExitCode {
    let done = (|| -> Result<u64, Failure> {
        let file = targets::open_direct(Path::new(path))?;
        let size = rustix::fs::fstat(&file)?.st_size;
        let job = ours::Job::reads(depth.parse()?, u64::try_from(size)?);
        ours::count(&file, &job, ios.parse()?)
    })();
    match done {
        Ok(ios) => {
            println!("{ios} I/Os");
            ExitCode::SUCCESS
        }
        Err(Failure(cause)) => {
            println!("failed: {cause}");
            ExitCode::FAILURE
        }
    }
}
