//! A fixed log-linear histogram of latencies, cheap enough for every I/O.
//!
//! 128 buckets to each power of two: a bucket is at most 0.8 % wide. Values of 2^40 ns (18
//! minutes) and more are counted in an overflow bucket, so that no percentile can pretend to be
//! below it. It is exported to HdrHistogram's V2 form for the journal by `journal`.

use crate::units::Nanos;

const BUCKET_BITS: u32 = 7;
const BUCKETS_PER_OCTAVE: usize = 1 << BUCKET_BITS;
const VALUE_BITS_MAX: u32 = 40;
const BUCKET_COUNT: usize =
    (VALUE_BITS_MAX - BUCKET_BITS) as usize * BUCKETS_PER_OCTAVE + BUCKETS_PER_OCTAVE;

/// The smallest latency that only the overflow bucket counts.
pub const OVERFLOW: Nanos = Nanos(1 << VALUE_BITS_MAX);

/// Counts of latencies in nanoseconds.
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: Box<[u64; BUCKET_COUNT]>,
    overflow: u64,
}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Histogram({} values)", self.count())
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: Box::new([0; BUCKET_COUNT]),
            overflow: 0,
        }
    }
}

impl Histogram {
    /// Counts one latency.
    #[inline]
    pub fn record(&mut self, latency_ns: u64) {
        match self.counts.get_mut(bucket_of(latency_ns)) {
            Some(count) => *count += 1,
            None => self.overflow += 1,
        }
    }

    /// Counts a latency several times; used when reading a histogram back.
    pub fn record_times(&mut self, latency_ns: u64, times: u64) {
        match self.counts.get_mut(bucket_of(latency_ns)) {
            Some(count) => *count += times,
            None => self.overflow += times,
        }
    }

    /// Adds another histogram to this one.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&*other.counts) {
            *mine += theirs;
        }
        self.overflow += other.overflow;
    }

    /// All values counted, those in the overflow bucket included.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum::<u64>() + self.overflow
    }

    /// Values of [`OVERFLOW`] and more.
    pub fn overflow(&self) -> u64 {
        self.overflow
    }

    /// The filled buckets as (largest value of the bucket in ns, count), ascending; without the
    /// overflow bucket.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let filled = self
            .counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0);
        filled.map(|(index, count)| (largest_of(index), *count))
    }

    /// The latency that `numerator` of `denominator` I/Os do not exceed, as the upper edge of its
    /// bucket. `None` when nothing was counted or the value lies in the overflow bucket.
    pub fn quantile(&self, numerator: u64, denominator: u64) -> Option<Nanos> {
        let total = u128::from(self.count());
        if total == 0 {
            return None;
        }
        let rank = (total * u128::from(numerator))
            .div_ceil(u128::from(denominator))
            .max(1);
        let mut seen = 0_u128;
        for (value, count) in self.buckets() {
            seen += u128::from(count);
            if seen >= rank {
                return Some(Nanos(value));
            }
        }
        None
    }
}

#[inline]
fn bucket_of(value: u64) -> usize {
    // Below one octave's buckets every value has a bucket of its own, as in the first octave.
    let octave = (63 - (value | BUCKETS_PER_OCTAVE as u64).leading_zeros()) - BUCKET_BITS;
    let within = usize::try_from(value >> octave).unwrap_or(usize::MAX);
    octave as usize * BUCKETS_PER_OCTAVE + within
}

fn largest_of(index: usize) -> u64 {
    let octave = (index / BUCKETS_PER_OCTAVE).saturating_sub(1);
    let within = (index - octave * BUCKETS_PER_OCTAVE) as u64;
    ((within + 1) << octave) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_bucket_and_buckets_are_narrow() {
        for value in (0..300).chain((0..40).map(|bit| (1_u64 << bit) + 3)) {
            let index = bucket_of(value);
            let largest = largest_of(index);
            assert!(value <= largest, "{value} is above its bucket");
            assert!(
                index == 0 || largest_of(index - 1) < value,
                "{value} belongs lower"
            );
            assert!(
                (largest - value) * 128 <= value.max(128),
                "bucket of {value} is too wide"
            );
        }
    }

    /// Field report 17: percentiles are checked against sorting the values themselves.
    #[test]
    fn quantiles_agree_with_sorting_within_a_bucket() {
        let mut histogram = Histogram::default();
        let mut values: Vec<u64> = (0..10_000_u64)
            .map(|i| (i * 7919 % 10_007) * 1_000)
            .collect();
        values.iter().for_each(|&value| histogram.record(value));
        values.sort_unstable();
        for (numerator, denominator) in [
            (50_usize, 100),
            (90, 100),
            (999, 1000),
            (9999, 10_000),
            (1, 1),
        ] {
            let exact = values[(10_000 * numerator).div_ceil(denominator) - 1];
            let found = histogram
                .quantile(numerator as u64, denominator as u64)
                .expect("counted");
            assert!(
                found.0 >= exact && (found.0 - exact) * 128 <= exact,
                "{found:?} {exact}"
            );
        }
    }

    /// Field report 11: five I/Os of 40 minutes must not hide below a smaller maximum.
    #[test]
    fn long_latencies_overflow_visibly() {
        let mut histogram = Histogram::default();
        histogram.record(40 * 60 * 1_000_000_000);
        assert_eq!((histogram.overflow(), histogram.count()), (1, 1));
        assert_eq!(histogram.quantile(1, 2), None);
    }
}
