//! The title page: the result in one sentence, the figures everybody looks for, the departures.

use super::Run;
use super::matrix::{cell_index, cells_of, mean};
use crate::journal::state::CellResult;
use crate::report::model::{Figure, Finding, Status, Summary, Value};
use crate::report::numbers::{Format, counted};
use crate::stats::Tally;
use crate::units::{Bytes, KIB, to_f64};
use crate::verdict::Ledger;
use crate::verdict::ledger::LineVerdict;

pub(super) fn summary(run: &Run<'_>, status: Status, ledger: &Ledger) -> Summary {
    let verdicts = [
        LineVerdict::Deviation,
        LineVerdict::Warning,
        LineVerdict::Waived,
        LineVerdict::CannotBeJudged,
    ];
    // A part of the loop that the drive cannot run is no departure, but its reader must know.
    let left_out = ledger
        .with(LineVerdict::NotApplicable)
        .filter(|line| line.id == "all-blocks" && ledger.standard.is_some());
    let findings = verdicts
        .into_iter()
        .flat_map(|verdict| ledger.with(verdict))
        .chain(left_out)
        .map(|line| Finding {
            verdict: line.verdict.words().to_owned(),
            key: line.verdict.key().to_owned(),
            text: line.finding.clone(),
            source: source(&line.clause),
        });
    Summary {
        verdict: verdict(run, status),
        is_steady: run.is_steady(),
        drive: drive(run),
        window: run.window.as_ref().map(|window| window.span()),
        figures: figures(run),
        ledger: ledger.sentence(),
        findings: findings.collect(),
    }
}

fn source(clause: &str) -> String {
    if clause.starts_with(|first: char| first.is_ascii_digit()) {
        format!("clause {clause}")
    } else {
        clause.to_owned()
    }
}

fn verdict(run: &Run<'_>, status: Status) -> String {
    if run.planned.is_none() {
        return "This test has no steady-state rule.".to_owned();
    }
    let Some(window) = &run.window else {
        return "No round is complete yet; there are no results.".to_owned();
    };
    let (first, last) = window.span();
    if window.is_steady {
        return format!(
            "Steady state reached in rounds {first} to {last}; results are means over these five \
             rounds."
        );
    }
    let over = format!("results are means over {}", rounds_text(first, last));
    match status {
        Status::Complete => format!("STEADY STATE NOT REACHED by round {last}; {over}."),
        Status::Running | Status::Interrupted => {
            let closed = counted(run.closed.len(), "round");
            format!("Steady state not reached so far, {closed} complete; {over}.")
        }
    }
}

/// `round 1`, `rounds 2 to 6`.
pub(super) fn rounds_text(first: u32, last: u32) -> String {
    if first == last {
        format!("round {first}")
    } else {
        format!("rounds {first} to {last}")
    }
}

fn drive(run: &Run<'_>) -> String {
    let drive = &run.state.opened.drive;
    let mut parts = vec![drive.model.clone()];
    parts.push(Bytes(drive.capacity_bytes).as_capacity());
    parts.push(match &drive.serial {
        Some(serial) => format!("S/N {serial}"),
        None => "no serial number".to_owned(),
    });
    if let Some(firmware) = &drive.firmware {
        parts.push(format!("firmware {firmware}"));
    }
    parts.push(format!("{}-byte blocks", drive.logical_block_bytes));
    parts.join(", ")
}

/// The figures of the IOPS test; those of cells the test does not have are left out.
fn figures(run: &Run<'_>) -> Vec<Figure> {
    let cells = [
        ("4 KiB random read", 100, 4 * KIB, Quantity::Iops),
        ("4 KiB random write", 0, 4 * KIB, Quantity::Iops),
        ("4 KiB random 65/35", 65, 4 * KIB, Quantity::Iops),
        ("128 KiB random read", 100, 128 * KIB, Quantity::Throughput),
        ("128 KiB random write", 0, 128 * KIB, Quantity::Throughput),
        (
            "4 KiB random write, mean latency",
            0,
            4 * KIB,
            Quantity::Latency,
        ),
    ];
    cells
        .into_iter()
        .filter_map(|(label, read, block, quantity)| figure(run, label, read, block, quantity))
        .collect()
}

#[derive(Clone, Copy)]
enum Quantity {
    Iops,
    Throughput,
    Latency,
}

fn figure(run: &Run<'_>, label: &str, read: u8, block: u64, quantity: Quantity) -> Option<Figure> {
    let index = cell_index(run.planned?, read, Bytes(block))?;
    let window = run.window.as_ref()?;
    let value = match cells_of(&window.rounds, index) {
        Ok(cells) => quantity.of(&cells),
        Err(why) => Value::Missing(why),
    };
    Some(Figure {
        label: label.to_owned(),
        value,
        unit: quantity.unit().to_owned(),
    })
}

impl Quantity {
    fn of(self, cells: &[&CellResult]) -> Value {
        let nothing = || Value::Missing("nothing was measured".to_owned());
        let number = |value: Option<f64>, format| {
            value.map_or_else(nothing, |value| Value::Number(value, format))
        };
        match self {
            Self::Iops => number(
                mean(cells, 1e9, |cell| cell.total().ios),
                Format::OneDecimal,
            ),
            Self::Throughput => number(
                mean(cells, 1e3, |cell| cell.total().bytes),
                Format::OneDecimal,
            ),
            Self::Latency => number(latency_mean_ms(cells), Format::Milliseconds),
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Iops => "IOPS",
            Self::Throughput => "MB/s",
            Self::Latency => "ms",
        }
    }
}

/// Mean latency over all I/Os of the cells, in milliseconds.
fn latency_mean_ms(cells: &[&CellResult]) -> Option<f64> {
    let mut total = Tally::default();
    for cell in cells {
        total.merge(&cell.total());
    }
    (total.ios > 0).then(|| to_f64(total.latency_ns_sum) / to_f64(total.ios) / 1e6)
}
