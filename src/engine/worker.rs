//! The loop of one worker: reap, count, refill, submit, wait. One thread, one lane to the kernel.
//!
//! Which cell an I/O is for and where it counts is decided by `course`; this module only moves
//! I/Os. Latency is what the standard calls response time, submission to completion: it runs from
//! the stamp just before the submission to the stamp after the look that found the completion.
//! Stamps are taken for each batch. At up to [`STAMPED_EACH`] outstanding I/Os every I/O is a batch
//! of its own with its own stamps, so that none waits for another before it is submitted.

use super::Inbox;
use super::course::Course;
use super::desk::{Desk, Manner, NO_STAGE};
use super::filler::Filler;
use super::lane::{Afloat, Completions, Lane};
use super::meter::Meter;
use super::outfit::Outfit;
use super::ring::BATCH;
use super::signal::{Fault, Signal};
use super::slots::Slots;
use super::stopwatch::Stopwatch;
use crate::units::{Nanos, SECOND_NS};

/// Outstanding I/Os up to which each one is submitted and stamped alone.
const STAMPED_EACH: u32 = 4;
/// Bytes written by one submission, so that preparing large blocks does not keep the drive waiting.
const BATCH_BYTES: u64 = 256 * 1024;
/// How often a busy worker gives a life sign.
const PULSE: Nanos = Nanos(1_000_000);
/// The longest wait for I/Os of a worker that ends, before it looks again.
const DRAIN_STEP: Nanos = Nanos(100_000_000);

/// A worker that is ready to run.
pub(super) struct Worker {
    outfit: Outfit,
    afloat: Afloat,
    desk: Desk,
    filler: Filler,
    stopwatch: Stopwatch,
    manner: Manner,
    /// Prepared and not yet pushed: the first `batch_count` of them.
    batch: [u32; BATCH as usize],
    batch_count: usize,
    /// The batch holds I/Os of a stage that none was submitted for just before.
    is_stage_new: bool,
    /// The batch holds I/Os of an open loop.
    is_scheduled: bool,
    progress: Nanos,
    pulse_due: Nanos,
}

impl Worker {
    /// Builds lane and buffers, in the thread that will use them.
    pub(super) fn new(outfit: Outfit) -> Result<Self, String> {
        let layout = outfit.layout;
        let mut slots = Slots::new(layout).map_err(|error| {
            format!(
                "no memory for {} buffers of {} bytes ({error}); use fewer threads, a smaller \
                 queue depth or smaller blocks",
                layout.slots, layout.block_bytes
            )
        })?;
        let stage = outfit.first.stage();
        let seed = stage.cell.seed;
        let mut filler = Filler::new(seed, outfit.number, outfit.logical_block, outfit.alignment);
        if outfit.needs_pool {
            filler.fill_pool(&mut slots);
        }
        let lane = Lane::new(&outfit.file, &slots, outfit.is_sync)?;
        let course = Course::new(outfit.first.clone(), outfit.number, Meter::of_this_thread());
        Ok(Self {
            afloat: Afloat::new(lane, slots),
            desk: Desk::new(course, outfit.logical_block),
            filler,
            stopwatch: Stopwatch::new(outfit.clock),
            manner: Manner::before(&stage.cell.access),
            batch: [0; BATCH as usize],
            batch_count: 0,
            is_stage_new: false,
            is_scheduled: false,
            progress: Nanos(0),
            pulse_due: Nanos(0),
            outfit,
        })
    }

    /// The lane's set-up in words, and why it may cost speed.
    pub(super) fn set_up(&self) -> (String, Option<String>) {
        let lane = self.afloat.lane();
        (lane.words(), lane.shortcoming())
    }

    /// Runs until the course is over or the control stops it.
    pub(super) fn run(mut self) {
        self.outfit.first.gate().pass();
        let ended = self.work();
        if let Err(fault) = ended {
            self.fail(fault);
        }
        self.drain();
        let (number, drift) = (self.outfit.number, self.stopwatch.drift_max());
        let drift_ns = drift.map(|drift| drift.0);
        tracing::debug!(worker = number, drift_ns, "stamps against CLOCK_MONOTONIC");
    }

