//! The report for programs: one JSON object with a `schema` key and all digits.
//!
//! Keys are promises; new ones may come, the meaning of old ones stays while the schema does.

use serde::Serialize;

use crate::report::ReportError;
use crate::report::model::{
    Banner, Determination, Header, Matrix, Report, RoundRow, SCHEMA, Status, Summary, TestTitle,
};
use crate::verdict::Ledger;
use crate::verdict::ledger::LineVerdict;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    tool: &'a str,
    test: &'a TestTitle,
    status: Status,
    banners: &'a [Banner],
    header: &'a Header,
    summary: &'a Summary,
    steady_state: SteadyState<'a>,
    matrix: Option<&'a Matrix>,
    rounds: &'a [RoundRow],
    ledger: &'a Ledger,
    /// Ids of the ledger's lines that deviate.
    deviations: Vec<&'a str>,
    pages: Vec<&'a str>,
    tables: Vec<&'a str>,
}

#[derive(Serialize)]
struct SteadyState<'a> {
    reached: bool,
    window: Option<(u32, u32)>,
    variables: &'a [Determination],
}

/// The report as indented JSON with a newline at its end.
///
/// # Errors
/// [`ReportError::Json`] if a value has no JSON form.
pub fn render(report: &Report) -> Result<String, ReportError> {
    let document = Document {
        schema: SCHEMA,
        tool: &report.tool,
        test: &report.test,
        status: report.status,
        banners: &report.banners,
        header: &report.header,
        summary: &report.summary,
        steady_state: SteadyState {
            reached: report.summary.is_steady,
            window: report.summary.window,
            variables: &report.variables,
        },
        matrix: report.matrix.as_ref(),
        rounds: &report.rounds,
        ledger: &report.ledger,
        deviations: report
            .ledger
            .with(LineVerdict::Deviation)
            .map(|line| line.id.as_str())
            .collect(),
        pages: report
            .pages
            .iter()
            .map(|page| page.title.as_str())
            .collect(),
        tables: report
            .tables
            .iter()
            .map(|table| table.file.as_str())
            .collect(),
    };
    let text =
        serde_json::to_string_pretty(&document).map_err(|source| ReportError::Json { source })?;
    Ok(text + "\n")
}
