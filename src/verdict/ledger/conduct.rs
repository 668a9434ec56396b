//! Ledger lines about how the run went: steady state, gaps, interruptions, errors, host limits.

use crate::journal::RunState;
use crate::journal::state::{CellResult, Interruption, RoundResult};
use crate::pts;
use crate::spec::plan::PlannedRounds;
use crate::units::Nanos;
use crate::verdict::Window;

use super::words::{counted, some_of};
use super::{Line, OURS};

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
        Self {
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
    vec![if state.closed.is_some() {
        line.deviates(format!("steady state not reached by round {last}"))
    } else {
        line.cannot("the run has not ended")
    }]
}

pub(super) fn lines(state: &RunState, rounds: &PlannedRounds, run: &RoundsRun<'_>) -> Vec<Line> {
    let mut lines = vec![idle_gaps(run), hand_overs(run), host_limits(run)];
    lines.extend(interruptions(state, rounds));
    lines
}

/// Cells that follow another cell: all but the first of a segment, which an interruption or the
/// beginning of the run precedes.
fn followers<'a>(run: &RoundsRun<'a>) -> Vec<(&'a RoundResult, &'a CellResult)> {
    let mut segment_last = None;
    run.cells()
        .filter(|(round, _)| {
            let follows = segment_last == Some(round.segment) || segment_last.is_none();
            segment_last = Some(round.segment);
            follows
        })
        .collect()
}

fn place(round: &RoundResult, cell: &CellResult) -> String {
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
    let Some((round, longest)) = cells.iter().max_by_key(|(_, cell)| cell.idle_gap) else {
        return line.cannot("no cell follows another");
    };
    let above = cells
        .iter()
        .filter(|(_, cell)| cell.idle_gap > limit)
        .count();
    let line = line
        .done(format!("longest {}", gap_text(longest.idle_gap)))
        .evidence(format!(
            "before {}; {above} of {} above the bound",
            place(round, longest),
            counted(cells.len(), "change")
        ));
    let finding = (above > 0).then(|| {
        format!(
            "idle gaps of up to {} between cells",
            gap_text(longest.idle_gap)
        )
    });
    line.found(finding)
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
    let Some((round, longest)) = cells.iter().max_by_key(|(_, cell)| cell.hand_over) else {
        return line.cannot("no cell follows another");
    };
    let uncounted: u64 = cells.iter().map(|(_, cell)| cell.hand_over_ios).sum();
    line.done(format!(
        "{uncounted} I/Os in {}, longest {}",
        counted(cells.len(), "hand-over"),
        gap_text(longest.hand_over)
    ))
    .evidence(format!("longest before {}", place(round, longest)))
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
    .evidence(some_of(&limited, NAMED_MAX));
    if count == 0 {
        return line.cannot("no cell has run");
    }
    let finding = (!limited.is_empty()).then(|| {
        let cells = counted(limited.len(), "cell");
        format!("{cells} may have been limited by the host")
    });
    line.found(finding)
}

fn interruptions(state: &RunState, rounds: &PlannedRounds) -> Vec<Line> {
    let requirement = "The sequence from purge to the last round is not interrupted";
    if state.interruptions.is_empty() {
        return vec![
            Line::new("interruptions", "7", requirement)
                .done("not interrupted")
                .evidence(format!("records 1 to {}", state.record_last)),
        ];
    }
    (1..)
        .zip(&state.interruptions)
        .map(|(number, stop)| {
            let line = Line::new(format!("interruptions.{number}"), "7", requirement);
            interruption(line, stop, rounds)
        })
        .collect()
}

fn interruption(line: Line, stop: &Interruption, rounds: &PlannedRounds) -> Line {
    let cause = stop
        .interrupted
        .as_ref()
        .map_or("stopped without a word (crash or power cut)", |noted| {
            noted.what.cause.as_str()
        });
    let pause = stop.resumed.as_ref().map(|noted| {
        let seconds = Nanos::from_secs(noted.what.pause_s);
        (noted.record, seconds.as_span())
    });
    let line = line.evidence(match (&stop.interrupted, &pause) {
        (Some(noted), Some((record, _))) => {
            format!("records {} and {record}: {cause}", noted.record)
        }
        (Some(noted), None) => format!("record {}: {cause}", noted.record),
        (None, Some((record, _))) => format!("record {record}: {cause}"),
        (None, None) => cause.to_owned(),
    });
    let length = pause.map_or("and not resumed".to_owned(), |(_, time)| {
        format!("for {time}")
    });
    match stop.after_round {
        Some(round) => {
            let text = format!("interrupted after round {round} {length}");
            line.done(format!(
                "{text}; the broken round was thrown away, windows are made of later rounds, limit \
                 {} rounds from the resume",
                rounds.rounds_max
            ))
            .deviates(text)
        }
        None if stop.resumed.is_some() => line.done(format!(
            "interrupted before the rounds {length}; begun again from the purge"
        )),
        None => line
            .done(format!("interrupted before the rounds {length}"))
            .cannot("the run stands still"),
    }
}

/// Lines about the record itself: errors, warnings, the tool.
pub(super) fn record(state: &RunState) -> Vec<Line> {
    let failed: Vec<String> = state
        .interruptions
        .iter()
        .filter_map(|stop| stop.interrupted.as_ref())
        .filter(|noted| noted.what.cause.starts_with("I/O error"))
        .map(|noted| format!("record {}: {}", noted.record, noted.what.cause))
        .collect();
    let finding = (!failed.is_empty()).then(|| format!("{} failed", counted(failed.len(), "I/O")));
    let mut lines = vec![
        Line::new("errors", OURS, "Every I/O completes without an error")
            .done(counted(failed.len(), "error"))
            .evidence(some_of(&failed, NAMED_MAX))
            .found(finding),
    ];
    lines.extend((1..).zip(&state.warnings).map(|(number, warning)| {
        let what = &warning.what;
        Line::new(
            format!("warnings.{number}"),
            OURS,
            "The record is complete and its clocks ran evenly",
        )
        .done(what.text.clone())
        .evidence(format!("record {}: {}", warning.record, what.kind))
        .deviates(what.text.clone())
    }));
    let mut tools = vec![state.opened.tool.clone()];
    for stop in &state.interruptions {
        let tool = stop.resumed.as_ref().map(|noted| &noted.what.tool);
        tools.extend(tool.filter(|tool| !tools.contains(tool)).cloned());
    }
    lines.push(
        Line::new("tool", "5", "Test software and its version are reported")
            .done(tools.join(", then "))
            .evidence("record 1"),
    );
    lines
}
