//! How one cell gives way to the next.
//!
//! *Time.* At its deadline a cell stops counting and submitting. Every slot that is free or comes
//! free from then on is filled with an I/O of the next cell. When the last old I/O has completed,
//! the next cell's clock starts. What completes in between counts for neither and is reported
//! apart.
//!
//! *Amount.* When a worker has issued its part, its free slots are filled with the next cell's
//! I/Os, while the other workers go on. All I/Os of an amount count for it: its clock runs from
//! its first submission to its last completion, also where those lie in a hand-over. I/Os of the
//! next cell that complete before that end count for neither cell (unless the next one is an
//! amount too). The tick of such a hand-over lies beside the last ticks of the amount, not after
//! them.
//!
//! Before a cell that reads back what an amount wrote, the amount completes.
//!
//! After the last cell of a programme the next cell is not known before the driver has answered.
//! A cell that ends by time waits for the answer at its deadline with all I/Os in flight, so
//! nothing is lost; one that ends by amount runs dry first, and the next programme begins at the
//! nanosecond of its last completion: an idle gap of 0. What completes after the last programme
//! or after a cancel belongs to no cell and to no tick.

use super::cell::ActiveCell;
use super::{Halt, NEVER, OUTSTANDING_MAX, Session, Slot};
use crate::drive::{Event, Failure, HandOver, Tick};
use crate::stats::Tally;
use crate::stimulus::Cell;
use crate::units::Nanos;

/// A hand-over in progress.
#[derive(Debug)]
pub(super) struct Change {
    began: u64,
    /// First submission of the cell that enters.
    pub(super) first_submission: Option<u64>,
    read: Tally,
    write: Tally,
}

impl Change {
    /// A hand-over that begins.
    pub(super) fn at(began: u64) -> Self {
        Self {
            began,
            first_submission: None,
            read: Tally::default(),
            write: Tally::default(),
        }
    }

    /// Counts a completion that counts for no cell.
    pub(super) fn count(&mut self, is_read: bool, bytes: u64, latency: u64) {
        if is_read {
            self.read.add(bytes, latency);
        } else {
            self.write.add(bytes, latency);
        }
    }
}

impl Session {
    /// Begins the first queued programme; nothing is outstanding.
    pub(super) fn begin_from_idle(&mut self) -> Result<(), Halt> {
        let programme = self.queue.pop_front().ok_or(Halt::Stop)?;
        self.programme = programme.cells.into();
        self.change = Change::at(self.now);
        // A programme that continues the step before has rested since its last completion, when
        // the clock stopped; before any other no gap is measured.
        let step = self.programme.front().map(|cell| cell.key.step_index);
        let rest_from = (step == self.step_last).then_some(self.now);
        self.begin_from_rest(rest_from)?;
        self.settle_cells()
    }

    /// Begins the next cell of the programme with nothing outstanding since `rest_from`; `None`
    /// where no cell went before.
    fn begin_from_rest(&mut self, rest_from: Option<u64>) -> Result<(), Halt> {
        let Some(cell) = self.programme.pop_front() else {
            return Err(Halt::Stop);
        };
        self.enter(&cell)?;
        self.conclude(rest_from)
    }

    /// Makes `cell` the one that enters and fills every free slot of it.
    fn enter(&mut self, cell: &Cell) -> Result<(), Halt> {
        let access = &cell.access;
        let asked = u64::from(access.threads) * u64::from(access.queue_depth);
        if asked == 0 || asked > OUTSTANDING_MAX {
            return Err(Halt::Failed(Failure::Engine {
                cause: format!(
                    "{} threads x queue depth {} are {asked} outstanding I/Os; the simulated \
                     drive holds 1 to {OUTSTANDING_MAX}",
                    access.threads, access.queue_depth
                ),
            }));
        }
        self.step_last = Some(cell.key.step_index);
        let active = ActiveCell::new(cell, self.now);
        if active.slots > self.slots.len() {
            self.slots.resize(active.slots, Slot::default());
            self.device.grow(active.slots);
        }
        let program_time = self.build.faults.program_time_in(cell.key.round);
        self.device.set_program_time(program_time);
        let slots = active.slots;
        self.cells[self.entering] = Some(active);
        for slot in 0..slots {
            if !self.slots[slot].is_busy {
                self.refill(slot, self.now);
            }
        }
        Ok(())
    }

    /// The cell that enters becomes the one that leaves, and the next one of the programme enters.
    fn promote(&mut self) -> Result<(), Halt> {
        self.entering = 1 - self.entering;
        match self.programme.pop_front() {
            Some(cell) => self.enter(&cell),
            None => Ok(()),
        }
    }

    /// Ends what has ended and begins what can begin, until nothing changes.
    pub(super) fn settle_cells(&mut self) -> Result<(), Halt> {
        loop {
            let leaving = 1 - self.entering;
            if let Some(cell) = &self.cells[leaving] {
                if cell.outstanding > 0 || (cell.is_issuing && !cell.is_complete()) {
                    break;
                }
                self.end_leaving()?;
                continue;
            }
            match &self.cells[self.entering] {
                Some(cell) if cell.is_amount() && cell.is_complete() => {
                    self.end_amount(self.entering)?;
                    self.cells[self.entering] = None;
                    self.change = Change::at(self.now);
                }
                Some(cell)
                    if cell.has_ended_stream()
                        && self.build.faults.gap_at_change == 0
                        && self.programme.front().is_some_and(|next| !next.reads_back) =>
                {
                    self.change = Change::at(self.now);
                    self.promote()?;
                }
                Some(_) => break,
                None => {
                    if self.programme.is_empty() {
                        self.finish_programme()?;
                    }
                    let rest_from = self.now;
                    self.rest(self.build.faults.gap_at_change);
                    self.begin_from_rest(Some(rest_from))?;
                }
            }
        }
        self.note_boundary();
        Ok(())
    }

