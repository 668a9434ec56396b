//! What the target lets the engine do, asked once by trying it without writing.

use std::io::IoSliceMut;
use std::os::fd::AsFd;

use rustix::fs::{AtFlags, OFlags, StatxFlags, fcntl_getfl, fcntl_setfl, statx};
use rustix::io::{Errno, ReadWriteFlags, preadv2};

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

/// The multiple on which memory for direct I/O must begin, in bytes, as the kernel says it (since
/// Linux 6.1); else a logical block, which always does.
pub(super) fn memory_alignment(target: &impl AsFd, logical_block: u32) -> u32 {
    if fcntl_getfl(target).is_ok_and(|flags| !flags.contains(OFlags::DIRECT)) {
        return 1;
    }
    let asked = StatxFlags::DIOALIGN;
    let told = statx(target, "", AtFlags::EMPTY_PATH, asked)
        .ok()
        .filter(|told| {
            StatxFlags::from_bits_retain(told.stx_mask).contains(asked)
                && told.stx_dio_mem_align > 0
        });
    told.map_or(logical_block, |told| told.stx_dio_mem_align)
}

/// Spares the kernel looking at the access time of the target with every read. Refused where the
/// target belongs to somebody else, and then it only costs that time.
pub(super) fn skip_access_times(target: &impl AsFd) {
    if let Ok(flags) = fcntl_getfl(target) {
        let _ = fcntl_setfl(target, flags | OFlags::NOATIME);
    }
}
