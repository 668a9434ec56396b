//! The ledger line about block sizes, judged by the bytes and the I/Os that were counted, and the
//! outstanding I/Os that follow from the counts (Little's law).

use crate::journal::state::{CellResult, RoundResult};
use crate::spec::plan::PlannedRounds;
use crate::units::to_f64;

use super::Line;
use super::conduct::{RoundsRun, place};
use super::words::{counted, some_of};

/// Cells named in a finding before "and n more".
const NAMED_MAX: usize = 4;

pub(super) fn line(rounds: &PlannedRounds, run: &RoundsRun<'_>) -> Line {
    let line = Line::new("block-sizes", "7", "Every I/O of a cell has its block size")
        .asked("the block size of each cell");
    let mut checked = 0;
    let mut others = Vec::new();
    for (round, cell) in run.cells() {
        if let Some(holds) = holds(rounds, cell) {
            checked += 1;
            if !holds {
                others.push(place(round, cell));
            }
        }
    }
    if checked == 0 {
        return line.cannot("no cell of a single block size has run");
    }
    let finding = (!others.is_empty()).then(|| {
        let cells = counted(others.len(), "cell");
        format!(
            "other block sizes in {cells}: {}",
            some_of(&others, NAMED_MAX)
        )
    });
    line.done(format!("{} of {checked} cells", checked - others.len()))
        .evidence("bytes counted are I/Os counted times the block size, in each direction")
        .found(finding)
}

/// `None` for a cell of several sizes.
fn holds(rounds: &PlannedRounds, cell: &CellResult) -> Option<bool> {
    let planned = rounds.cells.get(cell.key.cell_index as usize)?;
    let access = planned.access.as_ref().ok()?;
    let directions = [
        (&cell.read, &access.read_blocks),
        (&cell.write, &access.write_blocks),
    ];
    let mut all = true;
    for (tally, blocks) in directions {
        let block = blocks.single()?;
        all &= tally.ios.checked_mul(block.0) == Some(tally.bytes);
    }
    Some(all)
}

/// Smallest and largest mean of I/Os outstanding, over the cells in closed loop.
pub(super) fn outstanding_text(rounds: &PlannedRounds, run: &RoundsRun<'_>) -> String {
    let is_closed = |cell: &CellResult| {
        let planned = rounds.cells.get(cell.key.cell_index as usize);
        let access = planned.and_then(|planned| planned.access.as_ref().ok());
        access.is_some_and(|access| access.rate_iops.is_none())
    };
    let means: Vec<f64> = run
        .cells()
        .filter(|(_, cell)| is_closed(cell) && cell.elapsed.0 > 0)
        .map(|(_, cell): (&RoundResult, &CellResult)| {
            to_f64(cell.total().latency_ns_sum) / to_f64(cell.elapsed.0)
        })
        .collect();
    if means.is_empty() {
        return "plan (record 1)".to_owned();
    }
    let least = means.iter().copied().fold(f64::MAX, f64::min);
    let most = means.iter().copied().fold(0.0, f64::max);
    format!(
        "plan (record 1); by Little's law {least:.1} to {most:.1} I/Os were outstanding on average \
         in {}",
        counted(means.len(), "cell")
    )
}
