//! Decides when a drive has reached steady state.
//!
//! Pure arithmetic: no clock, no device, no logging. The driver feeds one value per completed
//! round and acts on the [`Verdict`]; the report prints the same [`Judgement`], so the page and
//! the decision cannot disagree.
//!
//! Rule: PTS 2.0.2, clause 2.1.24. Over the last five rounds, with `mean` the arithmetic mean of
//! the tracked value, both must hold, limits included: the largest value minus the smallest is at
//! most 20 % of `mean`, and the least-squares line rises or falls by at most 10 % of `mean`.
//!
//! Values are exact fractions. With a common denominator, the usual case since every cell runs
//! its stated time, the comparison is done in integers: `25 * (max - min) <= sum` and
//! `20 * |-2a - b + d + 2e| <= sum` say the same as the percentages and need no decimal constant.

use crate::pts::WINDOW_ROUNDS;
use crate::units::to_f64;

/// A tracked value as an exact fraction: `amount` for each `per`.
///
/// I/Os in so many nanoseconds, or nanoseconds of latency in so many I/Os. The detector only
/// looks at ratios, so any unit will do as long as all rounds use the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Numerator.
    pub amount: u64,
    /// Denominator; zero makes the sample invalid.
    pub per: u64,
}

/// Five consecutive rounds, judged. Every `f64` is in the unit of the tracked value, times the
/// `scale` given to [`SteadyState::new`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// First round of the window, counted from 1.
    pub round_first: u32,
    /// Arithmetic mean of the five values.
    pub mean: f64,
    /// Largest minus smallest value.
    pub data_excursion: f64,
    /// Gradient of the fitted line, per round; negative when falling.
    pub slope_per_round: f64,
    /// Value of the fitted line at round 0.
    pub intercept: f64,
    /// Travel of the fitted line across the window: `|slope| * 4`.
    pub slope_excursion: f64,
    /// Whether the data excursion is within its limit.
    pub data_holds: bool,
    /// Whether the slope excursion is within its limit.
    pub slope_holds: bool,
}

/// What is known after a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// Fewer than five consecutive rounds exist.
    TooFew {
        /// Rounds still needed before the first decision.
        rounds_missing: u32,
    },
    /// The window holds a zero or missing value; it is never steady.
    Invalid {
        /// The latest round of the window without a valid value.
        round: u32,
    },
    /// A full window exists and at least one limit is exceeded.
    Unsteady(Judgement),
    /// Both limits hold: the window's five rounds are the reported data.
    Steady(Judgement),
}

/// The history of one tracked variable, for instance RND 4 KiB writes in IOPS.
///
/// A test with several tracked variables keeps one of these for each and is steady only when all
/// of them are steady in the same round (clause 7).
#[derive(Debug, Clone)]
pub struct SteadyState {
    /// Factor from `amount / per` to the printed unit.
    scale: f64,
    round_last: u32,
    /// The latest values, oldest first; at most five. `None` is a round without a valid value.
    window: Vec<Option<Sample>>,
}

impl SteadyState {
    /// A new history whose next round is `round_first`. `scale` turns `amount / per` into the
    /// printed unit: 1e9 for I/Os per nanosecond printed as IOPS.
    ///
    /// # Panics
    /// If `round_first` is zero: rounds count from 1.
    pub fn new(round_first: u32, scale: f64) -> Self {
        assert!(round_first > 0, "rounds count from 1");
        Self {
            scale,
            round_last: round_first - 1,
            window: Vec::with_capacity(WINDOW_ROUNDS),
        }
    }

    /// Records the value of the round that just ended and judges the latest five.
    ///
    /// A missing or zero value is recorded as invalid: it spoils every window that holds it and
    /// never shortens one.
    pub fn push(&mut self, sample: Option<Sample>) -> Verdict {
        self.round_last += 1;
        if self.window.len() == WINDOW_ROUNDS {
            self.window.remove(0);
        }
        self.window
            .push(sample.filter(|s| s.amount > 0 && s.per > 0));
        self.verdict()
    }

    /// Judges the latest five rounds as they stand.
    pub fn verdict(&self) -> Verdict {
        let count = u32::try_from(self.window.len()).expect("at most five");
        let needed = u32::try_from(WINDOW_ROUNDS).expect("five");
        if count < needed {
            return Verdict::TooFew {
                rounds_missing: needed - count,
            };
        }
        let mut samples = [Sample { amount: 1, per: 1 }; WINDOW_ROUNDS];
        let mut invalid = None;
        for (index, value) in (0_u32..).zip(&self.window) {
            match value {
                Some(sample) => samples[index as usize] = *sample,
                None => invalid = Some(self.round_last - (needed - 1) + index),
            }
        }
        if let Some(round) = invalid {
            return Verdict::Invalid { round };
        }
        let judgement = judge(self.round_last - (needed - 1), &samples, self.scale);
        if judgement.is_steady() {
            Verdict::Steady(judgement)
        } else {
            Verdict::Unsteady(judgement)
        }
    }
}

impl Judgement {
    /// Both limits, inclusive: a window exactly on a limit passes.
    pub fn is_steady(&self) -> bool {
        self.data_holds && self.slope_holds
    }

