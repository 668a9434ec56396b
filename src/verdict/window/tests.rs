//! Which rounds a report stands on.

use super::*;
use crate::units::Bytes;
use crate::verdict::fixture::{converging_rounds, plan, run, unfinished};

fn spans(state: &RunState) -> Option<((u32, u32), bool)> {
    let window = Window::of(state, 2)?;
    Some((window.span(), window.is_steady))
}

/// The published run ended with steady-state rounds 5 to 9.
#[test]
fn the_first_steady_window_is_reported() {
    let plan = plan(Bytes(512));
    let rounds = converging_rounds();
    assert_eq!(spans(&run(&plan, &rounds)), Some(((5, 9), true)));
}

#[test]
fn without_steady_state_the_last_five_rounds_are_reported() {
    let plan = plan(Bytes(512));
    let rounds = converging_rounds();
    assert_eq!(spans(&run(&plan, &rounds[..8])), Some(((4, 8), false)));
    assert_eq!(spans(&run(&plan, &rounds[..1])), Some(((1, 1), false)));
    assert_eq!(spans(&unfinished(&plan, &[])), None);
}

/// Equal rounds, interrupted after the third: rounds 3 to 7 would be steady but span it.
#[test]
fn a_window_never_spans_an_interruption() {
    let plan = plan(Bytes(512));
    let round = converging_rounds()[8];
    let rounds: Vec<_> = (0..7).map(|index| (u32::from(index >= 3), round)).collect();
    assert_eq!(spans(&unfinished(&plan, &rounds)), Some(((4, 7), false)));
    let longer: Vec<_> = (0..8).map(|index| (u32::from(index >= 3), round)).collect();
    assert_eq!(spans(&unfinished(&plan, &longer)), Some(((4, 8), true)));
}

#[test]
fn a_broken_round_is_in_no_window() {
    let plan = plan(Bytes(512));
    let mut state = run(&plan, &converging_rounds()[..4]);
    state.attempts[2].rounds[3].closed = None;
    assert_eq!(spans(&state), Some(((1, 3), false)));
}
