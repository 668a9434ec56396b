//! The state of a run: the fold of its records. The machine decides from it, the report prints it.

use chrono::{DateTime, FixedOffset};

use crate::journal::record::{
    Annotated, ArrivalsRecord, CacheDone, CacheOccasion, FlashRecord, HealthDone, Interrupted,
    PurgeDone, Resumed, RoundClosed, RunClosed, RunOpened, Warning, WorkerRecord,
};
use crate::stats::Tally;
use crate::stimulus::{CellKey, Issued};
use crate::units::Nanos;

/// Everything known of a run.
#[derive(Debug, Clone)]
pub struct RunState {
    /// What it was opened with.
    pub opened: RunOpened,
    /// When.
    pub opened_at: DateTime<FixedOffset>,
    /// Steps that were started, in order; a step that was begun again stands here twice.
    pub attempts: Vec<Attempt>,
    /// Warnings.
    pub warnings: Vec<Noted<Warning>>,
    /// What was found and done with the write cache.
    pub caches: Vec<Noted<CacheDone>>,
    /// What the drive told of its health.
    pub healths: Vec<Noted<HealthDone>>,
    /// Fields supplied later.
    pub annotations: Vec<Noted<Annotated>>,
    /// Stops before the end, each with what came after.
    pub interruptions: Vec<Interruption>,
    /// The end, if it is reached.
    pub closed: Option<Noted<RunClosed>>,
    /// Number of the last record (line), from 1.
    pub record_last: u64,
    /// Date of the last record.
    pub last_at: DateTime<FixedOffset>,
}

/// A record with its place in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Noted<T> {
    /// Line number, from 1.
    pub record: u64,
    /// Its date.
    pub at: DateTime<FixedOffset>,
    /// What it says.
    pub what: T,
}

/// One try at a step.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// Index of the step in the plan.
    pub step_index: u32,
    /// Its id: `fill`, `rounds`.
    pub step: String,
    /// Part of the run between two interruptions, from 0.
    pub segment: u32,
    /// Line of its start.
    pub record: u64,
    /// Its date.
    pub at: DateTime<FixedOffset>,
    /// The purge, in a purge step that ended.
    pub purged: Option<Noted<PurgeDone>>,
    /// Cells of a step without rounds.
    pub cells: Vec<CellResult>,
    /// Rounds of a step with rounds.
    pub rounds: Vec<RoundResult>,
    /// Whether the step ended.
    pub is_done: bool,
}

/// A round, complete or broken.
#[derive(Debug, Clone)]
pub struct RoundResult {
    /// From 1; numbers go on after an interruption.
    pub number: u32,
    /// Its segment.
    pub segment: u32,
    /// Its cells in the order of execution.
    pub cells: Vec<CellResult>,
    /// The judgement; `None` while it runs, and for ever if an interruption broke it.
    pub closed: Option<Noted<RoundClosed>>,
}

/// What a cell returned.
#[derive(Debug, Clone, PartialEq)]
pub struct CellResult {
    /// Line of its record.
    pub record: u64,
    /// Its name for programs.
    pub key: CellKey,
    /// Its name for people.
    pub label: String,
    /// Start on the drive's clock.
    pub started: Nanos,
    /// Time on its own clock.
    pub elapsed: Nanos,
    /// Reads.
    pub read: Tally,
    /// Writes.
    pub write: Tally,
    /// Histogram of reads as it stands in the journal.
    pub read_histogram: Option<String>,
    /// Histogram of writes as it stands in the journal.
    pub write_histogram: Option<String>,
    /// Idle gap before it, where it was measured.
    pub idle_gap: Option<Nanos>,
    /// Overlap with the cell before.
    pub hand_over: Nanos,
    /// I/Os of the hand-over.
    pub hand_over_ios: u64,
    /// What an open loop asked for; `None` in a closed loop.
    pub arrivals: Option<ArrivalsRecord>,
    /// Reads and writes issued, completed or not.
    pub issued: Option<Issued>,
    /// How busy each worker was; empty where there are none.
    pub workers: Vec<WorkerRecord>,
    /// Why the host may have been the limit.
    pub host_limited: Option<String>,
    /// Flash operations.
    pub flash: Option<FlashRecord>,
}

/// A stop and what followed.
#[derive(Debug, Clone, PartialEq)]
pub struct Interruption {
    /// The stop as recorded; `None` after a crash, which records nothing.
    pub interrupted: Option<Noted<Interrupted>>,
    /// The resume; `None` while the run stands still.
    pub resumed: Option<Noted<Resumed>>,
    /// Last complete round before it, if it fell into rounds.
    pub after_round: Option<u32>,
}

impl Attempt {
    /// The cells of a fill, without the reads behind it that compare what it wrote.
    pub fn fill_cells(&self) -> &[CellResult] {
        let is_read_back = |cell: &CellResult| cell.key.cell_index > 0;
        let end = self.cells.iter().position(is_read_back);
        &self.cells[..end.unwrap_or(self.cells.len())]
    }
}

impl CellResult {
    /// Reads and writes together.
    pub fn total(&self) -> Tally {
        let mut total = self.read;
        total.merge(&self.write);
        total
    }
}

impl RunState {
    /// The write cache as it stood for the test: as last read back before it was given back.
    pub fn write_cache(&self) -> &str {
        let looks = self.caches.iter().rev();
        looks
            .map(|noted| &noted.what)
            .find(|look| look.occasion != CacheOccasion::Restored)
            .map_or(&self.opened.drive.write_cache, |look| &look.after)
    }

    /// The latest attempt at a step.
    pub fn attempt(&self, step_index: u32) -> Option<&Attempt> {
        self.attempts
            .iter()
            .rev()
            .find(|attempt| attempt.step_index == step_index)
    }

    /// All rounds of a step in the order of their numbers, broken ones included.
    pub fn rounds(&self, step_index: u32) -> impl Iterator<Item = &RoundResult> {
        let attempts = self
            .attempts
            .iter()
            .filter(move |a| a.step_index == step_index);
        attempts.flat_map(|attempt| &attempt.rounds)
    }

    /// The last closed round of a step, with its judgement.
    pub fn round_last(&self, step_index: u32) -> Option<&RoundResult> {
        self.rounds(step_index)
            .filter(|round| round.closed.is_some())
            .last()
    }
}
