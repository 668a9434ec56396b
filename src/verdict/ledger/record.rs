//! Ledger lines about the record as a whole: interruptions, errors, warnings, the tool.

use crate::journal::RunState;
use crate::journal::record::FailedKind;
use crate::journal::state::Interruption;
use crate::spec::plan::PlannedRounds;
use crate::units::Nanos;

use super::words::{counted, some_of};
use super::{Line, OURS};

/// Errors named in a line before "and n more".
const NAMED_MAX: usize = 4;

pub(super) fn interruptions(state: &RunState, rounds: &PlannedRounds) -> Vec<Line> {
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
        let span = match noted.what.pause_s {
            None => "an unknown time (the clock went back)".to_owned(),
            Some(0) => "less than 1 s".to_owned(),
            Some(seconds) => Nanos::from_secs(seconds).as_span(),
        };
        (noted.record, span)
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
            let text = match round {
                0 => format!("interrupted between preconditioning and the end of round 1 {length}"),
                _ => format!("interrupted after round {round} {length}"),
            };
            line.done(format!(
                "the broken round was thrown away; windows are made of later rounds, at most {} \
                 from the resume",
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

/// The first I/O that fails ends a run, so each stop has at most one.
fn errors(state: &RunState) -> Line {
    let stops = state.interruptions.iter();
    let failed: Vec<_> = stops
        .filter_map(|stop| stop.interrupted.as_ref())
        .filter_map(|noted| Some((noted, noted.what.failed.as_ref()?)))
        .collect();
    let of = |kind: FailedKind| failed.iter().filter(|(_, io)| io.kind == kind).count();
    let evidence: Vec<String> = failed
        .iter()
        .map(|(noted, io)| {
            let errno = io
                .errno
                .map_or(String::new(), |errno| format!(", errno {errno}"));
            let (at, lba) = (Nanos(io.at_ns).as_span(), io.lba);
            let (record, cause) = (noted.record, &noted.what.cause);
            format!("record {record}: LBA {lba}{errno}, {at} after the drive was opened: {cause}")
        })
        .collect();
    let stops = state.interruptions.iter();
    let unanswered: u32 = stops
        .filter_map(|stop| stop.interrupted.as_ref()?.what.unanswered)
        .sum();
    let mut findings = Vec::new();
    if !failed.is_empty() {
        findings.push(format!("{} failed", counted(failed.len(), "I/O")));
    }
    if unanswered > 0 {
        findings.push(format!("{unanswered} never completed"));
    }
    let finding = (!findings.is_empty()).then(|| findings.join(", "));
    Line::new(
        "errors",
        OURS,
        "Every I/O completes without an error, whole and in time",
    )
    .done(format!(
        "{}, {}, {}, {}, {unanswered} never completed",
        counted(of(FailedKind::Error), "error"),
        counted(of(FailedKind::ShortTransfer), "short transfer"),
        counted(of(FailedKind::TimeOut), "time-out"),
        counted(of(FailedKind::WrongData), "block") + " with wrong data"
    ))
    .evidence(if evidence.is_empty() {
        format!("records 1 to {}", state.record_last)
    } else {
        some_of(&evidence, NAMED_MAX)
    })
    .found(finding)
}

/// Lines about the record itself: errors, warnings, the tool.
pub(super) fn lines(state: &RunState) -> Vec<Line> {
    let mut lines = vec![errors(state)];
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
    let tools_text = tools.join(", then ");
    let mixed =
        (tools.len() > 1).then(|| format!("measured by more than one version: {tools_text}"));
    lines.push(
        Line::new(
            "tool",
            "5",
            "Test software and its version are reported, one for the whole run",
        )
        .done(tools_text)
        .evidence("record 1")
        .found(mixed),
    );
    lines
}
