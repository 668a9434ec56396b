//! Shared pipes: channels, the host link, the controller's front end.
//!
//! A pipe is reserved from now and not from the moment the data will be ready: reservations made
//! ahead would leave holes that nobody can use. Its *share* (how long it is taken) and its
//! *speed* (how long a transfer lasts) are different numbers: a sixteenth of a drive has a
//! sixteenth of the link's time, but each of its transfers is as fast as on the whole drive.

/// Time in nanoseconds for each byte, as a 32.32 fixed-point number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rate(u64);

impl Rate {
    /// From bytes per second (at least 1), divided by `divisor`.
    pub(crate) fn new(bytes_per_second: u64, divisor: u64) -> Self {
        let nanos = (u128::from(crate::units::SECOND_NS) * u128::from(divisor)) << 32;
        let each = nanos / u128::from(bytes_per_second);
        Self(u64::try_from(each).unwrap_or(u64::MAX >> 28))
    }

    /// Time for so many bytes in nanoseconds, rounded up.
    #[inline]
    pub(crate) fn time(self, bytes: u64) -> u64 {
        let product = u128::from(self.0) * u128::from(bytes);
        u64::try_from((product + 0xFFFF_FFFF) >> 32).unwrap_or(u64::MAX >> 20)
    }
}

/// A pipe that carries one transfer after the other.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pipe {
    free: u64,
}

impl Pipe {
    /// Takes the pipe for `share` nanoseconds, from `now` or from when it is free; gives when it
    /// was taken.
    #[inline]
    pub(crate) fn take(&mut self, now: u64, share: u64) -> u64 {
        let start = self.free.max(now);
        self.free = start + share;
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4096 bytes at 1200 MB/s are 3413.3 ns, at 7000 MB/s 585.1 ns, at 1 GB/s 4096 ns.
    #[test]
    fn a_rate_gives_whole_nanoseconds_rounded_up() {
        assert_eq!(Rate::new(1_200_000_000, 1).time(4096), 3414);
        assert_eq!(Rate::new(7_000_000_000, 1).time(4096), 586);
        assert_eq!(Rate::new(7_000_000_000, 16).time(4096), 9363);
        assert_eq!(Rate::new(1_000_000_000, 1).time(4096), 4096);
    }

    #[test]
    fn a_pipe_is_taken_in_the_order_of_asking() {
        let mut pipe = Pipe::default();
        assert_eq!(pipe.take(100, 10), 100);
        assert_eq!(pipe.take(105, 10), 110);
        assert_eq!(pipe.take(500, 10), 500);
    }
}
