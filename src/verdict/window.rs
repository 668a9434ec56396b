//! Which rounds a report stands on.
//!
//! Steady: rounds x-4 to x, where x is the first round after which every tracked variable was
//! steady (PTS 2.0.2, clauses 2.1.24 and 7). Otherwise the last five closed rounds after the last
//! interruption, or as many as there are. A window never spans an interruption and never holds a
//! broken round.

#[cfg(test)]
mod tests;

use crate::journal::RunState;
use crate::journal::record::RoundClosed;
use crate::journal::state::RoundResult;
use crate::pts::WINDOW_ROUNDS;

/// Consecutive closed rounds of one segment; never empty.
#[derive(Debug, Clone)]
pub struct Window<'a> {
    /// Oldest first; at most five.
    pub rounds: Vec<&'a RoundResult>,
    /// Whether all tracked variables are steady in exactly these rounds.
    pub is_steady: bool,
}

impl<'a> Window<'a> {
    /// The window of a step with rounds; `None` while no round is closed.
    pub fn of(state: &'a RunState, step_index: u32) -> Option<Self> {
        let closed: Vec<&RoundResult> = state
            .rounds(step_index)
            .filter(|round| round.closed.is_some())
            .collect();
        let steady = closed.iter().position(|round| is_steady(round));
        let last = steady.unwrap_or(closed.len().checked_sub(1)?);
        let segment = closed[last].segment;
        let mut rounds: Vec<&RoundResult> = closed[..=last]
            .iter()
            .rev()
            .take_while(|round| round.segment == segment)
            .take(WINDOW_ROUNDS)
            .copied()
            .collect();
        rounds.reverse();
        let is_steady = steady.is_some() && rounds.len() == WINDOW_ROUNDS;
        Some(Self { rounds, is_steady })
    }

    /// First and last round, counted from 1.
    pub fn span(&self) -> (u32, u32) {
        let number = |round: Option<&&RoundResult>| round.map_or(0, |round| round.number);
        (number(self.rounds.first()), number(self.rounds.last()))
    }

    /// Whether there are five rounds to judge.
    pub fn is_full(&self) -> bool {
        self.rounds.len() == WINDOW_ROUNDS
    }

    /// The judgement at the end of the window.
    pub fn judged(&self) -> Option<&'a RoundClosed> {
        let last = self.rounds.last()?;
        last.closed.as_ref().map(|noted| &noted.what)
    }
}

fn is_steady(round: &RoundResult) -> bool {
    round.closed.as_ref().is_some_and(|noted| noted.what.steady)
}