    fn work(&mut self) -> Result<(), Fault> {
        while !self.desk.course.is_over() && !self.outfit.control.is_stopped() {
            let now = self.reap()?;
            let has_more = self.refill(now);
            if !self.desk.course.out.is_empty() {
                self.tell();
            }
            if self.desk.course.is_over() {
                break;
            }
            self.enter(now, has_more)?;
        }
        Ok(())
    }

    /// Settles what has completed. Gives the stamp of the batch.
    fn reap(&mut self) -> Result<Nanos, Fault> {
        let is_stamped_each = self.manner.queue_depth <= STAMPED_EACH;
        let (lane, slots) = self.afloat.parts();
        let (desk, watch) = (&mut self.desk, &mut self.stopwatch);
        let (now, count) = match lane.completions() {
            Completions::Ring(found) => desk.settle_all(slots, watch, is_stamped_each, found),
            Completions::Calls(found) => desk.settle_all(slots, watch, is_stamped_each, found),
        };
        if count > 0 {
            self.progress = now;
        }
        if !self.desk.course.is_quiet(now) {
            self.desk.course.arrive(now);
        }
        self.watch(now)?;
        if self.desk.fault.is_some() {
            return self.desk.fault.take().map_or(Ok(now), Err);
        }
        Ok(now)
    }

    /// Prepares a batch of new I/Os in free slots and pushes it; whether there may be more to do.
    fn refill(&mut self, now: Nanos) -> bool {
        let was_idle = self.afloat.is_idle();
        let has_more = self.gather(was_idle);
        if self.batch_count > 0 || !self.desk.retries.is_empty() {
            // A worker without work gives no life sign: it must not hide a silent drive.
            if was_idle {
                self.progress = now;
            }
            self.push();
        }
        has_more
    }

    /// Prepares a batch; whether it is full and there may be more to do.
    #[inline]
    fn gather(&mut self, was_idle: bool) -> bool {
        let (_, slots) = self.afloat.parts();
        // The first I/O of a cell that the drive waits for goes alone: each one prepared with it
        // would lengthen the gap.
        let is_alone =
            self.manner.queue_depth <= STAMPED_EACH || (was_idle && self.desk.course.is_entering());
        let limit = if is_alone { 1 } else { self.batch.len() };
        let (mut count, mut written) = (0, 0);
        while count < limit && slots.has_free() {
            let Some((io, stage)) = self.desk.course.next_io() else {
                self.batch_count = count;
                return false;
            };
            let slot = slots.take(io, stage);
            if let Some(intended) = self.desk.course.take_intended() {
                slots.get_mut(slot).intended = Some(intended);
                self.is_scheduled = true;
            }
            if self.manner.stage != stage {
                self.manner = Manner::of(stage, &self.desk.course);
                self.is_stage_new = true;
            }
            if !io.is_read {
                written += u64::from(io.length);
                let content = self.manner.content;
                self.filler.prepare(slots, slot, stage, content);
            }
            self.batch[count] = slot;
            count += 1;
            if written >= BATCH_BYTES {
                break;
            }
        }
        self.batch_count = count;
        slots.has_free()
    }

    /// Stamps the batch and pushes it, and what is to be sent again behind it.
    #[inline]
    fn push(&mut self) {
        let now = self.stopwatch.now();
        if self.is_stage_new {
            self.note_stages(now);
        }
        let (lane, slots) = self.afloat.parts();
        let pushed = lane.push(slots, &self.batch[..self.batch_count], now);
        if pushed < self.batch_count || !self.desk.retries.is_empty() {
            self.push_rest(pushed, now);
        }
        if self.is_scheduled {
            self.count_from_intended();
        }
        self.batch_count = 0;
    }

    /// In open loop response time counts from when an I/O was meant to start.
    #[inline(never)]
    fn count_from_intended(&mut self) {
        let (_, slots) = self.afloat.parts();
        for &slot in &self.batch[..self.batch_count] {
            let io = slots.get_mut(slot);
            io.submitted = io.intended.take().unwrap_or(io.submitted);
        }
        self.is_scheduled = false;
    }

