//! What the HTML template sees: the model with every figure already as text.

mod block;

use serde::Serialize;

use crate::report::ReportError;
use crate::report::model::{
    Banner, Exhibit, Finding, Header, Report, Room, Table, TableRow, Value,
};
use crate::report::numbers::text;
use crate::report::plots;
use crate::verdict::ledger::Line;
use block::BlockView;

/// The whole report.
#[derive(Debug, Serialize)]
pub(super) struct Document<'a> {
    /// Test, drive, date.
    title: String,
    tool: &'a str,
    banners: &'a [Banner],
    header: &'a Header,
    summary: Summary,
    pages: Vec<PageView>,
    /// Number of pages.
    count: usize,
}

impl<'a> Document<'a> {
    /// # Errors
    /// [`ReportError::Plot`] for a plot that cannot be drawn.
    pub(super) fn of(report: &'a Report) -> Result<Self, ReportError> {
        let header = &report.header;
        Ok(Self {
            title: format!(
                "{} - {} - {}",
                report.test.title, header.model, header.run_date
            ),
            tool: &report.tool,
            banners: &report.banners,
            header,
            summary: Summary::of(report),
            pages: pages(report)?,
            count: report.pages.len(),
        })
    }
}

/// A page with its exhibits rendered.
#[derive(Debug, Serialize)]
struct PageView {
    number: usize,
    id: String,
    title: String,
    footer: String,
    exhibits: Vec<ExhibitView>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum ExhibitView {
    Summary,
    Plot {
        svg: String,
        room: &'static str,
    },
    /// A small plot beside a table.
    Pair {
        svg: String,
        table: TableView,
    },
    Table(TableView),
    Determination(BlockView),
    Ledger {
        lines: Vec<LineView>,
    },
    Text {
        text: String,
    },
}

#[derive(Debug, Serialize)]
struct TableView {
    caption: String,
    heads: Vec<HeadView>,
    rows: Vec<RowView>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct HeadView {
    text: String,
    is_number: bool,
}

#[derive(Debug, Serialize)]
struct RowView {
    head: String,
    cells: Vec<CellView>,
}

#[derive(Debug, Serialize)]
struct CellView {
    text: String,
    is_number: bool,
    /// Why there is no value; empty if there is one.
    why: String,
}

#[derive(Debug, Serialize)]
struct LineView {
    words: &'static str,
    key: &'static str,
    line: Line,
}

/// The title page.
#[derive(Debug, Serialize)]
struct Summary {
    verdict: String,
    is_steady: bool,
    drive: String,
    ledger: String,
    figures: Vec<FigureView>,
    findings: Vec<Finding>,
}

#[derive(Debug, Serialize)]
struct FigureView {
    label: String,
    value: String,
    unit: String,
}

impl Summary {
    fn of(report: &Report) -> Self {
        let summary = &report.summary;
        Self {
            verdict: summary.verdict.clone(),
            is_steady: summary.is_steady,
            drive: summary.drive.clone(),
            ledger: summary.ledger.clone(),
            figures: summary
                .figures
                .iter()
                .map(|figure| FigureView {
                    label: figure.label.clone(),
                    value: value_text(&figure.value),
                    unit: figure.unit.clone(),
                })
                .collect(),
            findings: summary.findings.clone(),
        }
    }
}

fn pages(report: &Report) -> Result<Vec<PageView>, ReportError> {
    (1..)
        .zip(&report.pages)
        .map(|(number, page)| {
            Ok(PageView {
                number,
                id: page.id.clone(),
                title: page.title.clone(),
                footer: page.footer.clone(),
                exhibits: exhibits(&page.exhibits)?,
            })
        })
        .collect()
}

/// Exhibits in order; a small plot and the table after it stand side by side.
fn exhibits(exhibits: &[Exhibit]) -> Result<Vec<ExhibitView>, ReportError> {
    let mut views = Vec::new();
    let mut rest = exhibits;
    while let [first, after @ ..] = rest {
        rest = after;
        views.push(match (first, after) {
            (Exhibit::Lines(plot), [Exhibit::Table(table), beyond @ ..])
                if plot.room == Room::Half =>
            {
                rest = beyond;
                ExhibitView::Pair {
                    svg: plots::lines_svg(plot)?,
                    table: table_view(table),
                }
            }
            _ => exhibit(first)?,
        });
    }
    Ok(views)
}

fn exhibit(exhibit: &Exhibit) -> Result<ExhibitView, ReportError> {
    Ok(match exhibit {
        Exhibit::Summary => ExhibitView::Summary,
        Exhibit::Lines(plot) => ExhibitView::Plot {
            svg: plots::lines_svg(plot)?,
            room: match plot.room {
                Room::Page => "page",
                Room::Band => "band",
                Room::Title => "title",
                Room::Half => "half",
            },
        },
        Exhibit::Bars(plot) => ExhibitView::Plot {
            svg: plots::bars_svg(plot)?,
            room: "page",
        },
        Exhibit::Determination(block) => ExhibitView::Determination(BlockView::of(block)),
        Exhibit::Table(table) => ExhibitView::Table(table_view(table)),
        Exhibit::Ledger(lines) => ExhibitView::Ledger {
            lines: lines.iter().map(line_view).collect(),
        },
        Exhibit::Text(text) => ExhibitView::Text { text: text.clone() },
    })
}

fn line_view(line: &Line) -> LineView {
    LineView {
        words: line.verdict.words(),
        key: line.verdict.key(),
        line: line.clone(),
    }
}

fn table_view(table: &Table) -> TableView {
    let columns = table.heads.len().saturating_sub(1);
    let is_number: Vec<bool> = (0..columns)
        .map(|column| is_figures(table, column))
        .collect();
    let head = |(index, text): (usize, &String)| HeadView {
        text: text.clone(),
        is_number: index > 0 && is_number[index - 1],
    };
    TableView {
        caption: table.caption.clone(),
        heads: table.heads.iter().enumerate().map(head).collect(),
        rows: table
            .rows
            .iter()
            .map(|row| row_view(row, &is_number))
            .collect(),
        notes: table.notes.clone(),
    }
}

/// Figures stand at the right. A column is one of figures if nothing else stands in it but dashes
/// and n/a.
fn is_figures(table: &Table, column: usize) -> bool {
    let mut cells = table.rows.iter().filter_map(|row| row.cells.get(column));
    let mut has_figure = false;
    let fits = cells.all(|value| match value {
        Value::Number(..) | Value::Count(_) | Value::Missing(_) => {
            has_figure = true;
            true
        }
        Value::Text(text) => text == "-",
    });
    fits && has_figure
}

fn row_view(row: &TableRow, is_number: &[bool]) -> RowView {
    let cell = |(value, is_number): (&Value, &bool)| CellView {
        text: value_text(value),
        is_number: *is_number,
        why: match value {
            Value::Missing(why) => why.clone(),
            Value::Text(_) | Value::Number(..) | Value::Count(_) => String::new(),
        },
    };
    RowView {
        head: row.head.clone(),
        cells: row.cells.iter().zip(is_number).map(cell).collect(),
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Number(number, format) => text(*number, *format),
        Value::Count(count) => count.to_string(),
        Value::Missing(_) => "n/a".to_owned(),
    }
}
