//! Promise: a run that is killed goes on, keeps every cell it measured and names the interruption.
//! Here on the simulated drive; `loop_device.rs` does the same on a block device.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::path::Path;
use std::process::Command;

use common::killed;

const DRIVE: &str = "sim:small,capacity=1GiB";

fn run_command(out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptse"));
    command
        .args(["run", "pts-e/iops", "--quick", "--drive", DRIVE, "--out"])
        .arg(out);
    command
}

#[test]
fn kill_in_round_2_and_resume() {
    let dir = tempfile::tempdir().unwrap();
    let folder = killed::kill_when(run_command(dir.path()), dir.path(), |journal| {
        journal
            .state
            .rounds(2)
            .any(|round| round.number == 2 && round.cells.len() >= 20)
    });
    killed::check_resume(&folder, 2);
}

#[test]
fn kill_in_the_fill_and_resume() {
    let dir = tempfile::tempdir().unwrap();
    let folder = killed::kill_when(run_command(dir.path()), dir.path(), |journal| {
        journal.state.attempt(1).is_some()
    });
    let resumed = killed::resume(&folder);
    let purges = resumed
        .state
        .attempts
        .iter()
        .filter(|attempt| attempt.purged.is_some());
    assert_eq!(
        purges.count(),
        2,
        "an interrupted fill begins again at the purge"
    );
}
