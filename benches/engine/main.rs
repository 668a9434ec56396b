//! Measures the load engine against fio: alternating pairs on the same target, medians of ratios.
//!
//! `cargo bench --bench engine` takes about five minutes, `-- --long` about half an hour with
//! longer runs and more pairs, `-- NAME` only the rows whose name contains NAME. Needs fio; rows
//! on devices need root. `load FILE DEPTH IOS` does so many reads and nothing else, and `account
//! latencies TIMES` or `account nothing TIMES` counts so many latencies or goes through the loop
//! only: a test counts the instructions of them.
//!
//! The engine runs through the same door as in the program, with latency, seconds and histogram
//! kept for every I/O. CPU figures are those of the whole process here and those of the job in fio:
//! fio's start-up is in neither.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]

mod fio;
mod ours;
mod rows;
mod targets;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ptse::units::Nanos;

/// Why something could not be measured.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// One run of one program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) iops: f64,
    /// CPU time in user mode for each I/O, in nanoseconds.
    pub(crate) user_ns: f64,
    /// CPU time for each I/O, in nanoseconds.
    pub(crate) total_ns: f64,
}

/// How long and how often.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) time: Nanos,
    pub(crate) pairs: usize,
}

/// What one row found.
struct Finding {
    name: &'static str,
    what: &'static str,
    ours: Vec<Sample>,
    theirs: Vec<Sample>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["load", file, depth, ios] => return rows::load(file, depth, ios),
        ["account", what, times] => return ours::account(what, times),
        _ => {}
    }
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("nothing measured: run with cargo bench");
        return ExitCode::SUCCESS;
    }
    let Some(fio) = fio::version() else {
        println!("skipped: fio is not installed");
        return ExitCode::SUCCESS;
    };
    let is_long = words.contains(&"--long");
    let effort = if is_long {
        Effort {
            time: Nanos::from_secs(5),
            pairs: 15,
        }
    } else {
        Effort {
            time: Nanos::from_secs(1),
            pairs: 7,
        }
    };
    println!(
        "{} pairs of {} s each, against {fio}",
        effort.pairs,
        effort.time.0 / 1_000_000_000
    );
    let wanted: Vec<&str> = words
        .into_iter()
        .filter(|word| !word.starts_with("--"))
        .collect();
    let interrupted = watch_for_interrupts();
    let findings = rows::measure_all(&wanted, effort, &interrupted);
    print_table(&findings);
    ExitCode::SUCCESS
}

/// Set by Ctrl-C. The row then ends with its targets removed, which a killed process could not.
fn watch_for_interrupts() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        if let Ok(runtime) = runtime
            && runtime.block_on(tokio::signal::ctrl_c()).is_ok()
        {
            seen.store(true, Ordering::Release);
        }
    });
    flag
}

/// Median, smallest and largest.
fn spread(values: impl Iterator<Item = f64>) -> (f64, f64, f64) {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let median = if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    };
    (median, values[0], values[values.len() - 1])
}

fn print_table(findings: &[Finding]) {
    println!();
    println!(
        "| row | kIOPS, median (min..max) | against | IOPS ratio | user ns/IO | total ns/IO |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for finding in findings {
        let kilo = |samples: &[Sample]| spread(samples.iter().map(|s| s.iops / 1000.0));
        let user = |samples: &[Sample]| spread(samples.iter().map(|s| s.user_ns)).0;
        let total = |samples: &[Sample]| spread(samples.iter().map(|s| s.total_ns)).0;
        let (ours, low, high) = kilo(&finding.ours);
        let (theirs, theirs_low, theirs_high) = kilo(&finding.theirs);
        let (ratio, ratio_low, ratio_high) = ratios(finding);
        println!(
            "| {}: {} | {ours:.0} ({low:.0}..{high:.0}) | {theirs:.0} \
             ({theirs_low:.0}..{theirs_high:.0}) | {ratio:.2} ({ratio_low:.2}..{ratio_high:.2}) \
             | {:.0} : {:.0} | {:.0} : {:.0} |",
            finding.name,
            finding.what,
            user(&finding.ours),
            user(&finding.theirs),
            total(&finding.ours),
            total(&finding.theirs),
        );
    }
    println!();
    for finding in findings {
        let (median, low, high) = ratios(finding);
        println!("ratio {} {median:.3} {low:.3} {high:.3}", finding.name);
    }
}

fn ratios(finding: &Finding) -> (f64, f64, f64) {
    let pairs = finding.ours.iter().zip(&finding.theirs);
    spread(pairs.map(|(ours, theirs)| ours.iops / theirs.iops))
}
