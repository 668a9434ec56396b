//! Fills what one worker writes: where the data of a write starts, and what stands there.
//!
//! Contents from the pool cost a stamp for each logical block and nothing else: the write leaves
//! from a random place of the slot's own segment. That place is chosen one write ahead, so that
//! its cache lines are there when they are stamped.

use super::content::{Place, Reducer, STAMP_BYTES, stamp_all};
use super::noise::Noise;
use super::slots::Slots;
use crate::stimulus::Content;
use crate::stimulus::addresses::{below, mix};

/// Distinguishes the seed of the content from that of the addresses.
const SEED_MARK: u64 = 0x636f_6e74;
/// Stamps that are fetched ahead; a longer write hides the rest behind its own time.
const FETCHED_MAX: usize = 16;

/// What one worker's writes are filled from.
#[derive(Debug)]
pub(super) struct Filler {
    noise: Noise,
    reducer: Reducer,
    worker: u32,
    logical_block: u32,
    block_bytes: usize,
    /// Distance between places where data may start: a multiple of 64, and of what direct I/O on
    /// the target needs.
    step: usize,
    /// Stage and number of the next write: they count from 0 in each stage.
    stage: u64,
    sequence: u64,
}

impl Filler {
    /// For `worker`, from the seed of a cell; `alignment` is what direct I/O needs of memory.
    pub(super) fn new(seed: u64, worker: u32, logical_block: u32, alignment: u32) -> Self {
        let seed = mix(seed, SEED_MARK ^ (u64::from(worker) << 32));
        let size = |bytes: u32| usize::try_from(bytes).expect("a block fits in memory");
        Self {
            noise: Noise::new(seed),
            reducer: Reducer::default(),
            worker,
            logical_block,
            block_bytes: size(logical_block),
            step: size(alignment).next_multiple_of(STAMP_BYTES),
            stage: 0,
            sequence: 0,
        }
    }

    /// Makes the segments of all slots random; before the first I/O.
    pub(super) fn fill_pool(&mut self, slots: &mut Slots) {
        for slot in 0..slots.count() {
            self.restore(slots, slot);
            self.choose_start(slots, slot, 0);
        }
    }

    /// Prepares the data of the write in a slot.
    #[inline]
    pub(super) fn prepare(&mut self, slots: &mut Slots, slot: u32, stage: u64, content: Content) {
        let io = slots.get_mut(slot).io;
        let length = usize::try_from(io.length).expect("a block fits in memory");
        if self.stage != stage {
            self.stage = stage;
            self.sequence = 0;
        }
        let writer = (stage << 16) | u64::from(self.worker & 0xFFFF);
        let place = Place {
            offset_bytes: io.offset,
            logical_block: self.logical_block,
            writer,
            sequence: self.sequence,
        };
        self.sequence += 1;
        match content {
            Content::Random => {
                self.restore(slots, slot);
                let start = slots.segment(slot).start;
                slots.aim(slot, start);
                stamp(slots.part(slot, start, length), &place);
                self.choose_start(slots, slot, length);
            }
            Content::Stamped => {
                self.restore(slots, slot);
                slots.aim(slot, 0);
                stamp(slots.part(slot, 0, length), &place);
            }
            Content::Fresh => {
                slots.aim(slot, 0);
                let part = slots.part(slot, 0, length);
                self.noise.fill(part);
                stamp(part, &place);
                slots.segment(slot).zeros = 0;
            }
            Content::Zero => {
                slots.aim(slot, 0);
                if slots.segment(slot).zeros < length {
                    slots.part(slot, 0, length).fill(0);
                    let segment = slots.segment(slot);
                    segment.zeros = length;
                    segment.foreign = segment.foreign.max(length);
                }
            }
            Content::Reducible(reduction) => {
                slots.aim(slot, 0);
                let part = slots.part(slot, 0, length);
                self.reducer.fill(part, reduction, &place, &mut self.noise);
                let segment = slots.segment(slot);
                segment.zeros = 0;
                segment.foreign = segment.foreign.max(length);
            }
        }
    }

    /// Makes random again what is not.
    #[inline]
    fn restore(&mut self, slots: &mut Slots, slot: u32) {
        let foreign = slots.segment(slot).foreign;
        if foreign > 0 {
            self.noise.fill(slots.part(slot, 0, foreign));
            let segment = slots.segment(slot);
            segment.foreign = 0;
            segment.zeros = 0;
        }
    }

