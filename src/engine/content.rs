//! What writes carry, block by block: a stamp in random data, zeros, or duplicates.
//!
//! The standard wants a random data pattern (PTS 2.0.2, clause 2.1 "test code and pattern"), and
//! a drive that compresses or deduplicates must not profit from two blocks alike. Every logical
//! block therefore carries a stamp: its LBA, the cell and worker that wrote it and the number of
//! the write. The stamp is mixed with the random words behind it, so that it is random to look at
//! and still reads back exactly. Stamps lie on multiples of 64 bytes, so that a stamp of a later
//! write, at another place of the same memory, never destroys the words that an earlier one was
//! mixed with: random memory stays random however often it is stamped.

use super::noise::Noise;
use crate::stimulus::Reduction;

/// Bytes of a stamp with the random words it is mixed with.
pub(super) const STAMP_BYTES: usize = 64;
/// First word of a stamp: what tells a stamp from anything else.
const MAGIC: u64 = 0x7074_7365_5f73_746d;
/// Bytes that a drive is taken to compare when it looks for duplicates.
const UNIT_BYTES: usize = 4096;
/// Different units that duplicates repeat.
const ORIGINALS: u64 = 16;
/// Stands in a stamp for the LBA where the same unit is written to many.
pub const LBA_OF_DUPLICATES: u64 = u64::MAX;

/// What a logical block was stamped with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The block's own address, or [`LBA_OF_DUPLICATES`].
    pub lba: u64,
    /// Who wrote it: cell and worker.
    pub writer: u64,
    /// Number of the write among all of this writer.
    pub sequence: u64,
}

impl Stamp {
    /// Stamps one logical block. Blocks are at least 512 bytes.
    #[inline]
    pub fn write(&self, block: &mut [u8]) {
        let (words, _) = block.as_chunks_mut::<8>();
        let values = [MAGIC, self.lba, self.writer, self.sequence];
        for (index, value) in values.into_iter().enumerate() {
            let noise = u64::from_le_bytes(words[index + values.len()]);
            words[index] = (value ^ noise).to_le_bytes();
        }
    }

    /// The stamp of a logical block, if it has one.
    pub fn read(block: &[u8]) -> Option<Self> {
        let (words, _) = block.get(..STAMP_BYTES)?.as_chunks::<8>();
        let value =
            |index: usize| u64::from_le_bytes(words[index]) ^ u64::from_le_bytes(words[index + 4]);
        (value(0) == MAGIC).then(|| Self {
            lba: value(1),
            writer: value(2),
            sequence: value(3),
        })
    }
}

/// Stamps every logical block of a buffer that is to be written at `offset_bytes`.
#[inline]
pub fn stamp_all(
    buffer: &mut [u8],
    offset_bytes: u64,
    logical_block: u32,
    writer: u64,
    sequence: u64,
) {
    let length = usize::try_from(logical_block).expect("a block fits in memory");
    let lbas = offset_bytes / u64::from(logical_block)..;
    for (lba, block) in lbas.zip(buffer.chunks_exact_mut(length)) {
        Stamp {
            lba,
            writer,
            sequence,
        }
        .write(block);
    }
}

/// Makes data that can be reduced by stated shares.
#[derive(Debug, Default)]
pub(super) struct Reducer {
    /// Sum of the shares of duplicates so far, modulo 100: exact in every hundred units.
    owed: u8,
    duplicates: u64,
}

impl Reducer {
    /// Fills a buffer that is to be written at `offset_bytes`.
    pub(super) fn fill(
        &mut self,
        buffer: &mut [u8],
        reduction: Reduction,
        place: &Place,
        noise: &mut Noise,
    ) {
        let lba_first = place.offset_bytes / u64::from(place.logical_block);
        let block = usize::try_from(place.logical_block).expect("a block fits in memory");
        for (index, unit) in (0_u64..).zip(buffer.chunks_mut(UNIT_BYTES.max(block))) {
            let lba = lba_first + index * u64_of(UNIT_BYTES.max(block) / block);
            let mut stamp = Stamp {
                lba,
                writer: place.writer,
                sequence: place.sequence,
            };
            if self.is_duplicate(reduction.duplicate_percent) {
                let original = self.duplicates % ORIGINALS;
                self.duplicates += 1;
                stamp.lba = LBA_OF_DUPLICATES;
                stamp.writer = 0;
                stamp.sequence = original;
                let mut noise = Noise::new(original);
                fill_unit(unit, block, reduction, stamp, &mut noise);
            } else {
                fill_unit(unit, block, reduction, stamp, noise);
            }
        }
    }

    fn is_duplicate(&mut self, percent: u8) -> bool {
        self.owed += percent.min(100);
        let is_due = self.owed >= 100;
        self.owed %= 100;
        is_due
    }
}

/// Where and by whom a buffer is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// First byte on the drive.
    pub(super) offset_bytes: u64,
    /// In bytes.
    pub(super) logical_block: u32,
    /// Cell and worker.
    pub(super) writer: u64,
    /// Number of the write.
    pub(super) sequence: u64,
}

/// Every logical block begins random and ends in zeros, so that any part of a unit is as
/// compressible as the whole.
fn fill_unit(
    unit: &mut [u8],
    block: usize,
    reduction: Reduction,
    mut stamp: Stamp,
    noise: &mut Noise,
) {
    let percent = usize::from(100 - reduction.compressible_percent.min(100));
    for part in unit.chunks_mut(block) {
        let (random, zeros) = part.split_at_mut((part.len() * percent).div_ceil(100));
        noise.fill(random);
        zeros.fill(0);
        stamp.write(part);
        if stamp.lba == LBA_OF_DUPLICATES {
            continue;
        }
        stamp.lba += 1;
    }
}

fn u64_of(count: usize) -> u64 {
    u64::try_from(count).expect("a count of blocks fits")
}

#[cfg(test)]
mod tests;
