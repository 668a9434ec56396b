//! Recomputes everything a journal says of itself.
//!
//! The chain of hashes is checked while reading; here the content is: histograms hold as many
//! I/Os as were counted, every judgement follows from its cells, the outcome from its
//! judgements, and the samples are the ones that were closed and add up to the cells. Derived
//! files are compared by the caller, who can write them anew.

mod cell;

use std::collections::BTreeMap;

use crate::journal::chain;
use crate::journal::judge;
use crate::journal::state::{CellResult, RunState};
use crate::spec::plan::{Plan, PlannedWork};
use crate::spec::{Source, load};

/// Something that does not follow from the record, in one sentence with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding(pub String);

/// Counts of one cell in the samples: reads, writes, read bytes, written bytes.
type Sums = [u64; 4];
/// Segment, step, round (0 for none) and number of the cell from 1.
type CellName = (u32, String, u32, u32);

/// Everything that is wrong with a run; empty when it verifies.
pub fn verify(state: &RunState, plan: &Plan, samples: Option<&[u8]>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (_, cell) in cells(state) {
        cell::check(cell, plan, &mut findings);
    }
    check_opening(state, &mut findings);
    check_rounds(state, plan, &mut findings);
    check_outcome(state, plan, &mut findings);
    match samples {
        Some(bytes) => check_samples(state, plan, bytes, &mut findings),
        None if state.closed.is_some() => {
            findings.push(Finding("samples.csv is missing".to_owned()));
        }
        None => {}
    }
    findings
}

/// Whether the records are about the steps, cells and variables of the plan. Nothing can be
/// reported of a run where they are not.
///
/// # Errors
/// The first record that is not, with its line.
pub fn shape(state: &RunState, plan: &Plan) -> Result<(), Finding> {
    let wrong = |line: u64, text: String| Err(Finding(format!("line {line}: {text}")));
    for attempt in &state.attempts {
        let index = attempt.step_index;
        let Some(step) = plan.steps.get(index as usize) else {
            return wrong(attempt.record, format!("the test has no step {index}"));
        };
        let (rounds, cells) = match &step.work {
            PlannedWork::Rounds(rounds) => (Some(rounds), rounds.cells.len()),
            PlannedWork::Fill(fill) => (None, fill.cells()),
            PlannedWork::Purge | PlannedWork::NotBuilt { .. } => (None, 1),
        };
        let all = attempt.rounds.iter().flat_map(|round| &round.cells);
        for cell in attempt.cells.iter().chain(all) {
            if cell.key.cell_index as usize >= cells {
                let text = format!("step {} has no cell {}", step.id, cell.key.cell_index);
                return wrong(cell.record, text);
            }
        }
        let variables = rounds.map_or(0, |rounds| rounds.tracked.len() + rounds.watched.len());
        for closed in attempt
            .rounds
            .iter()
            .filter_map(|round| round.closed.as_ref())
        {
            let judged = closed.what.variables.len();
            if judged != variables {
                let text = format!("{judged} variables are judged and the test has {variables}");
                return wrong(closed.record, text);
            }
        }
    }
    Ok(())
}

/// Every cell of the run with its segment.
fn cells(state: &RunState) -> impl Iterator<Item = (u32, &CellResult)> {
    state.attempts.iter().flat_map(|attempt| {
        let in_rounds = attempt.rounds.iter().flat_map(|round| &round.cells);
        attempt
            .cells
            .iter()
            .chain(in_rounds)
            .map(|cell| (attempt.segment, cell))
    })
}

fn check_opening(state: &RunState, findings: &mut Vec<Finding>) {
    let opened = &state.opened;
    if chain::digest(opened.spec_text.as_bytes()) != opened.spec_sha256 {
        let text = "line 1: the digest of the test file is not that of its text";
        findings.push(Finding(text.to_owned()));
    }
    if opened.effective.is_empty() {
        return;
    }
    let source = Source {
        name: opened.spec_name.clone(),
        text: opened.spec_text.clone(),
        folder: None,
    };
    let made = load(&source, &opened.overrides, opened.quick);
    if !made.is_ok_and(|made| made.effective == opened.effective) {
        let text = "line 1: the effective test file is not what its text, the overrides and \
                    --quick give";
        findings.push(Finding(text.to_owned()));
    }
}

/// A run is steady when the last round of every step with a steady-state rule is.
fn check_outcome(state: &RunState, plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(closed) = &state.closed else { return };
    let judged = (0_u32..)
        .zip(&plan.steps)
        .filter_map(|(index, step)| match &step.work {
            PlannedWork::Rounds(rounds) if rounds.rounds_max > 1 => Some(index),
            PlannedWork::Rounds(_)
            | PlannedWork::Purge
            | PlannedWork::Fill(_)
            | PlannedWork::NotBuilt { .. } => None,
        });
    let verdicts: Vec<bool> = judged
        .map(|index| {
            let last = state
                .round_last(index)
                .and_then(|round| round.closed.as_ref());
            last.is_some_and(|round| round.what.steady)
        })
        .collect();
    let expected = match verdicts.as_slice() {
        [] => "done",
        all if all.iter().all(|steady| *steady) => "steady",
        _ => "not-steady",
    };
    if closed.what.outcome != expected {
        findings.push(Finding(format!(
            "line {}: the outcome is '{}' and the rounds say '{expected}'",
            closed.record, closed.what.outcome
        )));
    }
}

