//! Reads and writes by one system call each, where there is no ring or none is wanted.
//!
//! A worker with one slot makes the call itself. Calls block, so with more slots each one has a
//! thread of its own that makes its calls, and the time to hand an I/O over to it is part of the
//! latency. Which of the two it is, and why, is kept as text for the report.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use super::slots::Slots;
use crate::units::Nanos;

/// The system calls of one worker.
pub(super) struct Calls {
    file: Arc<OwnedFd>,
    /// Why there is no ring; `None` where none was wanted.
    cause: Option<String>,
    helpers: Vec<Helper>,
    results: Receiver<(u32, i32)>,
    queued: Vec<Call>,
    done: Vec<(u32, i32)>,
}

/// A thread that makes the calls of one slot.
struct Helper {
    calls: Sender<Call>,
    thread: JoinHandle<()>,
}

/// One read or write.
#[derive(Debug, Clone, Copy)]
struct Call {
    slot: u32,
    is_read: bool,
    address: *mut u8,
    length: usize,
    offset: i64,
}

// SAFETY: the address is that of a slot's memory, which stays mapped and untouched by the worker
// until the result of the call has come back.
unsafe impl Send for Call {}

impl Calls {
    /// For a worker with so many slots.
    pub(super) fn new(
        file: &Arc<OwnedFd>,
        slots: u32,
        cause: Option<String>,
    ) -> Result<Self, String> {
        let (tell, results) = channel();
        let helpers = (0..slots)
            .filter(|_| slots > 1)
            .map(|slot| Helper::start(slot, Arc::clone(file), tell.clone()))
            .collect::<io::Result<Vec<Helper>>>()
            .map_err(|error| format!("a thread for each I/O could not be started ({error})"))?;
        let capacity = usize::try_from(slots).unwrap_or(0);
        Ok(Self {
            file: Arc::clone(file),
            cause,
            helpers,
            results,
            queued: Vec::with_capacity(capacity),
            done: Vec::with_capacity(capacity),
        })
    }

    /// How I/Os are done, in words.
    pub(super) fn words(&self) -> String {
        let how = if self.helpers.is_empty() {
            "synchronous reads and writes".to_owned()
        } else {
            let threads = self.helpers.len();
            format!("synchronous reads and writes, {threads} threads for each worker")
        };
        match &self.cause {
            Some(cause) => format!("{how}, because {cause}"),
            None => how,
        }
    }

    /// Why this may cost speed, if it was not asked for.
    pub(super) fn shortcoming(&self) -> Option<String> {
        self.cause.as_ref().map(|_| self.words())
    }

    /// Takes the I/Os of a batch; there is always room.
    pub(super) fn push(&mut self, slots: &mut Slots, batch: &[u32], stamp: Nanos) -> usize {
        for &slot in batch {
            let io = slots.get_mut(slot);
            io.submitted = stamp;
            self.queued.push(Call {
                slot,
                is_read: io.io.is_read,
                address: io.address,
                length: usize::try_from(io.io.length).expect("a block fits in memory"),
                offset: i64::try_from(io.io.offset).expect("the kernel counts bytes in an i64"),
            });
        }
        batch.len()
    }

    /// Makes the calls, or hands them over; with a time limit it then waits for one result.
    pub(super) fn enter(&mut self, wait: Option<Nanos>) -> io::Result<()> {
        for call in self.queued.drain(..) {
            let helper = usize::try_from(call.slot)
                .ok()
                .and_then(|slot| self.helpers.get(slot));
            match helper {
                // A helper ends only by a panic, which a call cannot cause.
                Some(helper) => helper
                    .calls
                    .send(call)
                    .map_err(|_| io::Error::other("a thread that makes calls has ended"))?,
                None => self
                    .done
                    .push((call.slot, call.make(self.file.as_raw_fd()))),
            }
        }
        let limit = wait.filter(|_| self.done.is_empty());
        match (limit, self.helpers.is_empty()) {
            (Some(limit), false) => {
                match self.results.recv_timeout(Duration::from_nanos(limit.0)) {
                    Ok(result) => self.done.push(result),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(io::Error::other(
                            "the threads that make the calls have ended",
                        ));
                    }
                }
            }
            (Some(limit), true) => std::thread::sleep(Duration::from_nanos(limit.0)),
            (None, _) => {}
        }
        self.done.extend(self.results.try_iter());
        Ok(())
    }

    /// The results that are there.
    pub(super) fn completions(&mut self) -> std::vec::Drain<'_, (u32, i32)> {
        self.done.drain(..)
    }
}

impl Drop for Calls {
    fn drop(&mut self) {
        for helper in self.helpers.drain(..) {
            drop(helper.calls);
            // It is idle: nobody drops a lane with calls under way. A panic leaves nothing to do.
            drop(helper.thread.join());
        }
    }
}

impl Helper {
    fn start(slot: u32, file: Arc<OwnedFd>, tell: Sender<(u32, i32)>) -> io::Result<Self> {
        let (calls, inbox) = channel::<Call>();
        let thread = Builder::new()
            .name(format!("ptse-call-{slot}"))
            .spawn(move || {
                for call in inbox {
                    let result = call.make(file.as_raw_fd());
                    if tell.send((call.slot, result)).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self { calls, thread })
    }
}

impl Call {
    /// Bytes done, or a negative error number, as a ring would give it.
    fn make(&self, file: RawFd) -> i32 {
        let done = if self.is_read {
            // SAFETY: the slot's memory is as long as its I/O and belongs to this call alone.
            unsafe { libc::pread64(file, self.address.cast(), self.length, self.offset) }
        } else {
            // SAFETY: as above; the kernel only reads it.
            unsafe { libc::pwrite64(file, self.address.cast(), self.length, self.offset) }
        };
        if done < 0 {
            -io::Error::last_os_error()
                .raw_os_error()
                .unwrap_or(libc::EIO)
        } else {
            i32::try_from(done).unwrap_or(i32::MAX)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::slots::Layout;
    use crate::stimulus::addresses::Io;

    /// Four I/Os of one worker are under way at once, each on a thread of its own, and an error is
    /// a negative number as a ring would give it.
    #[test]
    fn calls_with_several_slots_all_come_back() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(8192).unwrap();
        let file = Arc::new(OwnedFd::from(file));
        let layout = Layout {
            slots: 4,
            block_bytes: 4096,
            writes: false,
            slots_of_all: 4,
        };
        let mut slots = Slots::new(layout).unwrap();
        let cause = Some("io_uring is forbidden here".to_owned());
        let mut calls = Calls::new(&file, 4, cause).unwrap();
        assert!(calls.words().contains("4 threads for each worker, because"));
        assert!(calls.shortcoming().is_some());
        let read = |offset| Io {
            offset,
            length: 4096,
            is_read: true,
        };
        let batch: Vec<u32> = [0, 4096, 8192, u64::try_from(i64::MAX).unwrap()]
            .map(|offset| slots.take(read(offset), 0))
            .to_vec();
        calls.push(&mut slots, &batch, Nanos(0));
        let mut found = Vec::new();
        while found.len() < 4 {
            calls.enter(Some(Nanos(1_000_000_000))).unwrap();
            found.extend(calls.completions());
        }
        let result = |slot: u32| found.iter().find(|one| one.0 == slot).unwrap().1;
        let results: Vec<i32> = batch.iter().map(|&slot| result(slot)).collect();
        assert_eq!(results, [4096, 4096, 0, -libc::EINVAL]);
    }
}
