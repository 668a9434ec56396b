//! How busy a worker's thread is: the time it ran, the time it was ready and got no CPU, and how
//! often another thread took its CPU away.
//!
//! It counts; whether a cell was limited by the host is decided in `assembly`.

use std::fs::File;
use std::os::unix::fs::FileExt;

use crate::units::{Nanos, SECOND_NS};

/// What a thread has used and missed since it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Load {
    /// Time on a CPU.
    pub(super) ran: Nanos,
    /// Time in which it could have run and got no CPU; `None` where the kernel does not tell.
    pub(super) waited: Option<Nanos>,
    /// Times that its CPU was taken away (involuntary context switches).
    pub(super) preempted: u64,
}

impl Load {
    /// What came on since `earlier`.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let less = |now: Nanos, then: Nanos| Nanos(now.0.saturating_sub(then.0));
        let waited = self.waited.zip(earlier.waited);
        Self {
            ran: less(self.ran, earlier.ran),
            waited: waited.map(|(now, then)| less(now, then)),
            preempted: self.preempted.saturating_sub(earlier.preempted),
        }
    }

    /// Time that it ran or wanted to.
    pub(super) fn busy(&self) -> Nanos {
        Nanos(self.ran.0.saturating_add(self.waited.unwrap_or_default().0))
    }
}

/// Reads the load of one thread.
#[derive(Debug)]
pub(super) struct Meter {
    /// `None` in a meter that shows nothing.
    is_on: bool,
    schedstat: Option<File>,
}

impl Meter {
    /// For the calling thread, which is the only one to ask it.
    pub(super) fn of_this_thread() -> Self {
        Self {
            is_on: true,
            schedstat: File::open("/proc/thread-self/schedstat").ok(),
        }
    }

    /// A meter that shows nothing, for tests.
    #[cfg(test)]
    pub(super) fn none() -> Self {
        Self {
            is_on: false,
            schedstat: None,
        }
    }

    /// The load since the thread began.
    pub(super) fn load(&self) -> Load {
        if !self.is_on {
            return Load::default();
        }
        Load {
            ran: time_on_cpu(),
            waited: self.waited(),
            preempted: preempted(),
        }
    }

    fn waited(&self) -> Option<Nanos> {
        let mut bytes = [0; 64];
        let length = self.schedstat.as_ref()?.read_at(&mut bytes, 0).ok()?;
        // Nanoseconds on a CPU, nanoseconds waiting for one, and a count.
        let text = String::from_utf8_lossy(&bytes[..length]);
        let waited = text.split_whitespace().nth(1)?;
        waited.parse().ok().map(Nanos)
    }
}

/// Involuntary context switches of the calling thread.
fn preempted() -> u64 {
    // SAFETY: a zeroed `rusage` is a valid value of a plain structure of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a live structure that the kernel fills; the call has no other effect.
    let result = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    match result {
        0 => u64::try_from(usage.ru_nivcsw).unwrap_or(0),
        _ => 0,
    }
}

/// CPU time of the calling thread. By libc, since rustix looks into the vDSO for it, which
/// valgrind hides.
fn time_on_cpu() -> Nanos {
    let mut ran = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes one `timespec`. The clock of the calling thread always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut ran) };
    let seconds = u64::try_from(ran.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(ran.tv_nsec).unwrap_or(0);
    Nanos(seconds.saturating_mul(SECOND_NS).saturating_add(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Clock;

    #[test]
    fn a_meter_rises_with_work_and_not_with_rest() {
        let meter = Meter::of_this_thread();
        let (clock, before) = (Clock::start(), meter.load());
        while clock.now() < Nanos(20_000_000) {}
        let worked = meter.load().since(&before);
        // On a machine with other work the rest of the 20 ms was spent waiting for a CPU.
        assert!(
            worked.ran > Nanos(0) && worked.ran < Nanos(60_000_000),
            "{worked:?}"
        );
        let before = meter.load();
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(meter.load().since(&before).ran < Nanos(10_000_000));
    }

    #[test]
    fn what_the_kernel_does_not_tell_is_missing_and_counts_as_no_wait() {
        let load = |ran, waited: Option<u64>| Load {
            ran: Nanos(ran),
            waited: waited.map(Nanos),
            preempted: ran,
        };
        let known = load(50, Some(7)).since(&load(20, Some(3)));
        assert_eq!((known, known.busy()), (load(30, Some(4)), Nanos(34)));
        let unknown = load(50, None).since(&load(20, Some(3)));
        assert_eq!((unknown.waited, unknown.busy()), (None, Nanos(30)));
    }
}
