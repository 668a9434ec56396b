//! Settles the completions of one worker: counts what did as it should, sends again what the
//! kernel asks for, and names the first I/O that failed.

use super::course::Course;
use super::lane::Completed;
use super::part::Completion;
use super::signal::Fault;
use super::slots::Slots;
use super::stopwatch::Stopwatch;
use crate::stimulus::{Access, Content};
use crate::units::Nanos;

/// How often an I/O may be sent again because the kernel asked for it.
const TRIES_MAX: u16 = 1000;
/// Number of no stage: they count from 0.
pub(super) const NO_STAGE: u64 = u64::MAX;

/// Where completions are settled.
pub(super) struct Desk {
    pub(super) course: Course,
    /// To be sent again, or pushed when there is room.
    pub(super) retries: Vec<u32>,
    logical_block: u32,
    /// The first that was found.
    pub(super) fault: Option<Fault>,
}

impl Desk {
    pub(super) fn new(course: Course, logical_block: u32) -> Self {
        Self {
            course,
            retries: Vec::new(),
            logical_block,
            fault: None,
        }
    }

    /// Settles completions that were found; each with a stamp of its own, or all with one. Gives
    /// the last stamp and how many they were.
    #[inline]
    pub(super) fn settle_all<C: Completed>(
        &mut self,
        slots: &mut Slots,
        stopwatch: &mut Stopwatch,
        is_stamped_each: bool,
        found: impl Iterator<Item = C>,
    ) -> (Nanos, u32) {
        // After the look that found them, before the first is settled.
        let mut now = stopwatch.now();
        self.course.arrive(now);
        let mut count = 0;
        for completed in found {
            if is_stamped_each && count > 0 {
                now = stopwatch.now();
                self.course.arrive(now);
            }
            self.complete(slots, completed.slot(), completed.result(), now);
            count += 1;
        }
        (now, count)
    }

    /// Settles one completion.
    #[inline(always)]
    fn complete(&mut self, slots: &mut Slots, slot: u32, result: i32, now: Nanos) {
        let Some(done) = slots.give_back(slot) else {
            return;
        };
        let (io, stage, submitted) = (done.io, done.stage, done.submitted);
        if i64::from(result) == i64::from(io.length) {
            let completion = Completion {
                stage,
                io,
                submitted,
                completed: now,
            };
            // What is read back is never quiet.
            if self.course.is_quiet(now) || self.is_right(slots, slot, &completion) {
                self.course.settle(&completion);
            }
        } else {
            self.refuse(slots, slot, result, now);
        }
    }

    /// Whether a read returned what it should, where that is known.
    fn is_right(&mut self, slots: &mut Slots, slot: u32, done: &Completion) -> bool {
        if !self.course.compares() {
            return true;
        }
        match self.course.compare(done, slots.received(slot)) {
            Ok(()) => true,
            Err(fault) => {
                self.fault.get_or_insert(fault);
                false
            }
        }
    }

    /// An I/O that did not do what it should: errors and short transfers never enter latencies.
    #[cold]
    fn refuse(&mut self, slots: &mut Slots, slot: u32, result: i32, now: Nanos) {
        let io = slots.get_mut(slot);
        if result == -libc::EAGAIN && io.tries < TRIES_MAX {
            io.tries += 1;
            slots.take_back(slot);
            self.retries.push(slot);
            return;
        }
        let fault = Fault::of_io(&io.io, result, self.logical_block, now);
        self.fault.get_or_insert(fault);
    }
}

/// What the stage of the latest I/O asks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// [`NO_STAGE`] before the first I/O.
    pub(super) stage: u64,
    pub(super) content: Content,
    pub(super) queue_depth: u32,
}

impl Manner {
    /// What is assumed before the first I/O.
    pub(super) fn before(access: &Access) -> Self {
        Self {
            stage: NO_STAGE,
            content: access.content,
            queue_depth: access.queue_depth,
        }
    }

    /// What a stage under way asks for.
    #[cold]
    pub(super) fn of(stage: u64, course: &Course) -> Self {
        let access = course.access(stage);
        Self {
            stage,
            content: access.map_or(Content::Random, |access| access.content),
            queue_depth: access.map_or(1, |access| access.queue_depth),
        }
    }
}
