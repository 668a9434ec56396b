//! A block of steady state determination data as the template sees it.

use serde::Serialize;

use crate::report::model::Determination;
use crate::report::numbers::{Format, line_formula, text};

#[derive(Debug, Serialize)]
pub(super) struct BlockView {
    heading: String,
    status: String,
    is_steady: bool,
    rows: Vec<BlockRow>,
    formula: String,
    average: String,
    average_label: String,
    missing: Option<String>,
}

#[derive(Debug, Serialize)]
struct BlockRow {
    allowed_label: &'static str,
    allowed: String,
    measured_label: &'static str,
    measured: String,
    holds: bool,
}

impl BlockView {
    pub(super) fn of(block: &Determination) -> Self {
        let number = |value: f64| text(value, Format::Exact);
        let rounds = block.window.map_or(String::new(), |(first, last)| {
            if first == last {
                format!(", Round {first}")
            } else {
                format!(", Rounds {first} - {last}")
            }
        });
        let status = if block.is_steady {
            "Steady state reached: all tracked variables hold in this window".to_owned()
        } else {
            "STEADY STATE NOT REACHED".to_owned()
        };
        let rows = block.data.as_ref().map_or_else(Vec::new, |data| {
            vec![
                BlockRow {
                    allowed_label: "Allowed Maximum Data Excursion",
                    allowed: number(data.allowed_data_excursion),
                    measured_label: "Measured Maximum Data Excursion",
                    measured: number(data.measured_data_excursion),
                    holds: data.data_holds,
                },
                BlockRow {
                    allowed_label: "Allowed Maximum Slope Excursion",
                    allowed: number(data.allowed_slope_excursion),
                    measured_label: "Measured Maximum Slope Excursion",
                    measured: number(data.measured_slope_excursion),
                    holds: data.slope_holds,
                },
            ]
        });
        Self {
            heading: format!(
                "Steady State Determination Data - {}, {}{rounds}",
                block.variable, block.unit
            ),
            status,
            is_steady: block.is_steady,
            rows,
            formula: block.data.as_ref().map_or(String::new(), |data| {
                line_formula(data.slope, data.intercept)
            }),
            average: block
                .data
                .as_ref()
                .map_or(String::new(), |data| number(data.average)),
            average_label: block.average_label.clone(),
            missing: block.missing.clone(),
        }
    }
}
