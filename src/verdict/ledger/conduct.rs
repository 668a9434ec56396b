//! Ledger lines about how the rounds went: steady state, idle gaps, hand-overs, host limits.

use crate::journal::RunState;
use crate::journal::state::{CellResult, RoundResult};
use crate::pts;
use crate::spec::plan::PlannedRounds;
use crate::units::Nanos;
use crate::verdict::Window;

use super::words::{counted, some_of};
use super::{Line, LineVerdict, OURS};

/// Cells named in a finding before "and n more".
const NAMED_MAX: usize = 4;

/// What was run of the rounds.
#[derive(Debug)]
pub(super) struct RoundsRun<'a> {
    /// All rounds, broken ones included.
    all: Vec<&'a RoundResult>,
    /// Closed rounds.
    pub(super) closed: Vec<&'a RoundResult>,
    /// The rounds the report stands on.
    window: Option<Window<'a>>,
    /// Segment of the last cell of another step before the first round.
    segment_before: Option<u32>,
    /// Whether `--quick` shortened the run.
    pub(super) is_quick: bool,
}

impl<'a> RoundsRun<'a> {
    pub(super) fn of(state: &'a RunState, step_index: usize) -> Self {
        let step_index = u32::try_from(step_index).unwrap_or(u32::MAX);
        let all: Vec<&RoundResult> = state.rounds(step_index).collect();
        let closed = all
            .iter()
            .filter(|round| round.closed.is_some())
            .copied()
            .collect();
        let earlier = state.attempts.iter();
        let earlier = earlier.take_while(|attempt| attempt.step_index != step_index);
        let with_cells = earlier.filter(|attempt| !attempt.cells.is_empty());
        Self {
            segment_before: with_cells.last().map(|attempt| attempt.segment),
            all,
            closed,
            window: Window::of(state, step_index),
            is_quick: state.opened.quick,
        }
    }

    /// All cells measured, with their rounds.
    pub(super) fn cells(&self) -> impl Iterator<Item = (&'a RoundResult, &'a CellResult)> + '_ {
        self.all
            .iter()
            .flat_map(|round| round.cells.iter().map(move |cell| (*round, cell)))
    }

    /// The records that close rounds.
    pub(super) fn evidence(&self) -> String {
        let records: Vec<u64> = self
            .closed
            .iter()
            .filter_map(|round| round.closed.as_ref().map(|noted| noted.record))
            .collect();
        match records.as_slice() {
            [] => String::new(),
            [one] => format!("round closed in record {one}"),
            [first, .., last] => format!("rounds closed in records {first} to {last}"),
        }
    }

    /// Closed rounds whose cells are not those of the plan in its order.
    pub(super) fn rounds_out_of_order(&self, rounds: &PlannedRounds) -> Vec<String> {
        let planned: Vec<u32> = (0_u32..)
            .zip(&rounds.cells)
            .filter(|(_, cell)| cell.access.is_ok())
            .map(|(index, _)| index)
            .collect();
        self.closed
            .iter()
            .filter(|round| {
                let run = round.cells.iter().map(|cell| cell.key.cell_index);
                !run.eq(planned.iter().copied())
            })
            .map(|round| format!("round {}", round.number))
            .collect()
    }
}

pub(super) fn steady_state(
    state: &RunState,
    rounds: &PlannedRounds,
    run: &RoundsRun<'_>,
) -> Vec<Line> {
    let count = rounds.tracked.len();
    let line = Line::new(
        "steady-state",
        "2.1.24",
        "In the five rounds reported every tracked variable has a data excursion of at most 20 % \
         and a slope excursion of at most 10 % of its average",
    )
    .asked(format!("{} in the same window", counted(count, "variable")));
    let Some(window) = &run.window else {
        return vec![line.cannot("no round is complete")];
    };
    let (first, last) = window.span();
    let record = window
        .rounds
        .last()
        .and_then(|round| round.closed.as_ref())
        .map_or(0, |noted| noted.record);
    let line = line.evidence(format!("record {record}"));
    if window.is_steady {
        return vec![line.done(format!("reached in rounds {first} to {last}"))];
    }
    let line = line.done(format!(
        "not reached; rounds {first} to {last} are reported"
    ));
    // The standard lets the operator stop at round 25 and report what there is.
    let segment = window.rounds.last().map_or(0, |round| round.segment);
    let in_segment = run.closed.iter().filter(|round| round.segment == segment);
    let may_stop = in_segment.count() >= usize::try_from(pts::ROUNDS_MAX).unwrap_or(usize::MAX);
    vec![if state.closed.is_some() && may_stop {
        line.judged(
            LineVerdict::Warning,
            format!("steady state not reached by round {last}, where the standard lets stop"),
        )
    } else if state.closed.is_some() {
        line.deviates(format!("steady state not reached by round {last}"))
    } else {
        line.cannot("the run has not ended")
    }]
}

