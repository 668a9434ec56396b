//! Tables for programs: the matrix, the rounds, the judgements, convergence, and every cell.

use super::Run;
use crate::journal::record::WorkerRecord;
use crate::journal::state::{CellResult, RoundResult};
use crate::report::model::{DataTable, Exhibit, Report, RoundState, Value};
use crate::report::numbers::Format;
use crate::stats::Tally;
use crate::units::{per_second, to_f64};

pub(super) fn tables(run: &Run<'_>, report: &Report) -> Vec<DataTable> {
    let mut tables = Vec::new();
    tables.extend(report.matrix.as_ref().map(|matrix| {
        DataTable {
            file: "iops.csv".to_owned(),
            heads: [vec!["block_kib".to_owned()], matrix.mixes.clone()].concat(),
            rows: matrix
                .blocks_kib
                .iter()
                .zip(&matrix.values)
                .map(|(block, values)| {
                    let values = values.iter().map(|value| number(*value));
                    std::iter::once(Value::Text(block.clone()))
                        .chain(values)
                        .collect()
                })
                .collect(),
        }
    }));
    if run.planned.is_some() {
        tables.push(rounds(report));
        tables.push(steady_state(report));
        tables.push(convergence(report));
    }
    tables.push(cells(run));
    tables
}

fn number(value: Option<f64>) -> Value {
    match value {
        Some(value) => Value::Number(value, Format::OneDecimal),
        None => Value::Missing(String::new()),
    }
}

fn count(value: Option<u64>) -> Value {
    value.map_or(Value::Missing(String::new()), Value::Count)
}

fn text(value: impl Into<String>) -> Value {
    Value::Text(value.into())
}

fn yes_no(value: bool) -> Value {
    text(if value { "yes" } else { "no" })
}

