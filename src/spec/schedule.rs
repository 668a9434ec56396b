//! What a step takes, as far as it is known before any drive was touched.
//!
//! Times are exact where the test file fixes them. The time of a purge and of a transfer depends
//! on the drive and is unknown, never 0; so is what a timed cell writes.

use super::model::{AtLimit, Hold, Rounds, Saturate, SequentialStart, Step, StepKind, Stimulus};
use super::plan::{Plan, PlannedRounds, PlannedWork};
use super::resolve::amount_bytes;
use crate::pts;
use crate::stimulus::Geometry;
use crate::units::{Bytes, Nanos};

/// Bounds of a step; `None` where only the drive will tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Shortest time.
    pub time_min: Option<Nanos>,
    /// Longest time.
    pub time_max: Option<Nanos>,
    /// Least that is written.
    pub written_min: Option<Bytes>,
    /// Most that is written.
    pub written_max: Option<Bytes>,
}

impl Cost {
    fn exactly(time: Nanos) -> Self {
        Self {
            time_min: Some(time),
            time_max: Some(time),
            ..Self::default()
        }
    }

    fn writes(mut self, bytes: Bytes) -> Self {
        self.written_min = Some(bytes);
        self.written_max = Some(bytes);
        self
    }

    /// One after the other; unknown where either is.
    fn then(self, next: Self) -> Self {
        let time = |one: Option<Nanos>, two: Option<Nanos>| {
            one.zip(two)
                .map(|(one, two)| Nanos(one.0.saturating_add(two.0)))
        };
        let bytes = |one: Option<Bytes>, two: Option<Bytes>| {
            one.zip(two)
                .map(|(one, two)| Bytes(one.0.saturating_add(two.0)))
        };
        Self {
            time_min: time(self.time_min, next.time_min),
            time_max: time(self.time_max, next.time_max),
            written_min: bytes(self.written_min, next.written_min),
            written_max: bytes(self.written_max, next.written_max),
        }
    }
}

impl Plan {
    /// What each step takes, in their order.
    pub fn costs(&self) -> Vec<Cost> {
        self.spec
            .steps
            .iter()
            .zip(&self.steps)
            .map(|(step, planned)| match (&step.kind, &planned.work) {
                (StepKind::Rounds(rounds), PlannedWork::Rounds(planned)) => {
                    rounds_cost(rounds, planned, self.geometry)
                }
                (_, PlannedWork::Fill(fill)) => Cost::default().writes(fill.amount),
                (
                    kind,
                    PlannedWork::Purge | PlannedWork::Rounds(_) | PlannedWork::NotBuilt { .. },
                ) => cost_of_kind(kind, Some(self.geometry)),
            })
            .collect()
    }

    /// What the steps take together whose time is known, and the ids of the others.
    pub fn total(&self) -> (Cost, Vec<String>) {
        let mut total = Cost::exactly(Nanos(0)).writes(Bytes(0));
        let mut unknown = Vec::new();
        for (step, cost) in self.steps.iter().zip(self.costs()) {
            if cost.time_max.is_none() {
                unknown.push(step.id.clone());
                continue;
            }
            total = total.then(cost);
        }
        (total, unknown)
    }

    /// What this version of the program can plan but not run, a sentence each; empty when all of
    /// the test can be run.
    pub fn not_built(&self) -> Vec<String> {
        let mut missing = Vec::new();
        for step in &self.spec.steps {
            for what in not_built_in(step) {
                missing.push(format!(
                    "step '{}' ({what}) is not built yet in this version",
                    step.id
                ));
            }
        }
        if !self.spec.parts.is_empty() {
            missing.push("a test made of parts ([[part]]) is not built yet in this version".into());
        }
        missing
    }
}

fn not_built_in(step: &Step) -> Vec<&'static str> {
    let stimulus = |stimulus: &Stimulus| {
        let mut missing = Vec::new();
        if !stimulus.with.is_empty() {
            missing.push("with");
        }
        if stimulus.sequential_start == SequentialStart::Continue {
            missing.push("sequential_start = \"continue\"");
        }
        missing
    };
    match &step.kind {
        StepKind::Purge => Vec::new(),
        StepKind::Fill(fill) => stimulus(&fill.stimulus),
        StepKind::Rounds(rounds) => {
            let mut missing: Vec<&str> = rounds
                .cells
                .iter()
                .flat_map(|cell| stimulus(&cell.stimulus))
                .collect();
            missing.extend(rounds.before_round.as_ref().map(|_| "before_round"));
            missing.extend((rounds.idle_before_cell.0 > 0).then_some("before_cell"));
            missing.sort_unstable();
            missing.dedup();
            missing
        }
        StepKind::Hold(_)
        | StepKind::Saturate(_)
        | StepKind::Duty(_)
        | StepKind::Idle(_)
        | StepKind::Curve(_)
        | StepKind::Points(_) => vec![super::label::kind(&step.kind)],
    }
}

