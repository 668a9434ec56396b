//! The drive below the host: when an I/O is done, in integer nanoseconds.
//!
//! One event for each host I/O and one for each job of a die. At submission the completion is
//! computed from what is reserved already; events come in time order, so reservations are made
//! with a "now" that never runs backwards.
//!
//! A read costs the command, the sensing on its die, the channel, the link and the
//! acknowledgement. A write costs the command, the link and the acknowledgement, as soon as the
//! capacitor-backed buffer has room; room comes back when a unit is programmed. Reads of pages
//! that still lie in the buffer and of pages never written touch no die.
//!
//! The link is one pipe for both directions: a simplification that costs mixed loads on a
//! full-duplex link some of their upper bound.

pub(crate) mod die;
pub(crate) mod pipe;
mod programmed;

use std::collections::VecDeque;

use self::die::{Die, Job, Outcome, Suspension, Work};
use self::pipe::{Pipe, Rate};
use self::programmed::Programmed;
use super::agenda::Agenda;
use super::flash::layout::{PAGE, Shape};
use super::flash::{Flash, NONE, Operation};
use crate::drive::FlashCounts;
use crate::stimulus::addresses::Io;

/// How long things take, in nanoseconds, after scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timing {
    /// From submission until the command is at work.
    pub(crate) command: u64,
    /// From the last byte until the host sees the completion.
    pub(crate) acknowledge: u64,
    /// Least time between two commands.
    pub(crate) interval: u64,
    /// Sensing of a read unit.
    pub(crate) sense: u64,
    /// Programming of a unit.
    pub(crate) program: u64,
    /// Erase of a block of the model.
    pub(crate) erase: u64,
    /// How reads and jobs share a die.
    pub(crate) suspension: Suspension,
    /// Transfer on a channel.
    pub(crate) channel: Rate,
    /// Transfer on the link.
    pub(crate) link: Rate,
    /// Time of the link that a transfer takes.
    pub(crate) link_share: Rate,
}

/// Misbehaviour inside the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Trouble {
    /// From when, and until when, nothing completes; equal when never. In nanoseconds.
    pub(crate) stall: (u64, u64),
    /// Whether reads of pages never written are as slow as others.
    pub(crate) unmapped_reads_slow: bool,
}

/// What a device is built from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Build {
    /// User capacity in bytes.
    pub(crate) capacity: u64,
    /// The flash.
    pub(crate) shape: Shape,
    /// Channels; dies are dealt to them in turn.
    pub(crate) channels: u32,
    /// Pages that the write buffer holds.
    pub(crate) buffer_pages: u64,
    /// Times.
    pub(crate) timing: Timing,
    /// Faults.
    pub(crate) trouble: Trouble,
}

/// A write that waits for room in the buffer.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    slot: usize,
    io: Io,
    arrival: u64,
}

/// The device.
#[derive(Debug)]
pub(crate) struct Device {
    build: Build,
    flash: Flash,
    agenda: Agenda,
    dies: Vec<Die>,
    channels: Vec<Pipe>,
    link: Pipe,
    front_end: Pipe,
    programmed: Programmed,
    /// Pages of the host that are not programmed yet, those in the open unit included.
    buffered_pages: u64,
    /// Those of them that wait at a die: as long as there are any, room will come back.
    queued_pages: u64,
    waiting: VecDeque<Waiting>,
    operations: Vec<Operation>,
    /// When the reads for the open unit of the host, and of collection, are done.
    host_ready: u64,
    moved_ready: u64,
    page_on_channel: u64,
    program_time: u64,
}

impl Device {
    /// A device as it leaves the factory: nothing written.
    pub(crate) fn new(build: Build) -> Self {
        let shape = build.shape;
        Self {
            flash: Flash::new(shape),
            agenda: Agenda::new(shape.dies as usize),
            dies: (0..shape.dies).map(|_| Die::default()).collect(),
            channels: vec![Pipe::default(); build.channels as usize],
            link: Pipe::default(),
            front_end: Pipe::default(),
            programmed: Programmed::new(&shape),
            buffered_pages: 0,
            queued_pages: 0,
            waiting: VecDeque::new(),
            operations: Vec::new(),
            host_ready: 0,
            moved_ready: 0,
            page_on_channel: build.timing.channel.time(PAGE),
            program_time: build.timing.program,
            build,
        }
    }

