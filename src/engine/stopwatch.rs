//! The stamps of one worker: the processor's time stamp counter, held to the drive's clock.
//!
//! Reading the counter costs a third of reading the clock. It is only trusted where the kernel
//! itself keeps time by it (clocksource `tsc`), and its rate is never assumed: it is taken from two
//! readings of both clocks at least 50 ms apart, without waiting for them, and taken anew every
//! second. Until then, and for good once the two disagree, stamps come from the clock. Stamps of
//! one worker do not go back when the line is laid anew, and those of two workers differ by less
//! than the time a reading takes.

use std::fs;

use super::clock::Clock;
use crate::units::{Nanos, SECOND_NS};

/// Where the kernel says what it keeps time by.
const CLOCKSOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
/// The shortest time over which a rate is taken: readings are good to some 20 ns.
const BASELINE_MIN_NS: u64 = 50_000_000;
/// The longest time without comparing both clocks.
const RENEWAL_MAX_NS: u64 = SECOND_NS;
/// Disagreement beyond which the counter is given up: the kernel slews by at most 500 ppm.
const DRIFT_MAX_PPM: u64 = 1_000;
/// Disagreement that readings may have by themselves, such as when the thread lost its CPU.
const DRIFT_FLOOR_NS: u64 = 100_000;
/// Readings of which the tightest is used.
const READINGS: usize = 3;

/// Takes stamps on the drive's clock.
#[derive(Debug)]
pub(super) struct Stopwatch {
    clock: Clock,
    counter: Option<Counter>,
    line: Line,
    /// No stamp may be earlier.
    floor: Nanos,
}

/// The counter's history: both clocks read at one moment, at first and most lately.
#[derive(Debug, Clone, Copy)]
struct Counter {
    base: Reading,
    /// The greatest disagreement that was found, in nanoseconds.
    drift_ns_max: u64,
}

#[derive(Debug, Clone, Copy)]
struct Reading {
    ticks: u64,
    at: Nanos,
}

/// The line by which ticks become nanoseconds, from its anchor on for so many ticks.
#[derive(Debug, Clone, Copy)]
struct Line {
    anchor: Reading,
    /// Nanoseconds for each tick, times 2^32.
    rate: u64,
    /// 0 while there is no line.
    valid_ticks: u64,
}

impl Stopwatch {
    /// A stopwatch that follows `clock`.
    pub(super) fn new(clock: Clock) -> Self {
        let counter = is_trusted().then(|| Counter {
            base: Reading::take(clock),
            drift_ns_max: 0,
        });
        Self {
            clock,
            counter,
            line: Line {
                anchor: Reading {
                    ticks: 0,
                    at: Nanos(0),
                },
                rate: 0,
                valid_ticks: 0,
            },
            floor: Nanos(0),
        }
    }

    /// The time now.
    #[inline]
    pub(super) fn now(&mut self) -> Nanos {
        let ticks = read_counter();
        match self.line.at(ticks) {
            Some(at) => at.max(self.floor),
            None => self.renew(),
        }
    }

    /// What the stamps of a worker come from, in words.
    pub(super) fn words() -> String {
        if is_trusted() {
            "stamps from the TSC, held to CLOCK_MONOTONIC".to_owned()
        } else {
            "stamps from CLOCK_MONOTONIC, since the kernel does not keep time by the TSC".to_owned()
        }
    }

    /// The greatest disagreement of counter and clock at the end of a second; `None` where the
    /// counter is not used.
    pub(super) fn drift_max(&self) -> Option<Nanos> {
        self.counter.map(|counter| Nanos(counter.drift_ns_max))
    }

    /// Reads both clocks, and lays the line through the two readings.
    #[cold]
    fn renew(&mut self) -> Nanos {
        let Some(counter) = &mut self.counter else {
            return self.clock.now();
        };
        let reading = Reading::take(self.clock);
        let span = reading.at.0.saturating_sub(counter.base.at.0);
        let ticks = reading.ticks.wrapping_sub(counter.base.ticks);
        if span < BASELINE_MIN_NS {
            return self.later(reading.at);
        }
        if self.line.rate > 0 {
            let passed = reading.at.0.saturating_sub(self.line.anchor.at.0);
            let reached = self.line.extended(reading.ticks);
            let drift = reached.abs_diff(reading.at.0);
            counter.drift_ns_max = counter.drift_ns_max.max(drift);
            if drift > DRIFT_FLOOR_NS + passed / 1_000_000 * DRIFT_MAX_PPM {
                self.counter = None;
                self.line.valid_ticks = 0;
                return self.later(reading.at);
            }
            self.floor = self.floor.max(Nanos(reached));
        }
        let rate = (u128::from(span) << 32) / u128::from(ticks.max(1));
        // Slower than 1 GHz is no counter of today, and the product below would not fit.
        let Some(rate) = u64::try_from(rate).ok().filter(|rate| *rate <= 1 << 32) else {
            self.counter = None;
            return self.later(reading.at);
        };
        let ahead_ns = u128::from(span.min(RENEWAL_MAX_NS));
        let valid_ticks = (ahead_ns << 32) / u128::from(rate.max(1));
        self.line = Line {
            anchor: reading,
            rate,
            valid_ticks: u64::try_from(valid_ticks).unwrap_or(0).min(1 << 32),
        };
        if span >= RENEWAL_MAX_NS {
            counter.base = reading;
        }
        self.later(reading.at)
    }

