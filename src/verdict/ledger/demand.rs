//! Ledger lines about demand: cells in open loop, and I/Os they asked for that were never issued.
//! Without an open loop there is nothing to say.

use crate::spec::plan::PlannedRounds;

use super::conduct::{RoundsRun, place};
use super::words::{counted, some_of};
use super::{Line, OURS};

/// Cells named in a finding before "and n more".
const NAMED_MAX: usize = 4;

pub(super) fn lines(rounds: &PlannedRounds, run: &RoundsRun<'_>) -> Vec<Line> {
    let scheduled: Vec<String> = rounds
        .cells
        .iter()
        .filter_map(|cell| {
            let rate = cell.access.as_ref().ok()?.rate_iops?;
            Some(format!("{} at {rate} IOPS", cell.label))
        })
        .collect();
    if scheduled.is_empty() {
        return Vec::new();
    }
    vec![closed_loop(&scheduled), arrivals(run)]
}

fn closed_loop(scheduled: &[String]) -> Line {
    let text = format!("{} in open loop", counted(scheduled.len(), "cell"));
    Line::new(
        "closed-loop",
        "7",
        "Every cell keeps TC x QD I/Os outstanding all the time",
    )
    .asked(text.clone())
    .done(text)
    .deviates(format!(
        "cells at a stated rate: {}",
        some_of(scheduled, NAMED_MAX)
    ))
}

fn arrivals(run: &RoundsRun<'_>) -> Line {
    let (mut asked, mut missing) = (0_u64, 0_u64);
    let mut named = Vec::new();
    for (round, cell) in run.cells() {
        let Some(counts) = cell.arrivals else {
            continue;
        };
        asked += counts.asked;
        missing += counts.not_issued;
        if counts.not_issued > 0 {
            let (where_, not_issued) = (place(round, cell), counts.not_issued);
            named.push(format!(
                "{where_}: {not_issued} of {} not issued",
                counts.asked
            ));
        }
    }
    let line = Line::new(
        "arrivals",
        OURS,
        "Every I/O that an open loop asks for is issued before its cell ends; one that is not has \
         no response time",
    );
    if asked == 0 {
        return line.cannot("no cell in open loop has run");
    }
    let finding = (missing > 0).then(|| {
        format!("{missing} of {asked} I/Os asked for were never issued; latencies lack them")
    });
    line.asked(format!("{asked} I/Os by schedule"))
        .done(format!("{missing} never issued"))
        .evidence(some_of(&named, NAMED_MAX))
        .found(finding)
}
