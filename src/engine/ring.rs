//! One io_uring: set-up with a stated fallback, and the three things a worker does with it.
//!
//! It knows nothing of cells. Flags are dropped one step at a time where the kernel refuses them;
//! the flags in force are kept as text for the report. There is no polling by a kernel thread
//! (`SQPOLL`) and none of the device (`IOPOLL`): both take a CPU of the host for a figure that the
//! drive alone would not give, and are known to stall (field report 69).

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use io_uring::types::{Fd, Fixed};
use io_uring::{Builder, CompletionQueue, IoUring, opcode, squeue};
use rustix::io::Errno;

use super::kernel::Door;
use super::slots::{InFlight, Slots};
use crate::units::Nanos;

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
    door: Door,
    registered: Registered,
    setup: usize,
    /// Pushed and not yet taken by the kernel.
    unsubmitted: u32,
}

/// What the kernel keeps ready for the ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Registered {
    All,
    File,
    Nothing,
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
            door: Door::of(ring.as_raw_fd()),
            ring,
            file,
            setup,
            unsubmitted: 0,
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

    /// Puts the I/Os of a batch of slots into the submission queue, with this stamp. Gives how many
    /// of them: the rest found no room, since the kernel has not taken the last batch yet.
    #[inline]
    pub(super) fn push(&mut self, slots: &mut Slots, batch: &[u32], stamp: Nanos) -> usize {
        let (registered, file) = (self.registered, self.file);
        let mut queue = self.ring.submission();
        let mut pushed = 0;
        for &slot in batch {
            let io = slots.get_mut(slot);
            io.submitted = stamp;
            let built = entry(registered, file, io, slot);
            // SAFETY: the buffer belongs to a slot that is taken until the completion is reaped,
            // and lies in memory that outlives the ring; the file is open as long as the worker.
            if unsafe { queue.push(&built) }.is_err() {
                break;
            }
            pushed += 1;
        }
        drop(queue);
        self.unsubmitted += u32::try_from(pushed).expect("a batch is short");
        pushed
    }

    /// Submits what was pushed and lets completions arrive. With a time limit it waits for one
    /// completion, never for more: that would lower the queue depth and falsify latencies.
    #[inline]
    pub(super) fn enter(&mut self, wait: Option<Nanos>) -> io::Result<()> {
        match self.door.enter(self.unsubmitted, wait) {
            Ok(taken) => {
                self.unsubmitted -= taken.min(self.unsubmitted);
                Ok(())
            }
            // The time is over, a signal came, or the kernel wants completions reaped first.
            Err(Errno::TIME | Errno::INTR | Errno::AGAIN | Errno::BUSY) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The completions that are there now.
    #[inline]
    pub(super) fn completions(&mut self) -> CompletionQueue<'_> {
        self.ring.completion()
    }
}

#[inline]
fn entry(registered: Registered, file: RawFd, io: &InFlight, slot: u32) -> squeue::Entry {
    use opcode::{Read, ReadFixed, Write, WriteFixed};
    let (at, length, offset) = (io.address, io.io.length, io.io.offset);
    let (fixed, plain) = (Fixed(0), Fd(file));
    let built = match (registered, io.io.is_read) {
        (Registered::All, true) => {
            let read = ReadFixed::new(fixed, at, length, io.piece);
            read.offset(offset).build()
        }
        (Registered::All, false) => {
            let write = WriteFixed::new(fixed, at, length, io.piece);
            write.offset(offset).build()
        }
        (Registered::File, true) => Read::new(fixed, at, length).offset(offset).build(),
        (Registered::File, false) => Write::new(fixed, at, length).offset(offset).build(),
        (Registered::Nothing, true) => Read::new(plain, at, length).offset(offset).build(),
        (Registered::Nothing, false) => Write::new(plain, at, length).offset(offset).build(),
    };
    built.user_data(u64::from(slot))
}

impl Drop for Ring {
    fn drop(&mut self) {
        // The kernel dismantles a ring some time after it was closed. Until then it would hold the
        // file, and an exclusively opened device would stay busy for the next one who opens it.
        if self.registered != Registered::Nothing {
            // Refused only while an I/O is in flight, and then the kernel lets go by itself.
            drop(self.ring.submitter().unregister_files());
        }
        self.door.close();
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

/// Whether io_uring as such is refused, not only this ring.
pub(super) fn is_refusal(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::ENOSYS | libc::EPERM | libc::EACCES)
    )
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
