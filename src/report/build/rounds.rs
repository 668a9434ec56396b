//! The rounds with their judgements, for the table of rounds and for programs. A round that was
//! broken has its row, too: what happened must be seen.

use super::Run;
use super::variables::{data, planned_variables, value};
use crate::journal::record::RoundClosed;
use crate::journal::state::RoundResult;
use crate::report::model::{RoundRow, RoundState, RoundVariable, Table, TableRow, Value};
use crate::report::numbers::Format;

pub(super) fn rows(run: &Run<'_>) -> Vec<RoundRow> {
    run.rounds
        .iter()
        .map(|round| {
            let closed = round.closed.as_ref();
            RoundRow {
                round: round.number,
                segment: round.segment,
                state: state(run, round),
                record: closed.map(|noted| noted.record),
                is_steady: closed.is_some_and(|noted| noted.what.steady),
                variables: closed
                    .map_or_else(|| not_closed(run), |noted| variables(run, &noted.what)),
            }
        })
        .collect()
}

/// A round without a judgement runs, unless an interruption came after it.
fn state(run: &Run<'_>, round: &RoundResult) -> RoundState {
    let stops = &run.state.interruptions;
    let stands_still = stops.last().is_some_and(|stop| stop.resumed.is_none());
    if round.closed.is_some() {
        RoundState::Closed
    } else if round.segment < run.state.segment() || stands_still {
        RoundState::Broken
    } else {
        RoundState::Running
    }
}

fn not_closed(run: &Run<'_>) -> Vec<RoundVariable> {
    let planned = run.planned.into_iter().flat_map(planned_variables);
    planned
        .map(|(variable, _)| RoundVariable {
            variable: variable.label.clone(),
            unit: variable.metric.unit().to_owned(),
            value: None,
            amount: None,
            per: None,
            verdict: "none".to_owned(),
            data: None,
        })
        .collect()
}

fn variables(run: &Run<'_>, closed: &RoundClosed) -> Vec<RoundVariable> {
    let Some(planned) = run.planned else {
        return Vec::new();
    };
    planned_variables(planned)
        .zip(&closed.variables)
        .map(|((variable, _), judged)| RoundVariable {
            variable: variable.label.clone(),
            unit: variable.metric.unit().to_owned(),
            value: value(judged, variable.metric),
            amount: judged.amount,
            per: judged.per,
            verdict: judged.verdict.clone(),
            data: judged.window.as_ref().map(data),
        })
        .collect()
}

/// Every round with the value of each variable and whether its window holds.
pub(super) fn table(rows: &[RoundRow]) -> Table {
    let names = rows.first().map_or(&[][..], |row| row.variables.as_slice());
    let heads = names
        .iter()
        .flat_map(|variable| {
            let name = format!("{}, {}", variable.variable, variable.unit);
            [
                name,
                "Data exc., %".to_owned(),
                "Slope exc., %".to_owned(),
                "Holds".to_owned(),
            ]
        })
        .collect::<Vec<_>>();
    Table {
        caption: "Tracked variables after every round".to_owned(),
        heads: [vec!["Round".to_owned()], heads].concat(),
        rows: rows
            .iter()
            .map(|row| TableRow {
                head: head(row),
                cells: row.variables.iter().flat_map(cells).collect(),
            })
            .collect(),
        notes: vec![
            "Excursions are those of the five rounds that end here, in % of their average; allowed \
             are 20 % (data) and 10 % (slope). A dash: fewer than five consecutive rounds, or a \
             round without a valid value. A broken round was cut by an interruption and counts for \
             nothing."
                .to_owned(),
        ],
    }
}

fn head(row: &RoundRow) -> String {
    match row.state {
        RoundState::Closed => row.round.to_string(),
        RoundState::Running => format!("{} (running)", row.round),
        RoundState::Broken => format!("{} (broken)", row.round),
    }
}

fn cells(variable: &RoundVariable) -> [Value; 4] {
    let number = |value: Option<f64>, format| match value {
        Some(value) => Value::Number(value, format),
        None => Value::Text("-".to_owned()),
    };
    let of_average = |excursion: f64, average: f64| excursion * 100.0 / average;
    let data = variable.data.as_ref();
    let holds = data.map_or("-", |data| match (data.data_holds, data.slope_holds) {
        (true, true) => "yes",
        (false, true) => "no: data",
        (true, false) => "no: slope",
        (false, false) => "no: both",
    });
    [
        match variable.value {
            Some(value) => Value::Number(value, Format::OneDecimal),
            None => Value::Missing("no valid value in this round".to_owned()),
        },
        number(
            data.map(|data| of_average(data.measured_data_excursion, data.average)),
            Format::ThreeDecimals,
        ),
        number(
            data.map(|data| of_average(data.measured_slope_excursion, data.average)),
            Format::ThreeDecimals,
        ),
        Value::Text(holds.to_owned()),
    ]
}
