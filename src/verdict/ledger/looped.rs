//! Ledger lines about the test loop: its cells, their order and length, limits, tracked variables.

use std::collections::BTreeSet;

use crate::pts;
use crate::spec::Plan;
use crate::spec::model::{AtLimit, Metric};
use crate::spec::plan::{PlannedCell, PlannedRounds};
use crate::units::{Bytes, Nanos};

use super::Line;
use super::conduct::RoundsRun;
use super::words::{counted, mix, seconds, some_of};

/// Cells or rounds named in a finding before "and n more".
const NAMED_MAX: usize = 4;

pub(super) fn lines(plan: &Plan, rounds: &PlannedRounds, run: &RoundsRun<'_>) -> Vec<Line> {
    vec![
        order(rounds, run),
        possible(plan, rounds),
        random(rounds),
        cell_time(rounds, run),
        limit(rounds, run),
        tracked(rounds).evidence(judged_text(run)),
    ]
}

/// The cells of the standard's loop, outer loop over mixes, inner loop over blocks.
fn standard_cells() -> Vec<(u8, Bytes)> {
    pts::IOPS_READ_PERCENT
        .iter()
        .flat_map(|read| pts::IOPS_BLOCKS.iter().map(|block| (*read, *block)))
        .collect()
}

fn order(rounds: &PlannedRounds, run: &RoundsRun<'_>) -> Line {
    let planned: Vec<(u8, Option<Bytes>)> = rounds
        .cells
        .iter()
        .map(|cell| (cell.read_percent, cell.block))
        .collect();
    let standard: Vec<(u8, Option<Bytes>)> = standard_cells()
        .into_iter()
        .map(|(read, block)| (read, Some(block)))
        .collect();
    let broken = run.rounds_out_of_order(rounds);
    let line = Line::new(
        "loop-order",
        "7",
        "Each round runs R/W mixes 100/0, 95/5, 65/35, 50/50, 35/65, 5/95, 0/100 (outer loop) by \
         block sizes 1024, 128, 64, 32, 16, 8, 4, 0.5 KiB (inner loop), in this order",
    )
    .asked(format!("{} a round", counted(planned.len(), "cell")))
    .done(format!(
        "{}, {} each{}",
        counted(run.closed.len(), "closed round"),
        counted(rounds.possible(), "cell"),
        match rounds.cells.len() - rounds.possible() {
            0 => String::new(),
            count => format!(" ({count} not possible, see all-blocks)"),
        }
    ))
    .evidence(run.evidence());
    let members = |cells: &[(u8, Option<Bytes>)]| -> BTreeSet<(u8, Option<Bytes>)> {
        cells.iter().copied().collect()
    };
    if planned != standard {
        let same = members(&planned) == members(&standard) && planned.len() == standard.len();
        return line.deviates(if same {
            "cells of the loop are not in the order of the standard".to_owned()
        } else {
            "the loop does not have the cells of the standard".to_owned()
        });
    }
    if !broken.is_empty() {
        let named = some_of(&broken, NAMED_MAX);
        return line.deviates(format!("cells missing or out of order in {named}"));
    }
    if run.closed.is_empty() {
        return line.cannot("no round is complete");
    }
    line
}

fn possible(plan: &Plan, rounds: &PlannedRounds) -> Line {
    let logical = plan.geometry.logical_block;
    let left_out: Vec<(&PlannedCell, &String)> = rounds
        .cells
        .iter()
        .filter_map(|cell| cell.access.as_ref().err().map(|why| (cell, why)))
        .collect();
    let line = Line::new(
        "all-blocks",
        "7",
        "Every block size of the loop is measured",
    )
    .asked(counted(rounds.cells.len(), "cell"))
    .done(counted(rounds.possible(), "cell"))
    .evidence(format!("logical block {} bytes", logical.0));
    let Some((first, why)) = left_out.first() else {
        return line;
    };
    let sizes: BTreeSet<Bytes> = left_out.iter().filter_map(|(cell, _)| cell.block).collect();
    let sizes: Vec<String> = sizes.into_iter().map(Bytes::as_block).collect();
    let finding = format!(
        "{} of {} cells measured; those of {} left out: {why}",
        rounds.possible(),
        rounds.cells.len(),
        sizes.join(", ")
    );
    let too_small = |cell: &PlannedCell| cell.block.is_some_and(|block| block < logical);
    if too_small(first) && left_out.iter().all(|(cell, _)| too_small(cell)) {
        line.inapplicable(finding)
    } else {
        line.deviates(finding)
    }
}

