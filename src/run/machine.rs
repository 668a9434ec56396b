//! What comes next: one pure function from the folded state to an action.
//!
//! A fresh start, normal progress and a resume are the same path, since all of them are a state.
//! Transitions of a step, in the order in which [`next`] looks at them:
//!
//! | the step is | and | next |
//! | --- | --- | --- |
//! | a fill, not started | purged before the last resume | back to that purge |
//! | not started | | start it |
//! | a purge or fill, open since before the last resume | | back to the purge before it |
//! | a purge, started | not purged | purge |
//! | a fill, started | one of its cells is missing | run it |
//! | rounds, open since before the last resume | | start them again; numbers go on |
//! | rounds, started | steady, or at the limit | finish them |
//! | rounds, started | otherwise | run the next round |
//! | any, its work is there | | finish it |
//! | all finished | | close |
//!
//! What is done before a purge is undone by it: a step only counts as done when it ended after the
//! last start of the purge before it.

use crate::journal::state::{Attempt, RunState};
use crate::spec::model::AtLimit;
use crate::spec::plan::{Plan, PlannedFill, PlannedRounds, PlannedWork};
use crate::stimulus::addresses::mix;
use crate::stimulus::{Access, Cell, CellKey, Programme, Until};
use crate::units::Bytes;

/// What the driver does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Record that a step begins.
    Start {
        /// Its index.
        step_index: u32,
    },
    /// Purge the drive.
    Purge {
        /// Index of the purge step.
        step_index: u32,
    },
    /// Run a programme.
    Run(Stretch),
    /// Record that a step has ended.
    Finish {
        /// Its index.
        step_index: u32,
    },
    /// Close the run.
    Close(Outcome),
}

/// One programme: a fill, or one round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Index of the step.
    pub step_index: u32,
    /// Round from 1; 0 for a fill.
    pub round: u32,
}

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All rounds reached steady state.
    Steady,
    /// Some did not.
    NotSteady,
    /// The test has no steady-state rule.
    Done,
}

impl Outcome {
    /// The word of the journal.
    pub fn word(self) -> &'static str {
        match self {
            Self::Steady => "steady",
            Self::NotSteady => "not-steady",
            Self::Done => "done",
        }
    }
}

/// What comes next in this state.
pub fn next(plan: &Plan, state: &RunState) -> Action {
    for (index, step) in plan.steps.iter().enumerate() {
        let step_index = number(index);
        let since = purge_record(plan, state, index);
        let attempt = state
            .attempt(step_index)
            .filter(|attempt| attempt.record >= since);
        if attempt.is_some_and(|attempt| attempt.is_done) {
            continue;
        }
        return match (attempt, &step.work) {
            (None, PlannedWork::Fill(_)) => Action::Start {
                step_index: fresh_purge(plan, state, index).unwrap_or(step_index),
            },
            (None, _) => Action::Start { step_index },
            (Some(attempt), PlannedWork::Purge) => purge(step_index, attempt, state),
            (Some(attempt), PlannedWork::Fill(planned)) => {
                fill(plan, planned, step_index, attempt, state)
            }
            (Some(attempt), PlannedWork::Rounds(rounds)) => {
                round(step_index, rounds, attempt, state)
            }
            // A plan with such a step is refused before a run begins.
            (Some(_), PlannedWork::NotBuilt { .. }) => Action::Finish { step_index },
        };
    }
    Action::Close(outcome(plan, state))
}

/// The stretch that would follow if `stretch` ends without reaching steady state, so that it can
/// be queued behind it. `None` where something must be recorded or purged in between.
pub fn following(plan: &Plan, state: &RunState, stretch: Stretch) -> Option<Stretch> {
    let index = stretch.step_index as usize;
    if let PlannedWork::Rounds(rounds) = &plan.steps[index].work {
        let first = first_round(state, stretch.step_index);
        let is_last = stretch.round + 1 >= first + rounds.rounds_max;
        let goes_on = !is_last || rounds.at_limit == AtLimit::Continue;
        if goes_on {
            return Some(Stretch {
                round: stretch.round + 1,
                ..stretch
            });
        }
    }
    match &plan.steps.get(index + 1)?.work {
        PlannedWork::Rounds(_) => {
            let step_index = stretch.step_index + 1;
            Some(Stretch {
                step_index,
                round: round_number_next(state, step_index),
            })
        }
        // A fill destroys and waits for its record; nothing is queued in front of a purge.
        PlannedWork::Purge | PlannedWork::Fill(_) | PlannedWork::NotBuilt { .. } => None,
    }
}

/// The cells of a stretch, ready for a drive.
///
/// # Panics
/// If the stretch is not one of this plan: only [`next`] and [`following`] make stretches.
pub fn programme(plan: &Plan, stretch: Stretch, seed: u64) -> Programme {
    let cells = match &plan.steps[stretch.step_index as usize].work {
        PlannedWork::Fill(fill) => fill_cells(fill, stretch, seed),
        PlannedWork::Rounds(rounds) => round_cells(rounds, stretch, seed),
        PlannedWork::Purge | PlannedWork::NotBuilt { .. } => Vec::new(),
    };
    assert!(
        !cells.is_empty(),
        "a stretch is a fill or a round with cells"
    );
    Programme { cells }
}

/// The fill, and the reads that must return what it wrote.
fn fill_cells(fill: &PlannedFill, stretch: Stretch, seed: u64) -> Vec<Cell> {
    let cell = |cell_index: u32, access: &Access, amount: Bytes| {
        let key = CellKey {
            step_index: stretch.step_index,
            round: 0,
            cell_index,
        };
        Cell {
            key,
            access: access.clone(),
            until: Until::Transferred(amount),
            seed: cell_seed(seed, key),
            reads_back: cell_index > 0,
        }
    };
    let mut cells = vec![cell(0, &fill.access, fill.amount)];
    let read_back = fill.read_back.as_ref();
    cells.extend(read_back.map(|reads| cell(1, &reads.access, reads.amount)));
    cells
}

