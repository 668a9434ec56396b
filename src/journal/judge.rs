//! Judges a round: every tracked and watched variable over the latest five rounds.
//!
//! Windows are made only of consecutive closed rounds of one attempt, so none spans an
//! interruption. The driver writes what this returns, `verify` computes it again, and the report
//! prints it.

use crate::journal::record::{RoundClosed, VariableJudged, WindowRecord};
use crate::journal::state::{Attempt, CellResult};
use crate::spec::model::Metric;
use crate::spec::plan::{PlannedRounds, PlannedVariable};
use crate::steady_state::{Judgement, Sample, SteadyState, Verdict};

/// The judgement after the last round of `attempt`; `None` while it has no round.
pub fn last_round(plan: &PlannedRounds, attempt: &Attempt) -> Option<RoundClosed> {
    let round = attempt.rounds.last()?.number;
    round_of(plan, attempt, round)
}

/// The judgement after a given round of `attempt`, as it was when that round ended.
pub fn round_of(plan: &PlannedRounds, attempt: &Attempt, round: u32) -> Option<RoundClosed> {
    let tracked = plan.tracked.iter().map(|variable| (variable, true));
    let watched = plan.watched.iter().map(|variable| (variable, false));
    let variables = tracked
        .chain(watched)
        .map(|(variable, is_tracked)| judge(variable, is_tracked, attempt, round))
        .collect::<Option<Vec<_>>>()?;
    let steady = variables
        .iter()
        .filter(|v| v.tracked)
        .all(|v| v.verdict == "steady");
    Some(RoundClosed {
        step_index: attempt.step_index,
        round,
        steady,
        variables,
    })
}

/// The exact value of a metric in a cell; `None` when nothing completed.
pub fn sample_of(metric: Metric, cell: &CellResult) -> Option<Sample> {
    let total = cell.total();
    let sample = match metric {
        Metric::Iops => Sample {
            amount: total.ios,
            per: cell.elapsed.0,
        },
        Metric::Throughput => Sample {
            amount: total.bytes,
            per: cell.elapsed.0,
        },
        Metric::LatencyMean => Sample {
            amount: total.latency_ns_sum,
            per: total.ios,
        },
    };
    (sample.amount > 0 && sample.per > 0).then_some(sample)
}

fn judge(
    variable: &PlannedVariable,
    tracked: bool,
    attempt: &Attempt,
    round: u32,
) -> Option<VariableJudged> {
    let rounds = attempt.rounds.iter().filter(|r| r.number <= round);
    let first = attempt.rounds.first()?.number;
    let mut history = SteadyState::new(first, variable.metric.scale());
    let mut last = (None, history.verdict());
    for result in rounds {
        let cell = result
            .cells
            .iter()
            .find(|c| c.key.cell_index == variable.cell_index);
        let sample = cell.and_then(|cell| sample_of(variable.metric, cell));
        last = (sample, history.push(sample));
    }
    let (sample, verdict) = last;
    Some(VariableJudged {
        variable: variable.label.clone(),
        tracked,
        amount: sample.map(|s| s.amount),
        per: sample.map(|s| s.per),
        verdict: name_of(&verdict).to_owned(),
        window: verdict.judgement().map(window),
    })
}

fn name_of(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::TooFew { .. } => "too-few",
        Verdict::Invalid { .. } => "invalid",
        Verdict::Unsteady(_) => "unsteady",
        Verdict::Steady(_) => "steady",
    }
}

fn window(judgement: &Judgement) -> WindowRecord {
    WindowRecord {
        round_first: judgement.round_first,
        mean: judgement.mean,
        data_excursion: judgement.data_excursion,
        slope_per_round: judgement.slope_per_round,
        intercept: judgement.intercept,
        slope_excursion: judgement.slope_excursion,
        data_holds: judgement.data_holds,
        slope_holds: judgement.slope_holds,
    }
}
