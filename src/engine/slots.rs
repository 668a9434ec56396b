//! The buffers of one worker and what is in flight in them.
//!
//! A slot holds one I/O and owns its memory alone, so that nothing changes a buffer while its I/O
//! is in flight: drives with end-to-end protection and file systems with checksums notice. Writes
//! leave from a *segment* of random data at changing places, without copying; the segments of all
//! slots together are the pool of at least 64 MiB that contents start in. Reads arrive behind the
//! segment, or, where the blocks themselves are that large, over it; the filler then makes it
//! random again before it is written from.

use std::io;

use super::memory::Region;
use crate::stimulus::addresses::Io;
use crate::units::{MIB, Nanos};

/// Random data that writes start in, over all slots of a crew.
pub(super) const POOL_BYTES: u64 = 64 * MIB;
/// The kernel refuses to register a longer piece.
const PIECE_BYTES_MAX: usize = 1 << 30;
/// Buffers begin on pages.
const PAGE: usize = 4096;

/// What the slots of a worker are made for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Slots of this worker.
    pub(super) slots: u32,
    /// Longest I/O, a multiple of 4096.
    pub(super) block_bytes: u32,
    /// Whether any I/O writes.
    pub(super) writes: bool,
    /// Slots of all workers, which have the pool in common.
    pub(super) slots_of_all: u64,
}

/// An I/O on its way, on a cache line of its own.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct InFlight {
    /// What it is.
    pub(super) io: Io,
    /// Number of the stage it was issued for.
    pub(super) stage: u64,
    /// When it was handed to the kernel; in open loop, when it was meant to be.
    pub(super) submitted: Nanos,
    /// Its intended start, in open loop, until it is submitted.
    pub(super) intended: Option<Nanos>,
    /// Where its data lies.
    pub(super) address: *mut u8,
    /// Number of the registered piece in which that is.
    pub(super) piece: u16,
    /// How often the kernel has asked to try again.
    pub(super) tries: u16,
    is_taken: bool,
}

/// The memory of one slot and what is known of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    /// Leading bytes that are not random data of ours.
    pub(super) foreign: usize,
    /// Leading bytes that are zeros.
    pub(super) zeros: usize,
    /// Where the next write from the pool starts.
    pub(super) start: usize,
}

/// All slots of a worker.
#[derive(Debug)]
pub(super) struct Slots {
    region: Region,
    stride: usize,
    block_bytes: usize,
    segment_bytes: usize,
    /// Where reads arrive, from the beginning of the slot.
    read_at: usize,
    slots_per_piece: usize,
    in_flight: Box<[InFlight]>,
    segments: Box<[Segment]>,
    /// The first `free_count` of them are free.
    free: Box<[u32]>,
    free_count: usize,
}

impl Slots {
    /// Slots as laid out, their memory mapped and zero.
    pub(super) fn new(layout: Layout) -> io::Result<Self> {
        let slots = usize::try_from(layout.slots).unwrap_or(usize::MAX);
        let block_bytes = usize::try_from(layout.block_bytes).unwrap_or(usize::MAX);
        let pool_share = POOL_BYTES.div_ceil(layout.slots_of_all.max(1));
        let pool_share = usize::try_from(pool_share).unwrap_or(usize::MAX);
        let segment_bytes = if layout.writes {
            // A page more than the longest block, so that even that starts at changing places.
            pool_share.max(block_bytes + PAGE).next_multiple_of(PAGE)
        } else {
            0
        };
        let blocks_of_all = layout
            .slots_of_all
            .saturating_mul(u64::from(layout.block_bytes));
        let reads_apart = !layout.writes || blocks_of_all <= POOL_BYTES;
        let read_at = if reads_apart { segment_bytes } else { 0 };
        let stride = segment_bytes.max(read_at + block_bytes);
        let length = slots
            .checked_mul(stride)
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let region = Region::new(length)?;
        let slots_per_piece = (PIECE_BYTES_MAX / stride.max(1)).max(1);
        let idle = |slot: usize| InFlight {
            io: Io {
                offset: 0,
                length: 0,
                is_read: true,
            },
            stage: 0,
            submitted: Nanos(0),
            intended: None,
            address: region.address(slot * stride + read_at, block_bytes),
            piece: u16::try_from(slot / slots_per_piece).expect("few pieces of 1 GiB"),
            tries: 0,
            is_taken: false,
        };
        Ok(Self {
            in_flight: (0..slots).map(idle).collect(),
            region,
            stride,
            block_bytes,
            segment_bytes,
            read_at,
            slots_per_piece,
            segments: vec![
                Segment {
                    foreign: segment_bytes,
                    zeros: segment_bytes,
                    start: 0,
                };
                slots
            ]
            .into(),
            free: (0..layout.slots).rev().collect(),
            free_count: slots,
        })
    }

