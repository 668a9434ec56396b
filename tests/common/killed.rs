//! Kills a run at a chosen place of its journal, and checks what a resume makes of it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ptse::journal::JOURNAL_FILE;
use ptse::journal::read::{Journal, read};

/// Longest wait for the place; a run of the tests takes seconds.
const WAIT_MAX: Duration = Duration::from_secs(300);

/// Starts a run that makes its folder in `out`, and kills it as soon as `reached` says so of its
/// journal. Returns its folder.
pub fn kill_when(mut command: Command, out: &Path, reached: impl Fn(&Journal) -> bool) -> PathBuf {
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < WAIT_MAX, "the place was not reached");
        assert_eq!(
            child.try_wait().unwrap(),
            None,
            "the run ended before it was killed"
        );
        let folder = std::fs::read_dir(out)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .next();
        let journal = folder
            .as_ref()
            .and_then(|folder| read(&folder.join(JOURNAL_FILE)).ok());
        if journal.is_some_and(|journal| reached(&journal)) {
            // SIGKILL: nothing of the process runs any more.
            child.kill().unwrap();
            child.wait().unwrap();
            return folder.unwrap();
        }
    }
}

/// Resumes the run to its end.
pub fn resume(folder: &Path) -> Journal {
    let output = ptse("resume", folder);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{:?}: {said}",
        output.status
    );
    let output = ptse("verify", folder);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    read(&folder.join(JOURNAL_FILE)).unwrap()
}

/// After a kill in the rounds of step `step_index`: the run completes, every record of before is
/// unchanged, the broken round counts for nothing, no window spans the interruption, and the
/// ledger names it.
pub fn check_resume(folder: &Path, step_index: u32) {
    let before = read(&folder.join(JOURNAL_FILE)).unwrap();
    let after = resume(folder);
    assert_eq!(after.lines[..before.lines.len()], before.lines[..]);
    assert!(after.state.closed.is_some());
    let broken: Vec<_> = after
        .state
        .rounds(step_index)
        .filter(|round| round.closed.is_none())
        .collect();
    assert!(broken.len() <= 1 && broken.iter().all(|round| round.segment == 0));
    let resumed = after.state.attempt(step_index).unwrap();
    let first = resumed.rounds[0].number;
    let closed = resumed
        .rounds
        .iter()
        .filter_map(|round| round.closed.as_ref());
    for window in closed
        .flat_map(|closed| &closed.what.variables)
        .filter_map(|v| v.window.as_ref())
    {
        assert!(
            window.round_first >= first,
            "a window spans the interruption"
        );
    }
    let report = std::fs::read_to_string(folder.join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let lines = report["ledger"]["lines"].as_array().unwrap().clone();
    let names_it = |line: &serde_json::Value| {
        line["verdict"] == "deviation" && line["id"].as_str().unwrap().starts_with("interruption")
    };
    assert!(
        lines.iter().any(names_it),
        "the ledger does not name the interruption: {lines:#?}"
    );
}

fn ptse(command: &str, folder: &Path) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_ptse"))
        .arg(command)
        .arg(folder)
        .output()
        .unwrap()
}