    /// Tells the course of every stage that the batch is the first of.
    #[cold]
    fn note_stages(&mut self, now: Nanos) {
        let (_, slots) = self.afloat.parts();
        let mut noted = NO_STAGE;
        for &slot in &self.batch[..self.batch_count] {
            let stage = slots.get_mut(slot).stage;
            if stage != noted {
                self.desk.course.note_submission(stage, now);
                noted = stage;
            }
        }
        self.is_stage_new = false;
    }

    /// Keeps what found no room, or sends again what waits for it.
    #[cold]
    fn push_rest(&mut self, pushed: usize, now: Nanos) {
        let (lane, slots) = self.afloat.parts();
        let rest = &self.batch[pushed..self.batch_count];
        while rest.is_empty()
            && let Some(&slot) = self.desk.retries.last()
        {
            // What is sent again keeps its stamp.
            let stamp = slots.get_mut(slot).submitted;
            if lane.push(slots, &[slot], stamp) == 0 {
                return;
            }
            self.desk.retries.pop();
        }
        for &slot in rest {
            slots.get_mut(slot).submitted = now;
            self.desk.retries.push(slot);
        }
    }

    /// Submits; waits for a completion if there is nothing more to prepare.
    fn enter(&mut self, now: Nanos, has_more: bool) -> Result<(), Fault> {
        let wait = if has_more {
            None
        } else {
            if now >= self.pulse_due {
                self.pulse();
                self.pulse_due = Nanos(now.0 + PULSE.0);
            }
            let until = self.desk.course.wake_at(now);
            Some(Nanos(until.0.saturating_sub(now.0)))
        };
        let (lane, _) = self.afloat.parts();
        lane.enter(wait).map_err(|error| Fault::Setup {
            cause: format!("the kernel takes no more I/O ({error})"),
        })
    }

    fn pulse(&self) {
        let control = &self.outfit.control;
        control.pulse(self.outfit.number, self.progress, self.afloat.taken());
    }

    /// Looks whether the drive still answers: it must answer some worker, and it must complete
    /// what a hand-over waits for.
    #[inline]
    fn watch(&self, now: Nanos) -> Result<(), Fault> {
        let limit = self.outfit.control.silent_after();
        let is_waiting = now.0.saturating_sub(self.progress.0) >= limit.0;
        if self.desk.course.is_quiet(now) && !is_waiting {
            return Ok(());
        }
        self.watch_closely(now, limit, is_waiting && self.afloat.taken() > 0)
    }

    fn watch_closely(&self, now: Nanos, limit: Nanos, is_silent: bool) -> Result<(), Fault> {
        let stuck = self.desk.course.overdue(now, limit);
        let silent = if is_silent {
            self.pulse();
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
        for signal in self.desk.course.out.drain(..) {
            // The conductor outlives its workers; without it there is nobody to tell.
            drop(self.outfit.inbox.send(Inbox::Signal(signal)));
        }
    }

    fn fail(&mut self, fault: Fault) {
        self.outfit.control.stop();
        drop(self.outfit.inbox.send(Inbox::Signal(Signal::Failed(fault))));
    }

    /// Waits for what is in flight; gives up after the time a drive may be silent. What is still
    /// in flight then keeps its memory.
    fn drain(&mut self) {
        let limit = self.outfit.control.silent_after();
        let (lane, slots) = self.afloat.parts();
        // Prepared or asked for again, but not with the kernel.
        let unsent = self.batch[..self.batch_count].iter().copied();
        for slot in unsent.chain(self.desk.retries.drain(..)) {
            slots.give_back(slot);
        }
        let mut progress = self.outfit.clock.now();
        while slots.taken() > 0 {
            let entered = lane.enter(Some(DRAIN_STEP));
            let before = slots.taken();
            lane.completions().give_back_all(slots);
            let now = self.outfit.clock.now();
            if slots.taken() < before {
                progress = now;
            }
            if entered.is_err() || now.0 - progress.0 > limit.0 {
                return;
            }
        }
    }
}