    /// Allowed maximum data excursion: 20 % of the mean.
    pub fn data_allowed(&self) -> f64 {
        self.mean / 5.0
    }

    /// Allowed maximum slope excursion: 10 % of the mean.
    pub fn slope_allowed(&self) -> f64 {
        self.mean / 10.0
    }

    /// Last round of the window.
    pub fn round_last(&self) -> u32 {
        self.round_first + 4
    }
}

impl Verdict {
    /// The evidence, when a full window was judged.
    pub fn judgement(&self) -> Option<&Judgement> {
        match self {
            Self::Steady(judgement) | Self::Unsteady(judgement) => Some(judgement),
            Self::TooFew { .. } | Self::Invalid { .. } => None,
        }
    }
}

fn judge(round_first: u32, samples: &[Sample; WINDOW_ROUNDS], scale: f64) -> Judgement {
    let (data_holds, slope_holds) = holds(samples);
    let y = samples.map(|s| to_f64(s.amount) * scale / to_f64(s.per));
    let mean = y.iter().sum::<f64>() / 5.0;
    let max = y.iter().copied().fold(f64::MIN, f64::max);
    let min = y.iter().copied().fold(f64::MAX, f64::min);
    // Least squares over x = -2..=2: equal spacing removes every other term.
    let slope_per_round = (-2.0 * y[0] - y[1] + y[3] + 2.0 * y[4]) / 10.0;
    Judgement {
        round_first,
        mean,
        data_excursion: max - min,
        slope_per_round,
        intercept: mean - slope_per_round * f64::from(round_first + 2),
        slope_excursion: slope_per_round.abs() * 4.0,
        data_holds,
        slope_holds,
    }
}

/// Both limits: exact in integers over a common denominator, otherwise on the quotients.
fn holds(samples: &[Sample; WINDOW_ROUNDS]) -> (bool, bool) {
    if samples.iter().all(|s| s.per == samples[0].per) {
        let y = samples.map(|s| i128::from(s.amount));
        let sum: i128 = y.iter().sum();
        let range = y.iter().max().expect("five") - y.iter().min().expect("five");
        let tilt = (-2 * y[0] - y[1] + y[3] + 2 * y[4]).abs();
        (25 * range <= sum, 20 * tilt <= sum)
    } else {
        let y = samples.map(|s| to_f64(s.amount) / to_f64(s.per));
        let sum: f64 = y.iter().sum();
        let max = y.iter().copied().fold(f64::MIN, f64::max);
        let min = y.iter().copied().fold(f64::MAX, f64::min);
        let tilt = (-2.0 * y[0] - y[1] + y[3] + 2.0 * y[4]).abs();
        (25.0 * (max - min) <= sum, 20.0 * tilt <= sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict_after(values: &[u64]) -> Verdict {
        let mut tracked = SteadyState::new(1, 1.0);
        let samples = values.iter().map(|&amount| Some(Sample { amount, per: 1 }));
        samples
            .map(|sample| tracked.push(sample))
            .last()
            .expect("a value")
    }

    /// A slow fall: max - min is 12 % of the mean (allowed), but so is the line (not allowed).
    #[test]
    fn drift_alone_fails_on_slope() {
        let Verdict::Unsteady(judgement) = verdict_after(&[106, 103, 100, 97, 94]) else {
            panic!("a 12 % drift must not pass");
        };
        assert!(judgement.data_holds && !judgement.slope_holds);
    }

    /// Design 8: a zero never shortens the window, it spoils every window that holds it.
    #[test]
    fn a_zero_spoils_five_windows_and_no_more() {
        let values = [100, 100, 0, 100, 100, 100];
        assert_eq!(verdict_after(&values), Verdict::Invalid { round: 3 });
        let longer = [100, 100, 0, 100, 100, 100, 100, 100];
        let Verdict::Steady(judgement) = verdict_after(&longer) else {
            panic!("rounds 4 to 8 are equal");
        };
        assert_eq!((judgement.round_first, judgement.round_last()), (4, 8));
    }

    #[test]
    fn all_zero_is_invalid_and_never_steady() {
        assert_eq!(verdict_after(&[0; 5]), Verdict::Invalid { round: 5 });
    }

    #[test]
    fn four_rounds_are_too_few() {
        assert_eq!(
            verdict_after(&[1; 4]),
            Verdict::TooFew { rounds_missing: 1 }
        );
    }

    /// Counts of a whole day at 15 million IOPS keep all digits.
    #[test]
    fn large_counts_do_not_overflow() {
        assert!(matches!(verdict_after(&[u64::MAX; 5]), Verdict::Steady(_)));
    }

    #[test]
    fn unequal_denominators_are_judged_by_their_quotients() {
        let mut tracked = SteadyState::new(1, 1.0);
        let mut last = Verdict::TooFew { rounds_missing: 5 };
        for per in [10, 20, 30, 40, 50] {
            last = tracked.push(Some(Sample {
                amount: per * 7,
                per,
            }));
        }
        assert!(matches!(last, Verdict::Steady(j) if (j.mean - 7.0).abs() < 1e-12));
    }
}
