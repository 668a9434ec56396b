//! What the target lets the engine do, asked once by trying it without writing.

use std::io::IoSliceMut;
use std::os::fd::AsFd;

use rustix::fs::{AtFlags, OFlags, StatxFlags, fcntl_getfl, fcntl_setfl, statx};
use rustix::io::{Errno, ReadWriteFlags, preadv2};
use rustix::system::uname;

use super::memory::Region;

/// Why io_uring cannot submit to the target without waiting, if it cannot. Then every I/O goes
/// through a kernel thread, and figures at low queue depth measure that thread.
pub(super) fn nowait_missing(target: &impl AsFd, logical_block: u32) -> Option<String> {
    let length = usize::try_from(logical_block).ok()?;
    let mut region = Region::new(length).ok()?;
    let mut buffers = [IoSliceMut::new(region.part(0, length))];
    match preadv2(target.as_fd(), &mut buffers, 0, ReadWriteFlags::NOWAIT) {
        Err(Errno::OPNOTSUPP) => Some(
            "the target takes no I/O without waiting (RWF_NOWAIT), so each one went through a \
             kernel thread"
                .to_owned(),
        ),
        // Data, "it would have to wait", or an error that the first real I/O will report.
        Ok(_) | Err(_) => None,
    }
}

/// The first kernel (major, minor) that takes a direct I/O whose memory is split within a logical
/// block. Earlier ones ask that each part of a page has the length of whole blocks, whatever
/// `statx` tells of the address, and refuse a write from a registered buffer that starts elsewhere.
const SPLITS_BLOCKS_SINCE: (u32, u32) = (6, 18);

/// The multiple on which memory for I/O on the target must begin, in bytes.
pub(super) fn memory_alignment(target: &impl AsFd, logical_block: u32) -> u32 {
    if fcntl_getfl(target).is_ok_and(|flags| !flags.contains(OFlags::DIRECT)) {
        return 1;
    }
    let release = uname();
    let kernel = kernel_version(&release.release().to_string_lossy());
    direct_alignment(told_alignment(target), logical_block, kernel)
}

/// What direct I/O needs of its memory: what the kernel tells where that is the whole truth, else
/// at least a logical block, which always does.
fn direct_alignment(told: Option<u32>, logical_block: u32, kernel: Option<(u32, u32)>) -> u32 {
    match told {
        Some(told) if kernel.is_some_and(|kernel| kernel >= SPLITS_BLOCKS_SINCE) => told,
        Some(told) => told.max(logical_block),
        None => logical_block,
    }
}

/// What the kernel says (since Linux 6.1) of the address of memory for direct I/O.
fn told_alignment(target: &impl AsFd) -> Option<u32> {
    let asked = StatxFlags::DIOALIGN;
    let told = statx(target, "", AtFlags::EMPTY_PATH, asked).ok()?;
    let answered = StatxFlags::from_bits_retain(told.stx_mask).contains(asked);
    (answered && told.stx_dio_mem_align > 0).then_some(told.stx_dio_mem_align)
}

/// Major and minor number of a kernel release such as `6.1.0-42-amd64`.
fn kernel_version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit());
    let mut next = || numbers.next()?.parse().ok();
    Some((next()?, next()?))
}

/// Spares the kernel looking at the access time of the target with every read. Refused where the
/// target belongs to somebody else, and then it only costs that time.
pub(super) fn skip_access_times(target: &impl AsFd) {
    if let Ok(flags) = fcntl_getfl(target) {
        let _ = fcntl_setfl(target, flags | OFlags::NOATIME);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_release_is_read_whatever_follows_its_numbers() {
        assert_eq!(kernel_version("6.1.0-42-amd64"), Some((6, 1)));
        assert_eq!(kernel_version("6.18.44-fc-v1272"), Some((6, 18)));
        assert_eq!(kernel_version("7.0-rc3"), Some((7, 0)));
        assert_eq!(kernel_version("5.14.0-503.el9"), Some((5, 14)));
        assert_eq!(kernel_version("unknown"), None);
        assert_eq!(kernel_version(""), None);
    }

    #[test]
    fn a_kernel_that_wants_whole_blocks_in_each_page_gets_them() {
        assert_eq!(direct_alignment(Some(4), 512, Some((6, 1))), 512);
        assert_eq!(direct_alignment(Some(4), 4096, Some((6, 17))), 4096);
        assert_eq!(direct_alignment(Some(4096), 512, Some((6, 1))), 4096);
        assert_eq!(direct_alignment(Some(4), 512, None), 512);
    }

    #[test]
    fn a_kernel_that_splits_blocks_is_believed() {
        assert_eq!(direct_alignment(Some(4), 4096, Some((6, 18))), 4);
        assert_eq!(direct_alignment(Some(4), 512, Some((7, 0))), 4);
    }

    #[test]
    fn without_an_answer_a_logical_block_is_taken() {
        assert_eq!(direct_alignment(None, 512, Some((6, 18))), 512);
        assert_eq!(direct_alignment(None, 4096, Some((5, 15))), 4096);
    }
}
