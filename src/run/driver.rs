//! Does what the machine decides: commands to the drive, its events into records.
//!
//! The driver never waits for a disk while a drive works, except before what destroys (purge and
//! fill wait for their *started* record). The round that follows is queued before the running one
//! ends, so the stimulus does not stop; it is cancelled when the window holds.
//!
//! A simulated drive is a function of its profile, seed and commands: after an interruption it is
//! rebuilt by going the same way again. The records that exist are then not written but compared
//! with what the drive gives now, one by one, so a resume can only go on from the same state.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use crate::drive::{Command, Drive, Event, Failure, PurgeMethod};
use crate::journal::Entry;
use crate::journal::record::{
    CacheOccasion, Interrupted, Line, Record, Resumed, RunClosed, StepDone, StepStarted,
};
use crate::journal::recorder::Recorder;
use crate::journal::state::RunState;
use crate::run::absence::Absence;
use crate::run::ending::{DriverError, Ending, Halt};
use crate::run::machine::{self, Action, Outcome, Stretch};
use crate::run::records;
use crate::spec::plan::{Plan, PlannedWork};
use crate::units::Nanos;

/// A program that did not run for longer than this while cells ran has interrupted them.
const ABSENT_MIN: Nanos = Nanos::from_secs(1);
/// How long outstanding I/Os may take to complete when a run is stopped.
const STOP_TIME_MAX: Duration = Duration::from_secs(30);

/// Everything a driver works with.
#[derive(Debug)]
pub struct Driver<'run> {
    /// The effective plan.
    pub plan: &'run Plan,
    /// The drive.
    pub drive: &'run mut dyn Drive,
    /// How to purge.
    pub purge_method: PurgeMethod,
    /// The state so far; at a fresh start only the opening record.
    pub state: RunState,
    /// Records that exist and must be repeated before anything is written.
    pub replay: VecDeque<Line>,
    /// What to record before the first new action of a resumed run.
    pub resumed: Option<Resumed>,
    /// Writes to disk.
    pub recorder: Recorder,
    /// Told every entry when it is handed to the recorder.
    pub watcher: UnboundedSender<Entry>,
    /// Requests to stop, each with its cause.
    pub stops: UnboundedReceiver<String>,
    /// How long this program has not run.
    pub absence: Absence,
    /// What the drive does.
    pub position: Position,
    /// Latest time seen on the drive's clock.
    pub drive_time: Nanos,
}

/// How watching a programme came to its end.
#[derive(Debug)]
enum Watched {
    Ended,
    /// This program did not run for so long meanwhile.
    Absent(Nanos),
}

/// What the drive does, as far as the driver has been told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// Nothing runs and nothing is queued.
    Idle,
    /// A programme has ended and its end has not been answered.
    Border {
        /// What is queued behind it.
        queued: Option<Stretch>,
    },
}

