//! The stream of I/Os of one worker: direction, size and address, from a seed.
//!
//! Pure and deterministic: the same access, seed and worker give the same stream on every
//! machine, real drive or simulated. Random numbers are drawn in a fixed order for each I/O
//! (direction, size, zone, address). Reads and writes are drawn without replacement from decks of
//! 100 I/Os, so that a mix of 65/35 holds exactly in every hundred and not only on average.
//!
//! Sequential workers of one access take disjoint contiguous shares of the range; together they
//! cover it once before any of it is touched again. The last I/O of a share or of an amount is cut
//! to what is left, so a fill reaches every logical block, the tail included.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{Access, BlockShares, Cell, Until};
use crate::units::Bytes;
use plain::{Places, Plain};

mod plain;

/// I/Os in a deck of directions.
const DECK: u32 = 100;

/// One I/O to issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Io {
    /// First byte on the drive.
    pub offset: u64,
    /// Bytes, a multiple of the logical block.
    pub length: u32,
    /// Read or write.
    pub is_read: bool,
}

/// The I/Os of one worker in one cell.
#[derive(Debug, Clone)]
pub struct Addresses {
    random: Xoshiro256PlusPlus,
    read_percent: u32,
    reads_left: u32,
    deck_left: u32,
    read_blocks: Weighted,
    write_blocks: Weighted,
    zones: Vec<Target>,
    zone_weights: u32,
    random_percent: u8,
    share: Share,
    /// Bytes still to transfer; more than any drive ever does when time ends the cell.
    amount_left: u64,
    plain: Option<Plain>,
}

#[derive(Debug, Clone)]
struct Weighted {
    sizes: Vec<(u32, u32)>,
    weights: u32,
}

#[derive(Debug, Clone, Copy)]
struct Target {
    weight: u32,
    start: u64,
    len: u64,
}

/// A contiguous part of the range that one worker runs through again and again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub(super) start: u64,
    pub(super) end: u64,
    cursor: u64,
}

impl Addresses {
    /// The stream of `worker` (from 0) in `cell`.
    ///
    /// # Panics
    /// If the access has no zone or no block size, or `worker` is not below its thread count:
    /// plans are validated before they get here.
    pub fn new(cell: &Cell, worker: u32) -> Self {
        let access = &cell.access;
        assert!(worker < access.threads && !access.zones.is_empty());
        let share = Share::of(access, worker);
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(mix(cell.seed, u64::from(worker) + 1)),
            read_percent: u32::from(access.read_percent),
            reads_left: u32::from(access.read_percent),
            deck_left: DECK,
            read_blocks: Weighted::new(&access.read_blocks),
            write_blocks: Weighted::new(&access.write_blocks),
            zones: access
                .zones
                .iter()
                .map(|z| Target {
                    weight: z.weight,
                    start: z.start.0,
                    len: z.len(),
                })
                .collect(),
            zone_weights: access.zones.iter().map(|z| z.weight).sum(),
            random_percent: access.random_percent,
            share,
            amount_left: match cell.until {
                Until::Time(_) => u64::MAX,
                Until::Transferred(total) => amount_of(access, worker, total, &share),
            },
            plain: Plain::of(access),
        }
    }

    /// Whether this worker's amount is issued.
    #[inline]
    pub fn is_issued(&self) -> bool {
        self.amount_left == 0
    }

    /// The next I/O, or `None` when this worker's amount is issued.
    #[inline(always)]
    pub fn next_io(&mut self) -> Option<Io> {
        let Some(plain) = self.plain else {
            return self.draw();
        };
        let is_read = self.draw_direction();
        let places = if is_read { plain.read } else { plain.write };
        if self.amount_left < u64::from(places.size) {
            return self.cut(is_read, places);
        }
        self.amount_left -= u64::from(places.size);
        Some(self.place(plain.start, places, is_read))
    }

    /// A random place for one block.
    #[inline]
    fn place(&mut self, start: u64, places: Places, is_read: bool) -> Io {
        let place = below(self.random.next_u64(), places.count);
        Io {
            offset: start + place * u64::from(places.size),
            length: places.size,
            is_read,
        }
    }

    /// The last I/O of an amount, as long as what is left of it.
    #[cold]
    fn cut(&mut self, is_read: bool, places: Places) -> Option<Io> {
        let plain = self.plain.filter(|_| self.amount_left > 0)?;
        let mut io = self.place(plain.start, places, is_read);
        io.length = u32::try_from(self.amount_left).unwrap_or(places.size);
        self.amount_left = 0;
        Some(io)
    }

    /// The next I/O of any pattern.
    #[inline(never)]
    fn draw(&mut self) -> Option<Io> {
        if self.is_issued() {
            return None;
        }
        let is_read = self.draw_direction();
        let size = self.draw_size(is_read);
        let is_random = match self.random_percent {
            0 => false,
            100 => true,
            percent => below(self.random.next_u64(), 100) < u64::from(percent),
        };
        let (offset, mut length) = if is_random {
            self.draw_random(size)
        } else {
            self.share.advance(size)
        };
        length = length.min(u32::try_from(self.amount_left).unwrap_or(u32::MAX));
        self.amount_left -= u64::from(length);
        Some(Io {
            offset,
            length,
            is_read,
        })
    }

    #[inline]
    fn draw_direction(&mut self) -> bool {
        match self.read_percent {
            0 => return false,
            100 => return true,
            _ => {}
        }
        let is_read =
            below(self.random.next_u64(), u64::from(self.deck_left)) < u64::from(self.reads_left);
        self.reads_left -= u32::from(is_read);
        self.deck_left -= 1;
        if self.deck_left == 0 {
            self.deck_left = DECK;
            self.reads_left = self.read_percent;
        }
        is_read
    }

    #[inline]
    fn draw_size(&mut self, is_read: bool) -> u32 {
        let blocks = if is_read {
            &self.read_blocks
        } else {
            &self.write_blocks
        };
        if let [(size, _)] = blocks.sizes.as_slice() {
            return *size;
        }
        let mut ticket = below(self.random.next_u64(), u64::from(blocks.weights));
        for (size, weight) in &blocks.sizes {
            if ticket < u64::from(*weight) {
                return *size;
            }
            ticket -= u64::from(*weight);
        }
        unreachable!("the ticket is below the sum of the weights")
    }

    #[inline]
    fn draw_random(&mut self, size: u32) -> (u64, u32) {
        let mut target = self.zones[0];
        if self.zones.len() > 1 {
            let mut ticket = below(self.random.next_u64(), u64::from(self.zone_weights));
            for zone in &self.zones {
                if ticket < u64::from(zone.weight) {
                    target = *zone;
                    break;
                }
                ticket -= u64::from(zone.weight);
            }
        }
        let places = target.len / u64::from(size);
        let place = below(self.random.next_u64(), places);
        (target.start + place * u64::from(size), size)
    }
}

