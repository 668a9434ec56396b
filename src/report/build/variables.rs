//! Steady-state determination data of every variable, from the judgements in the journal.
//!
//! Nothing is judged again here: the report prints the numbers the run was stopped by.

use super::Run;
use crate::journal::record::{RoundClosed, VariableJudged, WindowRecord};
use crate::pts::WINDOW_ROUNDS;
use crate::report::model::{Determination, DeterminationData};
use crate::report::numbers::counted;
use crate::spec::model::Metric;
use crate::spec::plan::{PlannedRounds, PlannedVariable};
use crate::units::to_f64;

/// One block for each tracked variable, then for each watched one.
pub(super) fn determinations(run: &Run<'_>) -> Vec<Determination> {
    let Some(planned) = run.planned else {
        return Vec::new();
    };
    let all = planned_variables(planned);
    all.enumerate()
        .map(|(index, (variable, tracked))| determination(run, index, variable, tracked))
        .collect()
}

/// Tracked and then watched variables, the order of the records.
pub(super) fn planned_variables(
    planned: &PlannedRounds,
) -> impl Iterator<Item = (&PlannedVariable, bool)> {
    let tracked = planned.tracked.iter().map(|variable| (variable, true));
    tracked.chain(planned.watched.iter().map(|variable| (variable, false)))
}

fn determination(
    run: &Run<'_>,
    index: usize,
    variable: &PlannedVariable,
    is_tracked: bool,
) -> Determination {
    let metric = variable.metric;
    let window = run.window.as_ref();
    let judged = window
        .and_then(|window| window.judged())
        .and_then(|closed| closed.variables.get(index));
    let values = window.map_or_else(Vec::new, |window| {
        let rounds = window.rounds.iter();
        let value = |closed: &RoundClosed| {
            let judged = closed.variables.get(index)?;
            value(judged, metric)
        };
        rounds
            .map(|round| {
                let closed = round.closed.as_ref();
                (round.number, closed.and_then(|noted| value(&noted.what)))
            })
            .collect()
    });
    let data = judged.and_then(|judged| judged.window.as_ref()).map(data);
    Determination {
        variable: variable.label.clone(),
        unit: metric.unit().to_owned(),
        average_label: average_label(metric).to_owned(),
        is_tracked,
        window: window.map(|window| window.span()),
        is_steady: run.is_steady(),
        missing: data.is_none().then(|| missing(values.len(), judged)),
        values,
        data,
    }
}

fn missing(rounds: usize, judged: Option<&VariableJudged>) -> String {
    if rounds < WINDOW_ROUNDS {
        return format!(
            "{} of the {WINDOW_ROUNDS} a window needs: nothing can be determined yet",
            counted(rounds, "consecutive round")
        );
    }
    match judged.map(|judged| judged.verdict.as_str()) {
        Some("invalid") => "a round of the window gave no valid value".to_owned(),
        _ => "the record holds no judgement of this window".to_owned(),
    }
}

/// The value of a variable in a round, in its unit.
pub(super) fn value(judged: &VariableJudged, metric: Metric) -> Option<f64> {
    let per = judged.per.filter(|per| *per > 0)?;
    Some(to_f64(judged.amount?) * metric.scale() / to_f64(per))
}

/// The recorded judgement with its limits.
pub(super) fn data(window: &WindowRecord) -> DeterminationData {
    DeterminationData {
        average: window.mean,
        allowed_data_excursion: window.mean / 5.0,
        measured_data_excursion: window.data_excursion,
        allowed_slope_excursion: window.mean / 10.0,
        measured_slope_excursion: window.slope_excursion,
        slope: window.slope_per_round,
        intercept: window.intercept,
        data_holds: window.data_holds,
        slope_holds: window.slope_holds,
    }
}

fn average_label(metric: Metric) -> &'static str {
    match metric {
        Metric::Iops => "Average IOPS",
        Metric::Throughput => "Average Throughput",
        Metric::LatencyMean => "Average Latency",
    }
}