    fn later(&mut self, at: Nanos) -> Nanos {
        self.floor = self.floor.max(at);
        self.floor
    }
}

impl Line {
    #[inline]
    fn at(&self, ticks: u64) -> Option<Nanos> {
        let passed = ticks.wrapping_sub(self.anchor.ticks);
        // Both factors are at most 2^32.
        (passed < self.valid_ticks).then(|| Nanos(self.anchor.at.0 + ((passed * self.rate) >> 32)))
    }

    /// Where the line leads beyond its end, in nanoseconds.
    fn extended(&self, ticks: u64) -> u64 {
        let passed = u128::from(ticks.wrapping_sub(self.anchor.ticks));
        let ns = (passed * u128::from(self.rate)) >> 32;
        u64::try_from(ns).map_or(u64::MAX, |ns| self.anchor.at.0.saturating_add(ns))
    }
}

impl Reading {
    /// Both clocks, the counter read just before and after the other: the tightest of some.
    fn take(clock: Clock) -> Self {
        let read = || {
            let before = read_counter();
            let at = clock.now();
            let width = read_counter().wrapping_sub(before);
            let ticks = before.wrapping_add(width / 2);
            (width, Self { ticks, at })
        };
        let mut best = read();
        for _ in 1..READINGS {
            let next = read();
            if next.0 < best.0 {
                best = next;
            }
        }
        best.1
    }
}

fn is_trusted() -> bool {
    cfg!(target_arch = "x86_64")
        && fs::read_to_string(CLOCKSOURCE).is_ok_and(|name| name.trim() == "tsc")
}

#[inline]
fn read_counter() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 CPU has the instruction, and Linux lets programs use it.
    unsafe {
        std::arch::x86_64::_rdtsc()
    }
    #[cfg(not(target_arch = "x86_64"))]
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Field reports 32 and 66: the line holds without spinning for it, and stamps agree with the
    /// clock to within the time a busy machine takes between two readings.
    #[test]
    fn stamps_follow_the_clock_and_never_go_back() {
        let clock = Clock::start();
        let mut watch = Stopwatch::new(clock);
        let mut last = Nanos(0);
        while last < Nanos(250_000_000) {
            let before = clock.now();
            let stamp = watch.now();
            let after = clock.now();
            assert!(stamp >= last, "{stamp:?} before {last:?}");
            assert!(stamp.0 + 20_000 >= before.0 && stamp.0 <= after.0 + 20_000);
            last = stamp;
        }
        assert_eq!(watch.counter.is_some(), watch.line.rate > 0);
        assert_eq!(watch.counter.is_some(), is_trusted());
    }

    /// 2 ticks for each nanosecond: half a second after the anchor is a thousand million ticks.
    #[test]
    fn ticks_become_nanoseconds_by_the_line() {
        let line = Line {
            anchor: Reading {
                ticks: 1_000,
                at: Nanos(7),
            },
            rate: 1 << 31,
            valid_ticks: 2_000_000_000,
        };
        assert_eq!(line.at(1_000_001_000), Some(Nanos(500_000_007)));
        assert_eq!(line.at(2_000_001_000), None);
        // A counter that was set back is noticed.
        assert_eq!(line.at(999), None);
        assert_eq!(line.extended(4_000_001_000), 2_000_000_007);
    }

    /// A counter that runs away from the clock, as after a suspend, is given up.
    #[test]
    fn a_counter_that_drifts_is_given_up() {
        let clock = Clock::start();
        let mut watch = Stopwatch::new(clock);
        // Until a line is laid, however late this thread gets its turns.
        while watch.counter.is_some() && watch.line.rate == 0 {
            watch.now();
        }
        watch.line.anchor.at.0 += 5_000_000;
        watch.line.valid_ticks = 0;
        let stamp = watch.now();
        assert!(watch.counter.is_none());
        assert!(stamp <= clock.now());
    }
}
