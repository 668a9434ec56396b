//! Fills the buffers of one worker's writes: random data, and a stamp in every logical block.

use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::content::{Pool, stamp_all};
use super::slots::Slots;
use crate::stimulus::Content;
use crate::stimulus::addresses::{Io, mix};

/// Distinguishes the seed of the content from that of the addresses.
const SEED_MARK: u64 = 0x636f_6e74;

/// What one worker's writes are filled from.
#[derive(Debug)]
pub(super) struct Filler {
    pool: Arc<Pool>,
    random: Xoshiro256PlusPlus,
    worker: u32,
    logical_block: u32,
    sequence: u64,
}

impl Filler {
    /// For `worker`, from the seed of a cell.
    pub(super) fn new(pool: Arc<Pool>, seed: u64, worker: u32, logical_block: u32) -> Self {
        let seed = mix(seed, SEED_MARK ^ (u64::from(worker) << 32));
        Self {
            pool,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            worker,
            logical_block,
            sequence: 0,
        }
    }

    /// Prepares the buffer of a slot for an I/O of this stage.
    #[inline]
    pub(super) fn prepare(
        &mut self,
        slots: &mut Slots,
        slot: u32,
        io: &Io,
        stage: u64,
        content: Content,
    ) {
        if io.is_read {
            slots.note_read(slot);
            return;
        }
        let is_reused = match content {
            Content::Random => false,
            Content::Stamped => slots.holds_random(slot, io.length),
        };
        let buffer = slots.buffer(slot, io.length);
        if !is_reused {
            self.pool.copy_to(buffer, self.random.next_u64());
        }
        let writer = (stage << 16) | u64::from(self.worker & 0xFFFF);
        stamp_all(buffer, io.offset, self.logical_block, writer, self.sequence);
        self.sequence += 1;
    }
}
