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

/// What is changed, into what, and what must be found.
const FORGERIES: [(&str, &str, &str); 12] = [
    (
        r#""samples_rows":"#,
        r#""samples_rows":9"#,
        "samples.csv is not the one that was closed",
    ),
    (
        "\"spec_text\":\"",
        "\"spec_text\":\" ",
        "the digest of the test file",
    ),
    (
        r#""round":5,"cell_index":8,"#,
        r#""round":5,"cell_index":9,"#,
        "does not hold the cells of the plan",
    ),
    (
        r#""effective":""#,
        r##""effective":"# other\n"##,
        "the effective test file",
    ),
    (
        r#""latency_ns_min":"#,
        r#""latency_ns_min":99"#,
        "is not between its smallest",
    ),
    (
        r#""latency_ns_max":"#,
        r#""latency_ns_max":99"#,
        "is not in its histogram",
    ),
    (
        r#""round":2,"cell_index":8,"#,
        r#""round":2,"cell_index":999,"#,
        "has no cell 999",
    ),
    (
        r#""steady":false,"variables":["#,
        r#""steady":false,"variables":[],"was":["#,
        "0 variables are judged",
    ),
    (
        r#""reads_issued":"#,
        r#""reads_issued":0,"was":"#,
        "completed",
    ),
    (
        r#""hand_over_ios":"#,
        r#""hand_over_ios":9"#,
        "samples of the hand-over into",
    ),
    (
        r#""moved_pages":"#,
        r#""moved_pages":9"#,
        "for the host and",
    ),
    (
        r#""elapsed_ns":500000000"#,
        r#""elapsed_ns":500000001"#,
        "instead of 500000000",
    ),
];

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
        // Only what the record says of itself shall convict it.
        for derived in ["report.html", "report.json"] {
            drop(std::fs::remove_file(folder.join(derived)));
        }
        for derived in ["tables", "plots"] {
            drop(std::fs::remove_dir_all(folder.join(derived)));
        }
        let output = ptse(&["verify", folder.to_str().unwrap()]);
        let said = [output.stdout.as_slice(), &output.stderr].concat();
        let code = output.status.code();
        assert_eq!(code, Some(1), "{from}: {}", String::from_utf8_lossy(&said));
        String::from_utf8_lossy(&said).into_owned()
    };
    let outcome = [r#""outcome":"steady""#, r#""outcome":"not-steady""#]
        .into_iter()
        .find(|outcome| text.contains(outcome))
        .unwrap();
    let outcome = (outcome, r#""outcome":"done""#, "the outcome is 'done'");
    for (from, to, finding) in FORGERIES.into_iter().chain([outcome]) {
        assert!(text.contains(from), "{from} is not in the journal");
        let said = forge(from, to);
        assert!(
            said.contains(finding) && said.contains("line"),
            "{from}: {said}"
        );
        // What cannot be reported is a broken record, too, and no fault of the machine.
        let report = ptse(&["report", folder.to_str().unwrap()]).status.code();
        assert!(matches!(report, Some(0 | 1)), "{from}: {report:?}");
    }
}
