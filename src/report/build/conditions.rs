//! The page of conditions: how the run went beside its figures.

use super::Run;
use super::header::date_text;
use super::matrix::mix_text;
use crate::journal::state::{CellResult, RoundResult};
use crate::report::model::{Exhibit, Table, TableRow, Value};
use crate::report::numbers::Format;
use crate::stats::Tally;
use crate::units::{Nanos, to_f64};

pub(super) fn exhibits(run: &Run<'_>) -> Vec<Exhibit> {
    vec![Exhibit::Table(course(run)), Exhibit::Table(run_facts(run))]
}

fn texts(head: &str, cells: Vec<String>) -> TableRow {
    TableRow {
        head: head.to_owned(),
        cells: cells.into_iter().map(Value::Text).collect(),
    }
}

/// Steps in their order, with interruptions between them.
fn course(run: &Run<'_>) -> Table {
    let mut rows: Vec<(u64, TableRow)> = Vec::new();
    for attempt in &run.state.attempts {
        let position = usize::try_from(attempt.step_index).ok();
        let step = position.and_then(|index| run.plan.steps.get(index));
        let name = step.map_or("step", |step| step.id.as_str());
        let what = match (&attempt.purged, attempt.rounds.len(), attempt.cells.len()) {
            (Some(purged), _, _) => format!("{}; {}", purged.what.method, purged.what.verification),
            (None, 0, 0) => "-".to_owned(),
            (None, 0, _) => cells_text(attempt.fill_cells()),
            (None, rounds, _) => {
                let closed = attempt.rounds.iter().filter(|r| r.closed.is_some()).count();
                format!("{rounds} rounds begun, {closed} closed")
            }
        };
        let ended = if attempt.is_done {
            "ended"
        } else {
            "not ended"
        };
        let cells = vec![
            date_text(&attempt.at),
            what,
            ended.to_owned(),
            attempt.record.to_string(),
        ];
        rows.push((attempt.record, texts(name, cells)));
    }
    for stop in &run.state.interruptions {
        if let Some(noted) = &stop.interrupted {
            let cause = noted.what.cause.clone();
            let cells = vec![
                date_text(&noted.at),
                cause,
                "-".to_owned(),
                noted.record.to_string(),
            ];
            rows.push((noted.record, texts("interrupted", cells)));
        }
        if let Some(noted) = &stop.resumed {
            let pause = noted.what.pause_s.map_or_else(
                || "an unknown time (the clock went back)".to_owned(),
                |seconds| Nanos::from_secs(seconds).as_span(),
            );
            let what = format!("after {pause}, drive found at {}", noted.what.address);
            let cells = vec![
                date_text(&noted.at),
                what,
                "-".to_owned(),
                noted.record.to_string(),
            ];
            rows.push((noted.record, texts("resumed", cells)));
        }
    }
    rows.sort_by_key(|(record, _)| *record);
    Table {
        caption: "Course of the run".to_owned(),
        heads: ["Step", "Begun", "What", "State", "Record"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        notes: Vec::new(),
    }
}

fn cells_text(cells: &[CellResult]) -> String {
    let mut total = Tally::default();
    let mut time = 0;
    for cell in cells {
        total.merge(&cell.total());
        time += cell.elapsed.0;
    }
    format!(
        "{} bytes in {} I/Os in {}",
        total.bytes,
        total.ios,
        Nanos(time).as_span()
    )
}

fn run_facts(run: &Run<'_>) -> Table {
    let opened = &run.state.opened;
    let drive = &opened.drive;
    let or = |text: &Option<String>, none: &str| text.as_deref().unwrap_or(none).to_owned();
    let list = |items: &[String]| {
        if items.is_empty() {
            "none".to_owned()
        } else {
            items.join(", ")
        }
    };
    let physical = drive
        .physical_block_bytes
        .map_or("not recorded".to_owned(), |bytes| bytes.to_string());
    let rows = [
        ("Test file", opened.spec_name.clone()),
        ("SHA-256 of the test file", opened.spec_sha256.clone()),
        ("Overrides", list(&opened.overrides)),
        (
            "Shortened by --quick",
            if opened.quick { "yes" } else { "no" }.to_owned(),
        ),
        ("Guards lifted", list(&opened.waivers)),
        (
            "Consent to erase",
            or(&opened.erase_consent, "not needed (simulated)"),
        ),
        ("Seed of random streams", opened.seed.to_string()),
        ("Drive address", drive.address.clone()),
        ("Known again by", drive.anchor.clone()),
        (
            "Logical / physical block, bytes",
            format!("{} / {physical}", drive.logical_block_bytes),
        ),
        ("Load engine", or(&drive.engine, "not recorded")),
        ("Records in the journal", run.state.record_last.to_string()),
    ];
    Table {
        caption: "How the run was opened".to_owned(),
        heads: vec!["Item".to_owned(), "Value".to_owned()],
        rows: rows
            .into_iter()
            .map(|(head, text)| texts(head, vec![text]))
            .collect(),
        notes: Vec::new(),
    }
}

/// Idle gaps and hand-overs of every round, with the cell in which the longest occurred.
pub(super) fn changes(run: &Run<'_>) -> Table {
    Table {
        caption: "Changes from cell to cell, by round".to_owned(),
        heads: [
            "Round",
            "Cells",
            "Longest idle gap, ms",
            "before",
            "Longest hand-over, ms",
            "I/Os in hand-overs",
            "Host-limited cells",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: run
            .closed
            .iter()
            .map(|round| change_row(run, round))
            .collect(),
        notes: vec![
            "Idle gap: no I/O outstanding between two cells. Hand-over: I/Os of two cells \
             outstanding together; what completes in it counts for neither cell."
                .to_owned(),
        ],
    }
}

fn change_row(run: &Run<'_>, round: &RoundResult) -> TableRow {
    let count = |number: usize| Value::Count(u64::try_from(number).unwrap_or(u64::MAX));
    let ms = |time: Nanos| Value::Number(to_f64(time.0) / 1e6, Format::Milliseconds);
    let longest = round.cells.iter().max_by_key(|cell| cell.idle_gap);
    let gap = longest.and_then(|cell| cell.idle_gap);
    let before = longest.filter(|cell| cell.idle_gap > Some(Nanos(0)));
    let hand_over = round.cells.iter().map(|cell| cell.hand_over).max();
    let limited = round
        .cells
        .iter()
        .filter(|cell| cell.host_limited.is_some());
    TableRow {
        head: round.number.to_string(),
        cells: vec![
            count(round.cells.len()),
            gap.map_or(Value::Missing("not measured".to_owned()), ms),
            Value::Text(before.map_or("-".to_owned(), |cell| cell_text(run, cell))),
            ms(hand_over.unwrap_or_default()),
            Value::Count(round.cells.iter().map(|cell| cell.hand_over_ios).sum()),
            count(limited.count()),
        ],
    }
}

/// `4 KiB 65/35`, or the label where the cell has no single block size.
fn cell_text(run: &Run<'_>, cell: &CellResult) -> String {
    let position = usize::try_from(cell.key.cell_index).ok();
    let planned = run.planned.zip(position);
    let planned = planned.and_then(|(rounds, index)| rounds.cells.get(index));
    match planned.and_then(|planned| Some((planned.block?, planned.read_percent))) {
        Some((block, read)) => format!("{} {}", block.as_block(), mix_text(read)),
        None => cell.label.clone(),
    }
}
