//! What the target lets the engine do, asked once by trying it without writing.

use std::io::IoSliceMut;
use std::os::fd::AsFd;

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
