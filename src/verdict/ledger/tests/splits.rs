//! The line about split requests, with limits as drives have them.

use super::*;
use crate::journal::record::LimitsRecord;

fn limited(kib: u64, segments_max: Option<u64>) -> Line {
    let plan = plan(Bytes(512));
    let mut state = run(&plan, &published_rounds());
    state.opened.drive.limits = Some(LimitsRecord {
        transfer_bytes_max: kib * 1024,
        segments_max,
    });
    line(&judge(&state, &plan), "splits")
}

/// An NVMe drive with an MDTS of 128 KiB takes 1024 KiB in eight requests; 64 KiB stay whole.
#[test]
fn a_request_above_the_limit_is_named_with_its_parts() {
    let found = limited(128, None);
    assert_eq!(found.done, "1024 KiB split into 8");
    assert_eq!(found.verdict, LineVerdict::Warning);
    assert!(found.evidence.contains("at most 128 KiB"), "{found:?}");
    let found = limited(64, None);
    assert_eq!(found.done, "128 KiB split into 2, 1024 KiB split into 16");
    assert_eq!(limited(1024, None).verdict, LineVerdict::Pass);
}

/// 1024 KiB are 256 pages of 4 KiB: with 127 pieces of memory in a request, up to three.
#[test]
fn pages_that_lie_apart_can_split_a_request_further() {
    let found = limited(2048, Some(127));
    assert_eq!(found.done, "1024 KiB perhaps split, into up to 3");
    assert_eq!(limited(512, Some(64)).done, "1024 KiB split into 2 to 4");
}

#[test]
fn a_limit_that_is_not_known_is_not_taken_for_none() {
    let plan = plan(Bytes(512));
    let mut state = run(&plan, &published_rounds());
    state.opened.drive.limits = None;
    let ledger = judge(&state, &plan);
    assert_eq!(line(&ledger, "splits").verdict, LineVerdict::CannotBeJudged);
    state.opened.drive.kind = "simulated".to_owned();
    let ledger = judge(&state, &plan);
    assert!(ledger.lines.iter().all(|line| line.id != "splits"));
}
