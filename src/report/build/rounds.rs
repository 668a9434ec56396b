//! The rounds as they were closed, for the table of rounds and for programs.

use super::Run;
use super::variables::{data, planned_variables, value};
use crate::journal::record::RoundClosed;
use crate::report::model::{RoundRow, RoundVariable, Table, TableRow, Value};
use crate::report::numbers::Format;

pub(super) fn rows(run: &Run<'_>) -> Vec<RoundRow> {
    run.closed
        .iter()
        .filter_map(|round| {
            let noted = round.closed.as_ref()?;
            Some(RoundRow {
                round: round.number,
                segment: round.segment,
                record: noted.record,
                is_steady: noted.what.steady,
                variables: variables(run, &noted.what),
            })
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
                head: row.round.to_string(),
                cells: row.variables.iter().flat_map(cells).collect(),
            })
            .collect(),
        notes: vec![
            "Excursions are those of the five rounds that end here, in % of their average; allowed \
             are 20 % (data) and 10 % (slope). A dash: fewer than five consecutive rounds, or a \
             round without a valid value."
                .to_owned(),
        ],
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
