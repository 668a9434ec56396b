//! Which write a byte of the drive holds after a sequential amount: what a read-back expects. Pure.

use super::addresses::{Share, amount_of};
use super::{Access, Cell, Until};

/// The last write of a cell that covered a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastWrite {
    /// The worker that wrote it, from 0.
    pub worker: u32,
    /// Number of the write among those of this worker in the cell, from 0.
    pub sequence: u64,
}

/// Whether [`last_write`] can tell what an access leaves behind.
pub fn is_told(access: &Access) -> bool {
    access.read_percent == 0 && access.random_percent == 0 && access.write_blocks.single().is_some()
}

/// The last write of `cell` that covers the byte at `offset`; `None` where it wrote nothing there,
/// or is no sequential amount in blocks of one size.
pub fn last_write(cell: &Cell, offset: u64) -> Option<LastWrite> {
    let access = &cell.access;
    let Until::Transferred(total) = cell.until else {
        return None;
    };
    let block = access.write_blocks.single().filter(|_| is_told(access))?;
    let mut shares = (0..access.threads).map(|worker| (worker, Share::of(access, worker)));
    let (worker, share) = shares.find(|(_, share)| (share.start..share.end).contains(&offset))?;
    let (length, place) = (share.end - share.start, offset - share.start);
    let amount = amount_of(access, worker, total, &share);
    let (passes, rest) = (amount / length, amount % length);
    let pass = if place < rest {
        passes
    } else {
        passes.checked_sub(1)?
    };
    let writes_each_pass = length.div_ceil(block.0);
    Some(LastWrite {
        worker,
        sequence: pass * writes_each_pass + place / block.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stimulus::addresses::Addresses;
    use crate::stimulus::{BlockShares, CellKey, Content, EngineKind, Zone};
    use crate::units::Bytes;

    fn fill(threads: u32, range: u64, amount: u64) -> Cell {
        Cell {
            key: CellKey {
                step_index: 0,
                round: 0,
                cell_index: 0,
            },
            access: Access {
                threads,
                queue_depth: 8,
                engine: EngineKind::Ring,
                read_percent: 0,
                random_percent: 0,
                read_blocks: BlockShares::one(Bytes(4096)),
                write_blocks: BlockShares::one(Bytes(4096)),
                zones: vec![Zone {
                    weight: 1,
                    start: Bytes(8192),
                    end: Bytes(8192 + range),
                }],
                content: Content::Random,
                logical_block: Bytes(512),
                rate_iops: None,
            },
            until: Until::Transferred(Bytes(amount)),
            seed: 3,
            reads_back: false,
        }
    }

    /// Against the streams themselves: play every write and note who was last.
    #[test]
    fn the_last_write_is_the_one_that_the_streams_made() {
        let range = 37 * 4096 + 3 * 512;
        for threads in [1, 2, 3, 5] {
            for amount in [
                range / 512 / 3 * 512,
                range,
                2 * range,
                2 * range + 9 * 4096 + 512,
            ] {
                let cell = fill(threads, range, amount);
                let sectors = usize::try_from(range / 512).unwrap();
                let mut last = vec![None; sectors];
                for worker in 0..threads {
                    let mut stream = Addresses::new(&cell, worker);
                    let writes = std::iter::from_fn(|| stream.next_io());
                    for (sequence, io) in (0..).zip(writes) {
                        let first = (io.offset - 8192) / 512;
                        for sector in first..first + u64::from(io.length) / 512 {
                            last[usize::try_from(sector).unwrap()] =
                                Some(LastWrite { worker, sequence });
                        }
                    }
                }
                for (sector, expected) in (0..).zip(last) {
                    let found = last_write(&cell, 8192 + sector * 512);
                    assert_eq!(
                        found, expected,
                        "{threads} threads, {amount}, sector {sector}"
                    );
                }
                assert_eq!(last_write(&cell, 0), None);
            }
        }
    }
}
