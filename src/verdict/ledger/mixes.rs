//! The ledger line about R/W mixes: what was issued is judged, what completed is told beside it.
//!
//! In closed loop the I/Os that are outstanding when a cell ends are mostly of the slower
//! direction, so the mix of those that completed is off by up to TC x QD I/Os on any drive and
//! with any tool. The mix that the drive was given is the mix that was issued.

use crate::journal::state::{CellResult, RoundResult};
use crate::spec::plan::PlannedRounds;
use crate::stimulus::Issued;
use crate::units::to_f64;

use super::Line;
use super::conduct::{RoundsRun, place};
use super::words::{counted, some_of};

/// Cells named in a finding before "and n more".
const NAMED_MAX: usize = 4;

/// A cell with the share of reads it was asked for.
type Asked<'a> = (&'a RoundResult, &'a CellResult, u8);

pub(super) fn line(rounds: &PlannedRounds, run: &RoundsRun<'_>) -> Line {
    let line = Line::new(
        "mixes",
        "7",
        "Every cell issues reads and writes in its R/W mix (bound of this tool: within 4 sqrt(p (1 \
         - p) / n) of its share; for what completes on its clock, 2 x TC x QD I/Os more)",
    )
    .asked("the mix of each cell");
    let cells: Vec<Asked<'_>> = run
        .cells()
        .filter_map(|(round, cell)| {
            let planned = rounds.cells.get(cell.key.cell_index as usize)?;
            Some((round, cell, planned.read_percent))
        })
        .collect();
    if cells.is_empty() {
        return line.cannot("no cell has run");
    }
    let issued: Vec<(Asked<'_>, Issued)> = cells
        .iter()
        .filter_map(|asked| Some((*asked, asked.1.issued?)))
        .collect();
    if issued.len() < cells.len() {
        return line.cannot("the record does not hold what was issued");
    }
    let mut others: Vec<String> = issued
        .iter()
        .filter(|((_, _, percent), issued)| !is_near(*percent, *issued, 0))
        .map(|((round, cell, percent), issued)| {
            let off = points(*percent, issued.reads, issued.writes);
            format!("issued {off:.3} points off in {}", place(round, cell))
        })
        .collect();
    others.extend(
        cells
            .iter()
            .filter(|asked| !is_completed_near(rounds, asked))
            .map(|(round, cell, percent)| {
                let off = points(*percent, cell.read.ios, cell.write.ios);
                format!("completed {off:.3} points off in {}", place(round, cell))
            }),
    );
    let furthest = issued
        .iter()
        .map(|((_, _, percent), issued)| points(*percent, issued.reads, issued.writes))
        .fold(0.0, f64::max);
    let finding = (!others.is_empty()).then(|| {
        let cells = counted(others.len(), "cell");
        format!(
            "mix not as asked in {cells}: {}",
            some_of(&others, NAMED_MAX)
        )
    });
    line.done(format!("issued: at most {furthest:.3} points from it"))
        .evidence(completed_text(&cells))
        .found(finding)
}

/// Whether what completed is off by no more than chance and what was outstanding at the beginning
/// and at the end of the cell's clock.
fn is_completed_near(rounds: &PlannedRounds, (_, cell, percent): &Asked<'_>) -> bool {
    let planned = rounds.cells.get(cell.key.cell_index as usize);
    let access = planned.and_then(|planned| planned.access.as_ref().ok());
    let outstanding = access.map_or(0, |access| u128::from(access.outstanding()));
    let completed = Issued {
        reads: cell.read.ios,
        writes: cell.write.ios,
    };
    is_near(*percent, completed, 2 * outstanding)
}

/// Whether the reads among `n` I/Os are within four standard deviations of their share, and
/// `beside` more. Exact: with P percent, (100 reads - P n)^2 <= 16 P (100 - P) n.
fn is_near(read_percent: u8, ios: Issued, beside: u128) -> bool {
    let n = u128::from(ios.reads) + u128::from(ios.writes);
    let percent = u128::from(read_percent);
    let off = (100 * u128::from(ios.reads)).abs_diff(percent * n);
    let off = off.saturating_sub(100 * beside);
    off * off <= 16 * percent * (100 - percent.min(100)) * n
}

/// How far the share of reads is from what was asked, in percentage points.
fn points(read_percent: u8, reads: u64, writes: u64) -> f64 {
    let all = reads + writes;
    if all == 0 {
        return 0.0;
    }
    (to_f64(reads) * 100.0 / to_f64(all) - f64::from(read_percent)).abs()
}

fn completed_text(cells: &[Asked<'_>]) -> String {
    let off = |(_, cell, percent): &Asked<'_>| points(*percent, cell.read.ios, cell.write.ios);
    let furthest = cells.iter().max_by(|a, b| off(a).total_cmp(&off(b)));
    furthest.map_or(String::new(), |asked| {
        format!(
            "completed on the clock: at most {:.3} points from it, in {}; of the I/Os outstanding \
             at the end of a cell more are of the slower direction",
            off(asked),
            place(asked.0, asked.1)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 95 % of 10,000 is 9,500; four standard deviations are 4 sqrt(0.95 x 0.05 x 10,000) = 87.2.
    #[test]
    fn the_bound_is_four_standard_deviations() {
        let reads = |reads| Issued {
            reads,
            writes: 10_000 - reads,
        };
        assert!(is_near(95, reads(9_500), 0) && is_near(95, reads(9_587), 0));
        assert!(!is_near(95, reads(9_588), 0) && !is_near(95, reads(9_412), 0));
        assert!(is_near(95, reads(9_588), 1) && !is_near(95, reads(9_590), 1));
    }

    #[test]
    fn a_pure_cell_has_no_room_for_the_other_direction() {
        let (reads, writes) = (1000, 1);
        assert!(!is_near(100, Issued { reads, writes }, 0));
        assert!(is_near(100, Issued { reads, writes: 0 }, 0));
        assert!(is_near(0, Issued { reads: 0, writes }, 0));
    }
}
