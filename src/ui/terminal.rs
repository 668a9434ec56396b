//! The terminal: a live display where there is one, plain lines where there is none.
//!
//! Lines that stay: the beginning and end of each step, and one line after each round. On a
//! terminal a bar below them shows phase, round, cell, live rates and estimates; elsewhere each
//! cell has a line of its own.

use std::io::Write;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::journal::Entry;
use crate::journal::record::{CellDone, Line, Record};
use crate::journal::samples::SampleRow;
use crate::journal::state::{Attempt, CellResult, RunState};
use crate::spec::plan::{Plan, PlannedRounds, PlannedWork};
use crate::ui::pace::{self, Pace};
use crate::ui::phrases;
use crate::units::{Bytes, Nanos};

/// Columns beside the message of a fill: its name, percentage and bar.
const FILL_COLUMNS: usize = 22;
/// Columns beside the message of rounds.
const SPINNER_COLUMNS: usize = 2;

/// Watches one run.
pub struct Terminal<'run> {
    plan: &'run Plan,
    state: RunState,
    out: &'run mut dyn Write,
    bar: Option<ProgressBar>,
    pace: Pace,
    started: Instant,
    /// Sum of the spans seen, in all steps.
    drive_passed: Nanos,
    /// Of the running cell.
    in_cell: Nanos,
    /// Of the running fill.
    written_bytes: u64,
}

impl std::fmt::Debug for Terminal<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Terminal")
            .field("is_live", &self.bar.is_some())
            .finish_non_exhaustive()
    }
}

impl<'run> Terminal<'run> {
    /// A watcher that starts from `state`. `is_live` draws a bar below the lines; until a step
    /// begins it shows `waiting`.
    pub fn new(
        plan: &'run Plan,
        state: RunState,
        is_live: bool,
        waiting: &str,
        out: &'run mut dyn Write,
    ) -> Self {
        let bar = is_live.then(|| {
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stdout());
            bar.set_style(style("{spinner} {msg}"));
            bar.set_message(waiting.to_owned());
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        Self {
            plan,
            state,
            out,
            bar,
            pace: Pace::default(),
            started: Instant::now(),
            drive_passed: Nanos(0),
            in_cell: Nanos(0),
            written_bytes: 0,
        }
    }

    /// Shows entries until the run ends.
    pub async fn watch(mut self, mut entries: UnboundedReceiver<Entry>) {
        while let Some(entry) = entries.recv().await {
            match entry {
                Entry::Record { line, .. } => self.record(&line),
                Entry::Sample(row) => self.sample(&row),
            }
        }
        self.clear();
    }

    /// Takes the bar away; lines go on.
    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn record(&mut self, line: &Line) {
        // The driver has folded the same line before it was sent.
        if self.state.apply(line).is_err() {
            return;
        }
        match &line.record {
            Record::StepStarted(started) => {
                let step = &self.plan.steps[started.step_index as usize];
                let capacity = self.plan.geometry.capacity.0;
                let text = phrases::step_started(&step.id, &step.work, capacity);
                self.begin_step(&step.work);
                self.say(&text);
            }
            Record::Purged(purged) => {
                let time = Nanos(purged.ended_ns.saturating_sub(purged.started_ns)).as_span();
                self.say(&format!(
                    "purge: {} in {time}; {}",
                    purged.method, purged.verification
                ));
            }
            Record::CellDone(cell) => self.cell(cell),
            Record::RoundClosed(closed) => {
                let step = &self.plan.steps[closed.step_index as usize];
                if let PlannedWork::Rounds(rounds) = &step.work {
                    self.say(&phrases::round_closed(closed, rounds));
                }
            }
            Record::Cache(look) => {
                if let Some(text) = phrases::cache(look) {
                    self.say(&text);
                }
            }
            Record::Warning(warning) => self.say(&format!("warning: {}", warning.text)),
            Record::Interrupted(stop) => self.say(&format!("interrupted: {}", stop.cause)),
            Record::Resumed(resumed) => {
                let pause = resumed.pause_s.map(Nanos::from_secs);
                self.say(&phrases::resumed(&self.state, self.plan, pause));
            }
            Record::RunClosed(_) => self.clear(),
            Record::RunOpened(_)
            | Record::StepDone(_)
            | Record::Health(_)
            | Record::Annotated(_) => {}
        }
    }

    fn cell(&mut self, cell: &CellDone) {
        self.in_cell = Nanos(0);
        let step = &self.plan.steps[cell.step_index as usize];
        let Some(result) = self.last_cell() else {
            return;
        };
        match &step.work {
            PlannedWork::Fill(_) => {
                let text = format!("{}: {}", result.label, phrases::fill_done(&result));
                self.say(&text);
            }
            PlannedWork::Rounds(rounds) => {
                let place = self.cells_done();
                let all = rounds.possible();
                if self.bar.is_none() {
                    let round = cell.round;
                    let text = phrases::cell_done(&result);
                    self.say(&format!("round {round} cell {place:>2}/{all}  {text}"));
                }
                if let Some(bar) = &self.bar {
                    bar.set_position(place);
                }
            }
            PlannedWork::Purge | PlannedWork::NotBuilt { .. } => {}
        }
    }

    fn sample(&mut self, row: &SampleRow) {
        self.drive_passed.0 += row.span.0;
        let waited = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.pace.note(self.drive_passed, Nanos(waited));
        if row.is_hand_over {
            return;
        }
        self.in_cell.0 += row.span.0;
        self.written_bytes += row.write.bytes + row.read.bytes;
        let Some(bar) = &self.bar else { return };
        let mut total = row.read;
        total.merge(&row.write);
        let rates = (
            phrases::iops(&total, row.span),
            phrases::megabytes(&total, row.span),
        );
        let parts = match self.work() {
            Some(PlannedWork::Fill(_)) => self.fill_parts(bar, rates),
            Some(PlannedWork::Rounds(rounds)) => self.round_parts(rounds, row, rates),
            Some(PlannedWork::Purge | PlannedWork::NotBuilt { .. }) | None => return,
        };
        let beside = match self.work() {
            Some(PlannedWork::Fill(_)) => FILL_COLUMNS,
            Some(_) | None => SPINNER_COLUMNS,
        };
        bar.set_message(phrases::fit(&parts, columns().saturating_sub(beside)));
    }

    fn fill_parts(&self, bar: &ProgressBar, (iops, mb): (String, String)) -> Vec<(u8, String)> {
        bar.set_position(self.written_bytes);
        let left = bar.length().unwrap_or(0).saturating_sub(self.written_bytes);
        let passed = u128::from(self.in_cell.0.max(1));
        let needs = u128::from(left) * passed / u128::from(self.written_bytes.max(1));
        let wait = self
            .pace
            .wait_for(Nanos(u64::try_from(needs).unwrap_or(u64::MAX)));
        vec![(0, mb), (2, iops), (1, format!("ends in {}", rough(wait)))]
    }

    fn round_parts(
        &self,
        rounds: &PlannedRounds,
        row: &SampleRow,
        (iops, mb): (String, String),
    ) -> Vec<(u8, String)> {
        let done = self.cells_done();
        let left = pace::remaining(rounds, &self.state, self.step_index(), done, self.in_cell);
        let label = &rounds.cells[row.cell_index as usize].label;
        let place = format!(
            "round {} cell {}/{}",
            row.round.unwrap_or(0),
            done + 1,
            rounds.possible()
        );
        let round = format!("ends in {}", rough(self.pace.wait_for(left.round)));
        let limit = format!(
            "round {} in {}",
            rounds.rounds_max,
            rough(self.pace.wait_for(left.limit))
        );
        vec![
            (0, place),
            (4, label.clone()),
            (1, iops),
            (2, mb),
            (3, round),
            (5, limit),
        ]
    }

    fn begin_step(&mut self, work: &PlannedWork) {
        self.in_cell = Nanos(0);
        self.written_bytes = 0;
        let Some(bar) = &self.bar else { return };
        let (length, template) = match work {
            PlannedWork::Fill(fill) => (fill.amount.0, "fill {percent:>3} % {bar:8} {msg}"),
            PlannedWork::Rounds(rounds) => {
                let cells = u64::try_from(rounds.possible()).expect("cells of a loop");
                (cells, "{spinner} {msg}")
            }
            PlannedWork::Purge => (1, "purge {spinner} {elapsed}"),
            PlannedWork::NotBuilt { .. } => (1, "{msg}"),
        };
        bar.set_style(style(template));
        bar.set_length(length);
        bar.set_position(0);
        bar.set_message("");
    }

    /// A line that stays, with the time of its record.
    fn say(&mut self, text: &str) {
        let time = self.state.last_at.format("%H:%M:%S");
        let line = format!("{time}  {text}");
        match &self.bar {
            Some(bar) => bar.println(line),
            // A closed pipe must not stop a run.
            None => drop(writeln!(self.out, "{line}")),
        }
    }

    fn attempt(&self) -> Option<&Attempt> {
        self.state.attempts.last()
    }

    fn step_index(&self) -> u32 {
        self.attempt().map_or(0, |attempt| attempt.step_index)
    }

    fn work(&self) -> Option<&'run PlannedWork> {
        let index = self.attempt()?.step_index as usize;
        self.plan.steps.get(index).map(|step| &step.work)
    }