    /// The last I/O of the cell that leaves has completed.
    fn end_leaving(&mut self) -> Result<(), Halt> {
        let leaving = 1 - self.entering;
        let cell = self.cells[leaving].as_ref();
        let completion_last = cell.map_or(self.now, |cell| cell.completion_last);
        if cell.is_some_and(|cell| cell.is_counting) {
            self.end_amount(leaving)?;
        }
        self.cells[leaving] = None;
        if self.cells[self.entering].is_some() {
            self.conclude(Some(completion_last))?;
        }
        Ok(())
    }

    /// Stops the clock of a cell that was ended by its amount.
    fn end_amount(&mut self, index: usize) -> Result<(), Halt> {
        let counts = self.device.counts();
        let now = self.now;
        let Some(cell) = &mut self.cells[index] else {
            return Ok(());
        };
        if !cell.is_counting {
            // An amount of nothing never submitted.
            cell.start_clock(now, counts);
        }
        let tick = cell.close_tick(now);
        let measurement = cell.end(now, counts);
        if let Some(tick) = tick {
            self.emit(Event::Tick(Box::new(tick)))?;
        }
        self.emit(Event::CellDone(Box::new(measurement)))
    }

    /// The hand-over is over: the last I/O of the old cell, if there was one, completed at
    /// `last_completion`.
    fn conclude(&mut self, last_completion: Option<u64>) -> Result<(), Halt> {
        let now = self.now;
        let counts = self.device.counts();
        let change = std::mem::replace(&mut self.change, Change::at(now));
        let Some(cell) = &mut self.cells[self.entering] else {
            return Ok(());
        };
        let (first, last) = (change.first_submission, last_completion);
        if let (None, Some(last)) = (first, last) {
            cell.note_rest(last);
        }
        let both = first.zip(last);
        cell.hand_over = HandOver {
            idle_gap: both.map(|(first, last)| Nanos(first.saturating_sub(last))),
            overlap: both.map_or(Nanos(0), |(first, last)| Nanos(last.saturating_sub(first))),
            ios_uncounted: change.read.ios + change.write.ios,
        };
        let key = cell.key;
        if !cell.is_counting && !cell.is_amount() {
            cell.start_clock(now, counts);
        }
        if now > change.began || change.read.ios + change.write.ios > 0 {
            self.emit(Event::Tick(Box::new(Tick {
                key,
                is_hand_over: true,
                at: Nanos(now),
                span: Nanos(now - change.began),
                read: change.read,
                write: change.write,
                temperature_celsius: None,
            })))?;
        }
        Ok(())
    }

    /// A tick or a deadline is due before the next event.
    pub(super) fn cross(&mut self) -> Result<(), Halt> {
        let boundary = self.boundary;
        if boundary >= self.device.horizon() / 2 {
            return Err(Halt::Failed(Failure::Engine {
                cause: format!(
                    "the simulated clock ends after {}",
                    Nanos(boundary).as_span()
                ),
            }));
        }
        for index in [1 - self.entering, self.entering] {
            let Some(cell) = &mut self.cells[index] else {
                continue;
            };
            if cell.tick_boundary() != boundary {
                continue;
            }
            let at = cell.tick_end();
            self.now = at;
            let is_due = cell.is_due(at);
            if let Some(tick) = cell.close_tick(at) {
                self.emit(Event::Tick(Box::new(tick)))?;
            }
            if is_due {
                self.end_timed(index)?;
                break;
            }
        }
        self.issue_arrivals(boundary);
        // An open loop may have nothing outstanding at its deadline: it has left already.
        self.settle_cells()
    }

    /// Issues what is due by `now` in open loop and has a free slot.
    fn issue_arrivals(&mut self, now: u64) {
        for index in [1 - self.entering, self.entering] {
            while let Some((worker, slot)) =
                self.cells[index].as_mut().and_then(|cell| cell.due(now))
            {
                // The other cell may have taken the slot meanwhile.
                if self.slots[slot].is_busy {
                    continue;
                }
                self.now = self.now.max(now);
                let issued = self.cells[index]
                    .as_mut()
                    .and_then(|cell| cell.next_io(slot, worker, self.device.flash(), now));
                let Some((io, from)) = issued else {
                    break;
                };
                self.start(slot, index, worker, io, from, now);
            }
        }
    }

    /// The entering cell has run its time: it leaves.
    fn end_timed(&mut self, index: usize) -> Result<(), Halt> {
        let counts = self.device.counts();
        let Some(cell) = &mut self.cells[index] else {
            return Ok(());
        };
        let measurement = cell.end(self.now, counts);
        self.emit(Event::CellDone(Box::new(measurement)))?;
        self.change = Change::at(self.now);
        if self.programme.is_empty() {
            self.finish_programme()?;
        }
        if self.build.faults.gap_at_change == 0 {
            self.promote()
        } else {
            self.entering = 1 - self.entering;
            Ok(())
        }
    }

    /// Lets the drive run on for so many nanoseconds without an I/O.
    fn rest(&mut self, nanos: u64) {
        let until = self.now + nanos;
        while let Some((time, place)) = self.device.first()
            && time < until
        {
            let slot = self.device.step(time, place);
            assert!(slot.is_none(), "no I/O is outstanding in a rest");
        }
        self.now = until;
    }

    fn note_boundary(&mut self) {
        let boundaries = self.cells.iter().flatten().map(ActiveCell::boundary);
        self.boundary = boundaries.min().unwrap_or(NEVER);
    }
}
