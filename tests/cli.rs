//! Promise: the command line says what went wrong, ends with the right code, and what it leaves on
//! disk can be trusted. All on the simulated drive.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;

const DRIVE: &str = "sim:small,capacity=1GiB";

fn ptse(args: &[&str]) -> Output {
    Command::cargo_bin("ptse")
        .unwrap()
        .args(args)
        .output()
        .unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a test into `out`; returns what it said and the folder it made.
fn run(out: &Path, spec: &str, drive: &str, more: &[&str]) -> (Output, PathBuf) {
    let mut args = vec![
        "run",
        spec,
        "--drive",
        drive,
        "--out",
        out.to_str().unwrap(),
    ];
    args.extend(more);
    let output = ptse(&args);
    let made = std::fs::read_dir(out)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .max();
    (output, made.expect("a run folder"))
}

/// Report and ledger of a run as JSON.
fn report(folder: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(folder.join("report.json")).unwrap()).unwrap()
}

fn deviations(folder: &Path) -> Vec<String> {
    let report = report(folder);
    let lines = report["ledger"]["lines"].as_array().unwrap();
    let deviating = lines.iter().filter(|line| line["verdict"] == "deviation");
    deviating
        .map(|line| line["id"].as_str().unwrap().to_owned())
        .collect()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path)
            } else {
                found.push(path)
            }
        }
    }
    found.sort();
    found
}

/// `report` makes the same files, byte for byte, from the two files of the record, and `verify`
/// passes; after one byte of the journal is changed it fails with the line number.
#[test]
fn derived_files_are_made_again_and_a_changed_byte_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let (output, folder) = run(dir.path(), "pts-e/iops", DRIVE, &["--quick"]);
    assert!(matches!(code(&output), 0 | 1), "{}", error(&output));
    let path = folder.to_str().unwrap();
    assert_eq!(code(&ptse(&["verify", path])), 0);
    let before: Vec<(PathBuf, Vec<u8>)> = files_below(&folder)
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect();
    let is_record = |path: &Path| {
        ["journal.jsonl", "samples.csv", "log.jsonl"]
            .iter()
            .any(|name| path.ends_with(name))
    };
    for (path, _) in before.iter().filter(|(path, _)| !is_record(path)) {
        std::fs::remove_file(path).unwrap();
    }
    assert_eq!(code(&ptse(&["report", path])), 0);
    for (path, bytes) in &before {
        assert!(
            std::fs::read(path).unwrap() == *bytes,
            "{} differs",
            path.display()
        );
    }
    let journal = folder.join("journal.jsonl");
    let mut bytes = std::fs::read(&journal).unwrap();
    let third_line = bytes
        .iter()
        .enumerate()
        .filter(|(_, b)| **b == b'\n')
        .nth(1)
        .unwrap()
        .0
        + 80;
    bytes[third_line] ^= 1;
    std::fs::write(&journal, bytes).unwrap();
    for command in ["verify", "report", "resume"] {
        let output = ptse(&[command, path]);
        assert_eq!(code(&output), 1, "{command}");
        assert!(
            error(&output).contains("line 3"),
            "{command}: {}",
            error(&output)
        );
    }
}

/// The table of 8 x 7 values, without gaps, in the form of the standard.
#[test]
fn the_matrix_has_56_values_small_blocks_on_top() {
    let dir = tempfile::tempdir().unwrap();
    let (_, folder) = run(dir.path(), "pts-e/iops", DRIVE, &["--quick"]);
    let mut reader = csv::Reader::from_path(folder.join("tables/iops.csv")).unwrap();
    let heads: Vec<_> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    assert_eq!(
        heads.join(","),
        "block_kib,0/100,5/95,35/65,50/50,65/35,95/5,100/0"
    );
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let blocks: Vec<_> = rows.iter().map(|row| row[0].to_owned()).collect();
    assert_eq!(blocks.join(" "), "0.5 4 8 16 32 64 128 1024");
    let values = rows.iter().flat_map(|row| row.iter().skip(1));
    let parsed: Vec<f64> = values.map(|value| value.parse().unwrap()).collect();
    assert_eq!(parsed.len(), 56);
    assert!(parsed.iter().all(|value| *value > 0.0));
}

/// What the standard leaves to the operator is disclosed and no deviation.
#[test]
fn a_queue_depth_of_256_is_disclosed_and_no_deviation() {
    let dir = tempfile::tempdir().unwrap();
    let depth = ["--quick", "--set", "stimulus.queue_depth=256"];
    let (_, plain) = run(dir.path(), "pts-e/iops", DRIVE, &["--quick"]);
    let (_, deep) = run(dir.path(), "pts-e/iops", DRIVE, &depth);
    let ids = |folder: &Path| {
        let mut ids = deviations(folder);
        ids.retain(|id| id != "steady-state");
        ids
    };
    assert_eq!(ids(&plain), ids(&deep));
    let html = std::fs::read_to_string(deep.join("report.html")).unwrap();
    assert!(html.contains("QD 256 (recommended 32)"));
}

/// A cell of 59 s is exactly one deviation, the same by `--set` and by a copied file.
#[test]
fn a_cell_of_59_seconds_is_one_deviation_however_it_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let shorten = |text: &str| text.replace(r#"cell_time = "60s""#, r#"cell_time = "59s""#);
    let built_in = String::from_utf8(ptse(&["specs", "show", "pts-e/iops"]).stdout).unwrap();
    assert!(shorten(&built_in) != built_in);
    let copy = dir.path().join("copy.toml");
    std::fs::write(&copy, shorten(&built_in)).unwrap();
    // One round and no more: the deviation of the cells does not depend on how many there are.
    let planned = |spec: &str, more: &[&str]| {
        let mut args = vec!["plan", spec, "--drive", DRIVE, "--format", "json"];
        args.extend(more);
        let output = ptse(&args);
        assert_eq!(code(&output), 0, "{}", error(&output));
        let plan: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        plan["tests"][0]["deviations"].as_array().unwrap().clone()
    };
    let by_set = planned("pts-e/iops", &["--set", "rounds.cell_time=59s"]);
    let by_copy = planned(copy.to_str().unwrap(), &[]);
    assert_eq!((by_set.len(), by_set), (1, by_copy));
    assert_eq!(planned("pts-e/iops", &[]).len(), 0);
}

