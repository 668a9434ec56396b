//! The drive's clock: nanoseconds since the drive was opened, from the monotonic clock.
//!
//! It decides nothing. Every stamp of the engine is taken here, so that stamps of all workers can
//! be compared with each other.

use std::fs::File;
use std::os::unix::fs::FileExt;
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

/// How busy a worker's thread is: the time it ran, and the time it was ready and got no CPU.
#[derive(Debug)]
pub(super) struct Meter {
    schedstat: Option<File>,
}

impl Meter {
    /// For the calling thread. Where the kernel keeps no such figures the time is always 0.
    pub(super) fn of_this_thread() -> Self {
        Self {
            schedstat: File::open("/proc/thread-self/schedstat").ok(),
        }
    }

    /// A meter that always shows 0, for tests.
    #[cfg(test)]
    pub(super) fn none() -> Self {
        Self { schedstat: None }
    }

    /// Time since the thread began.
    pub(super) fn busy(&self) -> Nanos {
        let mut bytes = [0; 64];
        let length = self
            .schedstat
            .as_ref()
            .and_then(|file| file.read_at(&mut bytes, 0).ok())
            .unwrap_or(0);
        // Nanoseconds on a CPU, nanoseconds waiting for one, and a count.
        let text = String::from_utf8_lossy(&bytes[..length]);
        let figures = text.split_whitespace().take(2);
        Nanos(
            figures
                .filter_map(|figure| figure.parse::<u64>().ok())
                .sum(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meter_rises_with_work() {
        let meter = Meter::of_this_thread();
        if meter.busy() == Nanos(0) {
            return;
        }
        let (clock, before) = (Clock::start(), meter.busy());
        while clock.now() < Nanos(20_000_000) {}
        let busy = meter.busy().0 - before.0;
        // The kernel brings the figure up to date at its timer tick, 10 ms at the slowest.
        assert!((8_000_000..60_000_000).contains(&busy), "{busy}");
    }
}
