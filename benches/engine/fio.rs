//! Runs fio on the same target and reads what it measured.

use std::path::Path;
use std::process::Command;

use ptse::units::Nanos;
use serde_json::Value;

use crate::{Failure, Sample};

/// How fio is set up.
#[derive(Clone, Copy)]
pub(crate) enum Setup {
    /// As it comes.
    Default,
    /// Registered files and buffers, submissions and completions in batches of up to 32.
    Tuned,
}

/// A job for fio: 4 KiB random I/O.
pub(crate) struct Job<'a> {
    pub(crate) target: &'a Path,
    pub(crate) setup: Setup,
    pub(crate) queue_depth: u32,
    pub(crate) jobs: u32,
    /// `randread` or `randwrite`.
    pub(crate) pattern: &'a str,
    pub(crate) size: u64,
    pub(crate) is_direct: bool,
    pub(crate) more: &'a [&'a str],
}

/// Whether fio is there, and which one.
pub(crate) fn version() -> Option<String> {
    let output = Command::new("fio").arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Measures a job for some time. Its start-up is not in the figures: they are those of the job.
pub(crate) fn measure(job: &Job<'_>, time: Nanos) -> Result<Sample, Failure> {
    let mut command = Command::new("fio");
    command
        .args([
            "--name=job",
            "--thread",
            "--time_based",
            "--norandommap",
            "--randrepeat=0",
        ])
        .args([
            "--ioengine=io_uring",
            "--bs=4k",
            "--group_reporting",
            "--output-format=json",
        ])
        .arg(format!("--filename={}", job.target.display()))
        .arg(format!("--size={}", job.size))
        .arg(format!("--rw={}", job.pattern))
        .arg(format!("--iodepth={}", job.queue_depth))
        .arg(format!("--numjobs={}", job.jobs))
        .arg(format!("--direct={}", u8::from(job.is_direct)))
        .arg(format!("--runtime={}ms", time.0 / 1_000_000))
        .args(job.more);
    if job.pattern == "randread" {
        command.arg("--readonly");
    }
    if let Setup::Tuned = job.setup {
        let batch = job.queue_depth.min(32);
        command
            .args(["--registerfiles", "--fixedbufs"])
            .arg(format!("--iodepth_batch_submit={batch}"))
            .arg(format!("--iodepth_batch_complete_max={batch}"));
    }
    let output = command.output()?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(Failure(format!("fio failed: {}", words.trim())));
    }
    // Notes may stand before the report.
    let text = String::from_utf8_lossy(&output.stdout);
    let text = &text[text.find('{').unwrap_or(0)..];
    let report: Value = serde_json::from_str(text)?;
    sample(&report["jobs"][0])
        .ok_or_else(|| Failure("fio's report has no figures for the job".to_owned()))
}

fn sample(job: &Value) -> Option<Sample> {
    let number = |value: &Value| value.as_f64();
    let side = if number(&job["read"]["total_ios"])? > 0.0 {
        &job["read"]
    } else {
        &job["write"]
    };
    let ios = number(&side["total_ios"])?;
    if ios == 0.0 {
        return None;
    }
    let runtime_ns = number(&job["job_runtime"])? * 1e6;
    let share = |key: &str| number(&job[key]).map(|percent| percent / 100.0);
    let (user, system) = (share("usr_cpu")?, share("sys_cpu")?);
    Some(Sample {
        iops: number(&side["iops"])?,
        user_ns: user * runtime_ns / ios,
        total_ns: (user + system) * runtime_ns / ios,
    })
}
