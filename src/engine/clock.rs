//! The drive's clock: nanoseconds since the drive was opened, from the monotonic clock.
//!
//! It decides nothing. Every stamp of the engine is taken here or by a `stopwatch` that follows
//! this clock, so that stamps of all workers can be compared with each other.

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
