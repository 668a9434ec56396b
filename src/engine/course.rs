//! The way of one worker through the cells: which cell gets the next I/O, which cell a completion
//! counts for. Pure; time comes in as stamps.
//!
//! At a cell's deadline every slot that is freed is filled with an I/O of the next cell at once
//! (design 4). From then on the worker has two parts: the *current* one, whose I/Os drain, and the
//! *upcoming* one, whose clock starts when the last old I/O of all workers has completed. A worker
//! is never more than one cell ahead of the clock.

use super::meter::Meter;
use super::part::{Completion, Part};
use super::signal::{Fault, Signal};
use super::stage::{Following, StageRef};
use crate::stimulus::Access;
use crate::stimulus::addresses::Io;
use crate::units::Nanos;

/// A worker's way.
#[derive(Debug)]
pub(super) struct Course {
    worker: u32,
    current: Option<Part>,
    upcoming: Option<Part>,
    is_over: bool,
    now: Nanos,
    /// Intended start of the I/O given last, in open loop.
    intended: Option<Nanos>,
    /// Until then, inclusive, no change can be due but by what this worker itself issues.
    quiet_until: Nanos,
    meter: Meter,
    /// What is to be told to the conductor.
    pub(super) out: Vec<Signal>,
}

impl Course {
    /// The way of `worker` from a stage on.
    pub(super) fn new(first: StageRef, worker: u32, meter: Meter) -> Self {
        Self {
            worker,
            current: None,
            upcoming: Some(Part::new(first, worker)),
            is_over: false,
            now: Nanos(0),
            intended: None,
            quiet_until: Nanos(0),
            meter,
            out: Vec::new(),
        }
    }

    /// Whether nothing is left to do or to wait for.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Time has come to `now`: makes every change that is due. To be called with the stamp of a
    /// batch of completions before they are settled, and again after them.
    #[inline]
    pub(super) fn arrive(&mut self, now: Nanos) {
        self.now = now;
        if now > self.quiet_until {
            self.change(now);
        }
    }

    /// Whether nothing but the drive's answers is waited for at `now`.
    #[inline]
    pub(super) fn is_quiet(&self, now: Nanos) -> bool {
        now <= self.quiet_until
    }

    #[inline(never)]
    fn change(&mut self, now: Nanos) {
        loop {
            let changed = self.try_switch(now) || self.try_leave() || self.try_begin();
            if !changed {
                break;
            }
        }
        if let Some(current) = &mut self.current {
            current.pass(now, &mut self.out);
        }
        self.quiet_until = self.quiet().unwrap_or_default();
    }

    /// The end of the time in which a steady cell asks for nothing.
    fn quiet(&self) -> Option<Nanos> {
        let current = self.current.as_ref()?;
        let is_steady = self.upcoming.is_none() && !current.is_issued && !current.is_superseded;
        let is_plain = !current.is_held();
        current.boundary().filter(|_| is_steady && is_plain)
    }

    /// The current cell's clock has ended: its account is closed and the next cell is taken up.
    fn try_switch(&mut self, now: Nanos) -> bool {
        let Some(current) = &mut self.current else {
            return false;
        };
        if self.upcoming.is_some() || current.is_superseded {
            return false;
        }
        let is_due = match (current.takes_part(), current.is_amount()) {
            (_, false) => current.deadline().is_some_and(|deadline| now > deadline),
            (true, true) => current.is_issued,
            (false, true) => match current.stage.peek() {
                Some(Following::Same(next)) => next.stage().start.get().is_some(),
                Some(Following::Others(_) | Following::Nobody) => {
                    current.stage.stage().is_finished()
                }
                None => false,
            },
        };
        if !is_due {
            return false;
        }
        current.is_issued = true;
        current.is_superseded = true;
        if !current.is_amount() || !current.takes_part() {
            self.out.push(current.close(self.meter.load()));
        }
        match current.stage.following() {
            Following::Same(next) => {
                let mut upcoming = Part::new(next, self.worker);
                // All workers know the deadline; where an amount ended, each one when it had
                // issued its part.
                upcoming.admit(current.deadline().unwrap_or(now));
                self.upcoming = Some(upcoming);
            }
            Following::Others(_) | Following::Nobody => self.is_over = current.has_left,
        }
        true
    }

    /// The last I/O of the current cell has completed here.
    fn try_leave(&mut self) -> bool {
        let Some(current) = &mut self.current else {
            return false;
        };
        // A timed cell is closed by the switch at its deadline, an amount by its last completion;
        // both have asked what follows by then.
        if !current.is_issued || current.in_flight > 0 || current.has_left {
            return false;
        }
        if current.is_amount() {
            self.out.push(current.close(self.meter.load()));
        }
        current.leave();
        self.is_over = self.upcoming.is_none();
        true
    }

    /// The clock of the upcoming cell has started.
    fn try_begin(&mut self) -> bool {
        let is_free = self.current.as_ref().is_none_or(|part| part.has_left);
        let started = self
            .upcoming
            .as_ref()
            .and_then(|part| part.stage.stage().start.get());
        match (is_free, started) {
            (true, Some(start)) => {
                self.begin(start);
                true
            }
            _ => false,
        }
    }

    fn begin(&mut self, start: Nanos) {
        if let Some(mut part) = self.upcoming.take() {
            part.admit(start);
            if !part.has_clock() {
                part.start_clock(start, self.meter.load());
            }
            self.out.push(part.hand_over());
            self.current = Some(part);
        }
    }

