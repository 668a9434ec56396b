//! Purge by discard, checked by stamps planted before it.
//!
//! Discard tells a drive that no block is in use any more; the standard does not name it as a
//! purge (PTS 2.0.2, clause 3.2), and a drive may ignore it. So some blocks are stamped first, and
//! the purge fails if any of them still reads back: a purge that was none would falsify the test.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::ioctl;

use super::local::Medium;
use super::{Failure, PurgeMethod, Purged};
use crate::engine::Clock;
use crate::engine::content::{Pool, Stamp};
use crate::engine::memory::Region;
use crate::units::GIB;

/// Blocks that are stamped before a purge.
const PLANTED: u64 = 16;
/// Bytes discarded in one call, so that a cancel is heard on a large drive.
const RANGE_BYTES: u64 = 4 * GIB;
/// Who planted: no cell and no worker has this number.
const PLANTER: u64 = u64::MAX;

/// How a purge ended that did not fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    /// The drive is purged, or the purge was waived.
    Purged(Purged),
    /// It was cancelled midway.
    Cancelled,
}

/// A target that can be purged.
#[derive(Debug)]
pub(super) struct Purger<'a> {
    pub(super) file: &'a File,
    pub(super) medium: Medium,
    pub(super) capacity: u64,
    pub(super) logical_block: u64,
    pub(super) clock: Clock,
}

impl Purger<'_> {
    /// Purges; `is_cancelled` is asked between ranges.
    pub(super) fn purge(
        &self,
        method: PurgeMethod,
        is_cancelled: &mut dyn FnMut() -> bool,
    ) -> Result<Ending, Failure> {
        let started = self.clock.now();
        let (name, verification) = match method {
            PurgeMethod::None => ("none (waived)", "nothing was erased".to_owned()),
            PurgeMethod::Auto | PurgeMethod::Discard => {
                let name = self.medium.purge_words();
                let failed = |cause: String| Failure::Purge {
                    method: name.to_owned(),
                    cause,
                };
                let planted = self.plant().map_err(|error| {
                    failed(format!("blocks could not be stamped before it ({error})"))
                })?;
                if !self
                    .discard_all(is_cancelled)
                    .map_err(|error| failed(explain(&error)))?
                {
                    return Ok(Ending::Cancelled);
                }
                (name, self.verify(&planted).map_err(failed)?)
            }
        };
        Ok(Ending::Purged(Purged {
            method: name.to_owned(),
            is_named_by_standard: false,
            verification,
            started,
            ended: self.clock.now(),
        }))
    }

    /// Sampled LBAs, evenly spread, first and last included.
    fn samples(&self) -> Vec<u64> {
        let last = self.capacity / self.logical_block - 1;
        let spread = |index: u64| {
            let lba = u128::from(last) * u128::from(index) / u128::from(PLANTED - 1);
            u64::try_from(lba).unwrap_or(last)
        };
        let mut lbas: Vec<u64> = (0..PLANTED).map(spread).collect();
        lbas.dedup();
        lbas
    }

    fn plant(&self) -> io::Result<Vec<u64>> {
        let lbas = self.samples();
        let length = usize::try_from(self.logical_block).map_err(io::Error::other)?;
        let mut region = Region::new(length)?;
        let block = region.part(0, length);
        let pool = Pool::new(PLANTER, length);
        for &lba in &lbas {
            pool.copy_to(block, lba);
            planted_stamp(lba).write(block);
            self.file.write_all_at(block, lba * self.logical_block)?;
        }
        self.file.sync_data()?;
        Ok(lbas)
    }

    /// Discards everything; whether it went through to the end.
    fn discard_all(&self, is_cancelled: &mut dyn FnMut() -> bool) -> io::Result<bool> {
        let mut offset = 0;
        while offset < self.capacity {
            if is_cancelled() {
                return Ok(false);
            }
            let length = RANGE_BYTES.min(self.capacity - offset);
            match self.medium {
                Medium::Block => discard(self.file, offset, length)?,
                Medium::File => {
                    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                    fallocate(self.file, flags, offset, length)?;
                }
            }
            offset += length;
            let percent = offset * 100 / self.capacity;
            tracing::info!(percent, "discarded");
        }
        Ok(true)
    }

    fn verify(&self, planted: &[u64]) -> Result<String, String> {
        let length = usize::try_from(self.logical_block).unwrap_or(usize::MAX);
        let unread = |error: io::Error| format!("the planted blocks cannot be read ({error})");
        let mut region = Region::new(length).map_err(unread)?;
        let block = region.part(0, length);
        let mut left = 0;
        for &lba in planted {
            self.file
                .read_exact_at(block, lba * self.logical_block)
                .map_err(unread)?;
            left += usize::from(Stamp::read(block) == Some(planted_stamp(lba)));
        }
        let all = planted.len();
        if left > 0 {
            return Err(format!(
                "{left} of {all} blocks that were stamped before it still read back; the drive \
                 does not carry it out, so choose another method or waive it with --purge none"
            ));
        }
        Ok(format!(
            "{all} blocks were stamped before it, the first and the last LBA among them; none of \
             them read back afterwards"
        ))
    }
}