    /// The pieces of memory to register, none longer than the kernel allows and none cutting a
    /// slot: address and length.
    pub(super) fn pieces(&self) -> Vec<(*mut u8, usize)> {
        let count = self.in_flight.len();
        (0..count)
            .step_by(self.slots_per_piece)
            .map(|first| {
                let slots = self.slots_per_piece.min(count - first);
                let length = slots * self.stride;
                (self.region.address(first * self.stride, length), length)
            })
            .collect()
    }

    /// All slots.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.in_flight.len()).expect("no more slots than a u32 counts")
    }

    /// Whether a slot is free.
    #[inline]
    pub(super) fn has_free(&self) -> bool {
        self.free_count > 0
    }

    /// Slots with an I/O in flight.
    #[inline]
    pub(super) fn taken(&self) -> u32 {
        let taken = self.in_flight.len() - self.free_count;
        u32::try_from(taken).expect("no more slots than a u32 counts")
    }

    /// Whether nothing is in flight.
    #[inline]
    pub(super) fn are_all_free(&self) -> bool {
        self.free_count == self.in_flight.len()
    }

    /// Takes a free slot for an I/O. A read is ready to be sent; a write needs its data.
    ///
    /// # Panics
    /// When none is free.
    #[inline]
    pub(super) fn take(&mut self, io: Io, stage: u64) -> u32 {
        self.free_count = self.free_count.wrapping_sub(1);
        let slot = self.free[self.free_count];
        let in_flight = &mut self.in_flight[index(slot)];
        in_flight.io = io;
        in_flight.stage = stage;
        in_flight.tries = 0;
        in_flight.is_taken = true;
        if io.is_read && self.segment_bytes > 0 {
            self.receive(slot);
        }
        slot
    }

    /// Lets a read arrive beside the segment of its slot, or over it.
    #[inline]
    fn receive(&mut self, slot: u32) {
        let io = self.in_flight[index(slot)].io;
        if self.read_at == 0 {
            let segment = &mut self.segments[index(slot)];
            segment.foreign = segment.foreign.max(length(&io));
            segment.zeros = 0;
        }
        self.aim(slot, self.read_at);
    }

    /// The I/O in a slot.
    #[inline]
    pub(super) fn get_mut(&mut self, slot: u32) -> &mut InFlight {
        &mut self.in_flight[index(slot)]
    }

    /// What a read has put into the buffer of a slot that nothing was taken for since.
    pub(super) fn received(&mut self, slot: u32) -> &[u8] {
        let length = length(&self.in_flight[index(slot)].io);
        self.part(slot, self.read_at, length)
    }

    /// Gives a slot back whose I/O has completed. `None` if it holds none: a completion that
    /// nobody asked for.
    #[inline]
    pub(super) fn give_back(&mut self, slot: u32) -> Option<&InFlight> {
        let in_flight = self.in_flight.get_mut(index(slot))?;
        if !in_flight.is_taken {
            return None;
        }
        in_flight.is_taken = false;
        self.free[self.free_count] = slot;
        self.free_count += 1;
        Some(in_flight)
    }

    /// Takes a slot again that was just given back: its I/O is to be sent once more.
    pub(super) fn take_back(&mut self, slot: u32) {
        let free = &mut self.free[..self.free_count];
        if let Some(place) = free.iter().rposition(|&candidate| candidate == slot) {
            free.swap(place, self.free_count - 1);
            self.free_count -= 1;
            self.in_flight[index(slot)].is_taken = true;
        }
    }

    /// Places of a segment at which every block fits, from its beginning: this many bytes.
    #[inline]
    pub(super) fn room(&self) -> usize {
        self.segment_bytes - self.block_bytes
    }

    /// What is known of a slot's segment.
    #[inline]
    pub(super) fn segment(&mut self, slot: u32) -> &mut Segment {
        &mut self.segments[index(slot)]
    }

    /// A part of the segment of a slot whose I/O is not with the kernel, to be filled.
    #[inline]
    pub(super) fn part(&mut self, slot: u32, start: usize, length: usize) -> &mut [u8] {
        self.region.part(index(slot) * self.stride + start, length)
    }

    /// Asks the CPU to fetch a cache line of a segment that will be written soon.
    #[inline]
    pub(super) fn fetch(&self, slot: u32, at: usize) {
        self.region.fetch(index(slot) * self.stride + at);
    }

    /// The data of the I/O in a slot begins at this place of the slot.
    #[inline]
    pub(super) fn aim(&mut self, slot: u32, start: usize) {
        let at = index(slot) * self.stride + start;
        let in_flight = &mut self.in_flight[index(slot)];
        in_flight.address = self.region.address(at, length(&in_flight.io));
    }
}

