//! Every line of the ledger passes on a run by the book, and each departure gives exactly the
//! lines that name it.

mod cache;
mod conduct;
mod content;
mod demand;
mod departures;
mod health;
mod read_back;
mod splits;

use super::*;
use crate::units::Bytes;
use crate::verdict::fixture::{plan, published_rounds, run};

/// Lines that are not a pass, as (id, verdict).
fn found(state: &RunState, plan: &Plan) -> Vec<(String, LineVerdict)> {
    let lines = judge(state, plan).lines.into_iter();
    lines
        .filter(|line| line.verdict != LineVerdict::Pass)
        .map(|line| (line.id, line.verdict))
        .collect()
}

fn line(ledger: &Ledger, id: &str) -> Line {
    let found = ledger.lines.iter().find(|line| line.id == id);
    found.unwrap().clone()
}

#[test]
fn a_run_by_the_book_has_no_deviation() {
    let plan = plan(Bytes(512));
    let state = run(&plan, &published_rounds());
    assert_eq!(found(&state, &plan), []);
    let ledger = judge(&state, &plan);
    let of_standard = ledger.lines.iter().filter(|line| line.clause != OURS);
    let ids: Vec<&str> = of_standard.map(|line| line.id.as_str()).collect();
    assert_eq!(
        ids.join(" "),
        "device purge write-cache sequence fill-pattern fill-amount threads-and-depth active-range \
         data-pattern loop-order all-blocks loop-random cell-time round-limit tracked-variables \
         block-sizes mixes steady-state idle-gaps host-limits interruptions tool"
    );
    assert_eq!(
        ledger.sentence(),
        "No deviation from the 22 requirements of PTS-E 2.0.2 checked here; the ledger lists them \
         with their source, and 3 checks of our own."
    );
}

/// The words of a verdict that only an accredited body may give.
#[test]
fn the_ledger_never_certifies() {
    let plan = plan(Bytes(512));
    let ledger = judge(&run(&plan, &published_rounds()), &plan);
    let text = format!("{ledger:?}{}", ledger.sentence()).to_lowercase();
    assert!(!text.contains("certif") && !text.contains("compliant"));
}

/// Every line says what was required, where that stands, and what was done.
#[test]
fn every_line_is_filled_in() {
    let plan = plan(Bytes(4096));
    for line in judge(&run(&plan, &published_rounds()), &plan).lines {
        let filled = [&line.requirement, &line.clause, &line.done, &line.evidence];
        assert!(filled.iter().all(|text| !text.is_empty()), "{line:?}");
    }
}

/// Two times 480,103,981,056 bytes in blocks of 131,072, by hand.
#[test]
fn the_fill_is_counted_in_bytes() {
    let plan = plan(Bytes(512));
    let ledger = judge(&run(&plan, &published_rounds()), &plan);
    let evidence = line(&ledger, "fill-amount").evidence;
    assert!(
        evidence.contains("960207962112 bytes in 7325806 writes"),
        "{evidence}"
    );
}

#[test]
fn the_steady_window_is_named() {
    let plan = plan(Bytes(512));
    let ledger = judge(&run(&plan, &published_rounds()), &plan);
    let line = line(&ledger, "steady-state");
    assert_eq!(line.done, "reached in rounds 1 to 5");
    assert!(line.evidence.starts_with("record "));
}

/// Design 5: a laboratory preset is no test of the standard.
#[test]
fn nothing_applies_to_a_test_that_is_not_of_the_standard() {
    let mut plan = plan(Bytes(512));
    plan.spec.test.standard = None;
    let mut state = run(&plan, &published_rounds());
    state.opened.drive.kind = "file".to_owned();
    let ledger = judge(&state, &plan);
    let of_standard = ledger.lines.iter().filter(|line| line.clause != OURS);
    let applies = |line: &&Line| line.verdict != LineVerdict::NotApplicable;
    assert_eq!(of_standard.clone().find(applies), None);
    // What the tool promises of its own holds for every test.
    let ours = ledger.lines.iter().filter(|line| line.clause == OURS);
    assert!(of_standard.count() > 10 && ours.clone().count() > 0);
    assert!(ours.clone().all(|line| line.verdict == LineVerdict::Pass));
    assert!(ledger.sentence().contains("no requirement applies"));
}
