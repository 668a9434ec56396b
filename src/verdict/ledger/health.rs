//! Ledger lines about the health of the drive, before and after: warnings of our own, since the
//! standard does not ask for it. Only what moved during the run counts.

use crate::journal::RunState;
use crate::journal::record::HealthDone;
use crate::journal::state::{CellResult, Noted};

use super::{Line, OURS};

pub(super) fn lines(state: &RunState) -> Vec<Line> {
    let known = |noted: &&Noted<HealthDone>| noted.what.missing.is_none();
    let line = Line::new(
        "health",
        OURS,
        "The drive stays healthy, cool enough and fully connected during the test",
    )
    .asked("no change for the worse");
    match (state.healths.first(), state.healths.iter().rfind(known)) {
        (None, _) => Vec::new(),
        (Some(first), None) => {
            let cause = first.what.missing.as_deref().unwrap_or("it told nothing");
            let evidence = format!("record {}: {}", first.record, first.what.source);
            let line = line.done("not available").evidence(evidence);
            vec![line.cannot(format!("health not available: {cause}"))]
        }
        (Some(first), Some(last)) => vec![compared(line, state, first, last)],
    }
}

fn compared(
    line: Line,
    state: &RunState,
    first: &Noted<HealthDone>,
    last: &Noted<HealthDone>,
) -> Line {
    let temperature = last.what.temperature_celsius;
    let done = temperature.map_or("temperature not told".to_owned(), |celsius| {
        format!("{celsius} degrees Celsius at the last look")
    });
    let evidence = format!(
        "records {} and {} ({}){}",
        first.record,
        last.record,
        last.what.source,
        written(state, &first.what, &last.what)
    );
    let findings = findings(&first.what, &last.what);
    let found = (!findings.is_empty()).then(|| findings.join("; "));
    line.done(done).evidence(evidence).found(found)
}

fn findings(first: &HealthDone, last: &HealthDone) -> Vec<String> {
    let more = |before: Option<u64>, after: Option<u64>| {
        let difference = after?.checked_sub(before?)?;
        (difference > 0).then_some(difference)
    };
    let counted = [
        ("media errors", more(first.media_errors, last.media_errors)),
        (
            "minutes above the warning temperature",
            more(first.warning_minutes, last.warning_minutes),
        ),
        (
            "times thermal throttling began",
            more(first.throttle_count, last.throttle_count),
        ),
        (
            "seconds of thermal throttling",
            more(first.throttle_seconds, last.throttle_seconds),
        ),
        (
            "shutdowns without notice",
            more(first.unsafe_shutdowns, last.unsafe_shutdowns),
        ),
    ];
    let mut findings: Vec<String> = counted
        .into_iter()
        .filter_map(|(what, count)| Some(format!("{what}: {} more", count?)))
        .collect();
    if let (Some(now), Some(limit)) = (last.temperature_celsius, last.warning_celsius)
        && now >= limit
    {
        findings.push(format!(
            "temperature {now} degrees Celsius, the drive warns from {limit}"
        ));
    }
    if last.healthy == Some(false) {
        let bits = last.warnings.filter(|bits| *bits > 0);
        let bits = bits.map_or(String::new(), |bits| {
            format!(" (warning bits 0x{bits:02X})")
        });
        findings.push(format!("the drive takes itself for failing{bits}"));
    }
    match (&first.link, &last.link) {
        (Some(before), Some(after)) if before != after => {
            findings.push(format!("PCIe link was {before}, is {after}"));
        }
        (_, Some(after)) if after.contains(" (of ") => {
            findings.push(format!("PCIe link downgraded: {after}"));
        }
        _ => {}
    }
    findings
}

/// Bytes written as the drive counts them beside those of the record's cells. The drive counts in
/// units of 512,000 bytes or so, and also what counts for no cell: hand-overs, broken rounds and
/// the stamps of a purge.
fn written(state: &RunState, first: &HealthDone, last: &HealthDone) -> String {
    let difference = |before: Option<u64>, after: Option<u64>| after?.checked_sub(before?);
    let Some(theirs) = difference(first.written_bytes, last.written_bytes) else {
        return String::new();
    };
    let cells = state.attempts.iter().flat_map(|attempt| {
        let rounds = attempt.rounds.iter().flat_map(|round| &round.cells);
        attempt.cells.iter().chain(rounds)
    });
    let ours: u64 = cells.map(|cell: &CellResult| cell.write.bytes).sum();
    format!("; written between them: {theirs} bytes by the drive's count, {ours} in cells")
}
