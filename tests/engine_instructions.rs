//! Promise: the load engine spends few instructions on an I/O, so that it measures the drive and
//! not itself. Counted by callgrind, which does not depend on how busy the machine is.
//!
//! The count is marginal: that of a long run less that of a short one, divided by the I/Os between
//! them, so that starting and ending cancel out. The program that is counted is the bench, built
//! as it is released; a build that is not up to date takes a while. Needs valgrind.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Instructions in user mode for each I/O, at most: the *must* of the engine's table.
const PER_IO_MAX_AT_QD128: u64 = 300;
const PER_IO_MAX_AT_QD1: u64 = 500;
/// What counting latencies may add to the rest, in percent.
const ACCOUNTING_MAX_PERCENT: u64 = 10;

#[test]
fn an_io_costs_few_instructions_and_its_accounting_few_of_them() {
    if !has_valgrind() {
        println!("skipped: valgrind is not installed, so no instructions are counted");
        return;
    }
    let bench = built_bench();
    let file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.as_file().set_len(1 << 30).unwrap();
    let path = file.path().display().to_string();
    // A rate for the time stamp counter is taken after 50 ms, which both runs go beyond.
    let reads = |depth: &str, short: u64, long: u64| {
        let run = |ios: u64| instructions(&bench, &["load", &path, depth, &ios.to_string()]);
        (run(long) - run(short)) / (long - short)
    };
    let deep = reads("128", 50_000, 1_050_000);
    let alone = reads("1", 20_000, 520_000);
    let counting = |what: &str| {
        let run = |times: u64| instructions(&bench, &["account", what, &times.to_string()]);
        (run(1_100_000) - run(100_000)) / 1_000_000
    };
    let account = counting("latencies") - counting("nothing");
    let percent = account * 100 / (deep - account);
    println!("{deep} instructions an I/O at QD128, {alone} at QD1");
    println!("{account} of them for latencies: {percent} % more than without");
    assert!(deep <= PER_IO_MAX_AT_QD128, "{deep} at QD128");
    assert!(alone <= PER_IO_MAX_AT_QD1, "{alone} at QD1");
    assert!(percent <= ACCOUNTING_MAX_PERCENT, "{account} of {deep}");
}

fn has_valgrind() -> bool {
    let version = Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    version.is_ok_and(|status| status.success())
}

/// The bench, built as it is released.
fn built_bench() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--bench", "engine", "--quiet"])
        .args(["--message-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "the bench does not build");
    let text = String::from_utf8(output.stdout).unwrap();
    let path = text.lines().rev().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).unwrap();
        let is_bench = message["target"]["name"] == "engine";
        let path = message["executable"].as_str().map(PathBuf::from);
        path.filter(|_| is_bench)
    });
    path.expect("cargo names what it built")
}

/// Instructions that the bench executes with these arguments.
fn instructions(bench: &Path, arguments: &[&str]) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(bench)
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let line = text.lines().find(|line| line.contains("Collected"));
    let count = line.and_then(|line| line.rsplit(' ').next());
    count.and_then(|count| count.parse().ok()).expect(&text)
}