    /// Chooses where the next write of a slot starts, and fetches what will be stamped there if it
    /// is as long as this one.
    #[inline]
    fn choose_start(&mut self, slots: &mut Slots, slot: u32, length: usize) {
        let places = slots.room() / self.step + 1;
        let bound = u64::try_from(places).expect("a place in memory fits");
        let place = below(self.noise.next_u64(), bound);
        let start = usize::try_from(place).expect("a place in memory fits") * self.step;
        slots.segment(slot).start = start;
        for block in 0..(length / self.block_bytes).min(FETCHED_MAX) {
            slots.fetch(slot, start + block * self.block_bytes);
        }
    }
}

#[inline]
fn stamp(buffer: &mut [u8], place: &Place) {
    stamp_all(
        buffer,
        place.offset_bytes,
        place.logical_block,
        place.writer,
        place.sequence,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::content::Stamp;
    use crate::engine::slots::Layout;
    use crate::stimulus::addresses::Io;

    const WRITE: Io = Io {
        offset: 8192,
        length: 4096,
        is_read: false,
    };

    fn slots(block_bytes: u32) -> Slots {
        Slots::new(Layout {
            slots: 1,
            block_bytes,
            writes: true,
            slots_of_all: 100,
        })
        .unwrap()
    }

    fn ready(block_bytes: u32) -> (Filler, Slots) {
        let (mut filler, mut slots) = (Filler::new(9, 3, 512, 4), slots(block_bytes));
        filler.fill_pool(&mut slots);
        (filler, slots)
    }

    /// What the kernel would send: the bytes at the address of the I/O.
    fn written(filler: &mut Filler, slots: &mut Slots, io: Io, content: Content) -> Vec<u8> {
        let slot = slots.take(io, 5);
        if !io.is_read {
            filler.prepare(slots, slot, 5, content);
        }
        let base = slots.part(0, 0, 0).as_ptr().addr();
        let start = slots.get_mut(slot).address.addr() - base;
        let length = usize::try_from(io.length).unwrap();
        slots.give_back(slot).unwrap();
        slots.part(0, start, length).to_vec()
    }

    /// Random content and fresh content: no two blocks alike, each stamped with its LBA, writer and
    /// sequence.
    #[test]
    fn random_blocks_are_all_different_and_stamped() {
        for content in [Content::Random, Content::Fresh] {
            let (mut filler, mut slots) = ready(4096);
            let mut blocks = Vec::new();
            for sequence in 0..10 {
                let bytes = written(&mut filler, &mut slots, WRITE, content);
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
    }

    /// Stamped content keeps the place in memory and all but the stamp.
    #[test]
    fn stamped_blocks_keep_their_buffer() {
        let (mut filler, mut slots) = ready(4096);
        let first = written(&mut filler, &mut slots, WRITE, Content::Stamped);
        let second = written(&mut filler, &mut slots, WRITE, Content::Stamped);
        assert_eq!(first[64..512], second[64..512]);
        assert_ne!(Stamp::read(&first), Stamp::read(&second));
    }

    /// After zeros, data that can be reduced, or a read into the same memory, random is random.
    #[test]
    fn contents_do_not_leak_into_each_other() {
        let read = Io {
            is_read: true,
            length: 1 << 20,
            ..WRITE
        };
        let write = Io {
            is_read: false,
            ..read
        };
        let (mut filler, mut slots) = ready(1 << 20);
        let zeros = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == 0).count();
        for _ in 0..3 {
            let bytes = written(&mut filler, &mut slots, write, Content::Zero);
            assert_eq!(zeros(&bytes), 1 << 20);
            assert_eq!(
                written(&mut filler, &mut slots, write, Content::Zero),
                bytes
            );
            // One in 256 bytes, 4,096, with six standard deviations.
            let bytes = written(&mut filler, &mut slots, write, Content::Random);
            assert!(zeros(&bytes).abs_diff(4096) < 383);
            written(&mut filler, &mut slots, read, Content::Random);
            slots.part(0, 0, 1 << 20).fill(0);
            let bytes = written(&mut filler, &mut slots, write, Content::Stamped);
            assert!(zeros(&bytes).abs_diff(4096) < 383);
        }
    }

    /// Where direct I/O needs more, data starts on its multiples.
    #[test]
    fn places_keep_to_the_alignment_of_the_target() {
        for (alignment, expected) in [(1, 64), (4, 64), (512, 512), (4096, 4096)] {
            let mut filler = Filler::new(1, 0, 512, alignment);
            let mut slots = slots(4096);
            filler.fill_pool(&mut slots);
            let mut starts: Vec<usize> = (0..100)
                .map(|_| {
                    filler.choose_start(&mut slots, 0, 512);
                    slots.segment(0).start
                })
                .collect();
            assert!(starts.iter().all(|start| start % expected == 0));
            starts.sort_unstable();
            starts.dedup();
            assert!(starts.len() > 50);
        }
    }
}
