//! Notices when this program did not run: a suspended machine, a stopped process (Ctrl-Z, SIGSTOP,
//! a frozen container), a paused virtual machine.
//!
//! A thread looks at the clock ten times a second. What it missed counts, and so does the machine's
//! own sleep, during which the monotonic clock stands still.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::units::{Nanos, SECOND_NS};

/// Time between two looks.
const BEAT: Duration = Duration::from_millis(100);
/// Looks further apart than this were missed, not late.
const MISSED_MIN: u64 = SECOND_NS;

/// A running watch; it ends with this value.
#[derive(Debug)]
pub struct Pulse(Arc<Beat>);

/// What the thread and its readers share.
#[derive(Debug, Default)]
pub struct Beat {
    looked_at: AtomicU64,
    missed: AtomicU64,
    is_over: AtomicBool,
}

impl Pulse {
    /// Starts to watch.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start() -> std::io::Result<Self> {
        let beat = Arc::new(Beat::default());
        beat.looked_at.store(monotonic(), Ordering::Relaxed);
        let watched = Arc::clone(&beat);
        std::thread::Builder::new()
            .name("pulse".to_owned())
            .spawn(move || {
                while !watched.is_over.load(Ordering::Relaxed) {
                    std::thread::park_timeout(BEAT);
                    watched.look(monotonic());
                }
            })?;
        Ok(Self(beat))
    }

    /// What its readers ask.
    pub fn beat(&self) -> Arc<Beat> {
        Arc::clone(&self.0)
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

impl Beat {
    /// How long, in all, this program has not run, the machine's sleep since its boot included.
    pub fn absent(&self) -> Nanos {
        Nanos(self.absent_at(monotonic()) + slept())
    }

    fn look(&self, now: u64) {
        let gap = now.saturating_sub(self.looked_at.load(Ordering::Relaxed));
        if gap > MISSED_MIN {
            self.missed.fetch_add(gap, Ordering::Relaxed);
        }
        self.looked_at.store(now, Ordering::Relaxed);
    }

    /// A reader may run before the thread does; then it sees itself what was missed.
    fn absent_at(&self, now: u64) -> u64 {
        let age = now.saturating_sub(self.looked_at.load(Ordering::Relaxed));
        let current = if age > MISSED_MIN { age } else { 0 };
        self.missed.load(Ordering::Relaxed) + current
    }
}

fn monotonic() -> u64 {
    read(rustix::time::ClockId::Monotonic)
}

/// How long this machine has been suspended since it booted: only one of the clocks runs on.
fn slept() -> u64 {
    let running = monotonic();
    read(rustix::time::ClockId::Boottime).saturating_sub(running)
}

fn read(clock: rustix::time::ClockId) -> u64 {
    let time = rustix::time::clock_gettime(clock);
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    part(time.tv_sec) * SECOND_NS + part(time.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_second_counts_once_whoever_sees_it_first() {
        let beat = Beat::default();
        beat.look(SECOND_NS / 10);
        assert_eq!(beat.absent_at(SECOND_NS), 0);
        let late = 5 * SECOND_NS + SECOND_NS / 10;
        assert_eq!(beat.absent_at(late), 5 * SECOND_NS);
        beat.look(late);
        assert_eq!(beat.absent_at(late), 5 * SECOND_NS);
        assert_eq!(beat.absent_at(late + SECOND_NS / 2), 5 * SECOND_NS);
    }
}
