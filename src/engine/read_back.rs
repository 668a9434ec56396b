//! Compares what is read back with what the cell before wrote: bytes come in, a fault goes out.
//!
//! Every logical block carries a stamp with its LBA, its writer and the number of the write, and
//! which write a block must hold is known (`stimulus::coverage`). So a block that was lost, written
//! elsewhere, or left from an earlier pass is told from the right one.

use super::content::Stamp;
use super::signal::Fault;
use super::stage::StageRef;
use crate::stimulus::addresses::Io;
use crate::stimulus::coverage::{LastWrite, last_write};
use crate::units::Nanos;

/// What was found where there is no stamp.
const NOTHING: &str = "no block of this program";

/// What the reads of one stage must return.
#[derive(Debug)]
pub(super) struct ReadBack {
    written: StageRef,
}

impl ReadBack {
    /// For a stage whose cell reads back the one before it; `None` for any other.
    pub(super) fn of(stage: &StageRef) -> Option<Self> {
        if !stage.stage().cell.reads_back {
            return None;
        }
        stage.before().map(|written| Self { written })
    }

    /// Whether reads may begin: a block whose last write is still on its way holds an older one.
    pub(super) fn may_begin(&self) -> bool {
        self.written.stage().is_finished()
    }

    /// Compares the bytes that a read returned at `at`.
    pub(super) fn check(&self, io: &Io, bytes: &[u8], at: Nanos) -> Result<(), Fault> {
        let written = &self.written.stage().cell;
        let block = written.access.logical_block.0.max(1);
        let length = usize::try_from(block).expect("a block fits in memory");
        let offsets = (0..).map(|index| io.offset + index * block);
        for (offset, bytes) in offsets.zip(bytes.chunks_exact(length)) {
            let Some(last) = last_write(written, offset) else {
                continue;
            };
            let lba = offset / block;
            let expected = self.stamp(lba, last);
            let found = Stamp::read(bytes);
            if found != Some(expected) {
                return Err(Fault::WrongData {
                    lba,
                    expected: words(&expected),
                    found: found.as_ref().map_or(NOTHING.to_owned(), words),
                    at,
                });
            }
        }
        Ok(())
    }

    fn stamp(&self, lba: u64, last: LastWrite) -> Stamp {
        Stamp {
            lba,
            writer: (self.written.stage().number << 16) | u64::from(last.worker & 0xFFFF),
            sequence: last.sequence,
        }
    }
}

fn words(stamp: &Stamp) -> String {
    let (cell, worker) = (stamp.writer >> 16, stamp.writer & 0xFFFF);
    format!(
        "write {} of worker {worker} in cell {cell} at LBA {}",
        stamp.sequence, stamp.lba
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::content::stamp_all;
    use crate::engine::stage::{Row, StageRef};
    use crate::stimulus::{Access, BlockShares, Cell, CellKey, Content, EngineKind, Until, Zone};
    use crate::units::Bytes;

    const READ: Io = Io {
        offset: 8192,
        length: 4096,
        is_read: true,
    };

    /// Twice 16 KiB by one worker in blocks of 4 KiB: block 2 is write 2, and then write 6.
    fn read_back() -> ReadBack {
        let cell = |cell_index: u32, reads_back| Cell {
            key: CellKey {
                step_index: 0,
                round: 0,
                cell_index,
            },
            access: Access {
                threads: 1,
                queue_depth: 1,
                engine: EngineKind::Ring,
                read_percent: if reads_back { 100 } else { 0 },
                random_percent: 0,
                read_blocks: BlockShares::one(Bytes(4096)),
                write_blocks: BlockShares::one(Bytes(4096)),
                zones: vec![Zone {
                    weight: 1,
                    start: Bytes(0),
                    end: Bytes(16_384),
                }],
                content: Content::Random,
                logical_block: Bytes(512),
                rate_iops: None,
            },
            until: Until::Transferred(Bytes(32_768)),
            seed: 1,
            reads_back,
        };
        let row = Row::new(7, vec![cell(0, false), cell(1, true)]);
        let stages: Vec<StageRef> = StageRef::all(&row).collect();
        assert!(ReadBack::of(&stages[0]).is_none());
        ReadBack::of(&stages[1]).unwrap()
    }

    fn outcome(change: impl Fn(&mut [u8])) -> Option<(u64, String, String)> {
        let mut bytes = vec![0; 4096];
        stamp_all(&mut bytes, READ.offset, 512, 7 << 16, 6);
        change(&mut bytes);
        match read_back().check(&READ, &bytes, Nanos(5)) {
            Err(Fault::WrongData {
                lba,
                expected,
                found,
                ..
            }) => Some((lba, expected, found)),
            Ok(()) | Err(_) => None,
        }
    }

    #[test]
    fn the_last_write_passes_and_anything_else_is_named() {
        assert_eq!(outcome(|_| ()), None);
        let expected = "write 6 of worker 0 in cell 7 at LBA 19".to_owned();
        let lost = outcome(|bytes| bytes[3 * 512..4 * 512].fill(0));
        let nothing = "no block of this program".to_owned();
        assert_eq!(lost, Some((19, expected.clone(), nothing)));
        let stale = outcome(|bytes| stamp_all(&mut bytes[1536..2048], 19 * 512, 512, 7 << 16, 2));
        let first_pass = "write 2 of worker 0 in cell 7 at LBA 19".to_owned();
        assert_eq!(stale, Some((19, expected.clone(), first_pass)));
        let misplaced = outcome(|bytes| stamp_all(&mut bytes[1536..2048], 0, 512, 7 << 16, 6));
        let elsewhere = "write 6 of worker 0 in cell 7 at LBA 0".to_owned();
        assert_eq!(misplaced, Some((19, expected, elsewhere)));
    }
}
