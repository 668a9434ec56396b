//! Promise: `verify` finds a record that was written anew over other content.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Output;

fn ptse(args: &[&str]) -> Output {
    assert_cmd::Command::cargo_bin("ptse")
        .unwrap()
        .args(args)
        .output()
        .unwrap()
}

/// A record that was written anew, with a right chain and a changed content, does not verify.
#[test]
fn a_chain_written_anew_over_other_content_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let drive = "sim:small,capacity=1GiB";
    ptse(&[
        "run",
        "pts-e/iops",
        "--quick",
        "--drive",
        drive,
        "--out",
        out,
    ]);
    let folder = std::fs::read_dir(dir.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let path = folder.join("journal.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let forge = |from: &str, to: &str| {
        let mut head = ptse::journal::chain::GENESIS.to_owned();
        let mut forged = String::new();
        for line in text.lines() {
            let json = line[65..].replacen(from, to, 1);
            head = ptse::journal::chain::link(&head, json.as_bytes());
            forged.push_str(&format!("{head} {json}\n"));
        }
        assert_ne!(forged, text, "{from}");
        std::fs::write(&path, forged).unwrap();
        ptse(&["verify", folder.to_str().unwrap()])
    };
    for (from, to) in [
        (r#""outcome":"steady""#, r#""outcome":"done""#),
        (r#""outcome":"not-steady""#, r#""outcome":"done""#),
        (r#""samples_rows":"#, r#""samples_rows":9"#),
        ("\"spec_text\":\"", "\"spec_text\":\" "),
        (
            r#""round":5,"cell_index":8,"#,
            r#""round":5,"cell_index":9,"#,
        ),
        (r#""effective":""#, r##""effective":"# other\n"##),
        (r#""latency_ns_min":"#, r#""latency_ns_min":99"#),
        (
            r#""round":2,"cell_index":8,"#,
            r#""round":2,"cell_index":999,"#,
        ),
        (
            r#""steady":false,"variables":["#,
            r#""steady":false,"variables":[],"was":["#,
        ),
    ] {
        if text.contains(from) {
            assert_eq!(forge(from, to).status.code(), Some(1), "{from}");
            // What cannot be reported is a broken record, too, and no fault of the machine.
            let report = ptse(&["report", folder.to_str().unwrap()]).status.code();
            assert!(matches!(report, Some(0 | 1)), "{from}: {report:?}");
        }
    }
}
