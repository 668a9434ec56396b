//! Jobs of the dies: how they come up, what happens when they end; and what a purge does.

use super::Device;
use super::die::{Job, Outcome, Work};
use super::programmed::Programmed;
use crate::drive::PurgeMethod;
use crate::sim::flash::Operation;
use crate::sim::flash::layout::PAGE;

impl Device {
    /// Hands an operation to the dies.
    pub(super) fn carry_out(&mut self, operation: Operation, at: u64) {
        match operation {
            Operation::Program {
                unit,
                erase_count,
                for_host,
            } => {
                let work = Work::Program {
                    unit,
                    erase_count,
                    for_host,
                };
                self.program(unit, for_host, work, at);
            }
            Operation::MoveRead {
                unit,
                senses,
                pages,
            } => {
                if self.programmed.is_unit_programmed(unit) {
                    let die = self.flash.layout().die_of(unit);
                    let read = self.fetch(die, at, senses, pages);
                    self.moved_ready = self.moved_ready.max(read);
                }
            }
            Operation::Erase { superblock } => {
                self.programmed
                    .erase(superblock, self.flash.layout().superblock_units);
                let job = Job {
                    work: Work::Erase,
                    ready: at,
                    duration: self.build.timing.erase,
                };
                for die in 0..self.dies.len() {
                    self.push(die, at, job);
                }
            }
        }
    }

    fn program(&mut self, unit: u32, for_host: bool, work: Work, at: u64) {
        let layout = self.flash.layout();
        let (unit_pages, die) = (u64::from(layout.shape.unit_pages), layout.die_of(unit));
        let transfer = self.page_on_channel * unit_pages;
        let channel = die % self.channels.len();
        let arrived = self.channels[channel].take(at, transfer) + transfer;
        let read = if for_host {
            self.queued_pages += unit_pages;
            std::mem::take(&mut self.host_ready)
        } else {
            std::mem::take(&mut self.moved_ready)
        };
        let job = Job {
            work,
            ready: arrived.max(read),
            duration: self.program_time,
        };
        self.push(die, at, job);
    }

    fn push(&mut self, die: usize, at: u64, job: Job) {
        if let Some(end) = self.dies[die].push(at, job) {
            self.agenda.set(die, end);
        }
    }

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
            PurgeMethod::Auto
            | PurgeMethod::Format
            | PurgeMethod::FormatCrypto
            | PurgeMethod::SanitizeBlock
            | PurgeMethod::SanitizeCrypto
            | PurgeMethod::AtaErase
            | PurgeMethod::AtaEraseEnhanced
            | PurgeMethod::ScsiFormat => {
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
