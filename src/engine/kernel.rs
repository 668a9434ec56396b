//! The system call of io_uring that the loop of a worker makes itself.
//!
//! A ring's descriptor that is registered with the ring spares the kernel a look-up with atomic
//! counts on every call. The `io-uring` crate remembers it only in a borrowed value that cannot be
//! kept beside the ring, so the call is made here.

use std::os::fd::{BorrowedFd, RawFd};

use rustix::io::Errno;
use rustix::io_uring::{
    IoringEnterFlags, IoringRegisterOp, io_uring_enter, io_uring_enter_arg, io_uring_getevents_arg,
    io_uring_ptr, io_uring_register, io_uring_rsrc_update,
};
use rustix::time::Timespec;

use crate::units::{Nanos, SECOND_NS};

/// How a thread calls the kernel about its ring.
#[derive(Debug)]
pub(super) struct Door {
    ring: RawFd,
    /// What the calls name: a number among the thread's registered rings, or the descriptor.
    named: RawFd,
    flags: IoringEnterFlags,
}

impl Door {
    /// For a ring of the calling thread, registered where the kernel can do it (Linux 5.18).
    pub(super) fn of(ring: RawFd) -> Self {
        let mut update = io_uring_rsrc_update::default();
        update.offset = u32::MAX;
        let number = usize::try_from(ring).expect("a descriptor is not negative");
        update.data = io_uring_ptr::new(std::ptr::without_provenance_mut(number));
        let is_registered = register(ring, IoringRegisterOp::RegisterRingFds, &mut update);
        match RawFd::try_from(update.offset) {
            Ok(named) if is_registered => Self {
                ring,
                named,
                flags: IoringEnterFlags::REGISTERED_RING,
            },
            Ok(_) | Err(_) => Self {
                ring,
                named: ring,
                flags: IoringEnterFlags::empty(),
            },
        }
    }

    /// Submits `count` entries and lets completions arrive; with a limit it then waits for one.
    /// Gives how many entries the kernel took.
    #[inline]
    pub(super) fn enter(&self, count: u32, limit: Option<Nanos>) -> Result<u32, Errno> {
        // SAFETY: the ring is open as long as its door; a number of a registered ring is told
        // apart from a descriptor by the flag, and used for nothing but this call.
        let ring = unsafe { BorrowedFd::borrow_raw(self.named) };
        let flags = IoringEnterFlags::GETEVENTS | self.flags;
        let Some(limit) = limit else {
            // SAFETY: what the entries point to was promised when they were pushed.
            return unsafe { io_uring_enter(ring, count, 0, flags) };
        };
        let limit = timespec(limit);
        let argument = io_uring_getevents_arg {
            ts: io_uring_ptr::new(std::ptr::from_ref(&limit).cast_mut().cast()),
            ..io_uring_getevents_arg::default()
        };
        let flags = flags | IoringEnterFlags::EXT_ARG;
        // SAFETY: as above; the limit lives here during the call.
        unsafe { io_uring_enter_arg(ring, count, 1, flags, Some(&argument)) }
    }

    /// Gives the registration back.
    pub(super) fn close(&mut self) {
        if self.named == self.ring {
            return;
        }
        let mut update = io_uring_rsrc_update::default();
        update.offset = u32::try_from(self.named).unwrap_or(u32::MAX);
        // A refusal leaves the registration until the thread ends.
        register(self.ring, IoringRegisterOp::UnregisterRingFds, &mut update);
    }
}

fn register(ring: RawFd, what: IoringRegisterOp, update: &mut io_uring_rsrc_update) -> bool {
    // SAFETY: the ring is open as long as its door.
    let ring = unsafe { BorrowedFd::borrow_raw(ring) };
    // SAFETY: the kernel reads and writes one update, which lives during the call.
    let done = unsafe { io_uring_register(ring, what, std::ptr::from_mut(update).cast(), 1) };
    done == Ok(1)
}

#[inline]
fn timespec(limit: Nanos) -> Timespec {
    let part = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let (seconds, nanos) = if limit.0 < SECOND_NS {
        // The usual case, without a division.
        (0, limit.0)
    } else {
        (limit.0 / SECOND_NS, limit.0 % SECOND_NS)
    };
    Timespec {
        tv_sec: part(seconds),
        tv_nsec: part(nanos),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_split_into_seconds_and_the_rest() {
        let split = |limit| {
            let made = timespec(Nanos(limit));
            (made.tv_sec, made.tv_nsec)
        };
        assert_eq!(split(999_999_999), (0, 999_999_999));
        assert_eq!(split(2_000_000_001), (2, 1));
    }
}
