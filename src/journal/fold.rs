//! The fold: each record changes the state in one way, or is refused.
//!
//! | record | allowed when | changes |
//! | --- | --- | --- |
//! | run opened | first | begins the state |
//! | step started | not closed | a new attempt |
//! | purged | the last attempt is open | its purge |
//! | cell done | the last attempt is that step's and open | its cells, or the cells of its round |
//! | round closed | that round holds cells and is open | its judgement |
//! | step done | the last attempt is that step's | ends it |
//! | interrupted, resumed | not closed | the interruptions; results of the attempt end |
//! | warning | not closed | the warnings |
//! | health | not closed | what the drive told of its health |
//! | cache | not closed | the states of the write cache |
//! | annotated | always | the annotations |
//! | run closed | not closed | the end |

use chrono::{DateTime, FixedOffset};

use crate::journal::record::{CellDone, FlowRecord, Line, Record, RoundClosed};
use crate::journal::state::{Attempt, CellResult, Interruption, Noted, RoundResult, RunState};
use crate::stats::Tally;
use crate::stimulus::{CellKey, Issued};
use crate::units::Nanos;

/// Why a record cannot follow those before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    /// The first record is another one.
    #[error("the first record must open the run")]
    NotOpened,
    /// A second opening.
    #[error("the run is opened a second time")]
    OpenedTwice,
    /// A record after the end.
    #[error("'{record}' after the run was closed")]
    AfterClosed {
        /// Kind of the record.
        record: &'static str,
    },
    /// A result without its step.
    #[error("'{record}' of step {step_index}, which is not the open step")]
    StepNotOpen {
        /// Kind of the record.
        record: &'static str,
        /// Index of the step.
        step_index: u32,
    },
    /// A judgement without its round.
    #[error("'round-closed' of round {round}, which is not the open round")]
    RoundNotOpen {
        /// Number of the round.
        round: u32,
    },
    /// A date that is none.
    #[error("'{text}' is not a date with time zone (RFC 3339)")]
    Date {
        /// The text.
        text: String,
    },
}

impl RunState {
    /// Begins a state with the opening record.
    ///
    /// # Errors
    /// [`FoldError`] if the line is another record or has no date.
    pub fn open(line: &Line) -> Result<Self, FoldError> {
        let Record::RunOpened(opened) = &line.record else {
            return Err(FoldError::NotOpened);
        };
        let at = date(&line.at)?;
        Ok(Self {
            opened: (**opened).clone(),
            opened_at: at,
            attempts: Vec::new(),
            warnings: Vec::new(),
            annotations: Vec::new(),
            caches: Vec::new(),
            healths: Vec::new(),
            interruptions: Vec::new(),
            closed: None,
            record_last: 1,
            last_at: at,
        })
    }

    /// Applies the next record.
    ///
    /// # Errors
    /// [`FoldError`] if it cannot follow those before it; the state is then unchanged.
    pub fn apply(&mut self, line: &Line) -> Result<(), FoldError> {
        let at = date(&line.at)?;
        let record = self.record_last + 1;
        let kind = name_of(&line.record);
        if self.closed.is_some() && !matches!(line.record, Record::Annotated(_)) {
            return Err(FoldError::AfterClosed { record: kind });
        }
        match &line.record {
            Record::RunOpened(_) => return Err(FoldError::OpenedTwice),
            Record::StepStarted(started) => {
                let attempt = Attempt {
                    step_index: started.step_index,
                    step: started.step.clone(),
                    segment: self.segment(),
                    record,
                    at,
                    purged: None,
                    cells: Vec::new(),
                    rounds: Vec::new(),
                    is_done: false,
                };
                self.attempts.push(attempt);
            }
            Record::Purged(purged) => {
                let attempt = self.open_attempt(kind, purged.step_index)?;
                attempt.purged = Some(noted(record, at, purged));
            }
            Record::CellDone(cell) => {
                let attempt = self.open_attempt(kind, cell.step_index)?;
                attempt.add_cell(cell_result(record, cell));
            }
            Record::RoundClosed(closed) => {
                let attempt = self.open_attempt(kind, closed.step_index)?;
                attempt.close_round(noted(record, at, closed))?;
            }
            Record::StepDone(done) => self.unfinished(kind, done.step_index)?.is_done = true,
            Record::Warning(warning) => self.warnings.push(noted(record, at, warning)),
            Record::Health(health) => self.healths.push(noted(record, at, &**health)),
            Record::Cache(cache) => self.caches.push(noted(record, at, cache)),
            Record::Annotated(fields) => self.annotations.push(noted(record, at, fields)),
            Record::Interrupted(cause) => {
                let after_round = self.last_closed_round();
                let interrupted = Some(noted(record, at, cause));
                self.interruptions.push(Interruption {
                    interrupted,
                    resumed: None,
                    after_round,
                });
            }
            Record::Resumed(resumed) => {
                let after_round = self.last_closed_round();
                let resumed = Some(noted(record, at, &**resumed));
                match self.interruptions.last_mut() {
                    Some(last) if last.resumed.is_none() => last.resumed = resumed,
                    _ => self.interruptions.push(Interruption {
                        interrupted: None,
                        resumed,
                        after_round,
                    }),
                }
            }
            Record::RunClosed(closed) => self.closed = Some(noted(record, at, closed)),
        }
        self.record_last = record;
        self.last_at = at;
        Ok(())
    }

