//! What happens when a die's job ends, and what a purge does.

use super::super::flash::layout::PAGE;
use super::{Device, Outcome, Programmed, Work};
use crate::drive::PurgeMethod;

impl Device {
    /// The event of a die's job.
    pub(super) fn finish_job(&mut self, die: usize, now: u64) {
        let work = match self.dies[die].finish(now) {
            Outcome::Moved(end) => return self.agenda.set(die, end),
            Outcome::Ended(work) => work,
        };
        match self.dies[die].start_next(now) {
            Some(end) => self.agenda.set(die, end),
            None => self.agenda.clear(die),
        }
        let Work::Program {
            unit,
            erase_count,
            for_host,
        } = work
        else {
            return;
        };
        let layout = *self.flash.layout();
        // A superblock may be collected before its last units are programmed.
        if self.flash.erase_count(layout.superblock_of_unit(unit)) == erase_count {
            self.programmed.set(&layout, unit);
        }
        if for_host {
            self.release(u64::from(layout.shape.unit_pages), now);
        }
    }

    /// Gives room in the buffer back and lets waiting writes in.
    fn release(&mut self, pages: u64, now: u64) {
        let less = |count: u64| {
            count
                .checked_sub(pages)
                .expect("only what was buffered is released")
        };
        (self.buffered_pages, self.queued_pages) =
            (less(self.buffered_pages), less(self.queued_pages));
        while let Some(front) = self.waiting.front().copied() {
            if !self.has_room(&front.io) {
                break;
            }
            self.waiting.pop_front();
            let done = self.admit(front.io, now.max(front.arrival));
            self.acknowledge(front.slot, done);
        }
    }

    /// Lets every job end; gives the time of the last end, or `now`. No I/O is outstanding.
    pub(crate) fn settle(&mut self, now: u64) -> u64 {
        let mut last = now;
        while let Some((time, slot)) = self.first() {
            assert!(slot < self.dies.len(), "no I/O is outstanding");
            self.finish_job(slot, time);
            last = last.max(time);
        }
        last
    }

    /// Empties the drive. No job is running.
    pub(crate) fn erase(&mut self, method: PurgeMethod) {
        match method {
            PurgeMethod::Auto => {
                self.flash.format();
                self.programmed = Programmed::new(&self.build.shape);
                self.buffered_pages = 0;
                (self.host_ready, self.moved_ready) = (0, 0);
            }
            PurgeMethod::Discard => self.flash.discard_all(),
            PurgeMethod::None => {}
        }
    }

    /// Bytes that are mapped, in whole pages.
    pub(crate) fn mapped_bytes(&self) -> u64 {
        u64::from(self.flash.mapped_pages()) * PAGE
    }
}
