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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::content::Stamp;

    const IO: Io = Io {
        offset: 8192,
        length: 4096,
        is_read: false,
    };

    fn filler() -> Filler {
        Filler::new(Arc::new(Pool::new(1, 4096)), 9, 3, 512)
    }

    fn written(filler: &mut Filler, slots: &mut Slots, content: Content) -> Vec<u8> {
        filler.prepare(slots, 0, &IO, 5, content);
        slots.buffer(0, IO.length).to_vec()
    }

    /// Random content: no two blocks alike, each stamped with its LBA, writer and sequence.
    #[test]
    fn random_blocks_are_all_different_and_stamped() {
        let (mut filler, mut slots) = (filler(), Slots::new(1, 4096).unwrap());
        let mut blocks = Vec::new();
        for sequence in 0..10 {
            let bytes = written(&mut filler, &mut slots, Content::Random);
            for (lba, block) in (16..).zip(bytes.chunks(512)) {
                let stamp = Stamp::read(block).unwrap();
                assert_eq!((stamp.lba, stamp.writer), (lba, (5 << 16) | 3));
                assert_eq!(stamp.sequence, sequence);
                blocks.push(block[64..].to_vec());
            }
        }
        blocks.sort();
        blocks.dedup();
        assert_eq!(blocks.len(), 80);
    }

    /// Stamped content keeps the buffer of the slot, until a read has overwritten it.
    #[test]
    fn stamped_blocks_keep_their_buffer_until_it_was_read_into() {
        let (mut filler, mut slots) = (filler(), Slots::new(1, 4096).unwrap());
        let first = written(&mut filler, &mut slots, Content::Stamped);
        let second = written(&mut filler, &mut slots, Content::Stamped);
        assert_eq!(first[64..512], second[64..512]);
        assert_ne!(Stamp::read(&first), Stamp::read(&second));
        let read = Io {
            is_read: true,
            ..IO
        };
        filler.prepare(&mut slots, 0, &read, 5, Content::Stamped);
        slots.buffer(0, 0);
        assert!(!slots.holds_random(0, 512));
        let third = written(&mut filler, &mut slots, Content::Stamped);
        assert_ne!(first[64..512], third[64..512]);
    }
}