fn check_rounds(state: &RunState, plan: &Plan, findings: &mut Vec<Finding>) {
    for attempt in &state.attempts {
        let step = plan.steps.get(attempt.step_index as usize);
        let Some(PlannedWork::Rounds(rounds)) = step.map(|step| &step.work) else {
            continue;
        };
        for round in &attempt.rounds {
            let Some(closed) = &round.closed else {
                continue;
            };
            let ran = round.cells.iter().map(|cell| cell.key.cell_index);
            let planned = (0_u32..)
                .zip(&rounds.cells)
                .filter(|(_, cell)| cell.access.is_ok());
            if !ran.eq(planned.map(|(index, _)| index)) {
                findings.push(Finding(format!(
                    "line {}: round {} does not hold the cells of the plan in their order",
                    closed.record, round.number
                )));
            }
            let recomputed = judge::round_of(rounds, attempt, round.number);
            if recomputed.as_ref() != Some(&closed.what) {
                findings.push(Finding(format!(
                    "line {}: the judgement of round {} does not follow from its cells",
                    closed.record, round.number
                )));
            }
        }
    }
}

fn check_samples(state: &RunState, plan: &Plan, bytes: &[u8], findings: &mut Vec<Finding>) {
    let samples_stopped = state
        .closed
        .as_ref()
        .is_some_and(|closed| closed.what.samples_sha256.is_empty());
    if let Some(closed) = &state.closed {
        let rows = bytes
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
            .saturating_sub(1);
        let digest = chain::digest(bytes);
        let is_other = digest != closed.what.samples_sha256
            || u64::try_from(rows).ok() != Some(closed.what.samples_rows);
        if !samples_stopped && is_other {
            findings.push(Finding(format!(
                "samples.csv is not the one that was closed in line {}: it has {rows} rows and \
                 the SHA-256 {digest}",
                closed.record
            )));
        }
    }
    // Samples are not synced: a torn last row is what a crash leaves.
    let whole = bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |end| end + 1);
    let sums = match sums_of(&bytes[..whole]) {
        Ok(sums) => sums,
        Err(cause) => {
            findings.push(Finding(format!("samples.csv cannot be read: {cause}")));
            return;
        }
    };
    for (segment, cell) in cells(state) {
        let step = plan.steps.get(cell.key.step_index as usize);
        let step = step.map_or(String::new(), |step| step.id.clone());
        let name = (segment, step, cell.key.round, cell.key.cell_index + 1);
        let rows = sums.get(&name).copied().unwrap_or_default();
        let found = rows.cell;
        let counted = [
            cell.read.ios,
            cell.write.ios,
            cell.read.bytes,
            cell.write.bytes,
        ];
        let may_lack_rows = segment < state.segment() || state.closed.is_none() || samples_stopped;
        let lacks_rows = found.iter().zip(&counted).all(|(sum, count)| sum <= count);
        if found != counted && !(may_lack_rows && lacks_rows) {
            findings.push(Finding(format!(
                "line {}: samples of {} add up to {found:?}, the cell counts {counted:?} (reads, \
                 writes, bytes read, bytes written)",
                cell.record, cell.label
            )));
        }
        let apart = rows.hand_over[0].saturating_add(rows.hand_over[1]);
        if cell.key.round > 0 && apart != cell.hand_over_ios && !may_lack_rows {
            findings.push(Finding(format!(
                "line {}: samples of the hand-over into {} hold {apart} I/Os, the cell {}",
                cell.record, cell.label, cell.hand_over_ios
            )));
        }
    }
}

/// The rows of a cell and of the hand-over into it.
#[derive(Debug, Clone, Copy, Default)]
struct CellRows {
    cell: Sums,
    hand_over: Sums,
}

/// Adds the rows of each cell and of each hand-over.
fn sums_of(bytes: &[u8]) -> Result<BTreeMap<CellName, CellRows>, csv::Error> {
    #[derive(serde::Deserialize)]
    struct Row {
        segment: u32,
        step: String,
        round: Option<u32>,
        cell: u32,
        phase: String,
        reads: u64,
        writes: u64,
        read_bytes: u64,
        write_bytes: u64,
    }
    let mut sums: BTreeMap<CellName, CellRows> = BTreeMap::new();
    for row in csv::Reader::from_reader(bytes).deserialize::<Row>() {
        let row = row?;
        let name = (row.segment, row.step, row.round.unwrap_or(0), row.cell);
        let rows = sums.entry(name).or_default();
        let sum = if row.phase == "cell" {
            &mut rows.cell
        } else {
            &mut rows.hand_over
        };
        let parts = [row.reads, row.writes, row.read_bytes, row.write_bytes];
        for (total, part) in sum.iter_mut().zip(parts) {
            *total = total.saturating_add(part);
        }
    }
    Ok(sums)
}
