//! How far a run is and how long it still takes, in the time of the person who waits.
//!
//! Remaining drive time is arithmetic on the plan; a simulated drive runs at another speed than
//! the wall clock, so it is scaled by the speed seen so far. A real drive's factor is 1.

use crate::journal::state::RunState;
use crate::spec::plan::PlannedRounds;
use crate::units::{Nanos, SECOND_NS, to_f64};

/// Seconds of waiting for each second of the drive, from what has passed of both.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pace {
    drive_passed: Nanos,
    waited: Nanos,
}

/// Remaining time of a round and of all rounds to the limit, on the drive's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remaining {
    /// To the end of the running round.
    pub round: Nanos,
    /// To the end of the last round allowed.
    pub limit: Nanos,
}

impl Pace {
    /// Notes that `drive_passed` has passed on the drive's clock while a person waited `waited`.
    pub fn note(&mut self, drive_passed: Nanos, waited: Nanos) {
        *self = Self {
            drive_passed,
            waited,
        };
    }

    /// How long a person waits for `remaining` on the drive's clock.
    pub fn wait_for(&self, remaining: Nanos) -> Nanos {
        if self.drive_passed.0 < SECOND_NS || self.waited.0 == 0 {
            return remaining;
        }
        let factor = to_f64(self.waited.0) / to_f64(self.drive_passed.0);
        let seconds = to_f64(remaining.0) * factor / to_f64(SECOND_NS);
        Nanos(u64::try_from(std::time::Duration::from_secs_f64(seconds).as_nanos()).unwrap_or(0))
    }
}

/// What remains of the rounds of a step after `cells_done` cells of the running round, of whose
/// current cell `in_cell` has passed.
pub fn remaining(
    plan: &PlannedRounds,
    state: &RunState,
    step_index: u32,
    cells_done: u64,
    in_cell: Nanos,
) -> Remaining {
    let cells = u64::try_from(plan.possible()).expect("cells of a loop");
    let cell = plan.cell_time.0;
    let round_all = cells * cell;
    let round_left = round_all.saturating_sub(cells_done * cell + in_cell.0);
    let closed = state.attempt(step_index).map_or(0, |attempt| {
        attempt
            .rounds
            .iter()
            .filter(|round| round.closed.is_some())
            .count()
    });
    let rounds_left =
        u64::from(plan.rounds_max).saturating_sub(u64::try_from(closed).expect("rounds") + 1);
    Remaining {
        round: Nanos(round_left),
        limit: Nanos(round_left + rounds_left * round_all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half an hour of drive time that passes in one second of waiting: an hour takes two.
    #[test]
    fn a_simulated_drive_is_waited_for_at_its_own_speed() {
        let mut pace = Pace::default();
        pace.note(Nanos::from_secs(1800), Nanos::from_secs(1));
        assert_eq!(pace.wait_for(Nanos::from_secs(3600)), Nanos::from_secs(2));
    }

    #[test]
    fn before_anything_has_passed_the_plan_is_the_estimate() {
        assert_eq!(
            Pace::default().wait_for(Nanos::from_secs(60)),
            Nanos::from_secs(60)
        );
    }
}
