//! Ledger lines about preconditioning and the settings that all steps share.

use std::collections::BTreeSet;

use crate::journal::RunState;
use crate::journal::state::CellResult;
use crate::pts;
use crate::spec::Plan;
use crate::spec::plan::{PlannedFill, PlannedRounds, PlannedWork};
use crate::stats::Tally;
use crate::stimulus::{Access, Content};
use crate::units::{Bytes, to_f64};

use super::conduct::RoundsRun;
use super::sizes;
use super::{Line, intensity_text};

pub(super) fn lines(
    state: &RunState,
    plan: &Plan,
    rounds: &PlannedRounds,
    run: &RoundsRun<'_>,
) -> Vec<Line> {
    let fill = plan.fill();
    let mut lines = fill_lines(state, plan, fill);
    let accesses: Vec<&Access> = fill
        .map(|fill| &fill.access)
        .into_iter()
        .chain(
            rounds
                .cells
                .iter()
                .filter_map(|cell| cell.access.as_ref().ok()),
        )
        .collect();
    // No I/O keeps its address or its data: what is known of them is the plan and its seed.
    let planned = format!(
        "plan (record 1); addresses and data follow from it and seed {}",
        state.opened.seed
    );
    lines.push(intensity(&accesses).evidence(sizes::outstanding_text(rounds, run)));
    lines.push(active_range(plan, &accesses).evidence(planned.clone()));
    lines.push(content(&accesses).evidence(planned));
    lines
}

fn fill_lines(state: &RunState, plan: &Plan, fill: Option<&PlannedFill>) -> Vec<Line> {
    let block = pts::WIPC_BLOCK.as_block();
    let times = pts::WIPC_CAPACITY_TIMES;
    let amount = Line::new(
        "fill-amount",
        "7",
        format!("Workload-independent preconditioning writes {times} times the user capacity"),
    );
    let pattern = Line::new(
        "fill-pattern",
        "7",
        format!("Workload-independent preconditioning is sequential writes of {block}"),
    );
    let Some(fill) = fill else {
        return vec![
            pattern.inapplicable("no preconditioning in the test file"),
            amount
                .done("none")
                .deviates("no workload-independent preconditioning in the test file"),
        ];
    };
    vec![
        fill_pattern(pattern, fill),
        fill_amount(amount, state, plan, fill),
    ]
}

fn fill_pattern(line: Line, fill: &PlannedFill) -> Line {
    let access = &fill.access;
    let sequential = match access.random_percent {
        0 => "sequential".to_owned(),
        100 => "random".to_owned(),
        percent => format!("{percent} % random"),
    };
    let direction = match access.read_percent {
        0 => "writes".to_owned(),
        percent => format!("I/Os, {percent} % reads"),
    };
    let block = access
        .write_blocks
        .single()
        .map_or("mixed sizes".to_owned(), Bytes::as_block);
    let shares = match (access.random_percent, access.threads) {
        (0, threads) if threads > 1 => {
            format!(", each of {threads} workers in a contiguous share of its own")
        }
        _ => String::new(),
    };
    let text = format!("{sequential} {direction} of {block}{shares}");
    let holds = access.random_percent == 0
        && access.read_percent == 0
        && access.write_blocks.single() == Some(pts::WIPC_BLOCK);
    let finding = (!holds).then(|| format!("preconditioning by {text}"));
    line.asked(text.clone())
        .done(text)
        .evidence("plan (record 1); amounts and I/Os counted stand under fill-amount")
        .found(finding)
}

fn fill_amount(line: Line, state: &RunState, plan: &Plan, fill: &PlannedFill) -> Line {
    let capacity = plan.geometry.capacity;
    let line = line.asked(amount_text(fill.amount, capacity));
    let wanted = capacity.0.checked_mul(pts::WIPC_CAPACITY_TIMES);
    let Some(cells) = fill_cells(state, plan) else {
        return if wanted == Some(fill.amount.0) {
            line.cannot("the preconditioning has not ended")
        } else {
            line.deviates(wrong_amount(fill.amount, capacity))
        };
    };
    let mut written = Tally::default();
    let mut read = Tally::default();
    for cell in cells {
        written.merge(&cell.write);
        read.merge(&cell.read);
    }
    let records: Vec<String> = cells.iter().map(|cell| cell.record.to_string()).collect();
    let line = line
        .done(amount_text(Bytes(written.bytes), capacity))
        .evidence(format!(
            "record {}: {} bytes in {} writes, {} reads; user capacity {} bytes",
            records.join(", "),
            written.bytes,
            written.ios,
            read.ios,
            capacity.0
        ));
    let is_other = wanted != Some(written.bytes) || read.ios > 0;
    line.found(is_other.then(|| wrong_amount(Bytes(written.bytes), capacity)))
}

