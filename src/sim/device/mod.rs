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

mod build;
pub(crate) mod die;
mod jobs;
pub(crate) mod pipe;
mod programmed;

use std::collections::VecDeque;

pub(crate) use self::build::{Build, Timing, Trouble};
use self::die::Die;
use self::pipe::Pipe;
use self::programmed::Programmed;
use super::agenda::Agenda;
use super::flash::layout::PAGE;
use super::flash::{Flash, NONE, Operation};
use crate::drive::FlashCounts;
use crate::stimulus::addresses::Io;

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

    /// Reads in a row from one sensing are one transfer on the channel.
    #[inline]
    fn read(&mut self, io: Io, arrival: u64) -> u64 {
        let layout = *self.flash.layout();
        let (first, last) = pages_of(&io);
        let mut ready = arrival;
        let (mut sense, mut die, mut pages) = (NONE, 0, 0);
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
            let sense_here = layout.sense_of(place);
            if sense_here != sense {
                if pages > 0 {
                    ready = ready.max(self.fetch(die, arrival, 1, pages));
                }
                (sense, die, pages) = (sense_here, layout.die_of(layout.unit_of(place)), 0);
            }
            pages += 1;
        }
        if pages > 0 {
            ready = ready.max(self.fetch(die, arrival, 1, pages));
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
    #[inline]
    fn fetch(&mut self, die: usize, at: u64, senses: u32, pages: u32) -> u64 {
        let timing = &self.build.timing;
        let sense = timing.sense * u64::from(senses);
        let sensed = self.dies[die].read(at, sense, timing.suspension);
        let transfer = self.page_on_channel * u64::from(pages);
        let channel = die % self.channels.len();
        let start = self.channels[channel].take(at, transfer);
        sensed.max(start) + transfer
    }
}

/// First and last page that an I/O touches.
#[inline]
fn pages_of(io: &Io) -> (u64, u64) {
    let last_byte = io.offset + u64::from(io.length) - 1;
    (io.offset / PAGE, last_byte / PAGE)
}

#[cfg(test)]
mod tests;