fn heads(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A row for each round, a column for each variable.
fn rounds(report: &Report) -> DataTable {
    let names = report.variables.iter();
    let names = names.map(|block| format!("{} ({})", block.variable, block.unit));
    DataTable {
        file: "rounds.csv".to_owned(),
        heads: [
            heads(&["round", "segment", "state", "record", "steady"]),
            names.collect(),
        ]
        .concat(),
        rows: report
            .rounds
            .iter()
            .map(|row| {
                let head = [
                    Value::Count(u64::from(row.round)),
                    Value::Count(u64::from(row.segment)),
                    text(match row.state {
                        RoundState::Closed => "closed",
                        RoundState::Running => "running",
                        RoundState::Broken => "broken",
                    }),
                    count(row.record),
                    yes_no(row.is_steady),
                ];
                let values = row.variables.iter().map(|variable| number(variable.value));
                head.into_iter().chain(values).collect()
            })
            .collect(),
    }
}

/// A row for each round and variable, with the judgement of the window that ends there.
fn steady_state(report: &Report) -> DataTable {
    let rows = report.rounds.iter().flat_map(|row| {
        row.variables.iter().map(move |variable| {
            let data = variable.data.as_ref();
            let holds = |value: Option<bool>| value.map_or(number(None), yes_no);
            vec![
                Value::Count(u64::from(row.round)),
                text(variable.variable.clone()),
                text(variable.unit.clone()),
                count(variable.amount),
                count(variable.per),
                number(variable.value),
                text(variable.verdict.clone()),
                number(data.map(|data| data.average)),
                number(data.map(|data| data.allowed_data_excursion)),
                number(data.map(|data| data.measured_data_excursion)),
                holds(data.map(|data| data.data_holds)),
                number(data.map(|data| data.allowed_slope_excursion)),
                number(data.map(|data| data.measured_slope_excursion)),
                holds(data.map(|data| data.slope_holds)),
                number(data.map(|data| data.slope)),
                number(data.map(|data| data.intercept)),
            ]
        })
    });
    DataTable {
        file: "steady_state.csv".to_owned(),
        heads: heads(&[
            "round",
            "variable",
            "unit",
            "amount",
            "per",
            "value",
            "verdict",
            "average",
            "data_excursion_allowed",
            "data_excursion_measured",
            "data_holds",
            "slope_excursion_allowed",
            "slope_excursion_measured",
            "slope_holds",
            "slope_per_round",
            "intercept",
        ]),
        rows: rows.collect(),
    }
}

/// The convergence plot as numbers: a row for each round, a column for each block size.
fn convergence(report: &Report) -> DataTable {
    let plot = report
        .pages
        .iter()
        .filter(|page| page.id == "convergence")
        .flat_map(|page| &page.exhibits)
        .find_map(|exhibit| match exhibit {
            Exhibit::Lines(plot) => Some(plot),
            Exhibit::Summary
            | Exhibit::Bars(_)
            | Exhibit::Determination(_)
            | Exhibit::Table(_)
            | Exhibit::Ledger(_)
            | Exhibit::Text(_) => None,
        });
    let series = plot.map_or(&[][..], |plot| plot.series.as_slice());
    let names = series
        .iter()
        .map(|one| format!("{} 0/100 (IOPS)", one.label));
    let value_at = |points: &[(f64, f64)], round: u32| {
        let point = points.iter().find(|(x, _)| *x == f64::from(round));
        number(point.map(|(_, y)| *y))
    };
    DataTable {
        file: "convergence.csv".to_owned(),
        heads: std::iter::once("round".to_owned()).chain(names).collect(),
        rows: report
            .rounds
            .iter()
            .map(|row| {
                let values = series.iter().map(|one| value_at(&one.points, row.round));
                std::iter::once(Value::Count(u64::from(row.round)))
                    .chain(values)
                    .collect()
            })
            .collect(),
    }
}

const CELL_HEADS: [&str; 36] = [
    "step",
    "round",
    "round_closed",
    "segment",
    "cell",
    "label",
    "record",
    "started_ns",
    "elapsed_ns",
    "iops",
    "mb_per_s",
    "latency_mean_ns",
    "reads",
    "read_bytes",
    "read_latency_ns_mean",
    "read_latency_ns_min",
    "read_latency_ns_max",
    "writes",
    "write_bytes",
    "write_latency_ns_mean",
    "write_latency_ns_min",
    "write_latency_ns_max",
    "idle_gap_ns",
    "hand_over_ns",
    "hand_over_ios",
    "reads_issued",
    "writes_issued",
    "arrivals_asked",
    "arrivals_not_issued",
    "worker_cpu_permille_max",
    "worker_waiting_permille_max",
    "workers_preempted",
    "host_limited",
    "flash_host_pages",
    "flash_moved_pages",
    "flash_programmed_pages",
];

/// Every cell that was measured, those of broken rounds included. `segment`, `step`, `round` and
/// `cell` (from 1) name a cell as they do in the samples.
fn cells(run: &Run<'_>) -> DataTable {
    let mut rows = Vec::new();
    for attempt in &run.state.attempts {
        let step = usize::try_from(attempt.step_index)
            .ok()
            .and_then(|index| run.plan.steps.get(index))
            .map_or("", |step| step.id.as_str());
        let plain = attempt.cells.iter().map(|cell| (None, cell));
        let in_rounds = attempt
            .rounds
            .iter()
            .flat_map(|round| round.cells.iter().map(move |cell| (Some(round), cell)));
        rows.extend(
            plain
                .chain(in_rounds)
                .map(|(round, cell)| cell_row(step, attempt.segment, round, cell)),
        );
    }
    DataTable {
        file: "cells.csv".to_owned(),
        heads: heads(&CELL_HEADS),
        rows,
    }
}

fn cell_row(
    step: &str,
    segment: u32,
    round: Option<&RoundResult>,
    cell: &CellResult,
) -> Vec<Value> {
    let total = cell.total();
    let none = || Value::Missing(String::new());
    let segment = round.map_or(segment, |round| round.segment);
    let mut row = vec![
        text(step),
        round.map_or_else(none, |round| Value::Count(u64::from(round.number))),
        round.map_or_else(none, |round| yes_no(round.closed.is_some())),
        Value::Count(u64::from(segment)),
        Value::Count(u64::from(cell.key.cell_index) + 1),
        text(cell.label.clone()),
        Value::Count(cell.record),
        Value::Count(cell.started.0),
        Value::Count(cell.elapsed.0),
        number(per_second(total.ios, cell.elapsed)),
        number(per_second(total.bytes, cell.elapsed).map(|bytes| bytes / 1e6)),
        number(total.latency_ns_mean()),
    ];
    row.extend(flow(&cell.read));
    row.extend(flow(&cell.write));
    row.extend([
        count(cell.idle_gap.map(|gap| gap.0)),
        Value::Count(cell.hand_over.0),
        Value::Count(cell.hand_over_ios),
        count(cell.issued.map(|issued| issued.reads)),
        count(cell.issued.map(|issued| issued.writes)),
        count(cell.arrivals.map(|arrivals| arrivals.asked)),
        count(cell.arrivals.map(|arrivals| arrivals.not_issued)),
        most(cell, |worker| Some(worker.cpu_permille)),
        most(cell, |worker| worker.waiting_permille),
        preempted(cell),
        cell.host_limited.clone().map_or_else(none, Value::Text),
        count(cell.flash.map(|flash| flash.host_pages)),
        count(cell.flash.map(|flash| flash.moved_pages)),
        count(cell.flash.map(|flash| flash.programmed_pages)),
    ]);
    row
}

/// The largest figure among the workers; missing where there are none, or none tells it.
fn most(cell: &CellResult, figure: impl Fn(&WorkerRecord) -> Option<u32>) -> Value {
    count(cell.workers.iter().filter_map(figure).max().map(u64::from))
}

fn preempted(cell: &CellResult) -> Value {
    let all = cell.workers.iter().map(|worker| worker.preempted).sum();
    count((!cell.workers.is_empty()).then_some(all))
}

/// Counts and latencies of a direction; latencies are empty when nothing completed.
fn flow(tally: &Tally) -> [Value; 5] {
    let mean = (tally.ios > 0).then(|| to_f64(tally.latency_ns_sum) / to_f64(tally.ios));
    [
        Value::Count(tally.ios),
        Value::Count(tally.bytes),
        number(mean),
        count(tally.latency_min().map(|time| time.0)),
        count(tally.latency_max().map(|time| time.0)),
    ]
}
