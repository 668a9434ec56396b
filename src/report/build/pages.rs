//! The pages and their order: title page, PTS exhibits, rounds, conditions, ledger.

use super::summary::rounds_text;
use super::{Run, conditions, plots, rounds};
use crate::report::model::{
    Determination, Exhibit, LinePlot, Matrix, Page, Report, Room, Table, TableRow, Value,
};
use crate::report::numbers::Format;
use crate::verdict::ledger::Line;

/// Characters of a ledger page before the next one begins; a line costs at least a row.
const LEDGER_PAGE_CHARACTERS: usize = 3200;
/// What a row costs beside its characters.
const LEDGER_ROW_CHARACTERS: usize = 120;
/// Findings on the title page that leave room for a plot.
const FINDINGS_BESIDE_PLOT: usize = 10;

pub(super) fn pages(run: &Run<'_>, report: &Report) -> Vec<Page> {
    let mut pages = vec![title_page(run, report)];
    let mut number = 0;
    let mut plot = |title: String, id: &str, exhibits: Vec<Exhibit>| {
        number += 1;
        Page {
            footer: format!("Plot {number} - {title}"),
            title,
            id: id.to_owned(),
            exhibits,
        }
    };
    if let Some(convergence) = plots::convergence(run) {
        pages.push(plot(
            "Steady State Convergence Plot - All Block Sizes".to_owned(),
            "convergence",
            vec![Exhibit::Lines(convergence)],
        ));
    }
    for (index, block) in (1..).zip(&report.variables) {
        let role = if block.is_tracked {
            ""
        } else {
            " (watched, not required)"
        };
        let title = format!("Steady State Measurement Window - {}{role}", block.variable);
        let id = format!("window-{index}");
        pages.push(plot(title, &id, window_exhibits(block, index)));
    }
    if let Some(matrix) = &report.matrix {
        let over = window_words(run);
        pages.push(plot(
            format!("IOPS - All RW Mix & BS - Tabular Data, {over}"),
            "table",
            vec![Exhibit::Table(matrix_table(matrix, run))],
        ));
        pages.push(plot(
            format!("IOPS - All RW Mix & BS - 2D Plot, {over}"),
            "iops-2d",
            vec![Exhibit::Lines(plots::matrix_2d(matrix))],
        ));
        pages.push(plot(
            format!("IOPS - All RW Mix & BS - 3D Columns, {over}"),
            "iops-3d",
            vec![Exhibit::Bars(plots::matrix_3d(matrix))],
        ));
    }
    if !report.rounds.is_empty() {
        let table = Exhibit::Table(rounds::table(&report.rounds));
        pages.push(page("Rounds", "rounds", vec![table]));
    }
    pages.push(page("Conditions", "conditions", conditions::exhibits(run)));
    if !run.closed.is_empty() {
        let table = Exhibit::Table(conditions::changes(run));
        pages.push(page("Changes from Cell to Cell", "changes", vec![table]));
    }
    pages.extend(ledger_pages(&report.ledger.lines));
    pages
}

fn page(title: &str, id: &str, exhibits: Vec<Exhibit>) -> Page {
    Page {
        title: title.to_owned(),
        footer: title.to_owned(),
        id: id.to_owned(),
        exhibits,
    }
}

fn title_page(run: &Run<'_>, report: &Report) -> Page {
    let has_room = report.summary.findings.len() <= FINDINGS_BESIDE_PLOT;
    let plot = plots::convergence(run).filter(|_| has_room);
    let small = plot.map(|plot| {
        Exhibit::Lines(LinePlot {
            id: "convergence-small".to_owned(),
            room: Room::Title,
            ..plot
        })
    });
    let exhibits = [Some(Exhibit::Summary), small];
    page(
        "Summary",
        "summary",
        exhibits.into_iter().flatten().collect(),
    )
}