pub(super) fn lines(run: &RoundsRun<'_>) -> Vec<Line> {
    vec![idle_gaps(run), hand_overs(run), host_limits(run)]
}

/// Cells that follow another cell: all but the first of a segment, which an interruption precedes,
/// or the beginning of the run where no other step ran a cell.
fn followers<'a>(run: &RoundsRun<'a>) -> Vec<(&'a RoundResult, &'a CellResult)> {
    let mut segment_last = run.segment_before;
    run.cells()
        .filter(|(round, _)| {
            let follows = segment_last == Some(round.segment);
            segment_last = Some(round.segment);
            follows
        })
        .collect()
}

pub(super) fn place(round: &RoundResult, cell: &CellResult) -> String {
    format!(
        "round {}, {} (record {})",
        round.number, cell.label, cell.record
    )
}

fn idle_gaps(run: &RoundsRun<'_>) -> Line {
    let limit = pts::IDLE_GAP_MAX;
    let line = Line::new(
        "idle-gaps",
        "7",
        format!(
            "Steps and cells follow each other without interruption (bound of this tool: no idle \
             gap above {})",
            limit.as_span()
        ),
    )
    .asked(format!("at most {}", limit.as_span()));
    let cells = followers(run);
    let gaps = cells
        .iter()
        .filter_map(|(round, cell)| Some((*round, *cell, cell.idle_gap?)));
    let Some((round, before, longest)) = gaps.clone().rev().max_by_key(|(_, _, gap)| *gap) else {
        return line.cannot("no cell follows another");
    };
    let above = gaps.clone().filter(|(_, _, gap)| *gap > limit).count();
    let changes = counted(gaps.clone().count(), "change");
    let line = line
        .done(format!("longest {}", gap_text(longest)))
        .evidence(if longest.0 == 0 {
            format!("no idle gap in {changes}")
        } else {
            let place = place(round, before);
            format!("before {place}; {above} of {changes} above the bound")
        });
    if above > 0 {
        let longest = gap_text(longest);
        return line.deviates(format!("idle gaps of up to {longest} between cells"));
    }
    match unmeasured(&cells) {
        Some(finding) => line.cannot(finding),
        None => line,
    }
}

/// A programme that came too late for the drive to know what went before it.
fn unmeasured(cells: &[(&RoundResult, &CellResult)]) -> Option<String> {
    let missing = cells.iter().filter(|(_, cell)| cell.idle_gap.is_none());
    let places: Vec<String> = missing.map(|(round, cell)| place(round, cell)).collect();
    let named = some_of(&places, NAMED_MAX);
    (!places.is_empty()).then(|| format!("the gap before {named} was not measured"))
}

fn gap_text(gap: Nanos) -> String {
    if gap.0 == 0 {
        "0 ms".to_owned()
    } else {
        gap.as_span()
    }
}

fn hand_overs(run: &RoundsRun<'_>) -> Line {
    let line = Line::new(
        "hand-overs",
        OURS,
        "I/Os that complete while two cells overlap are counted for neither",
    )
    .asked("counted apart");
    let cells = followers(run);
    let Some((round, longest)) = cells.iter().rev().max_by_key(|(_, cell)| cell.hand_over) else {
        return line.cannot("no cell follows another");
    };
    let overlaps = cells.iter().filter(|(_, cell)| cell.hand_over.0 > 0);
    let overlaps = overlaps.count();
    let uncounted: u64 = cells.iter().map(|(_, cell)| cell.hand_over_ios).sum();
    line.done(format!(
        "{uncounted} I/Os in {}, longest {}",
        counted(overlaps, "hand-over"),
        gap_text(longest.hand_over)
    ))
    .evidence(if overlaps == 0 {
        format!("no hand-over in {}", counted(cells.len(), "change"))
    } else {
        format!("longest before {}", place(round, longest))
    })
}

fn host_limits(run: &RoundsRun<'_>) -> Line {
    let limited: Vec<String> = run
        .cells()
        .filter_map(|(round, cell)| {
            let why = cell.host_limited.as_ref()?;
            Some(format!("{}: {why}", place(round, cell)))
        })
        .collect();
    let count = run.cells().count();
    let line = Line::new(
        "host-limits",
        "annex",
        "The device, not the test platform, limits the result",
    )
    .done(format!(
        "{} of {} limited by the host",
        limited.len(),
        counted(count, "cell")
    ))
    .evidence(if limited.is_empty() {
        "how busy workers were stands in the record of each cell".to_owned()
    } else {
        some_of(&limited, NAMED_MAX)
    });
    if count == 0 {
        return line.cannot("no cell has run");
    }
    let finding = (!limited.is_empty()).then(|| {
        let cells = counted(limited.len(), "cell");
        format!("{cells} may have been limited by the host")
    });
    line.found(finding)
}
