//! One io_uring: set-up with a stated fallback, and the three things a worker does with it.
//!
//! It knows nothing of cells. Flags are dropped one step at a time where the kernel refuses them;
//! the flags in force are kept as text for the report.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::time::Duration;

use io_uring::types::{Fd, Fixed, SubmitArgs, Timespec};
use io_uring::{Builder, IoUring, opcode, squeue};

use super::slots::Slots;

/// I/Os in one submission at most: larger batches keep the first I/O waiting for the last.
pub(super) const BATCH: u32 = 16;

/// Set-ups from the best to the plainest: name, and whether it costs enough to be told.
const SETUPS: [(&str, bool); 4] = [
    (
        "SINGLE_ISSUER DEFER_TASKRUN NO_SQARRAY SUBMIT_ALL CQSIZE",
        false,
    ),
    ("SINGLE_ISSUER DEFER_TASKRUN SUBMIT_ALL CQSIZE", false),
    ("COOP_TASKRUN SUBMIT_ALL CQSIZE", true),
    ("CQSIZE", true),
];

/// A ring of one worker.
pub(super) struct Ring {
    ring: IoUring,
    file: RawFd,
    registered: Registered,
    setup: usize,
}

/// What the kernel keeps ready for the ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Registered {
    All,
    File,
    Nothing,
}

/// An I/O for the kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) slot: u32,
    pub(super) is_read: bool,
    pub(super) address: *mut u8,
    pub(super) length: u32,
    pub(super) offset: u64,
    pub(super) piece: u16,
}

impl Ring {
    /// A ring for I/O on `file` with the buffers of `slots`. The caller keeps both alive, and the
    /// thread that calls is the only one that may use the ring.
    pub(super) fn new(file: BorrowedFd<'_>, slots: &Slots, depth: u32) -> io::Result<Self> {
        let (ring, setup) = build(depth)?;
        if !ring.params().is_feature_ext_arg() {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "waiting with a time limit needs Linux 5.11 or newer",
            ));
        }
        let file = file.as_raw_fd();
        Ok(Self {
            registered: register(&ring, file, slots),
            ring,
            file,
            setup,
        })
    }

    /// The set-up in force, in words.
    pub(super) fn words(&self) -> String {
        let fixed = match self.registered {
            Registered::All => "file and buffers registered",
            Registered::File => "file registered, buffers not",
            Registered::Nothing => "nothing registered",
        };
        format!("io_uring {}, {fixed}", SETUPS[self.setup].0)
    }

    /// Why the set-up may cost speed, if it may.
    pub(super) fn shortcoming(&self) -> Option<String> {
        SETUPS[self.setup].1.then(|| {
            format!(
                "this kernel refuses the fast set-up of io_uring; it runs with {}",
                SETUPS[self.setup].0
            )
        })
    }

    /// Puts an I/O into the submission queue; whether there was room for it.
    #[inline]
    pub(super) fn push(&mut self, entry: &Entry) -> bool {
        let built = self.entry(entry);
        let mut queue = self.ring.submission();
        // SAFETY: the buffer belongs to a slot that is taken until the completion is reaped, and
        // lies in memory that outlives the ring; the file is open as long as the worker lives.
        unsafe { queue.push(&built) }.is_ok()
    }

    /// Submits what was pushed. With a time limit it then waits for one completion, never for
    /// more: that would lower the queue depth and falsify latencies.
    #[inline]
    pub(super) fn enter(&self, wait: Option<Duration>) -> io::Result<()> {
        let submitter = self.ring.submitter();
        let entered = match wait {
            None => submitter.submit(),
            Some(limit) => {
                let limit = Timespec::from(limit);
                submitter.submit_with_args(1, &SubmitArgs::new().timespec(&limit))
            }
        };
        match entered.map_err(|error| (error.raw_os_error(), error)) {
            Ok(_) => Ok(()),
            // The time is over, a signal came, or the kernel wants completions reaped first.
            Err((Some(libc::ETIME | libc::EINTR | libc::EAGAIN | libc::EBUSY), _)) => Ok(()),
            Err((_, error)) => Err(error),
        }
    }

    /// Collects the completions that are there, as slot and result.
    #[inline]
    pub(super) fn reap(&mut self, into: &mut Vec<(u32, i32)>) {
        let completions = self.ring.completion();
        into.extend(completions.map(|entry| {
            let slot = u32::try_from(entry.user_data()).expect("user data is a slot's number");
            (slot, entry.result())
        }));
    }

    #[inline]
    fn entry(&self, io: &Entry) -> squeue::Entry {
        use opcode::{Read, ReadFixed, Write, WriteFixed};
        let (at, length, file) = (io.address, io.length, Fixed(0));
        let built = match (self.registered, io.is_read) {
            (Registered::All, true) => {
                let read = ReadFixed::new(file, at, length, io.piece);
                read.offset(io.offset).build()
            }
            (Registered::All, false) => {
                let write = WriteFixed::new(file, at, length, io.piece);
                write.offset(io.offset).build()
            }
            (Registered::File, true) => Read::new(file, at, length).offset(io.offset).build(),
            (Registered::File, false) => Write::new(file, at, length).offset(io.offset).build(),
            (Registered::Nothing, true) => {
                let read = Read::new(Fd(self.file), at, length);
                read.offset(io.offset).build()
            }
            (Registered::Nothing, false) => {
                let write = Write::new(Fd(self.file), at, length);
                write.offset(io.offset).build()
            }
        };
        built.user_data(u64::from(io.slot))
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // The kernel dismantles a ring some time after it was closed. Until then it would hold the
        // file, and an exclusively opened device would stay busy for the next one who opens it.
        if self.registered != Registered::Nothing {
            // Refused only while an I/O is in flight, and then the kernel lets go by itself.
            drop(self.ring.submitter().unregister_files());
        }
    }
}