    /// Cells of the open round that are done.
    fn cells_done(&self) -> u64 {
        let round = self.attempt().and_then(|attempt| attempt.rounds.last());
        let open = round.filter(|round| round.closed.is_none());
        open.map_or(0, |round| {
            u64::try_from(round.cells.len()).expect("cells of a round")
        })
    }

    fn last_cell(&self) -> Option<CellResult> {
        let attempt = self.attempt()?;
        let of_round = attempt.rounds.last().and_then(|round| round.cells.last());
        of_round.or(attempt.cells.last()).cloned()
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a constant template")
}

/// Columns of the terminal now; it may have been resized.
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    size.map_or(80, |size| usize::from(size.ws_col).max(20))
}

/// An estimate to the minute, or to the second when it is short.
fn rough(time: Nanos) -> String {
    let seconds = time.0.div_ceil(1_000_000_000);
    Nanos::from_secs(seconds).as_span()
}

/// The line in front of a run: which drive, how large, where the record goes.
pub fn greeting(state: &RunState, folder: &str) -> String {
    let drive = &state.opened.drive;
    let capacity = Bytes(drive.capacity_bytes).as_capacity();
    let serial = drive.serial.as_deref().unwrap_or("without serial number");
    let block = drive.logical_block_bytes;
    let scale = match &drive.scale {
        Some(scale) => format!("\nSIMULATED: {scale}"),
        None => String::new(),
    };
    format!(
        "{} {serial}, {capacity}, {block}-byte logical blocks; record in {folder}{scale}",
        drive.model
    )
}