fn planted_stamp(lba: u64) -> Stamp {
    Stamp {
        lba,
        writer: PLANTER,
        sequence: 0,
    }
}

fn explain(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EOPNOTSUPP | libc::ENOTTY | libc::EINVAL) => format!(
            "the target does not support it ({error}); waive the purge with --purge none, which \
             the report will state"
        ),
        Some(_) | None => format!("{error}; check the drive's log, then start again"),
    }
}

/// Discards a range of an open block device.
fn discard(file: impl AsFd, offset: u64, length: u64) -> io::Result<()> {
    /// `_IO(0x12, 119)` of `linux/fs.h`.
    const BLKDISCARD: ioctl::Opcode = ioctl::opcode::none(0x12, 119);
    let mut range = [offset, length];
    // SAFETY: BLKDISCARD takes a pointer to two u64, offset and length, which `range` is.
    let request = unsafe { ioctl::Updater::<BLKDISCARD, [u64; 2]>::new(&mut range) };
    // SAFETY: the descriptor is open, and the request is the one described above.
    unsafe { ioctl::ioctl(file, request) }?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn purger(file: &File, capacity: u64) -> Purger<'_> {
        Purger {
            file,
            medium: Medium::File,
            capacity,
            logical_block: 512,
            clock: Clock::start(),
        }
    }

    fn file_of(blocks: u64) -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(blocks * 512).unwrap();
        file
    }

    #[test]
    fn a_punched_file_reads_back_nothing_that_was_planted() {
        let file = file_of(1000);
        file.write_all_at(&[7; 512], 100 * 512).unwrap();
        let ending = purger(&file, 512_000).purge(PurgeMethod::Auto, &mut || false);
        let Ok(Ending::Purged(purged)) = ending else {
            panic!("{ending:?}");
        };
        assert!(!purged.is_named_by_standard);
        assert!(purged.verification.starts_with("16 blocks were stamped"));
        let mut block = [1; 512];
        file.read_exact_at(&mut block, 100 * 512).unwrap();
        assert_eq!(block, [0; 512]);
    }

    /// A drive that ignores discard must not pass for purged.
    #[test]
    fn planted_blocks_that_read_back_fail_the_purge() {
        let file = file_of(1000);
        let purger = purger(&file, 512_000);
        let planted = purger.plant().unwrap();
        assert_eq!((planted[0], planted[15]), (0, 999));
        let cause = purger.verify(&planted).unwrap_err();
        assert!(cause.starts_with("16 of 16 blocks"), "{cause}");
    }

    #[test]
    fn a_cancelled_or_waived_purge_erases_nothing() {
        let file = file_of(4);
        let purger = purger(&file, 2048);
        let ending = purger.purge(PurgeMethod::Discard, &mut || true);
        assert_eq!(ending.unwrap(), Ending::Cancelled);
        assert_eq!(purger.samples(), [0, 1, 2, 3]);
        let waived = purger.purge(PurgeMethod::None, &mut || false).unwrap();
        let Ending::Purged(purged) = waived else {
            panic!("waived");
        };
        assert_eq!(purged.method, "none (waived)");
    }

    #[test]
    fn a_refused_discard_names_the_waiver() {
        let words = explain(&io::Error::from_raw_os_error(libc::EOPNOTSUPP));
        assert!(words.contains("--purge none"));
    }
}
