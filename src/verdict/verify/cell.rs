//! What a single record of a cell says of itself must fit together.

use super::Finding;
use crate::journal::histograms as journal_histograms;
use crate::journal::state::CellResult;
use crate::spec::plan::{Plan, PlannedRounds, PlannedWork};
use crate::stats::{Histogram, Tally};

pub(super) fn check(cell: &CellResult, plan: &Plan, findings: &mut Vec<Finding>) {
    histograms(cell, findings);
    latencies(cell, findings);
    issued(cell, findings);
    flash(cell, findings);
    let step = plan.steps.get(cell.key.step_index as usize);
    if let Some(PlannedWork::Rounds(rounds)) = step.map(|step| &step.work) {
        shape(cell, rounds, findings);
    }
}

fn histograms(cell: &CellResult, findings: &mut Vec<Finding>) {
    let directions = [
        ("reads", &cell.read, &cell.read_histogram),
        ("writes", &cell.write, &cell.write_histogram),
    ];
    for (direction, tally, text) in directions {
        let Some(text) = text else { continue };
        let (line, ios) = (cell.record, tally.ios);
        match journal_histograms::decode(text) {
            Ok(histogram) if histogram.count() == ios => {
                if !holds_ends(&histogram, tally) {
                    findings.push(Finding(format!(
                        "line {line}: the smallest or largest latency of the {direction} of {} is \
                         not in its histogram",
                        cell.label
                    )));
                }
            }
            Ok(histogram) => findings.push(Finding(format!(
                "line {line}: {direction} of {} are counted as {ios} and stand as {} in the \
                 histogram",
                cell.label,
                histogram.count()
            ))),
            Err(error) => findings.push(Finding(format!("line {line}: {direction}: {error}"))),
        }
    }
}

/// Whether the smallest and the largest latency lie in the first and the last bucket in use.
fn holds_ends(histogram: &Histogram, tally: &Tally) -> bool {
    let bucket = |latency_ns: u64| {
        let mut one = Histogram::default();
        one.record(latency_ns);
        one.buckets().next().map(|(bound, _)| bound)
    };
    let first = histogram.buckets().next().map(|(bound, _)| bound);
    let last = match histogram.overflow() {
        0 => histogram.buckets().last().map(|(bound, _)| bound),
        _ => None,
    };
    let min = tally.latency_min().map(|time| bucket(time.0));
    let max = tally.latency_max().map(|time| bucket(time.0));
    min.is_none_or(|min| min == first) && max.is_none_or(|max| max == last)
}

fn latencies(cell: &CellResult, findings: &mut Vec<Finding>) {
    for (direction, tally) in [("reads", &cell.read), ("writes", &cell.write)] {
        let (Some(min), Some(max)) = (tally.latency_min(), tally.latency_max()) else {
            continue;
        };
        let (ios, sum) = (u128::from(tally.ios), u128::from(tally.latency_ns_sum));
        let holds = u128::from(min.0) * ios <= sum && sum <= u128::from(max.0) * ios;
        if !holds {
            findings.push(Finding(format!(
                "line {}: the mean latency of the {direction} of {} is not between its smallest \
                 and its largest",
                cell.record, cell.label
            )));
        }
    }
}

/// What completed on the clock was issued for the cell.
fn issued(cell: &CellResult, findings: &mut Vec<Finding>) {
    let Some(issued) = cell.issued else { return };
    if issued.reads < cell.read.ios || issued.writes < cell.write.ios {
        findings.push(Finding(format!(
            "line {}: {} completed {} reads and {} writes and issued {} and {}",
            cell.record, cell.label, cell.read.ios, cell.write.ios, issued.reads, issued.writes
        )));
    }
}

/// Every page that was programmed was programmed for the host or moved.
fn flash(cell: &CellResult, findings: &mut Vec<Finding>) {
    let Some(flash) = cell.flash else { return };
    if flash.host_pages.checked_add(flash.moved_pages) != Some(flash.programmed_pages) {
        findings.push(Finding(format!(
            "line {}: {} programmed {} pages, {} for the host and {} moved",
            cell.record, cell.label, flash.programmed_pages, flash.host_pages, flash.moved_pages
        )));
    }
}

/// A cell of a round runs its time, and every I/O of it has its block size.
fn shape(cell: &CellResult, rounds: &PlannedRounds, findings: &mut Vec<Finding>) {
    if cell.elapsed != rounds.cell_time {
        findings.push(Finding(format!(
            "line {}: {} ran {} ns instead of {}",
            cell.record, cell.label, cell.elapsed.0, rounds.cell_time.0
        )));
    }
    let planned = rounds.cells.get(cell.key.cell_index as usize);
    let Some(access) = planned.and_then(|planned| planned.access.as_ref().ok()) else {
        return;
    };
    let directions = [
        ("reads", &cell.read, &access.read_blocks),
        ("writes", &cell.write, &access.write_blocks),
    ];
    for (direction, tally, blocks) in directions {
        let Some(block) = blocks.single() else {
            continue;
        };
        if tally.ios.checked_mul(block.0) != Some(tally.bytes) {
            findings.push(Finding(format!(
                "line {}: {} {direction} of {} are {} bytes, not {} each",
                cell.record, tally.ios, cell.label, tally.bytes, block.0
            )));
        }
    }
}