/// The cost of a step that needs no plan; without a geometry no amount is known.
pub(super) fn cost_of_kind(kind: &StepKind, geometry: Option<Geometry>) -> Cost {
    match kind {
        StepKind::Purge | StepKind::Fill(_) | StepKind::Rounds(_) => Cost::default(),
        StepKind::Hold(hold) => hold_cost(hold, geometry),
        StepKind::Saturate(saturate) => saturate_cost(saturate),
        StepKind::Duty(duty) => {
            let once = Nanos(duty.time.0.saturating_add(duty.idle.0));
            read_only(&duty.stimulus, Cost::exactly(times(once, duty.repeat)))
        }
        StepKind::Idle(time) => Cost::exactly(*time).writes(Bytes(0)),
        StepKind::Curve(curve) => {
            let point = Nanos(curve.warm_up.0.saturating_add(curve.time.0));
            let points = u32::try_from(curve.percent.len()).unwrap_or(u32::MAX);
            // The maximum is measured first, as a point of its own.
            let time = times(point, points.saturating_add(1));
            read_only(&curve.stimulus, Cost::exactly(time))
        }
        StepKind::Points(points) => {
            let before = match &points.before_point {
                Some(hold) => hold_cost(hold, geometry),
                None => Cost::exactly(Nanos(0)).writes(Bytes(0)),
            };
            let point = before.then(Cost::exactly(points.cell_time));
            let count = u32::try_from(points.choose.len()).unwrap_or(u32::MAX);
            Cost {
                // No point may qualify, and a point may be chosen for two roles.
                time_min: Some(Nanos(0)),
                time_max: point.time_max.map(|time| times(time, count)),
                ..Cost::default()
            }
        }
    }
}

fn rounds_cost(rounds: &Rounds, planned: &PlannedRounds, geometry: Geometry) -> Cost {
    let cell = Nanos(rounds.cell_time.0.saturating_add(rounds.idle_before_cell.0));
    let cells = u32::try_from(planned.possible()).unwrap_or(u32::MAX);
    let mut round = Cost::exactly(times(cell, cells));
    if let Some(hold) = &rounds.before_round {
        round = round.then(hold_cost(hold, Some(geometry)));
    }
    let rounds_min = pts::WINDOW_ROUNDS
        .try_into()
        .unwrap_or(u32::MAX)
        .min(rounds.rounds_max);
    let is_bounded = rounds.at_limit == AtLimit::Stop;
    let reads_only = rounds.cells.iter().all(|cell| only_reads(&cell.stimulus));
    let written = (reads_only && rounds.before_round.is_none()).then_some(Bytes(0));
    Cost {
        time_min: round.time_min.map(|time| times(time, rounds_min)),
        time_max: round
            .time_max
            .filter(|_| is_bounded)
            .map(|time| times(time, rounds.rounds_max)),
        written_min: written,
        written_max: written,
    }
}

fn hold_cost(hold: &Hold, geometry: Option<Geometry>) -> Cost {
    let mut cost = hold.time.map_or(Cost::default(), Cost::exactly);
    if let (Some(amount), Some(geometry), 0) = (hold.amount, geometry, hold.stimulus.read_percent) {
        let range = super::resolve::range_bytes(hold.stimulus.range, geometry);
        cost = cost.writes(amount_bytes(amount, range, geometry));
    }
    read_only(&hold.stimulus, cost)
}

fn saturate_cost(saturate: &Saturate) -> Cost {
    let until_sample = |number: u32| {
        let stretches = number.saturating_sub(1);
        let samples = u64::from(saturate.sample_first)
            .saturating_add(u64::from(saturate.sample_every).saturating_mul(stretches.into()));
        Nanos(saturate.sample_time.0.saturating_mul(samples))
    };
    let limit = saturate.samples_max.map(until_sample);
    let time_max = match (limit, saturate.time_max) {
        (Some(one), Some(two)) => Some(one.min(two)),
        (one, two) => one.or(two),
    };
    let window = u32::try_from(pts::WINDOW_ROUNDS).unwrap_or(u32::MAX);
    let can_end_early = saturate.written_max.is_some() || saturate.response_time_max.is_some();
    let time_min = if can_end_early {
        // Only the drive tells how soon so much is written.
        Some(saturate.sample_time)
    } else if saturate.steady.is_empty() {
        time_max
    } else {
        Some(time_max.map_or(until_sample(window), |max| max.min(until_sample(window))))
    };
    Cost {
        time_min,
        time_max,
        ..Cost::default()
    }
}

/// Adds that nothing is written, where that is so.
fn read_only(stimulus: &Stimulus, cost: Cost) -> Cost {
    if only_reads(stimulus) {
        cost.writes(Bytes(0))
    } else {
        cost
    }
}

/// Whether neither the stimulus nor a stream beside it writes.
fn only_reads(stimulus: &Stimulus) -> bool {
    (stimulus.read_percent == 100 || stimulus.discards) && stimulus.with.iter().all(only_reads)
}

fn times(time: Nanos, count: u32) -> Nanos {
    Nanos(time.0.saturating_mul(u64::from(count)))
}
