//! The drive's clock: nanoseconds since the drive was opened, from the monotonic clock.
//!
//! It decides nothing. Every stamp of the engine is taken here, so that stamps of all workers can
//! be compared with each other.

use std::time::Instant;

use crate::units::Nanos;

/// A monotonic clock that was 0 when it was made. Copies agree with each other.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    epoch: Instant,
}

impl Clock {
    /// A clock that is 0 now.
    pub fn start() -> Self {
        Self {
            epoch: Instant::now(),
        }
    }

    /// Nanoseconds since the start.
    #[inline]
    pub fn now(&self) -> Nanos {
        // 2^64 ns are 584 years.
        Nanos(u64::try_from(self.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}

/// CPU time the calling thread has used so far; 0 where the kernel does not tell.
pub(super) fn thread_cpu() -> Nanos {
    let mut spent = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `spent` is a valid timespec of ours, which the call fills in.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut spent) };
    if result != 0 {
        return Nanos(0);
    }
    let seconds = u64::try_from(spent.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(spent.tv_nsec).unwrap_or(0);
    Nanos(seconds * crate::units::SECOND_NS + nanos)
}