    /// The part of the run that goes on now: the number of resumes so far.
    pub fn segment(&self) -> u32 {
        let resumes = self
            .interruptions
            .iter()
            .filter(|i| i.resumed.is_some())
            .count();
        u32::try_from(resumes).expect("fewer resumes than 2^32")
    }

    /// The attempt that can take results: results never cross an interruption.
    fn open_attempt(
        &mut self,
        record: &'static str,
        step_index: u32,
    ) -> Result<&mut Attempt, FoldError> {
        let segment = self.segment();
        let attempt = self.unfinished(record, step_index)?;
        if attempt.segment == segment {
            Ok(attempt)
        } else {
            Err(FoldError::StepNotOpen { record, step_index })
        }
    }

    /// The attempt that can end. Its work may have been complete when the run was interrupted.
    fn unfinished(
        &mut self,
        record: &'static str,
        step_index: u32,
    ) -> Result<&mut Attempt, FoldError> {
        self.attempts
            .last_mut()
            .filter(|attempt| attempt.step_index == step_index && !attempt.is_done)
            .ok_or(FoldError::StepNotOpen { record, step_index })
    }

    /// The last complete round before an interruption that falls into rounds, or between the
    /// preconditioning and its first round: then 0. `None` before that.
    fn last_closed_round(&self) -> Option<u32> {
        let last = self.attempts.last()?;
        let is_measured = !last.cells.is_empty() || last.step.starts_with("rounds");
        let round = self
            .round_last(last.step_index)
            .map_or(0, |round| round.number);
        is_measured.then_some(round)
    }
}

impl Attempt {
    fn add_cell(&mut self, cell: CellResult) {
        let number = cell.key.round;
        if number == 0 {
            self.cells.push(cell);
            return;
        }
        match self.rounds.last_mut() {
            Some(round) if round.number == number => round.cells.push(cell),
            _ => self.rounds.push(RoundResult {
                number,
                segment: self.segment,
                cells: vec![cell],
                closed: None,
            }),
        }
    }

    fn close_round(&mut self, closed: Noted<RoundClosed>) -> Result<(), FoldError> {
        let round = closed.what.round;
        match self.rounds.last_mut() {
            Some(open) if open.number == round && open.closed.is_none() => {
                open.closed = Some(closed);
                Ok(())
            }
            _ => Err(FoldError::RoundNotOpen { round }),
        }
    }
}

fn cell_result(record: u64, cell: &CellDone) -> CellResult {
    CellResult {
        record,
        key: CellKey {
            step_index: cell.step_index,
            round: cell.round,
            cell_index: cell.cell_index,
        },
        label: cell.cell.clone(),
        started: Nanos(cell.started_ns),
        elapsed: Nanos(cell.elapsed_ns),
        read: tally(cell.read.as_ref()),
        write: tally(cell.write.as_ref()),
        read_histogram: cell.read.as_ref().map(|flow| flow.histogram.clone()),
        write_histogram: cell.write.as_ref().map(|flow| flow.histogram.clone()),
        idle_gap: cell.idle_gap_ns.map(Nanos),
        hand_over: Nanos(cell.hand_over_ns),
        hand_over_ios: cell.hand_over_ios,
        arrivals: cell.arrivals,
        issued: cell
            .reads_issued
            .zip(cell.writes_issued)
            .map(|(reads, writes)| Issued { reads, writes }),
        workers: cell.workers.clone(),
        host_limited: cell.host_limited.clone(),
        flash: cell.flash,
    }
}

fn tally(flow: Option<&FlowRecord>) -> Tally {
    flow.map_or(Tally::default(), |flow| Tally {
        ios: flow.ios,
        bytes: flow.bytes,
        latency_ns_sum: flow.latency_ns_sum,
        latency_ns_min: flow.latency_ns_min,
        latency_ns_max: flow.latency_ns_max,
    })
}

fn noted<T: Clone>(record: u64, at: DateTime<FixedOffset>, what: &T) -> Noted<T> {
    Noted {
        record,
        at,
        what: what.clone(),
    }
}

fn date(text: &str) -> Result<DateTime<FixedOffset>, FoldError> {
    DateTime::parse_from_rfc3339(text).map_err(|_| FoldError::Date {
        text: text.to_owned(),
    })
}

/// The name of a record's kind as it stands on disk.
pub fn name_of(record: &Record) -> &'static str {
    match record {
        Record::RunOpened(_) => "run-opened",
        Record::StepStarted(_) => "step-started",
        Record::Purged(_) => "purged",
        Record::Cache(_) => "cache",
        Record::Health(_) => "health",
        Record::CellDone(_) => "cell-done",
        Record::RoundClosed(_) => "round-closed",
        Record::StepDone(_) => "step-done",
        Record::Warning(_) => "warning",
        Record::Annotated(_) => "annotated",
        Record::Interrupted(_) => "interrupted",
        Record::Resumed(_) => "resumed",
        Record::RunClosed(_) => "run-closed",
    }
}