    /// The maps, for looking ahead.
    pub(crate) fn flash(&self) -> &Flash {
        &self.flash
    }

    /// Makes room for so many outstanding I/Os.
    pub(crate) fn grow(&mut self, slots: usize) {
        self.agenda.grow(self.dies.len() + slots);
    }

    /// The first time, in nanoseconds, that this clock cannot show.
    pub(crate) fn horizon(&self) -> u64 {
        self.agenda.horizon()
    }

    /// Sets the time of a program, in nanoseconds, for jobs made from now on.
    pub(crate) fn set_program_time(&mut self, program_time: u64) {
        self.program_time = program_time;
    }

    /// Pages programmed since the last format.
    pub(crate) fn counts(&self) -> FlashCounts {
        let (host_pages, moved_pages) = self.flash.assigned();
        FlashCounts {
            host_pages,
            moved_pages,
            programmed_pages: self.flash.programmed_pages(),
        }
    }

    /// The next event: its time and its place, to be given to [`Self::step`].
    #[inline]
    pub(crate) fn first(&self) -> Option<(u64, usize)> {
        self.agenda.first()
    }

    /// Handles the event of a die; an I/O's event is left to the caller, by its slot.
    #[inline]
    pub(crate) fn step(&mut self, time: u64, place: usize) -> Option<usize> {
        let slot = place.checked_sub(self.dies.len());
        if slot.is_none() {
            self.finish_job(place, time);
        }
        slot
    }

    /// Leaves a slot without an I/O.
    #[inline]
    pub(crate) fn retire(&mut self, slot: usize) {
        self.agenda.clear(self.dies.len() + slot);
    }

    /// Completes a slot's I/O at a time that the caller sets.
    pub(crate) fn complete_at(&mut self, slot: usize, time: u64) {
        self.agenda.set(self.dies.len() + slot, time);
    }

    /// Takes an I/O at `now`; its completion becomes the slot's event.
    #[inline]
    pub(crate) fn submit(&mut self, slot: usize, io: Io, now: u64) {
        let taken = self.front_end.take(now, self.build.timing.interval);
        let arrival = taken + self.build.timing.command;
        if io.is_read {
            let done = self.read(io, arrival);
            self.acknowledge(slot, done);
        } else if self.waiting.is_empty() && self.has_room(&io) {
            let done = self.admit(io, arrival);
            self.acknowledge(slot, done);
        } else {
            self.retire(slot);
            self.waiting.push_back(Waiting { slot, io, arrival });
        }
    }

    #[inline]
    fn acknowledge(&mut self, slot: usize, done: u64) {
        let time = done + self.build.timing.acknowledge;
        let (stalled_from, stalled_to) = self.build.trouble.stall;
        let time = if time >= stalled_from && time < stalled_to {
            stalled_to
        } else {
            time
        };
        self.agenda.set(self.dies.len() + slot, time);
    }

    #[inline]
    fn read(&mut self, io: Io, arrival: u64) -> u64 {
        let timing = self.build.timing;
        let layout = *self.flash.layout();
        let (first, last) = pages_of(&io);
        let (mut ready, mut sensed) = (arrival, arrival);
        let mut sense_last = NONE;
        for page in first..=last {
            let mut place = self.flash.place_of(page);
            if place == NONE {
                if !self.build.trouble.unmapped_reads_slow {
                    continue;
                }
                place = u32::try_from(page).unwrap_or(0);
            } else if !self.programmed.is_programmed(&layout, place) {
                continue;
            }
            let die = layout.die_of(layout.unit_of(place));
            let sense = layout.sense_of(place);
            if sense != sense_last {
                sensed = self.dies[die].read(arrival, timing.sense, timing.suspension);
                sense_last = sense;
            }
            let channel = die % self.channels.len();
            let start = self.channels[channel].take(arrival, self.page_on_channel);
            ready = ready.max(sensed.max(start) + self.page_on_channel);
        }
        self.carry(arrival, ready, u64::from(io.length))
    }

