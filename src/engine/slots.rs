//! The buffers of one worker and what is in flight in them.
//!
//! A slot holds one I/O. Its buffer is only touched while the slot is taken and nothing is in
//! flight in it; `take` and `give_back` are the two ends of that rule.

use std::io;

use super::memory::Region;
use crate::stimulus::addresses::Io;
use crate::units::{GIB, Nanos};

/// The kernel refuses to register a longer piece.
const PIECE_BYTES_MAX: u64 = GIB;

/// An I/O on its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct InFlight {
    /// What it is.
    pub(super) io: Io,
    /// Number of the stage it was issued for.
    pub(super) stage: u64,
    /// When it was handed to the kernel; in open loop, when it was meant to be.
    pub(super) submitted: Nanos,
    /// Its intended start, in open loop.
    pub(super) intended: Option<Nanos>,
    /// How often the kernel has asked to try again.
    pub(super) tries: u32,
}

/// All slots of a worker.
#[derive(Debug)]
pub(super) struct Slots {
    region: Region,
    slot_bytes: usize,
    slots_per_piece: usize,
    in_flight: Vec<Option<InFlight>>,
    /// Leading bytes of each buffer that hold random data of ours rather than something read.
    random_bytes: Vec<u32>,
    free: Vec<u32>,
}

impl Slots {
    /// `count` slots of `slot_bytes` bytes each.
    pub(super) fn new(count: u32, slot_bytes: u32) -> io::Result<Self> {
        let slot_bytes = usize::try_from(slot_bytes).unwrap_or(usize::MAX);
        let slots = usize::try_from(count).unwrap_or(usize::MAX);
        let length = slots
            .checked_mul(slot_bytes)
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let piece = usize::try_from(PIECE_BYTES_MAX).unwrap_or(usize::MAX);
        Ok(Self {
            region: Region::new(length)?,
            slot_bytes,
            slots_per_piece: (piece / slot_bytes.max(1)).max(1),
            in_flight: vec![None; slots],
            random_bytes: vec![0; slots],
            free: (0..count).rev().collect(),
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
                let length = slots * self.slot_bytes;
                (self.region.address(first * self.slot_bytes, length), length)
            })
            .collect()
    }

    /// Whether a slot is free.
    #[inline]
    pub(super) fn has_free(&self) -> bool {
        !self.free.is_empty()
    }

    /// Slots with an I/O in flight.
    pub(super) fn taken(&self) -> u32 {
        let taken = self.in_flight.len() - self.free.len();
        u32::try_from(taken).expect("no more slots than a u32 counts")
    }

    /// Takes a free slot for an I/O.
    #[inline]
    pub(super) fn take(&mut self, io: Io, stage: u64) -> Option<u32> {
        let slot = self.free.pop()?;
        self.in_flight[index(slot)] = Some(InFlight {
            io,
            stage,
            submitted: Nanos(0),
            intended: None,
            tries: 0,
        });
        Some(slot)
    }

    /// The I/O in a taken slot.
    #[inline]
    pub(super) fn get_mut(&mut self, slot: u32) -> Option<&mut InFlight> {
        self.in_flight[index(slot)].as_mut()
    }

    /// The I/O in a taken slot is meant to start then, in open loop.
    #[inline]
    pub(super) fn intend(&mut self, slot: u32, intended: Option<Nanos>) {
        if let Some(io) = self.get_mut(slot) {
            io.intended = intended;
        }
    }

    /// Gives a slot back whose I/O has completed.
    #[inline]
    pub(super) fn give_back(&mut self, slot: u32) -> Option<InFlight> {
        let done = self.in_flight[index(slot)].take()?;
        self.free.push(slot);
        Some(done)
    }

    /// A read will overwrite the slot's buffer.
    #[inline]
    pub(super) fn note_read(&mut self, slot: u32) {
        self.random_bytes[index(slot)] = 0;
    }

    /// Whether the first bytes of the slot's buffer hold random data of ours from before.
    #[inline]
    pub(super) fn holds_random(&self, slot: u32, length: u32) -> bool {
        self.random_bytes[index(slot)] >= length
    }

    /// The buffer of a taken slot whose I/O is not with the kernel yet, to be filled.
    #[inline]
    pub(super) fn buffer(&mut self, slot: u32, length: u32) -> &mut [u8] {
        let slot = index(slot);
        self.random_bytes[slot] = self.random_bytes[slot].max(length);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        self.region.part(slot * self.slot_bytes, length)
    }

    /// What a read has put into the buffer of a slot that nothing was taken for since.
    pub(super) fn received(&mut self, slot: u32, length: u32) -> &[u8] {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        self.region.part(index(slot) * self.slot_bytes, length)
    }

    /// Address of a slot's buffer and the number of its registered piece.
    #[inline]
    pub(super) fn address(&self, slot: u32, length: u32) -> (*mut u8, u16) {
        let slot = index(slot);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let piece = u16::try_from(slot / self.slots_per_piece).expect("few pieces");
        (self.region.address(slot * self.slot_bytes, length), piece)
    }
}

#[inline]
fn index(slot: u32) -> usize {
    usize::try_from(slot).expect("a slot's number fits in memory")
}