fn round_cells(rounds: &PlannedRounds, stretch: Stretch, seed: u64) -> Vec<Cell> {
    let possible = (0_u32..)
        .zip(&rounds.cells)
        .filter_map(|(cell_index, cell)| {
            let access = cell.access.as_ref().ok()?.clone();
            let Stretch { step_index, round } = stretch;
            let key = CellKey {
                step_index,
                round,
                cell_index,
            };
            let until = Until::Time(rounds.cell_time);
            Some(Cell {
                key,
                access,
                until,
                seed: cell_seed(seed, key),
                reads_back: false,
            })
        });
    possible.collect()
}

/// Each cell has a seed of its own, so that neither a resume nor the order of cells changes it.
fn cell_seed(seed: u64, key: CellKey) -> u64 {
    let step = mix(seed, u64::from(key.step_index) + 1);
    mix(
        mix(step, u64::from(key.round) + 1),
        u64::from(key.cell_index) + 1,
    )
}

fn purge(step_index: u32, attempt: &Attempt, state: &RunState) -> Action {
    if attempt.purged.is_some() {
        Action::Finish { step_index }
    } else if attempt.segment < state.segment() {
        Action::Start { step_index }
    } else {
        Action::Purge { step_index }
    }
}

fn fill(
    plan: &Plan,
    planned: &PlannedFill,
    step_index: u32,
    attempt: &Attempt,
    state: &RunState,
) -> Action {
    if attempt.cells.len() >= planned.cells() {
        return Action::Finish { step_index };
    }
    if attempt.segment < state.segment() {
        let purge = purge_before(plan, step_index as usize).map_or(step_index, number);
        return Action::Start { step_index: purge };
    }
    Action::Run(Stretch {
        step_index,
        round: 0,
    })
}

fn round(step_index: u32, plan: &PlannedRounds, attempt: &Attempt, state: &RunState) -> Action {
    let closed = attempt.rounds.iter().filter(|round| round.closed.is_some());
    let is_steady = closed
        .clone()
        .next_back()
        .and_then(|round| round.closed.as_ref())
        .is_some_and(|closed| closed.what.steady);
    let is_judged = plan.rounds_max > 1;
    let is_at_limit = number(closed.count()) >= plan.rounds_max;
    let ends_there = plan.at_limit == AtLimit::Stop || !is_judged;
    if (is_steady && is_judged) || (is_at_limit && ends_there) {
        return Action::Finish { step_index };
    }
    if attempt.segment < state.segment() {
        return Action::Start { step_index };
    }
    Action::Run(Stretch {
        step_index,
        round: round_number_next(state, step_index),
    })
}

/// The purge before a fill, if it ended before an interruption: nobody knows what was done to the
/// drive meanwhile, and preconditioning starts from a purged drive.
fn fresh_purge(plan: &Plan, state: &RunState, index: usize) -> Option<u32> {
    let purge = number(purge_before(plan, index).filter(|purge| *purge < index)?);
    let attempt = state.attempt(purge)?;
    (attempt.segment < state.segment()).then_some(purge)
}

/// Round numbers go on over interruptions; a broken round keeps its number.
fn round_number_next(state: &RunState, step_index: u32) -> u32 {
    let closed_or_old = state
        .rounds(step_index)
        .filter(|round| round.closed.is_some() || round.segment < state.segment());
    closed_or_old.map(|round| round.number).max().unwrap_or(0) + 1
}

/// The number of the first round of the open attempt, from which its limit counts.
fn first_round(state: &RunState, step_index: u32) -> u32 {
    let attempt = state
        .attempt(step_index)
        .filter(|attempt| attempt.segment == state.segment());
    let first = attempt
        .and_then(|attempt| attempt.rounds.first())
        .map(|round| round.number);
    first.unwrap_or_else(|| round_number_next(state, step_index))
}

/// The line of the last start of the purge that a step builds on; 0 without one.
fn purge_record(plan: &Plan, state: &RunState, index: usize) -> u64 {
    let purge = purge_before(plan, index).filter(|purge| *purge < index);
    purge
        .and_then(|purge| state.attempt(number(purge)))
        .map_or(0, |attempt| attempt.record)
}

/// The last purge step at or before `index`.
fn purge_before(plan: &Plan, index: usize) -> Option<usize> {
    plan.steps[..=index]
        .iter()
        .rposition(|step| step.work == PlannedWork::Purge)
}

fn outcome(plan: &Plan, state: &RunState) -> Outcome {
    let judged = plan
        .steps
        .iter()
        .enumerate()
        .filter_map(|(index, step)| match &step.work {
            PlannedWork::Rounds(rounds) if rounds.rounds_max > 1 => {
                let last = state.round_last(number(index));
                Some(
                    last.and_then(|round| round.closed.as_ref())
                        .is_some_and(|c| c.what.steady),
                )
            }
            PlannedWork::Rounds(_)
            | PlannedWork::Purge
            | PlannedWork::Fill(_)
            | PlannedWork::NotBuilt { .. } => None,
        });
    let verdicts: Vec<bool> = judged.collect();
    match verdicts.as_slice() {
        [] => Outcome::Done,
        all if all.iter().all(|steady| *steady) => Outcome::Steady,
        _ => Outcome::NotSteady,
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("a test has fewer than 2^32 steps and rounds")
}

#[cfg(test)]
mod tests;