    /// The link: transfers go along with the reading, so that after the last page only that page
    /// is left to transfer.
    #[inline]
    fn carry(&mut self, now: u64, ready: u64, bytes: u64) -> u64 {
        let timing = &self.build.timing;
        let start = self.link.take(now, timing.link_share.time(bytes));
        let last = timing.link.time(bytes.min(PAGE));
        let whole = if bytes <= PAGE {
            last
        } else {
            timing.link.time(bytes)
        };
        (start + whole).max(ready.max(start) + last)
    }

    #[inline]
    fn has_room(&self, io: &Io) -> bool {
        let (first, last) = pages_of(io);
        let after = self.buffered_pages + (last - first + 1);
        after <= self.build.buffer_pages || self.queued_pages == 0
    }

    /// Takes a write into the buffer and maps its pages; gives when its data has arrived.
    #[inline]
    fn admit(&mut self, io: Io, at: u64) -> u64 {
        let done = self.carry(at, at, u64::from(io.length));
        let (first, last) = pages_of(&io);
        let end = io.offset + u64::from(io.length);
        let mut operations = std::mem::take(&mut self.operations);
        for page in first..=last {
            let page_end = ((page + 1) * PAGE).min(self.build.capacity);
            let is_whole = io.offset <= page * PAGE && end >= page_end;
            if !is_whole && self.merge(page, at) {
                continue;
            }
            let page = u32::try_from(page).expect("the profile bounds the number of pages");
            self.flash.write(page, &mut operations);
            self.buffered_pages += 1;
        }
        for operation in operations.drain(..) {
            self.carry_out(operation, at);
        }
        self.operations = operations;
        done
    }

    /// A part of a page: merged where it lies if that is the unit being filled; otherwise the rest
    /// of the page has to be read before its unit is programmed. The host does not wait for that.
    fn merge(&mut self, page: u64, at: u64) -> bool {
        let place = self.flash.place_of(page);
        if place == NONE {
            return false;
        }
        if self.flash.is_in_open_unit(place) {
            return true;
        }
        let layout = *self.flash.layout();
        if self.programmed.is_programmed(&layout, place) {
            let die = layout.die_of(layout.unit_of(place));
            let read = self.fetch(die, at, 1, 1);
            self.host_ready = self.host_ready.max(read);
        }
        false
    }

    /// Reads into the controller: `senses` on a die, `pages` over its channel.
    fn fetch(&mut self, die: usize, at: u64, senses: u32, pages: u32) -> u64 {
        let timing = &self.build.timing;
        let sense = timing.sense * u64::from(senses);
        let sensed = self.dies[die].read(at, sense, timing.suspension);
        let transfer = self.page_on_channel * u64::from(pages);
        let channel = die % self.channels.len();
        let start = self.channels[channel].take(at, transfer);
        sensed.max(start) + transfer
    }

    fn carry_out(&mut self, operation: Operation, at: u64) {
        match operation {
            Operation::Program { unit, for_host } => self.program(unit, for_host, at),
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

    fn program(&mut self, unit: u32, for_host: bool, at: u64) {
        let layout = self.flash.layout();
        let (unit_pages, die) = (u64::from(layout.shape.unit_pages), layout.die_of(unit));
        let erase_count = self.flash.erase_count(layout.superblock_of_unit(unit));
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
            work: Work::Program {
                unit,
                erase_count,
                for_host,
            },
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
}

/// First and last page that an I/O touches.
#[inline]
fn pages_of(io: &Io) -> (u64, u64) {
    let last_byte = io.offset + u64::from(io.length) - 1;
    (io.offset / PAGE, last_byte / PAGE)
}

mod events;
#[cfg(test)]
mod tests;