    /// Counts a completed I/O for the cell in whose clock it completed.
    #[inline]
    pub(super) fn settle(&mut self, done: &Completion) {
        // While it is quiet there is one cell, its second has not ended, and all I/Os are its own.
        if done.completed <= self.quiet_until
            && let Some(current) = &mut self.current
        {
            current.note_completion(done.completed);
            current.count_now(done);
            return;
        }
        self.settle_in_change(done);
    }

    #[inline(never)]
    fn settle_in_change(&mut self, done: &Completion) {
        if let Some(upcoming) = &mut self.upcoming
            && upcoming.number() == done.stage
        {
            let started = upcoming.stage.stage().start.observe(done.completed);
            match started {
                Some(start) if upcoming.is_amount() => {
                    if !upcoming.has_clock() {
                        upcoming.start_clock(start, self.meter.load());
                    }
                    upcoming.note_completion(done.completed);
                    upcoming.count(done, &mut self.out);
                    return;
                }
                Some(start) if done.completed > start => self.begin(start),
                Some(_) | None => {
                    upcoming.note_completion(done.completed);
                    upcoming.count_hand_over(done);
                    return;
                }
            }
        }
        let Some(current) = &mut self.current else {
            return;
        };
        current.note_completion(done.completed);
        if current
            .deadline()
            .is_none_or(|deadline| done.completed <= deadline)
        {
            current.count(done, &mut self.out);
        } else if let Some(upcoming) = &mut self.upcoming {
            upcoming.count_hand_over(done);
        }
    }

    /// The next I/O to issue with the number of its stage; `None` when every slot that may be used
    /// is in use.
    #[inline]
    pub(super) fn next_io(&mut self) -> Option<(Io, u64)> {
        if self.upcoming.is_none() {
            let current = self.current.as_mut()?;
            if current.in_flight >= current.depth() {
                return None;
            }
            if let Some(io) = current.next_io(self.now) {
                if current.is_held() {
                    self.intended = current.intended();
                }
                return Some((io, current.number()));
            }
            // An amount is issued: the next cell goes on at once. A timed cell has ended before,
            // and one in open loop may have nothing due.
            self.quiet_until = Nanos(0);
            self.try_switch(self.now);
        }
        let (old, depth_old) = match &self.current {
            Some(current) => (current.in_flight, current.depth()),
            None => (0, 0),
        };
        let upcoming = self.upcoming.as_mut()?;
        let depth = upcoming.depth();
        if upcoming.in_flight >= depth || old + upcoming.in_flight >= depth.max(depth_old) {
            return None;
        }
        let io = upcoming.next_io(self.now)?;
        if upcoming.is_held() {
            self.intended = upcoming.intended();
        }
        Some((io, upcoming.number()))
    }

    /// When the I/O that was given last is meant to start, in open loop: its response time counts
    /// from there. To be asked for every I/O, since an answer is given once.
    #[inline]
    pub(super) fn take_intended(&mut self) -> Option<Nanos> {
        if self.intended.is_some() {
            return self.intended.take();
        }
        None
    }

    /// I/Os were handed to the kernel at `at`, some of them of this stage.
    pub(super) fn note_submission(&mut self, stage: u64, at: Nanos) {
        for part in [&mut self.current, &mut self.upcoming]
            .into_iter()
            .flatten()
        {
            if part.number() == stage {
                part.note_submission(at);
            }
        }
        // The first submission starts the clock of the very first cell, and of every amount.
        if let Some(upcoming) = &self.upcoming
            && upcoming.number() == stage
            && (self.current.is_none() || upcoming.is_amount())
        {
            upcoming.stage.stage().start.publish(at);
        }
    }

    /// Old I/Os that a hand-over has been waiting for longer than `limit`.
    pub(super) fn overdue(&self, now: Nanos, limit: Nanos) -> Option<u32> {
        let current = self.current.as_ref()?;
        let is_waiting = current.is_superseded && current.in_flight > 0;
        let since = current
            .deadline()
            .unwrap_or_default()
            .max(current.completion_last());
        (is_waiting && now.0.saturating_sub(since.0) >= limit.0).then_some(current.in_flight)
    }

    /// Whether a cell has been taken up whose clock has not started.
    #[inline]
    pub(super) fn is_entering(&self) -> bool {
        self.upcoming.is_some()
    }

    /// Whether reads of a cell under way are compared with what was written.
    #[inline]
    pub(super) fn compares(&self) -> bool {
        let parts = [&self.current, &self.upcoming].into_iter().flatten();
        parts.into_iter().any(|part| part.read_back.is_some())
    }

    /// Compares what a read returned, if it is to be compared.
    pub(super) fn compare(&self, done: &Completion, bytes: &[u8]) -> Result<(), Fault> {
        let parts = [&self.current, &self.upcoming].into_iter().flatten();
        let mut parts = parts.filter(|part| part.number() == done.stage);
        match parts.find_map(|part| part.read_back.as_ref()) {
            Some(read_back) => read_back.check(&done.io, bytes, done.completed),
            None => Ok(()),
        }
    }

    /// What a stage asks of its workers.
    pub(super) fn access(&self, stage: u64) -> Option<&Access> {
        [&self.current, &self.upcoming]
            .into_iter()
            .flatten()
            .find(|part| part.number() == stage)
            .map(|part| &part.stage.stage().cell.access)
    }
}

#[cfg(test)]
mod tests;
mod waking;
