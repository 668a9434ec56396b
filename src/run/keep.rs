//! The keeping half of the driver: what events become in the journal and the samples.

use crate::drive::{Calendar, Measurement, Tick};
use crate::journal::record::{Record, Warning};
use crate::journal::recorder::Fault;
use crate::journal::{Entry, Line, fold, judge};
use crate::run::driver::{Driver, wall_clock};
use crate::run::ending::{DriverError, Halt};
use crate::run::records;
use crate::spec::plan::PlannedWork;
use crate::units::Nanos;

impl Driver<'_> {
    pub(super) fn sample(&mut self, tick: &Tick) {
        self.drive_time = tick.at;
        if self.is_repeating() {
            return;
        }
        let step = &self.plan.steps[tick.key.step_index as usize].id;
        let row = records::sample(tick, self.state.segment(), step);
        self.hand_over(Entry::Sample(row));
    }

    pub(super) fn cell(&mut self, measured: &Measurement) -> Result<(), Halt> {
        self.drive_time = Nanos(measured.started.0 + measured.elapsed.0);
        let step = &self.plan.steps[measured.key.step_index as usize];
        let label = match (&step.work, measured.key.cell_index) {
            (PlannedWork::Rounds(rounds), index) => rounds.cells[index as usize].label.clone(),
            (PlannedWork::Fill(_), 1..) => format!("{}, read back", step.id),
            (PlannedWork::Fill(_) | PlannedWork::Purge | PlannedWork::NotBuilt { .. }, _) => {
                step.id.clone()
            }
        };
        self.record(Record::CellDone(Box::new(records::cell(measured, &label))))
    }

    pub(super) fn close_round(&mut self, step_index: u32) -> Result<(), Halt> {
        let PlannedWork::Rounds(rounds) = &self.plan.steps[step_index as usize].work else {
            return Ok(());
        };
        let attempt = self
            .state
            .attempt(step_index)
            .expect("the round belongs to an attempt");
        let closed = judge::last_round(rounds, attempt).expect("the round has cells");
        self.record(Record::RoundClosed(closed))
    }

    pub(super) fn fault(&mut self, fault: Fault) -> Result<(), Halt> {
        tracing::error!(?fault, "a result could not be written");
        match fault {
            Fault::Journal(error) => Err(Halt::DiskFull(error)),
            Fault::Samples(error) => self.record(Record::Warning(Warning {
                kind: "samples-stopped".to_owned(),
                text: format!("per-second samples end here, they could not be written: {error}"),
            })),
        }
    }

    pub(super) fn record(&mut self, record: Record) -> Result<(), Halt> {
        if let Some(entry) = self.fold(record)? {
            self.hand_over(entry);
        }
        Ok(())
    }

    pub(super) async fn record_and_wait(&mut self, record: Record) -> Result<(), Halt> {
        if let Some(entry) = self.fold(record)? {
            drop(self.watcher.send(entry.clone()));
            self.recorder.write_and_wait(entry).await;
        }
        while let Some(fault) = self.recorder.fault_now() {
            if let (Fault::Samples(_), true) = (&fault, self.state.closed.is_some()) {
                // Nothing can be said of them any more; their digest was taken before.
                continue;
            }
            self.fault(fault)?;
        }
        Ok(())
    }

    /// Applies a record to the state. In a replay it must equal the one that exists, and nothing
    /// is written.
    pub(super) fn fold(&mut self, record: Record) -> Result<Option<Entry>, Halt> {
        self.skip_notes();
        let number = self.state.record_last + 1;
        let kind = fold::name_of(&record);
        if let Some(line) = self.replay.pop_front() {
            if line.record != record {
                return Err(Halt::Error(DriverError::Replay {
                    record: number,
                    kind,
                }));
            }
            self.state
                .apply(&line)
                .expect("the reader has folded it before");
            return Ok(None);
        }
        let at = self.date();
        let line = Line { at, record };
        self.state
            .apply(&line)
            .expect("the machine only makes records that can follow");
        Ok(Some(Entry::Record {
            number,
            line: Box::new(line),
        }))
    }

    pub(super) fn hand_over(&self, entry: Entry) {
        // Nobody may be watching.
        drop(self.watcher.send(entry.clone()));
        self.recorder.write(entry);
    }

    /// The date of the next record. A simulated drive that was rebuilt stands at an earlier time
    /// than the one that was interrupted; its calendar waits until it has caught up.
    fn date(&self) -> String {
        let calendar = self.drive.calendar();
        let at = records::date(calendar, self.drive_time, wall_clock);
        let last = records::date_text(self.state.last_at);
        match calendar {
            Calendar::Virtual { .. } if at < last => last,
            Calendar::Virtual { .. } | Calendar::Wall => at,
        }
    }
}
