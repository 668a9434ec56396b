//! Promise: a run follows the standard's procedure, and a resume goes back exactly as far as it
//! must. Plans and records are made by hand; no drive is needed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{cell, done, fold, line, opened, purged, round, started};
use ptse::journal::RunState;
use ptse::journal::record::{Interrupted, Line, Record, Resumed};
use ptse::run::machine::{Action, Outcome, Stretch, following, next, programme};
use ptse::spec::Plan;
use ptse::stimulus::Until;
use ptse::units::Bytes;

const PURGE: u32 = 0;
const FILL: u32 = 1;
const ROUNDS: u32 = 2;

fn state(lines: &[Line]) -> RunState {
    let all: Vec<Line> = std::iter::once(opened())
        .chain(lines.iter().cloned())
        .collect();
    fold(&all)
}

fn run(step_index: u32, round: u32) -> Action {
    Action::Run(Stretch { step_index, round })
}

fn start(step_index: u32) -> Action {
    Action::Start { step_index }
}

fn pause() -> [Line; 2] {
    let stop = Interrupted {
        cause: "SIGTERM".to_owned(),
        failed: None,
        unanswered: None,
    };
    [line(Record::Interrupted(stop)), crash_resume()]
}

fn crash_resume() -> Line {
    let address = "sim:test".to_owned();
    line(Record::Resumed(Box::new(Resumed {
        tool: "ptse 0.1".to_owned(),
        address,
        pause_s: Some(60),
        drive: None,
        host: None,
    })))
}

/// Purge and fill done, the rounds begun.
fn in_rounds() -> Vec<Line> {
    vec![
        started(PURGE, "purge"),
        purged(PURGE),
        done(PURGE),
        started(FILL, "fill"),
        cell(FILL, 0, 0, 100),
        done(FILL),
        started(ROUNDS, "rounds"),
    ]
}

fn with_rounds(count: u32, steady_last: bool) -> Vec<Line> {
    let mut lines = in_rounds();
    for number in 1..=count {
        lines.extend((0..2).map(|index| cell(ROUNDS, number, index, 100)));
        lines.push(round(ROUNDS, number, steady_last && number == count));
    }
    lines
}

fn plan() -> Plan {
    common::plan(25)
}

#[test]
fn a_fresh_run_is_purge_then_fill_then_rounds() {
    let lines = in_rounds();
    let expected = [
        start(PURGE),
        Action::Purge { step_index: PURGE },
        Action::Finish { step_index: PURGE },
        start(FILL),
        run(FILL, 0),
        Action::Finish { step_index: FILL },
        start(ROUNDS),
        run(ROUNDS, 1),
    ];
    for (done_lines, action) in expected.into_iter().enumerate() {
        assert_eq!(
            next(&plan(), &state(&lines[..done_lines])),
            action,
            "after {done_lines}"
        );
    }
}

#[test]
fn rounds_go_on_until_steady_and_then_the_run_closes() {
    assert_eq!(
        next(&plan(), &state(&with_rounds(5, false))),
        run(ROUNDS, 6)
    );
    let mut lines = with_rounds(6, true);
    assert_eq!(
        next(&plan(), &state(&lines)),
        Action::Finish { step_index: ROUNDS }
    );
    lines.push(done(ROUNDS));
    assert_eq!(
        next(&plan(), &state(&lines)),
        Action::Close(Outcome::Steady)
    );
}

/// Clause 7: at 25 rounds the operator may stop; the last five are reported.
#[test]
fn at_the_limit_the_run_ends_not_steady() {
    let mut lines = with_rounds(25, false);
    assert_eq!(
        next(&plan(), &state(&lines)),
        Action::Finish { step_index: ROUNDS }
    );
    lines.push(done(ROUNDS));
    assert_eq!(
        next(&plan(), &state(&lines)),
        Action::Close(Outcome::NotSteady)
    );
}

/// Peers' vector V12: steady for the first time at the limit is steady.
#[test]
fn steady_at_round_25_is_steady() {
    let mut lines = with_rounds(25, true);
    lines.push(done(ROUNDS));
    assert_eq!(
        next(&plan(), &state(&lines)),
        Action::Close(Outcome::Steady)
    );
}

/// Never stop the stimulus: the next programme is known before the running one ends.
#[test]
fn the_round_that_follows_is_known_while_one_runs() {
    let fill = Stretch {
        step_index: FILL,
        round: 0,
    };
    let first = Stretch {
        step_index: ROUNDS,
        round: 1,
    };
    let second = Stretch { round: 2, ..first };
    let filling = state(&in_rounds()[..4]);
    assert_eq!(following(&plan(), &filling, fill), Some(first));
    assert_eq!(
        following(&plan(), &state(&in_rounds()), first),
        Some(second)
    );
    let last = Stretch { round: 25, ..first };
    assert_eq!(
        following(&plan(), &state(&with_rounds(24, false)), last),
        None
    );
}