fn register(ring: &IoUring, file: RawFd, slots: &Slots) -> Registered {
    if ring.submitter().register_files(&[file]).is_err() {
        return Registered::Nothing;
    }
    let pieces: Vec<libc::iovec> = slots
        .pieces()
        .into_iter()
        .map(|(base, length)| libc::iovec {
            iov_base: base.cast(),
            iov_len: length,
        })
        .collect();
    // SAFETY: the pieces are mapped memory of `slots`, which the worker keeps as long as the ring.
    let registered = unsafe { ring.submitter().register_buffers(&pieces) };
    // Refusal (RLIMIT_MEMLOCK) leaves plain reads and writes, which do the same a little slower.
    match registered {
        Ok(()) => Registered::All,
        Err(_) => Registered::File,
    }
}

/// The best ring the kernel grants, and which set-up it is.
fn build(depth: u32) -> io::Result<(IoUring, usize)> {
    let mut refused = io::Error::from(io::ErrorKind::Unsupported);
    for (index, _) in SETUPS.iter().enumerate() {
        let mut builder = IoUring::builder();
        apply(&mut builder, index);
        builder
            .dontfork()
            .setup_cqsize((2 * depth).next_power_of_two().max(4 * BATCH));
        match builder.build(2 * BATCH) {
            Ok(ring) => return Ok((ring, index)),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => refused = error,
            Err(error) => return Err(error),
        }
    }
    Err(refused)
}

fn apply(builder: &mut Builder, setup: usize) {
    if setup <= 1 {
        builder.setup_single_issuer().setup_defer_taskrun();
    }
    if setup == 0 {
        builder.setup_no_sqarray();
    }
    if setup == 2 {
        builder.setup_coop_taskrun();
    }
    if setup <= 2 {
        builder.setup_submit_all();
    }
}

/// What to do about a refused ring, in one sentence.
pub(super) fn explain(error: &io::Error) -> String {
    let remedy = match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            "io_uring is forbidden here; allow it with `sysctl kernel.io_uring_disabled=0` or, in \
             a container, with a seccomp profile that permits io_uring_setup"
        }
        Some(libc::ENOSYS) => "this kernel has no io_uring; Linux 5.11 or newer is needed",
        Some(libc::ENOMEM) => {
            "the system has too little memory, or RLIMIT_MEMLOCK is too low for the ring; raise \
             it with `ulimit -l unlimited`"
        }
        Some(_) | None => "io_uring could not be set up",
    };
    format!("{remedy} ({error})")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A refused io_uring must name the setting that allows it.
    #[test]
    fn refusals_name_their_remedy() {
        let words = |code| explain(&io::Error::from_raw_os_error(code));
        assert!(words(libc::EPERM).contains("kernel.io_uring_disabled"));
        assert!(words(libc::ENOSYS).contains("5.11"));
        assert!(words(libc::ENOMEM).contains("ulimit -l"));
    }
}
