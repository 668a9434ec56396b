//! Discard of a whole target: it tells a drive that no block is in use any more. The standard does
//! not name it as a purge (PTS 2.0.2, clause 3.2), and a drive may ignore it.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::ioctl;

use super::super::local::Medium;
use crate::units::GIB;

/// Bytes discarded in one call, so that a cancel is heard on a large drive.
const RANGE_BYTES: u64 = 4 * GIB;

/// Discards everything; whether it went through to the end.
pub(super) fn discard_all(
    file: &File,
    medium: Medium,
    capacity: u64,
    is_cancelled: &mut dyn FnMut() -> bool,
) -> io::Result<bool> {
    let mut offset = 0;
    while offset < capacity {
        if is_cancelled() {
            return Ok(false);
        }
        let length = RANGE_BYTES.min(capacity - offset);
        match medium {
            Medium::Block => discard(file, offset, length)?,
            Medium::File => {
                let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                fallocate(file, flags, offset, length)?;
            }
        }
        offset += length;
        let percent = offset * 100 / capacity;
        tracing::info!(percent, "discarded");
    }
    Ok(true)
}

/// What an error of it means, and what to do.
pub(super) fn explain(error: &io::Error) -> String {
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

    #[test]
    fn a_refused_discard_names_the_waiver() {
        let words = explain(&io::Error::from_raw_os_error(libc::EOPNOTSUPP));
        assert!(words.contains("--purge none"));
    }
}
