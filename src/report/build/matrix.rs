//! The table of block sizes by mixes: means over the rounds of the window.

use std::collections::BTreeSet;

use super::Run;
use crate::journal::state::{CellResult, RoundResult};
use crate::report::model::Matrix;
use crate::spec::plan::PlannedRounds;
use crate::units::{Bytes, to_f64};

/// The matrix, if the test has a loop and a round is closed.
pub(super) fn matrix(run: &Run<'_>) -> Option<Matrix> {
    let planned = run.planned?;
    let window = run.window.as_ref()?;
    let blocks: BTreeSet<Bytes> = planned.cells.iter().filter_map(|cell| cell.block).collect();
    let pairs: BTreeSet<(u8, Option<Bytes>)> = planned
        .cells
        .iter()
        .map(|cell| (cell.read_percent, cell.block))
        .collect();
    if blocks.is_empty() || pairs.len() < planned.cells.len() {
        // A loop over more than mixes and blocks has no table of this form.
        return None;
    }
    let reads: BTreeSet<u8> = planned.cells.iter().map(|cell| cell.read_percent).collect();
    let (mut values, mut missing) = (Vec::new(), Vec::new());
    for block in &blocks {
        let cells: Vec<Result<f64, String>> = reads
            .iter()
            .map(|read| mean_iops(planned, &window.rounds, *read, *block))
            .collect();
        values.push(
            cells
                .iter()
                .map(|cell| cell.as_ref().ok().copied())
                .collect(),
        );
        missing.push(cells.into_iter().map(Result::err).collect());
    }
    Some(Matrix {
        unit: "IOPS".to_owned(),
        rounds: window.rounds.iter().map(|round| round.number).collect(),
        blocks_kib: blocks.iter().map(|block| block.kib_text()).collect(),
        blocks_bytes: blocks.iter().map(|block| block.0).collect(),
        mixes: reads.iter().map(|read| mix_text(*read)).collect(),
        values,
        missing,
    })
}

/// A mix as read/write.
pub(super) fn mix_text(read_percent: u8) -> String {
    format!("{read_percent}/{}", 100 - read_percent.min(100))
}

/// Index of the cell with this mix and block size in the loop.
pub(super) fn cell_index(planned: &PlannedRounds, read: u8, block: Bytes) -> Option<u32> {
    let is_it = |cell: &crate::spec::plan::PlannedCell| {
        cell.read_percent == read && cell.block == Some(block)
    };
    u32::try_from(planned.cells.iter().position(is_it)?).ok()
}

fn mean_iops(
    planned: &PlannedRounds,
    rounds: &[&RoundResult],
    read: u8,
    block: Bytes,
) -> Result<f64, String> {
    let index = cell_index(planned, read, block).ok_or("not a cell of this test")?;
    let position = usize::try_from(index).unwrap_or(usize::MAX);
    if let Some(Err(why)) = planned.cells.get(position).map(|cell| &cell.access) {
        return Err(why.clone());
    }
    let cells = cells_of(rounds, index)?;
    mean(&cells, 1e9, |cell| cell.total().ios).ok_or_else(|| "no time was measured".to_owned())
}

/// The same cell of every round.
///
/// # Errors
/// The first round that does not have it.
pub(super) fn cells_of<'a>(
    rounds: &[&'a RoundResult],
    index: u32,
) -> Result<Vec<&'a CellResult>, String> {
    rounds
        .iter()
        .map(|round| cell_of(round, index).ok_or(format!("not measured in round {}", round.number)))
        .collect()
}

/// A cell of a round by its index in the loop.
pub(super) fn cell_of(round: &RoundResult, index: u32) -> Option<&CellResult> {
    round.cells.iter().find(|cell| cell.key.cell_index == index)
}

/// Mean over the rounds of `amount` for each nanosecond, times `scale`. Over equal times, the
/// usual case, it is the exact sum divided once.
pub(super) fn mean(
    cells: &[&CellResult],
    scale: f64,
    amount: impl Fn(&CellResult) -> u64,
) -> Option<f64> {
    let first = cells.first()?.elapsed.0;
    if cells.iter().any(|cell| cell.elapsed.0 == 0) {
        return None;
    }
    let count = to_f64(u64::try_from(cells.len()).ok()?);
    if cells.iter().all(|cell| cell.elapsed.0 == first) {
        let sum: u64 = cells.iter().map(|cell| amount(cell)).sum();
        return Some(to_f64(sum) * scale / (to_f64(first) * count));
    }
    let rates = cells
        .iter()
        .map(|cell| to_f64(amount(cell)) * scale / to_f64(cell.elapsed.0));
    Some(rates.sum::<f64>() / count)
}