impl Weighted {
    fn new(blocks: &BlockShares) -> Self {
        let size = |bytes: Bytes| u32::try_from(bytes.0).expect("a block is below 4 GiB");
        Self {
            sizes: blocks
                .0
                .iter()
                .map(|(bytes, weight)| (size(*bytes), *weight))
                .collect(),
            weights: blocks.0.iter().map(|(_, weight)| weight).sum(),
        }
    }
}

impl Share {
    /// The part of the whole range that `worker` runs through: contiguous, disjoint, on blocks;
    /// the last one takes the tail.
    pub(super) fn of(access: &Access, worker: u32) -> Self {
        let start = access.zones.iter().map(|z| z.start.0).min().unwrap_or(0);
        let end = access.zones.iter().map(|z| z.end.0).max().unwrap_or(0);
        let block = access.block_largest().0.max(1);
        let each = (end - start) / u64::from(access.threads) / block * block;
        let share_start = start + each * u64::from(worker);
        let is_last = worker + 1 == access.threads;
        let share_end = if is_last { end } else { share_start + each };
        Self {
            start: share_start,
            end: share_end,
            cursor: share_start,
        }
    }

    #[inline]
    fn advance(&mut self, size: u32) -> (u64, u32) {
        let offset = self.cursor;
        let length = u64::from(size).min(self.end - offset);
        self.cursor = if offset + length == self.end {
            self.start
        } else {
            offset + length
        };
        (
            offset,
            u32::try_from(length).expect("no longer than the block"),
        )
    }
}

/// The part of `total` that `worker` transfers. Sequential workers take it in proportion to their
/// share, so that a multiple of the range is that multiple of every share, exactly.
pub(super) fn amount_of(access: &Access, worker: u32, total: Bytes, share: &Share) -> u64 {
    let block = u128::from(access.logical_block.0.max(1));
    let floor = |bytes: u128| u64::try_from(bytes / block * block).expect("a part of a u64");
    let portion = |from: u128, to: u128, of: u128| {
        floor(u128::from(total.0) * to / of) - floor(u128::from(total.0) * from / of)
    };
    if access.random_percent == 0 {
        let start = access.zones.iter().map(|z| z.start.0).min().unwrap_or(0);
        let end = access.zones.iter().map(|z| z.end.0).max().unwrap_or(0);
        portion(
            u128::from(share.start - start),
            u128::from(share.end - start),
            u128::from(end - start),
        )
    } else {
        portion(
            u128::from(worker),
            u128::from(worker + 1),
            u128::from(access.threads),
        )
    }
}

/// A number below `bound`, by multiplication; the bias is below 2^-40 for every drive that exists.
#[inline]
pub fn below(random: u64, bound: u64) -> u64 {
    u64::try_from((u128::from(random) * u128::from(bound)) >> 64).expect("below the bound")
}

/// Derives a seed from a seed and a number (SplitMix64's finaliser).
pub fn mix(seed: u64, number: u64) -> u64 {
    let mut z = seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests;
