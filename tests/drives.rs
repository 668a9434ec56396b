//! Promise: `ptse drives` explains every device it lists, on any machine, and touches nothing.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Output;

use assert_cmd::Command;

fn drives(args: &[&str]) -> Output {
    let mut command = Command::cargo_bin("ptse").unwrap();
    command.arg("drives").args(args).output().unwrap()
}

/// Issue 4: what it is, whether it can be tested, and if not, the reason and the remedy.
#[test]
fn every_device_can_be_tested_or_says_why_not_and_what_to_do() {
    let output = drives(&["--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    let survey: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(survey["schema"], "ptse-drives/1");
    for drive in survey["drives"].as_array().unwrap() {
        assert!(
            drive["model"]
                .as_str()
                .is_some_and(|model| !model.is_empty()),
            "{drive}"
        );
        let why_not = drive["why_not"].as_str();
        assert_eq!(
            drive["can_be_tested"].as_bool(),
            Some(why_not.is_none()),
            "{drive}"
        );
        if let Some(why_not) = why_not {
            // Each refusal names the device, then after a semicolon what to do.
            assert!(
                why_not.contains(drive["address"].as_str().unwrap()),
                "{why_not}"
            );
            assert!(why_not.contains("; "), "{why_not}");
        }
    }
}

#[test]
fn the_table_has_a_row_and_a_word_on_each_device() {
    let listed = drives(&["--format", "json"]);
    let survey: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let output = drives(&[]);
    assert_eq!(output.status.code(), Some(0));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.starts_with("DEVICE"), "{table}");
    let words =
        table.matches("can be tested: ").count() + table.matches("cannot be tested: ").count();
    // Other tests attach and detach loop devices meanwhile, so only what stays is counted.
    let addresses = survey["drives"].as_array().unwrap().iter();
    let lasting = addresses.filter_map(|drive| drive["address"].as_str());
    let lasting = lasting.filter(|address| !address.starts_with("/dev/loop"));
    assert!(words >= lasting.count(), "{table}");
}