fn window_words(run: &Run<'_>) -> String {
    let Some(window) = &run.window else {
        return String::new();
    };
    let (first, last) = window.span();
    let rounds = rounds_text(first, last);
    if window.is_steady {
        rounds
    } else {
        format!("{rounds}, STEADY STATE NOT REACHED")
    }
}

fn window_exhibits(block: &Determination, number: usize) -> Vec<Exhibit> {
    let close = plots::window(block, number, false).map(Exhibit::Lines);
    let from_zero = plots::window(block, number, true).map(Exhibit::Lines);
    let values = Exhibit::Table(values_table(block));
    let determination = Exhibit::Determination(block.clone());
    [close, Some(determination), from_zero, Some(values)]
        .into_iter()
        .flatten()
        .collect()
}

/// The values of the window, with the fitted line beside them.
fn values_table(block: &Determination) -> Table {
    let number = |value: f64| Value::Number(value, Format::Exact);
    let fit = |round: u32| {
        let data = block.data.as_ref();
        data.map(|data| data.slope * f64::from(round) + data.intercept)
    };
    Table {
        caption: String::new(),
        heads: vec![
            "Round".to_owned(),
            format!("Measured, {}", block.unit),
            format!("Fitted line, {}", block.unit),
        ],
        rows: block
            .values
            .iter()
            .map(|(round, value)| TableRow {
                head: round.to_string(),
                cells: vec![
                    value.map_or(Value::Missing("no valid value".to_owned()), number),
                    fit(*round).map_or(Value::Missing("not judged".to_owned()), number),
                ],
            })
            .collect(),
        notes: Vec::new(),
    }
}

fn matrix_table(matrix: &Matrix, run: &Run<'_>) -> Table {
    let cell = |value: &Option<f64>, why: &Option<String>| match value {
        Some(value) => Value::Number(*value, Format::OneDecimal),
        None => Value::Missing(why.clone().unwrap_or_default()),
    };
    let rows = matrix
        .blocks_kib
        .iter()
        .zip(matrix.values.iter().zip(&matrix.missing))
        .map(|(block, (values, missing))| TableRow {
            head: format!("{block} KiB"),
            cells: values
                .iter()
                .zip(missing)
                .map(|(v, why)| cell(v, why))
                .collect(),
        })
        .collect();
    let mut notes = vec![format!(
        "IOPS, mean of {}; reads and writes together in mixed cells.",
        window_words(run)
    )];
    let mut causes: Vec<&String> = matrix.missing.iter().flatten().flatten().collect();
    causes.dedup();
    notes.extend(causes.iter().map(|why| format!("n/a: {why}.")));
    Table {
        caption: "IOPS by block size (rows) and R/W mix (columns)".to_owned(),
        heads: [vec!["Block size".to_owned()], matrix.mixes.clone()].concat(),
        rows,
        notes,
    }
}

/// Lines on as many pages as they need.
fn ledger_pages(lines: &[Line]) -> Vec<Page> {
    let mut groups: Vec<Vec<Line>> = vec![Vec::new()];
    let mut used = 0;
    for line in lines {
        let cost = cost(line);
        let is_full = used + cost > LEDGER_PAGE_CHARACTERS && used > 0;
        if is_full {
            groups.push(Vec::new());
            used = 0;
        }
        used += cost;
        if let Some(group) = groups.last_mut() {
            group.push(line.clone());
        }
    }
    let count = groups.len();
    (1..)
        .zip(groups)
        .map(|(number, group)| {
            let title = if count == 1 {
                "Compliance Ledger".to_owned()
            } else {
                format!("Compliance Ledger, part {number} of {count}")
            };
            page(
                &title,
                &format!("ledger-{number}"),
                vec![Exhibit::Ledger(group)],
            )
        })
        .collect()
}

/// The longest column of a line decides about its height.
fn cost(line: &Line) -> usize {
    let done = line.asked.len() + line.done.len() + line.evidence.len();
    LEDGER_ROW_CHARACTERS + done.max(line.requirement.len() * 2) + line.finding.len()
}