fn wrong_amount(written: Bytes, capacity: Bytes) -> String {
    format!(
        "preconditioning of {} instead of {} times the user capacity",
        times_text(written, capacity),
        pts::WIPC_CAPACITY_TIMES
    )
}

/// Cells of the latest fill that ended.
fn fill_cells<'a>(state: &'a RunState, plan: &Plan) -> Option<&'a [CellResult]> {
    let is_fill = |work: &PlannedWork| matches!(work, PlannedWork::Fill(_));
    let index = plan.steps.iter().position(|step| is_fill(&step.work))?;
    let attempt = state.attempt(u32::try_from(index).ok()?)?;
    attempt.is_done.then_some(attempt.fill_cells())
}

fn amount_text(amount: Bytes, capacity: Bytes) -> String {
    format!(
        "{} bytes ({} times the user capacity)",
        amount.0,
        times_text(amount, capacity)
    )
}

fn times_text(amount: Bytes, capacity: Bytes) -> String {
    if capacity.0 > 0 && amount.0.is_multiple_of(capacity.0) {
        return (amount.0 / capacity.0).to_string();
    }
    format!("{:.3}", to_f64(amount.0) / to_f64(capacity.0.max(1)))
}

fn intensity(accesses: &[&Access]) -> Line {
    let used: BTreeSet<(u32, u32)> = accesses
        .iter()
        .map(|access| (access.threads, access.queue_depth))
        .collect();
    let texts: Vec<String> = used
        .iter()
        .map(|(threads, depth)| intensity_text(*threads, *depth))
        .collect();
    let text = texts.join(", ");
    let line = Line::new(
        "threads-and-depth",
        "7",
        "Thread count and outstanding I/O are the same in all steps (operator's choice, reported)",
    )
    .asked(text.clone())
    .done(text.clone());
    match used.len() {
        0 => line.cannot("no step has a stimulus this drive can run"),
        1 => line,
        _ => line.deviates(format!("steps differ in TC or QD: {text}")),
    }
}

fn active_range(plan: &Plan, accesses: &[&Access]) -> Line {
    let capacity = plan.geometry.capacity;
    let others: BTreeSet<String> = accesses
        .iter()
        .filter(|access| !covers_all(access, capacity))
        .map(|access| range_text(access))
        .collect();
    let text = if others.is_empty() {
        format!("all {} bytes", capacity.0)
    } else {
        Vec::from_iter(others.iter().cloned()).join("; ")
    };
    let line = Line::new(
        "active-range",
        "7",
        "The active range is 100 % of the user capacity in all steps, uniformly used",
    );
    let finding = (!others.is_empty()).then(|| format!("active range is not 100 %: {text}"));
    line.asked(text.clone()).done(text).found(finding)
}

fn covers_all(access: &Access, capacity: Bytes) -> bool {
    match access.zones.as_slice() {
        [zone] => zone.start.0 == 0 && zone.end == capacity,
        _ => false,
    }
}

fn range_text(access: &Access) -> String {
    let zones: Vec<String> = access
        .zones
        .iter()
        .map(|zone| format!("bytes {} to {}", zone.start.0, zone.end.0.saturating_sub(1)))
        .collect();
    zones.join(", ")
}

fn content(accesses: &[&Access]) -> Line {
    let writes = accesses.iter().filter(|access| access.writes());
    let departing: Vec<Content> = writes
        .map(|access| access.content)
        .filter(|content| !content.is_random())
        .collect();
    let mut kinds: Vec<String> = departing.iter().map(|content| content.words()).collect();
    kinds.dedup();
    let text = if departing.is_empty() {
        "random".to_owned()
    } else {
        format!("{}, in {} stimuli", kinds.join("; "), departing.len())
    };
    let finding = (!departing.is_empty()).then(|| "data pattern is not random".to_owned());
    Line::new("data-pattern", "7", "All data written is random")
        .asked(text.clone())
        .done(text)
        .found(finding)
}
