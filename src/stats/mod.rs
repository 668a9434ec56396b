//! Counting and distribution: exact tallies beside a fixed histogram. Pure.
//!
//! Counts, sums, minima and maxima are exact integers. The histogram only serves percentiles;
//! nothing that the standard prints is taken from its buckets.

pub mod histogram;

pub use histogram::Histogram;

use crate::units::{Nanos, to_f64};

/// Exact totals of completed I/Os in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Completed I/Os.
    pub ios: u64,
    /// Bytes they transferred.
    pub bytes: u64,
    /// Sum of their latencies, submission to completion, in nanoseconds.
    pub latency_ns_sum: u64,
    /// Smallest latency in nanoseconds; meaningless while `ios` is 0.
    pub latency_ns_min: u64,
    /// Largest latency in nanoseconds; 0 while `ios` is 0.
    pub latency_ns_max: u64,
}

/// A tally and the distribution of the same I/Os.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Flow {
    /// Exact totals.
    pub tally: Tally,
    /// Latencies in nanoseconds.
    pub histogram: Histogram,
}

impl Tally {
    /// Counts one completed I/O.
    #[inline]
    pub fn add(&mut self, bytes: u64, latency_ns: u64) {
        if latency_ns < self.latency_ns_min || self.ios == 0 {
            self.latency_ns_min = latency_ns;
        }
        if latency_ns > self.latency_ns_max {
            self.latency_ns_max = latency_ns;
        }
        self.ios += 1;
        self.bytes += bytes;
        self.latency_ns_sum += latency_ns;
    }

    /// Adds the totals of another tally to this one.
    pub fn merge(&mut self, other: &Self) {
        if other.ios == 0 {
            return;
        }
        self.latency_ns_min = if self.ios == 0 {
            other.latency_ns_min
        } else {
            self.latency_ns_min.min(other.latency_ns_min)
        };
        self.latency_ns_max = self.latency_ns_max.max(other.latency_ns_max);
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.latency_ns_sum += other.latency_ns_sum;
    }

    /// Mean latency in nanoseconds; `None` when nothing completed.
    pub fn latency_ns_mean(&self) -> Option<f64> {
        (self.ios > 0).then(|| to_f64(self.latency_ns_sum) / to_f64(self.ios))
    }

    /// Smallest latency; `None` when nothing completed.
    pub fn latency_min(&self) -> Option<Nanos> {
        (self.ios > 0).then_some(Nanos(self.latency_ns_min))
    }

    /// Largest latency; `None` when nothing completed.
    pub fn latency_max(&self) -> Option<Nanos> {
        (self.ios > 0).then_some(Nanos(self.latency_ns_max))
    }
}

impl Flow {
    /// Counts one completed I/O.
    #[inline]
    pub fn add(&mut self, bytes: u64, latency_ns: u64) {
        self.tally.add(bytes, latency_ns);
        self.histogram.record(latency_ns);
    }

    /// Adds another flow to this one.
    pub fn merge(&mut self, other: &Self) {
        self.tally.merge(&other.tally);
        self.histogram.merge(&other.histogram);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_equals_counting_together() {
        let (mut left, mut right, mut both) =
            (Tally::default(), Tally::default(), Tally::default());
        for (index, latency) in [500, 90, 700, 90_000, 30].into_iter().enumerate() {
            let part = if index % 2 == 0 {
                &mut left
            } else {
                &mut right
            };
            part.add(4096, latency);
            both.add(4096, latency);
        }
        left.merge(&right);
        left.merge(&Tally::default());
        assert_eq!(left, both);
        assert_eq!(both.latency_min(), Some(Nanos(30)));
    }

    #[test]
    fn nothing_completed_has_no_latency() {
        let empty = Tally::default();
        assert_eq!((empty.latency_ns_mean(), empty.latency_max()), (None, None));
    }
}
