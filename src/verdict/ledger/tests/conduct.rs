//! Lines about how the rounds went: gaps and limits of the host.

use super::departures::{only, recorded};
use super::*;
use crate::units::Nanos;

use LineVerdict::{CannotBeJudged, Deviation};

/// Done-when 7 of the main issue: gaps of 20 ms; the bound itself is not exceeded by 5 ms.
#[test]
fn an_idle_gap_above_five_milliseconds_is_a_deviation_with_its_cell() {
    let gap = |gap: u64| {
        move |state: &mut RunState| {
            state.attempts[2].rounds[2].cells[7].idle_gap = Some(Nanos(gap));
        }
    };
    assert_eq!(recorded(gap(5_000_000)), []);
    assert_eq!(recorded(gap(5_000_001)), only("idle-gaps", Deviation));
    let plan = plan(Bytes(512));
    let mut state = run(&plan, &published_rounds());
    gap(20_000_000)(&mut state);
    let line = line(&judge(&state, &plan), "idle-gaps");
    assert_eq!(line.done, "longest 20 ms");
    assert!(
        line.evidence.contains("round 3, RND 0.5 KiB 100/0"),
        "{}",
        line.evidence
    );
}

/// Missing is not zero: the change from the fill to round 1 was not measured.
#[test]
fn a_gap_that_was_not_measured_cannot_be_judged() {
    let unknown = |state: &mut RunState| state.attempts[2].rounds[0].cells[0].idle_gap = None;
    assert_eq!(recorded(unknown), only("idle-gaps", CannotBeJudged));
    // Where nothing ran before the rounds there is no such change.
    let found = recorded(|state| {
        unknown(state);
        state.attempts[1].cells.clear();
    });
    assert!(found.iter().all(|(id, _)| id != "idle-gaps"), "{found:?}");
}

#[test]
fn host_limited_cells_are_counted() {
    let found = recorded(|state| {
        let cells = &mut state.attempts[2].rounds[1].cells;
        cells[3].host_limited = Some("a worker's core was busy 98 % of the time".to_owned());
    });
    assert_eq!(found, only("host-limits", Deviation));
}
