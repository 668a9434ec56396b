//! Lines about open loops.

use super::*;
use crate::journal::record::ArrivalsRecord;
use crate::verdict::fixture::rounds_of;

fn at_a_rate(not_issued: u64) -> Ledger {
    let mut plan = plan(Bytes(512));
    if let Ok(access) = &mut rounds_of(&mut plan).cells[6].access {
        access.rate_iops = Some(1_000);
    }
    let mut state = run(&plan, &published_rounds());
    for round in &mut state.attempts[2].rounds {
        round.cells[6].arrivals = Some(ArrivalsRecord {
            asked: 60_000,
            not_issued: 0,
        });
    }
    state.attempts[2].rounds[1].cells[6].arrivals = Some(ArrivalsRecord {
        asked: 60_000,
        not_issued,
    });
    judge(&state, &plan)
}

#[test]
fn a_rate_departs_from_the_standard_and_is_named_with_its_cell() {
    let found = line(&at_a_rate(0), "closed-loop");
    assert_eq!(found.verdict, LineVerdict::Deviation);
    assert!(
        found.finding.contains("RND 4 KiB 100/0 at 1000 IOPS"),
        "{found:?}"
    );
}

#[test]
fn io_that_was_never_issued_is_told_with_its_cell() {
    assert_eq!(line(&at_a_rate(0), "arrivals").verdict, LineVerdict::Pass);
    let found = line(&at_a_rate(2_500), "arrivals");
    assert_eq!(found.verdict, LineVerdict::Warning);
    assert_eq!(found.done, "2500 never issued");
    assert!(
        found.evidence.starts_with("round 2, RND 4 KiB 100/0"),
        "{found:?}"
    );
}
