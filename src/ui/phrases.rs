//! The lines of the terminal: pure texts from records, one rounding each.

use crate::journal::record::{CacheDone, CacheOccasion, RoundClosed, VariableJudged, WindowRecord};
use crate::journal::state::{CellResult, RunState};
use crate::pts::WINDOW_ROUNDS;
use crate::spec::plan::{Plan, PlannedFill, PlannedRounds, PlannedWork};
use crate::stats::Tally;
use crate::units::{Nanos, per_second, to_f64};

/// What a window must keep to hold (clause 2.1.24).
const LIMITS: &str = "(limits: range 20 %, slope 10 %)";

/// What a step is about to do.
pub fn step_started(id: &str, work: &PlannedWork, capacity_bytes: u64) -> String {
    match work {
        PlannedWork::Purge => format!("{id}: the drive is erased"),
        PlannedWork::Fill(fill) => format!("{id}: {}", fill_amount(fill, capacity_bytes)),
        PlannedWork::Rounds(rounds) => format!("{id}: {}", rounds_shape(rounds)),
        PlannedWork::NotBuilt { .. } => id.to_owned(),
    }
}

fn fill_amount(fill: &PlannedFill, capacity_bytes: u64) -> String {
    let times = to_f64(fill.amount.0) / to_f64(capacity_bytes);
    let block = fill.access.block_largest().as_block();
    let (threads, depth) = (fill.access.threads, fill.access.queue_depth);
    let amount = fill.amount.as_capacity();
    format!("{amount} ({times:.2}x capacity) in blocks of {block}, TC {threads} / QD {depth}")
}

fn rounds_shape(rounds: &PlannedRounds) -> String {
    let cells = rounds.possible();
    let skipped = rounds.cells.len() - cells;
    let time = rounds.cell_time.as_span();
    let limit = rounds.rounds_max;
    let left_out = match skipped {
        0 => String::new(),
        count => format!(" ({count} not possible on this drive)"),
    };
    format!("{cells} cells of {time} a round{left_out}, at most {limit} rounds")
}

/// The result of a fill.
pub fn fill_done(cell: &CellResult) -> String {
    let total = cell.total();
    let written = crate::units::Bytes(total.bytes).as_capacity();
    let rate = megabytes(&total, cell.elapsed);
    format!("{written} in {}, {rate}", cell.elapsed.as_span())
}

/// The result of a cell of a round: `RND 4 KiB 0/100  7446.0 IOPS  30.5 MB/s  mean 17.19 ms`.
pub fn cell_done(cell: &CellResult) -> String {
    let total = cell.total();
    let mean = total
        .latency_ns_mean()
        .map_or("no I/O completed".to_owned(), |ns| {
            format!("mean {:.3} ms", ns / 1e6)
        });
    format!(
        "{:<22} {:>14} {:>13}  {mean}",
        cell.label,
        iops(&total, cell.elapsed),
        megabytes(&total, cell.elapsed)
    )
}

/// One line after a round, with every variable's value, range and slope and whether they hold.
pub fn round_closed(closed: &RoundClosed, rounds: &PlannedRounds) -> String {
    let judged = closed
        .variables
        .iter()
        .map(|variable| judged(variable, rounds));
    let variables = judged.collect::<Vec<_>>().join(" | ");
    let is_early = closed
        .variables
        .iter()
        .all(|variable| variable.verdict == "too-few");
    let verdict = match (closed.steady, is_early) {
        (true, _) => format!("STEADY {LIMITS}"),
        (false, true) => format!("(first decision after {WINDOW_ROUNDS} rounds)"),
        (false, false) => format!("not steady yet {LIMITS}"),
    };
    format!("round {} {verdict}: {variables}", closed.round)
}

fn judged(judged: &VariableJudged, rounds: &PlannedRounds) -> String {
    let planned = rounds.tracked.iter().chain(&rounds.watched);
    let metric = planned
        .into_iter()
        .find(|v| v.label == judged.variable)
        .map(|v| v.metric);
    let value = match (metric, judged.amount, judged.per) {
        (Some(metric), Some(amount), Some(per)) if per > 0 => {
            let value = to_f64(amount) * metric.scale() / to_f64(per);
            format!("{value:.1} {}", metric.unit())
        }
        _ => "no value".to_owned(),
    };
    let evidence = match &judged.window {
        Some(window) => format!(", {}", window_phrase(window)),
        None if judged.verdict == "invalid" => ", a round of the window has no value".to_owned(),
        None => String::new(),
    };
    format!("{} {value}{evidence}", judged.variable)
}

fn window_phrase(window: &WindowRecord) -> String {
    let percent = |part: f64| 100.0 * part / window.mean;
    let holds = match (window.data_holds, window.slope_holds) {
        (true, true) => "holds",
        (false, true) => "range too large",
        (true, false) => "slope too large",
        (false, false) => "range and slope too large",
    };
    format!(
        "range {:.1} %, slope {:.1} %: {holds}",
        percent(window.data_excursion),
        percent(window.slope_excursion)
    )
}

