//! The loop of one worker: reap, count, refill, submit, wait. One thread, one ring.
//!
//! Which cell an I/O is for and where it counts is decided by `course`; this module only moves
//! I/Os. Latency runs from the stamp before the submission to the stamp after the reap that found
//! the completion.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use super::Inbox;
use super::clock::Clock;
use super::content::Pool;
use super::control::Control;
use super::course::Course;
use super::filler::Filler;
use super::meter::Meter;
use super::part::Completion;
use super::ring::{BATCH, Entry, Ring, explain};
use super::signal::{Fault, Signal};
use super::slots::Slots;
use super::stage::StageRef;
use crate::stimulus::Content;
use crate::units::{Nanos, SECOND_NS};

/// Bytes copied into buffers before they are submitted, so that filling large blocks does not
/// keep the drive waiting.
const BATCH_BYTES: u64 = 256 * 1024;
/// How often an I/O may be sent again because the kernel asked for it.
const TRIES_MAX: u32 = 1000;

/// What a worker is made of.
#[derive(Debug)]
pub(super) struct Outfit {
    pub(super) number: u32,
    pub(super) slots: u32,
    pub(super) slot_bytes: u32,
    pub(super) logical_block: u32,
    pub(super) file: Arc<OwnedFd>,
    pub(super) pool: Arc<Pool>,
    pub(super) clock: Clock,
    pub(super) control: Arc<Control>,
    pub(super) first: StageRef,
    pub(super) inbox: Sender<Inbox>,
}

/// A worker that is ready to run.
pub(super) struct Worker {
    outfit: Outfit,
    ring: Ring,
    slots: Slots,
    course: Course,
    filler: Filler,
    content: Content,
    content_stage: Option<u64>,
    reaped: Vec<(u32, i32)>,
    batch: Vec<u32>,
    retries: Vec<u32>,
    stage_noted: Option<u64>,
    progress: Nanos,
}

impl Worker {
    /// Builds ring and buffers, in the thread that will use them.
    pub(super) fn new(outfit: Outfit) -> Result<Self, String> {
        let slots = Slots::new(outfit.slots, outfit.slot_bytes).map_err(|error| {
            format!(
                "no memory for {} buffers of {} bytes ({error}); use fewer threads, a smaller \
                 queue depth or smaller blocks",
                outfit.slots, outfit.slot_bytes
            )
        })?;
        let ring = Ring::new(outfit.file.as_fd(), &slots, outfit.slots)
            .map_err(|error| explain(&error))?;
        let stage = outfit.first.stage();
        let pool = Arc::clone(&outfit.pool);
        let seed = stage.cell.seed;
        Ok(Self {
            course: Course::new(outfit.first.clone(), outfit.number, Meter::of_this_thread()),
            filler: Filler::new(pool, seed, outfit.number, outfit.logical_block),
            content: stage.cell.access.content,
            content_stage: None,
            reaped: Vec::with_capacity(2 * usize::try_from(outfit.slots).unwrap_or(0)),
            batch: Vec::with_capacity(usize::try_from(BATCH).unwrap_or(0)),
            retries: Vec::new(),
            stage_noted: None,
            progress: Nanos(0),
            outfit,
            ring,
            slots,
        })
    }

    /// The ring's set-up in words, and why it may cost speed.
    pub(super) fn set_up(&self) -> (String, Option<String>) {
        (self.ring.words(), self.ring.shortcoming())
    }

    /// Runs until the course is over or the control stops it.
    pub(super) fn run(mut self) {
        self.outfit.first.gate().pass();
        let ended = self.work();
        if let Err(fault) = ended {
            self.fail(fault);
        }
        if self.slots.taken() > 0 && !self.drain() {
            // The kernel may still write into the buffers: they stay mapped, and the ring open.
            std::mem::forget(self.ring);
            std::mem::forget(self.slots);
        }
    }

    fn work(&mut self) -> Result<(), Fault> {
        while !self.course.is_over() && !self.outfit.control.is_stopped() {
            let now = self.reap()?;
            self.refill(now)?;
            self.tell();
            if self.course.is_over() {
                break;
            }
            self.wait()?;
        }
        Ok(())
    }

    /// Settles what has completed. Gives the stamp of the batch.
    fn reap(&mut self) -> Result<Nanos, Fault> {
        self.ring.reap(&mut self.reaped);
        let now = self.outfit.clock.now();
        self.course.arrive(now);
        self.watch(now)?;
        if self.reaped.is_empty() {
            return Ok(now);
        }
        self.progress = now;
        let mut reaped = std::mem::take(&mut self.reaped);
        let mut fault = None;
        for (slot, result) in reaped.drain(..) {
            if fault.is_some() {
                self.slots.give_back(slot);
            } else {
                fault = self.complete(slot, result, now).err();
            }
        }
        self.reaped = reaped;
        self.course.arrive(now);
        fault.map_or(Ok(now), Err)
    }

    #[inline]
    fn complete(&mut self, slot: u32, result: i32, now: Nanos) -> Result<(), Fault> {
        if result == -libc::EAGAIN
            && let Some(io) = self.slots.get_mut(slot)
            && io.tries < TRIES_MAX
        {
            io.tries += 1;
            self.retries.push(slot);
            return Ok(());
        }
        let Some(done) = self.slots.give_back(slot) else {
            return Ok(());
        };
        if u32::try_from(result) != Ok(done.io.length) {
            let logical_block = self.outfit.logical_block;
            return Err(Fault::of_io(&done.io, result, logical_block, now));
        }
        let completion = Completion {
            stage: done.stage,
            io: done.io,
            submitted: done.submitted,
            completed: now,
        };
        if self.course.compares() {
            let bytes = self.slots.received(slot, done.io.length);
            self.course.compare(&completion, bytes)?;
        }
        self.course.settle(&completion);
        Ok(())
    }

