//! `--quick`: a rehearsal of minutes, written as overrides of the test it shortens.
//!
//! Half-second cells, at most 6 rounds, sampling stretches of 3 cells, pre-writes of 2 s, any
//! hold at most 20 s, duty loops of 6 with a fiftieth of the idle time. Purge and fill stay as
//! they are. Every shortened value is a deviation, found like any other by the ledger.

use super::model::{Curve, Duty, Hold, Points, Rounds, Saturate, Spec, StepKind};
use crate::units::{Nanos, SECOND_NS};

/// Length of a cell, a sample, a duty access or a record.
const CELL: Nanos = Nanos(SECOND_NS / 2);
/// Length of a pre-write or a warm-up.
const PRE_WRITE: Nanos = Nanos::from_secs(2);
/// Longest hold or capture.
const HOLD: Nanos = Nanos::from_secs(20);
/// Most rounds or judged samples.
const ROUNDS_MAX: u32 = 6;
/// Samples from one judged sample to the next.
const SAMPLE_EVERY: u32 = 3;
/// Repetitions of a duty step.
const REPEAT: u32 = 6;
/// Host idle is divided by this.
const IDLE_DIVISOR: u64 = 50;

/// The arguments that shorten a test, as `--set` takes them.
pub(super) fn overrides(spec: &Spec) -> Vec<String> {
    let mut list = Overrides::default();
    for step in &spec.steps {
        match &step.kind {
            StepKind::Purge | StepKind::Fill(_) => {}
            StepKind::Rounds(rounds) => list.rounds(&step.id, rounds),
            StepKind::Hold(hold) => list.hold(&step.id, hold, HOLD),
            StepKind::Saturate(saturate) => list.saturate(&step.id, saturate),
            StepKind::Duty(duty) => list.duty(&step.id, duty),
            StepKind::Idle(time) => list.idle(&format!("{}.time", step.id), *time),
            StepKind::Curve(curve) => list.curve(&step.id, curve),
            StepKind::Points(points) => list.points(&step.id, points),
        }
    }
    list.arguments
}

#[derive(Default)]
struct Overrides {
    arguments: Vec<String>,
}

impl Overrides {
    fn at_most(&mut self, key: &str, time: Nanos, max: Nanos) {
        if time > max {
            self.arguments.push(format!("{key}=\"{max}\""));
        }
    }

    fn number(&mut self, key: &str, number: u32, max: u32) {
        if number > max {
            self.arguments.push(format!("{key}={max}"));
        }
    }

    fn idle(&mut self, key: &str, time: Nanos) {
        if time.0 > 0 {
            let shorter = Nanos((time.0 / IDLE_DIVISOR).max(1));
            self.arguments.push(format!("{key}=\"{shorter}\""));
        }
    }

    fn rounds(&mut self, id: &str, rounds: &Rounds) {
        self.at_most(&format!("{id}.cell_time"), rounds.cell_time, CELL);
        self.number(&format!("{id}.rounds_max"), rounds.rounds_max, ROUNDS_MAX);
        if let Some(hold) = &rounds.before_round {
            self.hold(&format!("{id}.before_round"), hold, PRE_WRITE);
        }
        self.idle(&format!("{id}.before_cell.idle"), rounds.idle_before_cell);
    }

    /// A hold that ends by amount ends by time instead.
    fn hold(&mut self, key: &str, hold: &Hold, max: Nanos) {
        let time = hold.time.unwrap_or(Nanos(u64::MAX));
        self.at_most(&format!("{key}.time"), time, max);
        if let Some(every) = hold.record_every {
            self.at_most(&format!("{key}.record_every"), every, CELL);
        }
    }

    fn saturate(&mut self, id: &str, saturate: &Saturate) {
        self.at_most(&format!("{id}.sample.time"), saturate.sample_time, CELL);
        self.number(
            &format!("{id}.sample.first"),
            saturate.sample_first,
            SAMPLE_EVERY,
        );
        self.number(
            &format!("{id}.sample.every"),
            saturate.sample_every,
            SAMPLE_EVERY,
        );
        let samples_max = saturate.samples_max.unwrap_or(u32::MAX);
        self.number(&format!("{id}.stop.samples_max"), samples_max, ROUNDS_MAX);
    }

    fn duty(&mut self, id: &str, duty: &Duty) {
        self.at_most(&format!("{id}.time"), duty.time, CELL);
        self.idle(&format!("{id}.idle"), duty.idle);
        self.number(&format!("{id}.repeat"), duty.repeat, REPEAT);
    }

    fn curve(&mut self, id: &str, curve: &Curve) {
        self.at_most(&format!("{id}.warm_up"), curve.warm_up, PRE_WRITE);
        self.at_most(&format!("{id}.time"), curve.time, CELL);
    }

    fn points(&mut self, id: &str, points: &Points) {
        if let Some(hold) = &points.before_point {
            self.hold(&format!("{id}.before_point"), hold, PRE_WRITE);
        }
        self.at_most(&format!("{id}.cell.time"), points.cell_time, HOLD);
    }
}