/// Design 6: purge or fill interrupted goes back to the purge, so that the record is purge, then
/// exactly 2x.
#[test]
fn an_interrupted_fill_goes_back_to_the_purge() {
    let mut lines = in_rounds()[..4].to_vec();
    lines.push(crash_resume());
    assert_eq!(next(&plan(), &state(&lines)), start(PURGE));
    lines.push(started(PURGE, "purge"));
    assert_eq!(
        next(&plan(), &state(&lines)),
        Action::Purge { step_index: PURGE }
    );
    lines.extend([purged(PURGE), done(PURGE)]);
    assert_eq!(next(&plan(), &state(&lines)), start(FILL));
    lines.push(started(FILL, "fill"));
    assert_eq!(next(&plan(), &state(&lines)), run(FILL, 0));
}

/// Between a purge and its fill anything may be done to a drive while the run stands still.
#[test]
fn an_interruption_between_purge_and_fill_goes_back_to_the_purge() {
    let purged_once = [started(PURGE, "purge"), purged(PURGE), done(PURGE)];
    let next = |lines: &[Line]| ptse::run::machine::next(&plan(), &state(lines));
    assert_eq!(next(&purged_once), start(FILL));
    let paused = [&purged_once[..], &pause()].concat();
    assert_eq!(next(&paused), start(PURGE));
    let purged_again = [&paused[..], &purged_once].concat();
    assert_eq!(next(&purged_again), start(FILL));
}

#[test]
fn an_interrupted_purge_is_started_again() {
    let mut lines = in_rounds()[..1].to_vec();
    lines.extend(pause());
    assert_eq!(next(&plan(), &state(&lines)), start(PURGE));
}

/// A fill whose cell is committed is complete, even if the machine died before its end record.
#[test]
fn a_complete_fill_is_not_repeated() {
    let mut lines = in_rounds()[..5].to_vec();
    lines.push(crash_resume());
    assert_eq!(
        next(&plan(), &state(&lines)),
        Action::Finish { step_index: FILL }
    );
    lines.push(done(FILL));
    assert_eq!(next(&plan(), &state(&lines)), start(ROUNDS));
}

/// Design 6: the broken round is thrown away, numbers go on, the limit counts from the resume.
#[test]
fn a_broken_round_keeps_its_number_and_the_next_one_follows() {
    let mut lines = with_rounds(3, false);
    lines.push(cell(ROUNDS, 4, 0, 100));
    lines.push(crash_resume());
    assert_eq!(next(&plan(), &state(&lines)), start(ROUNDS));
    lines.push(started(ROUNDS, "rounds"));
    assert_eq!(next(&plan(), &state(&lines)), run(ROUNDS, 5));
    let resumed = state(&lines);
    let last = Stretch {
        step_index: ROUNDS,
        round: 29,
    };
    assert_eq!(
        following(&plan(), &resumed, last),
        None,
        "25 rounds from the resume: 5 to 29"
    );
    let before = Stretch { round: 28, ..last };
    assert!(following(&plan(), &resumed, before).is_some());
}

#[test]
fn an_interruption_between_rounds_loses_none() {
    let mut lines = with_rounds(3, false);
    lines.extend(pause());
    lines.push(started(ROUNDS, "rounds"));
    assert_eq!(next(&plan(), &state(&lines)), run(ROUNDS, 4));
}

#[test]
fn a_run_interrupted_after_steady_state_only_closes() {
    let mut lines = with_rounds(5, true);
    lines.push(crash_resume());
    assert_eq!(
        next(&plan(), &state(&lines)),
        Action::Finish { step_index: ROUNDS }
    );
}

/// Results cannot be added to a step across an interruption.
#[test]
fn the_fold_refuses_what_cannot_follow() {
    let mut broken = state(&with_rounds(1, false));
    broken.apply(&crash_resume()).unwrap();
    for refused in [
        cell(ROUNDS, 2, 0, 1),
        round(ROUNDS, 1, false),
        purged(PURGE),
        opened(),
    ] {
        let error = broken.apply(&refused).unwrap_err().to_string();
        assert!(!error.is_empty());
    }
    assert!(broken.apply(&done(FILL)).is_err());
}

#[test]
fn a_programme_holds_the_cells_of_its_stretch_with_seeds_of_their_own() {
    let fill = programme(
        &plan(),
        Stretch {
            step_index: FILL,
            round: 0,
        },
        1,
    );
    assert_eq!(fill.cells[0].until, Until::Transferred(Bytes(2 << 30)));
    let first = programme(
        &plan(),
        Stretch {
            step_index: ROUNDS,
            round: 1,
        },
        1,
    );
    let second = programme(
        &plan(),
        Stretch {
            step_index: ROUNDS,
            round: 2,
        },
        1,
    );
    assert_eq!(first.cells.len(), 2);
    let seeds = [&first, &second].map(|p| p.cells.iter().map(|c| c.seed).collect::<Vec<_>>());
    assert!(seeds[0][0] != seeds[0][1] && seeds[0][0] != seeds[1][0]);
    assert_eq!(
        first,
        programme(
            &plan(),
            Stretch {
                step_index: ROUNDS,
                round: 1
            },
            1
        )
    );
}
