//! The report as one HTML file: no network, no script, plots inline, print rules for A4 and
//! Letter. What is shown is decided by the model; the template decides how it looks.

mod view;

use minijinja::Environment;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;

use crate::report::ReportError;
use crate::report::model::Report;

/// Name of the template. Its ending switches the escaping of HTML on.
const TEMPLATE: &str = "report.html";
const TEMPLATE_TEXT: &str = include_str!("../../templates/report.html");

/// The report as HTML.
///
/// # Errors
/// [`ReportError::Template`] if the template is broken, [`ReportError::Plot`] if a plot is.
pub fn render(report: &Report) -> Result<String, ReportError> {
    let document = view::Document::of(report)?;
    render_document(&document).map_err(|source| ReportError::Template {
        name: TEMPLATE,
        source,
    })
}

fn render_document(document: &view::Document<'_>) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_syntax(
        SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build()?,
    );
    environment.add_template(TEMPLATE, TEMPLATE_TEXT)?;
    environment.get_template(TEMPLATE)?.render(Serde(document))
}