#[inline]
fn index(slot: u32) -> usize {
    usize::try_from(slot).expect("a slot's number fits in memory")
}

#[inline]
fn length(io: &Io) -> usize {
    usize::try_from(io.length).expect("a block fits in memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn layout(slots: u32, block_bytes: u32, slots_of_all: u64) -> Layout {
        Layout {
            slots,
            block_bytes,
            writes: true,
            slots_of_all,
        }
    }

    /// The pool of contents is at least 64 MiB, however few slots there are.
    #[test]
    fn segments_make_up_the_pool() {
        for slots in [1_u32, 3, 128] {
            let made = Slots::new(layout(slots, 4096, slots.into())).unwrap();
            assert!(made.count() as usize * made.segment_bytes >= 64 << 20);
        }
    }

    /// Sixteen workers of 256 slots for blocks of 1 MiB take the buffers and at most 64 MiB; one
    /// of those workers is laid out here.
    #[test]
    fn large_blocks_take_little_more_than_their_buffers() {
        let made = Slots::new(layout(2, 1 << 20, 16 * 256)).unwrap();
        let more = made.stride - (1 << 20);
        assert!(16 * 256 * more <= 64 << 20, "{more} bytes for each slot");
    }

    #[test]
    fn pieces_hold_whole_slots_and_at_most_a_gibibyte() {
        let mut made = Slots::new(layout(3, 4096, 3 * 4096)).unwrap();
        made.slots_per_piece = 2;
        let stride = made.stride;
        let lengths: Vec<usize> = made.pieces().iter().map(|piece| piece.1).collect();
        assert_eq!(lengths, [2 * stride, stride]);
    }

    #[test]
    fn a_slot_is_given_back_once() {
        let mut made = Slots::new(layout(1, 4096, 128)).unwrap();
        let io = Io {
            offset: 0,
            length: 512,
            is_read: true,
        };
        assert!(made.has_free());
        assert_eq!(made.take(io, 0), 0);
        assert!(!made.has_free());
        assert!(made.give_back(0).is_some());
        assert!(made.give_back(0).is_none() && made.give_back(7).is_none());
        assert_eq!(made.taken(), 0);
    }
}