fn random(rounds: &PlannedRounds) -> Line {
    let others: Vec<String> = rounds
        .cells
        .iter()
        .filter(|cell| {
            let access = cell.access.as_ref();
            access.is_ok_and(|access| access.random_percent != 100)
        })
        .map(|cell| cell.label.clone())
        .collect();
    let text = if others.is_empty() {
        "random in every cell".to_owned()
    } else {
        format!("not random in {}", counted(others.len(), "cell"))
    };
    let finding =
        (!others.is_empty()).then(|| format!("cells not random: {}", some_of(&others, NAMED_MAX)));
    Line::new("loop-random", "7", "Every cell of the loop is random I/O")
        .asked(text.clone())
        .done(text)
        .evidence("plan (record 1); addresses follow from it and the seed of the run")
        .found(finding)
}

fn cell_time(rounds: &PlannedRounds, run: &RoundsRun<'_>) -> Line {
    let required = pts::CELL_TIME;
    let line = Line::new(
        "cell-time",
        "7",
        format!("Every cell of the loop runs for {}", seconds(required)),
    )
    .asked(seconds(rounds.cell_time));
    let times: Vec<Nanos> = run.cells().map(|(_, cell)| cell.elapsed).collect();
    let (Some(shortest), Some(longest)) = (times.iter().min(), times.iter().max()) else {
        let asked = seconds(rounds.cell_time);
        return if rounds.cell_time == required {
            line.cannot("no cell has run")
        } else {
            line.deviates(format!("cells of {asked} instead of {}", seconds(required)))
        };
    };
    let measured = if shortest == longest {
        seconds(*shortest)
    } else {
        format!("{} to {}", seconds(*shortest), seconds(*longest))
    };
    let line = line
        .done(measured.clone())
        .evidence(format!("{} measured", counted(times.len(), "cell")));
    if *shortest == required && *longest == required {
        return line;
    }
    let quick = if run.is_quick && rounds.cell_time < required {
        "quick cells: "
    } else {
        "cells of "
    };
    line.deviates(format!(
        "{quick}{measured} instead of {}",
        seconds(required)
    ))
}

fn limit(rounds: &PlannedRounds, run: &RoundsRun<'_>) -> Line {
    let required = pts::ROUNDS_MAX;
    let asked = match rounds.at_limit {
        AtLimit::Stop => format!("{} rounds, then stop", rounds.rounds_max),
        AtLimit::Continue => format!("{} rounds, then go on", rounds.rounds_max),
    };
    let quick = if run.is_quick {
        "quick rounds: "
    } else {
        "rounds: "
    };
    let short = rounds.rounds_max < required && rounds.at_limit == AtLimit::Stop;
    let finding =
        short.then(|| format!("{quick}limit {} instead of {required}", rounds.rounds_max));
    Line::new(
        "round-limit",
        "7",
        format!("Rounds go on until steady state, or at least to round {required}"),
    )
    .asked(asked)
    .done(counted(run.closed.len(), "closed round"))
    .evidence(run.evidence())
    .found(finding)
}

fn judged_text(run: &RoundsRun<'_>) -> String {
    match run.evidence() {
        closed if closed.is_empty() => "plan (record 1)".to_owned(),
        closed => format!("judged as each round was closed: {closed}"),
    }
}

fn tracked(rounds: &PlannedRounds) -> Line {
    let name = |read: u8, block: Bytes| format!("RND {} {}", block.as_block(), mix(read));
    let wanted: BTreeSet<(u8, Option<Bytes>)> = pts::IOPS_TRACKED
        .iter()
        .map(|(read, block)| (*read, Some(*block)))
        .collect();
    let tracked: Vec<_> = rounds
        .tracked
        .iter()
        .filter(|variable| variable.metric == Metric::Iops)
        .filter_map(|variable| rounds.cells.get(usize::try_from(variable.cell_index).ok()?))
        .collect();
    let found: BTreeSet<(u8, Option<Bytes>)> = tracked
        .iter()
        .map(|cell| (cell.read_percent, cell.block))
        .collect();
    let names: Vec<&str> = rounds.tracked.iter().map(|v| v.label.as_str()).collect();
    let required: Vec<String> = pts::IOPS_TRACKED
        .iter()
        .map(|(read, block)| name(*read, *block))
        .collect();
    let holds = wanted == found && rounds.tracked.len() == wanted.len();
    let finding = (!holds).then(|| format!("tracked variables are {}", names.join(", ")));
    Line::new(
        "tracked-variables",
        "7",
        format!("Tracked variables are IOPS of {}", required.join(", ")),
    )
    .asked(names.join(", "))
    .done(names.join(", "))
    .found(finding)
}