    /// Fills free slots with new I/Os and submits them, batch by batch.
    fn refill(&mut self, now: Nanos) -> Result<(), Fault> {
        let was_idle = self.slots.taken() == 0;
        loop {
            let is_full = self.gather();
            if self.batch.is_empty() && self.retries.is_empty() {
                // A worker without work gives no life sign: it must not hide a silent drive.
                return Ok(());
            }
            if was_idle {
                self.progress = now;
            }
            self.submit();
            if !is_full {
                return Ok(());
            }
            // The batch is on its way before the next one is prepared.
            self.enter(None)?;
        }
    }

    /// Prepares a batch; whether it is full and there may be more to do.
    fn gather(&mut self) -> bool {
        // The first I/O of a cell that the drive waits for goes alone: each one prepared with it
        // would lengthen the gap.
        let is_awaited = self.slots.taken() == 0 && self.course.is_entering();
        let limit = if is_awaited { 1 } else { self.batch.capacity() };
        let mut copied = 0;
        while self.batch.len() < limit && copied < BATCH_BYTES {
            if !self.slots.has_free() {
                return false;
            }
            let Some((io, stage)) = self.course.next_io() else {
                return false;
            };
            let Some(slot) = self.slots.take(io, stage) else {
                return false;
            };
            self.slots.intend(slot, self.course.intended());
            if !io.is_read {
                copied += u64::from(io.length);
            }
            if self.content_stage != Some(stage) {
                self.content = self.course.content(stage);
                self.content_stage = Some(stage);
            }
            let (slots, content) = (&mut self.slots, self.content);
            self.filler.prepare(slots, slot, &io, stage, content);
            self.batch.push(slot);
        }
        true
    }

    /// Stamps the batch and pushes it into the ring.
    fn submit(&mut self) {
        let now = self.outfit.clock.now();
        for index in 0..self.batch.len() {
            let slot = self.batch[index];
            let Some(io) = self.slots.get_mut(slot) else {
                continue;
            };
            io.submitted = io.intended.unwrap_or(now);
            let stage = io.stage;
            if self.stage_noted != Some(stage) {
                self.course.note_submission(stage, now);
                self.stage_noted = Some(stage);
            }
            self.push(slot);
        }
        self.batch.clear();
        for slot in std::mem::take(&mut self.retries) {
            self.push(slot);
        }
    }

    fn push(&mut self, slot: u32) {
        let Some(in_flight) = self.slots.get_mut(slot) else {
            return;
        };
        let io = in_flight.io;
        let (address, piece) = self.slots.address(slot, io.length);
        let entry = Entry {
            slot,
            is_read: io.is_read,
            address,
            length: io.length,
            offset: io.offset,
            piece,
        };
        if !self.ring.push(&entry) {
            // The kernel has not taken the last batch yet; this one goes with the next.
            self.retries.push(slot);
        }
    }

    fn wait(&mut self) -> Result<(), Fault> {
        let now = self.outfit.clock.now();
        let control = &self.outfit.control;
        control.pulse(self.outfit.number, self.progress, self.slots.taken());
        let until = self.course.wake_at(now);
        self.enter(Some(Duration::from_nanos(until.0.saturating_sub(now.0))))
    }

    fn enter(&mut self, wait: Option<Duration>) -> Result<(), Fault> {
        self.ring.enter(wait).map_err(|error| Fault::Setup {
            cause: format!("io_uring stopped working ({error})"),
        })
    }

    /// Looks whether the drive still answers: it must answer some worker, and it must complete
    /// what a hand-over waits for.
    fn watch(&self, now: Nanos) -> Result<(), Fault> {
        let limit = self.outfit.control.silent_after();
        let stuck = self.course.overdue(now, limit);
        let is_quiet = self.slots.taken() > 0 && now.0.saturating_sub(self.progress.0) >= limit.0;
        let silent = if is_quiet {
            self.outfit.control.silent_outstanding(now, limit)
        } else {
            None
        };
        match stuck.or(silent) {
            None => Ok(()),
            Some(outstanding) => Err(Fault::Silent {
                waited_s: limit.0 / SECOND_NS,
                outstanding,
            }),
        }
    }

    fn tell(&mut self) {
        for signal in self.course.out.drain(..) {
            // The conductor outlives its workers; without it there is nobody to tell.
            drop(self.outfit.inbox.send(Inbox::Signal(signal)));
        }
    }

    fn fail(&mut self, fault: Fault) {
        self.outfit.control.stop();
        drop(self.outfit.inbox.send(Inbox::Signal(Signal::Failed(fault))));
    }

    /// Waits for what is in flight; gives up after the time a drive may be silent. Whether all of
    /// it completed.
    fn drain(&mut self) -> bool {
        let limit = self.outfit.control.silent_after();
        // Prepared or asked for again, but not with the kernel.
        for slot in self.batch.drain(..).chain(self.retries.drain(..)) {
            self.slots.give_back(slot);
        }
        let mut progress = self.outfit.clock.now();
        while self.slots.taken() > 0 {
            let entered = self.ring.enter(Some(Duration::from_millis(100)));
            self.ring.reap(&mut self.reaped);
            let now = self.outfit.clock.now();
            if !self.reaped.is_empty() {
                progress = now;
            }
            if entered.is_err() || now.0 - progress.0 > limit.0 {
                return false;
            }
            for (slot, _) in self.reaped.drain(..) {
                self.slots.give_back(slot);
            }
        }
        true
    }
}
