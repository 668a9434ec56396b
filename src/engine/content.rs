//! What writes carry: random data from a shared pool, and a stamp in every logical block.
//!
//! The standard wants a random data pattern (PTS 2.0.2, clause 2.1 "test code and pattern"), and
//! a drive that compresses or deduplicates must not profit from two blocks alike. The pool is
//! read-only and shared; blocks are copied from it at random offsets into the buffer of the slot,
//! and stamped there, where no I/O is in flight.
//!
//! A stamp names the block's LBA, the cell and worker that wrote it and the number of the write.
//! It is mixed with the random words behind it, so that it is random to look at and still read
//! back exactly.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::units::MIB;

/// Bytes of random data that blocks start in.
pub const POOL_BYTES: u64 = 64 * MIB;
/// Bytes from one possible start of a block in the pool to the next.
const POOL_STEP: u64 = 64;
/// Bytes of a stamp with the random words it is mixed with.
const STAMP_BYTES: usize = 64;
/// First word of a stamp: what tells a stamp from anything else.
const MAGIC: u64 = 0x7074_7365_5f73_746d;

/// Random data that all workers copy from.
pub struct Pool {
    bytes: Vec<u8>,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Pool({} bytes)", self.bytes.len())
    }
}

impl Pool {
    /// A pool from a seed, for blocks up to `block_largest` bytes.
    pub fn new(seed: u64, block_largest: usize) -> Self {
        let starts = usize::try_from(POOL_BYTES).expect("64 MiB fit in memory");
        let mut bytes = vec![0; starts + block_largest];
        Xoshiro256PlusPlus::seed_from_u64(seed).fill_bytes(&mut bytes);
        Self { bytes }
    }

    /// The largest block it can give.
    pub fn block_largest(&self) -> usize {
        self.bytes.len() - usize::try_from(POOL_BYTES).expect("64 MiB fit in memory")
    }

    /// Copies random data into `buffer`, from a place that `random` chooses.
    #[inline]
    pub fn copy_to(&self, buffer: &mut [u8], random: u64) {
        let start =
            usize::try_from(random % (POOL_BYTES / POOL_STEP) * POOL_STEP).expect("below 64 MiB");
        buffer.copy_from_slice(&self.bytes[start..start + buffer.len()]);
    }
}

/// What a logical block was stamped with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The block's own address.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_read_back_for_every_block() {
        let pool = Pool::new(7, 8192);
        let mut buffer = vec![0; 8192];
        pool.copy_to(&mut buffer, 12_345);
        stamp_all(&mut buffer, 1_048_576, 512, 3, 99);
        for (index, block) in (0_u64..).zip(buffer.chunks(512)) {
            let expected = Stamp {
                lba: 2048 + index,
                writer: 3,
                sequence: 99,
            };
            assert_eq!(Stamp::read(block), Some(expected));
        }
    }

    #[test]
    fn neither_zeros_nor_random_data_pass_for_a_stamp() {
        let pool = Pool::new(7, 512);
        let mut block = [0; 512];
        assert_eq!(Stamp::read(&block), None);
        pool.copy_to(&mut block, 1);
        assert_eq!(Stamp::read(&block), None);
    }

    /// A stamped block must stay random to look at: its bytes take many values, evenly.
    #[test]
    fn a_stamp_does_not_stand_out() {
        let pool = Pool::new(1, 512);
        let mut zeros = 0;
        for number in 0..10_000 {
            let mut block = [0; 512];
            pool.copy_to(&mut block, number * 97);
            stamp_all(&mut block, 0, 512, 0, 0);
            zeros += block[..32].iter().filter(|&&byte| byte == 0).count();
        }
        // 320,000 bytes, of which 1 in 256 is expected to be 0; six standard deviations are 212.
        assert!((1_250 - 212..=1_250 + 212).contains(&zeros), "{zeros}");
    }
}