impl Driver<'_> {
    /// Runs until the plan is done, something fails, or a stop is asked for.
    ///
    /// # Errors
    /// [`DriverError`] when the drive's threads are gone or a replay differs.
    pub async fn run(mut self) -> Result<(Ending, RunState), DriverError> {
        let ending = match self.work().await {
            Ok(outcome) => Ending::Closed(outcome),
            Err(Halt::Error(error)) => {
                self.recorder.finish();
                return Err(error);
            }
            Err(Halt::Stop(cause)) => self.interrupt(&cause).await,
            Err(Halt::DiskFull(error)) => {
                let cause = format!("results disk full: {error}; free space there and resume");
                self.interrupt(&cause).await
            }
            Err(Halt::Failure(failure)) => {
                let cause = match &failure {
                    Failure::Io { .. } => format!("I/O error: {failure}"),
                    Failure::WrongData { .. }
                    | Failure::Silent { .. }
                    | Failure::Purge { .. }
                    | Failure::Engine { .. } => failure.to_string(),
                };
                self.interrupt_by(&cause, Some(&failure)).await;
                Ending::Failed { cause }
            }
        };
        self.restore_cache().await;
        self.drive.link().send(Command::Close);
        self.recorder.finish();
        Ok((ending, self.state))
    }

    async fn work(&mut self) -> Result<Outcome, Halt> {
        let mut is_prepared = false;
        loop {
            if self.repeat_pause().await? {
                continue;
            }
            if !is_prepared {
                is_prepared = true;
                self.look_at_health().await?;
                self.control_cache(CacheOccasion::Start).await?;
            }
            let action = machine::next(self.plan, &self.state);
            tracing::info!(?action, drive_time_ns = self.drive_time.0, "next");
            match action {
                Action::Start { step_index } => self.start(step_index).await?,
                Action::Finish { step_index } => {
                    self.record(Record::StepDone(StepDone { step_index }))?;
                }
                Action::Purge { step_index } => self.purge(step_index).await?,
                Action::Run(stretch) => self.stretch(stretch).await?,
                Action::Close(outcome) => {
                    self.close(outcome).await?;
                    return Ok(outcome);
                }
            }
        }
    }

    async fn start(&mut self, step_index: u32) -> Result<(), Halt> {
        let step = &self.plan.steps[step_index as usize];
        let destroys = match step.work {
            PlannedWork::Purge | PlannedWork::Fill(_) => true,
            PlannedWork::Rounds(_) | PlannedWork::NotBuilt { .. } => false,
        };
        let record = Record::StepStarted(StepStarted {
            step_index,
            step: step.id.clone(),
        });
        if destroys {
            self.record_and_wait(record).await
        } else {
            self.record(record)
        }
    }

    async fn purge(&mut self, step_index: u32) -> Result<(), Halt> {
        self.settle().await?;
        self.drive.link().send(Command::Purge(self.purge_method));
        loop {
            match self.event().await? {
                Event::Purged(purged) => {
                    self.drive_time = purged.ended;
                    self.record(Record::Purged(records::purge(step_index, &purged)))?;
                    return self.control_cache(CacheOccasion::AfterPurge).await;
                }
                Event::Failed(failure) => return Err(Halt::Failure(failure)),
                Event::Tick(_)
                | Event::Cache(_)
                | Event::Health(_)
                | Event::CellDone(_)
                | Event::ProgrammeDone { .. }
                | Event::Stopped { .. } => {}
            }
        }
    }

    /// Runs one programme to its end and queues the one behind it.
    async fn stretch(&mut self, stretch: Stretch) -> Result<(), Halt> {
        let repeat = self.cells_to_repeat(stretch);
        if self.position
            == (Position::Border {
                queued: Some(stretch),
            })
        {
            self.drive.link().send(Command::Proceed);
        } else {
            self.settle().await?;
            self.send_programme(stretch, repeat);
        }
        let behind = match repeat {
            Some(_) => None,
            None => machine::following(self.plan, &self.state, stretch),
        };
        let behind = behind.filter(|next| self.queue(stretch, *next));
        if let Watched::Absent(time) = self.watch().await? {
            return self.wake(time).await;
        }
        self.position = Position::Border { queued: behind };
        if stretch.round > 0 && self.closes_round() {
            self.close_round(stretch.step_index)?;
        }
        Ok(())
    }

    /// Queues a stretch behind the running one; `false` if an interruption came before its first
    /// cell, so that there is nothing of it to repeat.
    fn queue(&mut self, running: Stretch, next: Stretch) -> bool {
        let repeat = self.cells_to_repeat_after(running, next);
        if repeat == Some(0) {
            return false;
        }
        self.send_programme(next, repeat);
        true
    }

    fn send_programme(&mut self, stretch: Stretch, cells: Option<usize>) {
        let mut programme = machine::programme(self.plan, stretch, self.state.opened.seed);
        if let Some(cells) = cells {
            programme.cells.truncate(cells);
        }
        self.drive.link().send(Command::Run(programme));
    }

    async fn watch(&mut self) -> Result<Watched, Halt> {
        let absent_before = self.absence.total();
        loop {
            let event = self.event().await?;
            let absent = Nanos(self.absence.total().0.saturating_sub(absent_before.0));
            if absent > ABSENT_MIN {
                return Ok(Watched::Absent(absent));
            }
            match event {
                Event::Tick(tick) => self.sample(&tick),
                Event::CellDone(measured) => self.cell(&measured)?,
                Event::ProgrammeDone { at } => {
                    self.drive_time = at;
                    return Ok(Watched::Ended);
                }
                Event::Failed(failure) => return Err(Halt::Failure(failure)),
                // The late answer to a cancel that crossed the end of a programme.
                Event::Purged(_) | Event::Cache(_) | Event::Health(_) | Event::Stopped { .. } => {}
            }
        }
    }

    async fn close(&mut self, outcome: Outcome) -> Result<(), Halt> {
        self.settle().await?;
        self.look_at_health().await?;
        self.control_cache(CacheOccasion::End).await?;
        self.control_cache(CacheOccasion::Restored).await?;
        let samples = self.recorder.end_samples().await;
        let closed = RunClosed {
            outcome: outcome.word().to_owned(),
            samples_rows: samples.rows,
            samples_sha256: samples.sha256,
        };
        self.record_and_wait(Record::RunClosed(closed)).await
    }

    /// Makes the drive idle: drops what is queued and waits for what is outstanding.
    pub(super) async fn settle(&mut self) -> Result<(), Halt> {
        if self.position == Position::Idle {
            return Ok(());
        }
        self.position = Position::Idle;
        self.drive.link().send(Command::Cancel);
        loop {
            match self.event().await? {
                Event::Stopped { at } => {
                    self.drive_time = at;
                    return Ok(());
                }
                Event::Failed(failure) => return Err(Halt::Failure(failure)),
                Event::Tick(_)
                | Event::Cache(_)
                | Event::Health(_)
                | Event::CellDone(_)
                | Event::ProgrammeDone { .. }
                | Event::Purged(_) => {}
            }
        }
    }

    /// Stops the drive within a bounded time and records why.
    pub(super) async fn interrupt(&mut self, cause: &str) -> Ending {
        self.interrupt_by(cause, None).await
    }

    async fn interrupt_by(&mut self, cause: &str, failure: Option<&Failure>) -> Ending {
        tracing::warn!(cause, "the run is interrupted");
        self.drive.link().send(Command::Cancel);
        let stopped = async {
            while let Some(event) = self.drive.link().next_event().await {
                if matches!(event, Event::Stopped { .. }) {
                    break;
                }
            }
        };
        // A drive that never answers must not keep the record from being written.
        drop(tokio::time::timeout(STOP_TIME_MAX, stopped).await);
        // A closing record that could not be written has not closed the run.
        if self.state.closed.take().is_some() {
            self.state.record_last -= 1;
        }
        if !self.is_repeating() {
            let block = self.plan.geometry.logical_block.0;
            let record = Record::Interrupted(Interrupted {
                cause: cause.to_owned(),
                failed: failure.and_then(|failure| records::failed(failure, block)),
                unanswered: failure.and_then(records::unanswered),
            });
            drop(self.record_and_wait(record).await);
        }
        Ending::Interrupted {
            cause: cause.to_owned(),
        }
    }

    /// The next event of the drive, unless a stop or a full disk comes first.
    pub(super) async fn event(&mut self) -> Result<Event, Halt> {
        loop {
            tokio::select! {
                biased;
                Some(cause) = self.stops.recv() => return Err(Halt::Stop(cause)),
                Some(fault) = self.recorder.fault() => self.fault(fault)?,
                event = self.drive.link().next_event() => {
                    return event.ok_or(Halt::Error(DriverError::DriveGone));
                }
            }
        }
    }
}

/// The date and time of this machine with its time zone, RFC 3339.
pub fn wall_clock() -> String {
    chrono::Local::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, false)
}