/// A drive that rests for 20 ms at every change of cell: gaps of 20 ms, and a deviation.
#[test]
fn a_drive_that_rests_between_cells_shows_gaps_and_a_deviation() {
    let dir = tempfile::tempdir().unwrap();
    let drive = format!("{DRIVE},faults.gap_at_cell_change=20ms");
    let (_, folder) = run(dir.path(), "pts-e/iops", &drive, &["--quick"]);
    assert!(
        deviations(&folder).contains(&"idle-gaps".to_owned()),
        "{:?}",
        deviations(&folder)
    );
    let mut reader = csv::Reader::from_path(folder.join("tables/cells.csv")).unwrap();
    let heads = reader.headers().unwrap().clone();
    let column = heads.iter().position(|head| head == "idle_gap_ns").unwrap();
    let gaps: Vec<String> = reader
        .records()
        .skip(1)
        .map(|row| row.unwrap()[column].to_owned())
        .collect();
    assert!(gaps.len() >= 5 * 56);
    assert!(gaps.iter().all(|gap| gap == "20000000"), "{:?}", &gaps[..5]);
}

#[test]
fn five_mistakes_show_five_carets_and_end_with_2() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("bad.toml");
    let text = r#"
schema = "ptse-spec/1"
[test]
name = "bad"
title = "Bad"
[stimulus]
threads = 0
queue_depth = "many"
[[step]]
do = "fill"
pattern = "sequential"
block = "4k"
amount = "2x"
of = "capacty"
[[step]]
do = "rounds"
pattern = "random"
loop = [ { read_percent = [100, 0] }, { block = ["64KiB", "4KiB"] } ]
cell_time = "60s"
rounds_max = 3
track = [ { iops = { read_percent = 0, block = "4KiB" } } ]
"#;
    std::fs::write(&file, text).unwrap();
    let output = ptse(&["run", file.to_str().unwrap(), "--drive", DRIVE]);
    assert_eq!(code(&output), 2);
    let said = error(&output);
    let carets = said
        .lines()
        .filter(|line| line.trim_start().starts_with('|') && line.contains('^'));
    assert_eq!(carets.count(), 5, "{said}");
}

#[test]
fn what_cannot_be_run_yet_is_refused_by_name() {
    let wsat = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/specs/pts-e/wsat.toml");
    for command in ["plan", "run"] {
        let output = ptse(&[command, wsat, "--drive", DRIVE]);
        assert_eq!(code(&output), 2, "{command}");
        assert!(
            error(&output).contains("saturate"),
            "{command}: {}",
            error(&output)
        );
    }
}

#[test]
fn wrong_names_say_what_is_known() {
    for (args, code_expected, words) in [
        (
            vec!["plan", "pts-e/iosp", "--drive", DRIVE],
            2,
            "pts-e/iops",
        ),
        (
            vec!["plan", "pts-e/iops", "--drive", "sim:dc-tcl"],
            2,
            "dc-tlc",
        ),
        (
            vec!["plan", "pts-e/iops", "--drive", "sim:small,capacty=1GiB"],
            2,
            "capacity",
        ),
        (
            vec![
                "plan",
                "pts-e/iops",
                "--drive",
                "sim:small",
                "--set",
                "rounds.cell_tme=1s",
            ],
            2,
            "cell_time",
        ),
        (vec!["verify", "/nonexistent/run"], 2, "/nonexistent/run"),
        (vec!["resume", "/nonexistent/run"], 2, "/nonexistent/run"),
    ] {
        let output = ptse(&args);
        let said = error(&output);
        assert_eq!(code(&output), code_expected, "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: {said}");
    }
}

/// An I/O error at a known LBA: one sentence that names it, exit 3, and a readable journal.
#[test]
fn an_error_at_an_lba_ends_the_run_with_its_lba() {
    let dir = tempfile::tempdir().unwrap();
    let drive = format!("{DRIVE},faults.error_at_lba=123456");
    let (output, folder) = run(dir.path(), "pts-e/iops", &drive, &["--quick"]);
    assert_eq!(code(&output), 3, "{}", error(&output));
    assert!(error(&output).contains("123456") || error(&output).contains("LBA"));
    let journal = std::fs::read_to_string(folder.join("journal.jsonl")).unwrap();
    let last = journal.lines().last().unwrap();
    for part in [
        "\"kind\":\"error\"",
        "\"lba\":123456",
        "\"errno\":5",
        "\"at_ns\":",
    ] {
        assert!(last.contains(part), "{part}: {last}");
    }
    let output = ptse(&["report", folder.to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", error(&output));
}

/// A complete run is not resumed, and never written into again.
#[test]
fn a_complete_run_is_not_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let (_, folder) = run(dir.path(), "pts-e/iops", DRIVE, &["--quick"]);
    let output = ptse(&["resume", folder.to_str().unwrap()]);
    assert_eq!(code(&output), 2);
    assert!(error(&output).contains("complete"), "{}", error(&output));
    let (_, second) = run(dir.path(), "pts-e/iops", DRIVE, &["--quick"]);
    assert_ne!(folder, second);
}