/// What a resume goes on with: what was thrown away, and how far it may still go.
pub fn resumed(state: &RunState, plan: &Plan, pause: Option<Nanos>) -> String {
    let after = match pause {
        None => "resumed after an unknown time (the clock went back)".to_owned(),
        Some(Nanos(0)) => "resumed".to_owned(),
        Some(pause) => format!("resumed after {}", pause.as_span()),
    };
    let Some(attempt) = state.attempts.last().filter(|attempt| !attempt.is_done) else {
        return after;
    };
    let step = &plan.steps[attempt.step_index as usize];
    let begins = match &step.work {
        PlannedWork::Rounds(rounds) => {
            let broken = attempt.rounds.last().filter(|round| round.closed.is_none());
            let thrown = broken.map_or(String::new(), |round| {
                format!("round {} was broken and counts for nothing; ", round.number)
            });
            let limit = rounds.rounds_max;
            format!("{thrown}rounds go on, at most {limit} from here")
        }
        PlannedWork::Fill(_) => format!(
            "{} was broken off and begins again, from the purge before it",
            step.id
        ),
        PlannedWork::Purge => format!("{} begins again", step.id),
        PlannedWork::NotBuilt { .. } => return after,
    };
    format!("{after}: {begins}")
}

/// The parts of a live line that fit into `width` columns, in their order. The higher a part's
/// number, the earlier it is dropped.
pub fn fit(parts: &[(u8, String)], width: usize) -> String {
    let mut limit = u8::MAX;
    loop {
        let kept = parts.iter().filter(|(rank, _)| *rank <= limit);
        let texts: Vec<&str> = kept.clone().map(|(_, text)| text.as_str()).collect();
        let line = texts.join("  ");
        let worst = kept.map(|(rank, _)| *rank).max().unwrap_or(0);
        if line.chars().count() <= width || worst == 0 {
            return line;
        }
        limit = worst - 1;
    }
}

/// I/Os a second.
pub fn iops(tally: &Tally, elapsed: Nanos) -> String {
    per_second(tally.ios, elapsed).map_or("-".to_owned(), |rate| format!("{rate:.1} IOPS"))
}

/// Decimal megabytes a second, as the tables of the standard use them.
pub fn megabytes(tally: &Tally, elapsed: Nanos) -> String {
    let rate = per_second(tally.bytes, elapsed);
    rate.map_or("-".to_owned(), |rate| format!("{:.1} MB/s", rate / 1e6))
}

/// What was done with the write cache; `None` where it was as it should be and stays so.
pub(super) fn cache(look: &CacheDone) -> Option<String> {
    let CacheDone {
        occasion,
        before,
        after,
        refusal,
        ..
    } = look;
    let is_changed = before != after;
    let text = match (occasion, refusal) {
        (_, Some(refusal)) => format!("write cache: {after}; {refusal}"),
        (CacheOccasion::Restored, None) => format!("write cache: {after} again, as it was found"),
        (CacheOccasion::AfterPurge, None) if is_changed => {
            format!("write cache: {after}; the purge had switched it {before}")
        }
        (CacheOccasion::Start, None) if is_changed => {
            format!("write cache: {after}; it was found {before}")
        }
        (CacheOccasion::Start | CacheOccasion::AfterPurge | CacheOccasion::End, None) => {
            return None;
        }
    };
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PTS tables and data sheets mean 10^6 by MB (field report 20).
    #[test]
    fn a_mebibyte_a_second_is_1_048576_mb() {
        let tally = Tally {
            ios: 1,
            bytes: 1 << 20,
            ..Tally::default()
        };
        assert_eq!(megabytes(&tally, Nanos::from_secs(1)), "1.0 MB/s");
        let ten = Tally {
            bytes: 10 << 20,
            ..tally
        };
        assert_eq!(megabytes(&ten, Nanos::from_secs(1)), "10.5 MB/s");
    }

    #[test]
    fn a_narrow_terminal_loses_the_least_important_parts_first() {
        let part = |rank, text: &str| (rank, text.to_owned());
        let parts = [part(0, "round 3"), part(2, "RND"), part(1, "900 IOPS")];
        assert_eq!(fit(&parts, 80), "round 3  RND  900 IOPS");
        assert_eq!(fit(&parts, 20), "round 3  900 IOPS");
        assert_eq!(fit(&parts, 3), "round 3");
    }

    #[test]
    fn nothing_measured_is_not_zero() {
        assert_eq!(iops(&Tally::default(), Nanos(0)), "-");
    }

    /// Golden window SSD-IOPS-4K: range 300 and slope excursion 25.6 of a mean of 11726.8.
    #[test]
    fn the_evidence_is_in_percent_of_the_mean() {
        let window = WindowRecord {
            round_first: 1,
            mean: 11726.8,
            data_excursion: 300.0,
            slope_per_round: -6.4,
            intercept: 11746.0,
            slope_excursion: 25.6,
            data_holds: true,
            slope_holds: true,
        };
        assert_eq!(window_phrase(&window), "range 2.6 %, slope 0.2 %: holds");
    }
}
