//! Quantities: sizes, durations, ratios, and the only place that parses and prints them.
//!
//! Sizes are bytes and durations are nanoseconds, both as integers. Printing rounds once, here;
//! nothing is ever rounded before it is compared. A bare `k`, `K`, `M` or `kB` is refused, since
//! half of all tools read it as 1000 and the other half as 1024.

use std::fmt;

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub u64);

/// A duration in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanos(pub u64);

/// Bytes in a kibibyte.
pub const KIB: u64 = 1 << 10;
/// Bytes in a mebibyte.
pub const MIB: u64 = 1 << 20;
/// Bytes in a gibibyte.
pub const GIB: u64 = 1 << 30;
/// Bytes in a tebibyte.
pub const TIB: u64 = 1 << 40;
/// Nanoseconds in a second.
pub const SECOND_NS: u64 = 1_000_000_000;

/// Why a text is not a quantity, in words that say what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// A decimal or ambiguous unit where a binary one is needed.
    #[error("'{text}' is ambiguous (1000 or 1024?): write KiB, MiB, GiB, TiB or B")]
    AmbiguousUnit {
        /// The text as given.
        text: String,
    },
    /// The text is not a size at all.
    #[error(
        "'{text}' is not a size: write a number and B, KiB, MiB, GiB or TiB, such as \"128KiB\""
    )]
    NotASize {
        /// The text as given.
        text: String,
    },
    /// The text is not a duration.
    #[error("'{text}' is not a duration: write a number and ms, s, m or h, such as \"60s\"")]
    NotADuration {
        /// The text as given.
        text: String,
    },
    /// The value is not a whole number of the smallest unit, or does not fit in 64 bits.
    #[error("'{text}' is not a whole number of {smallest} below 2^64")]
    NotWhole {
        /// The text as given.
        text: String,
        /// `bytes` or `nanoseconds`.
        smallest: &'static str,
    },
}

impl Bytes {
    /// Reads a size such as `128KiB`, `0.5KiB`, `7.68TB` (decimal from MB up is unambiguous only
    /// with its `B`) or `512B`.
    ///
    /// # Errors
    /// [`QuantityError`] for an unknown or ambiguous unit, or a fraction of a byte.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let owned = || text.trim().to_owned();
        let (number, unit) = split_unit(text);
        let factor = match unit {
            "B" => 1,
            "KiB" => KIB,
            "MiB" => MIB,
            "GiB" => GIB,
            "TiB" => TIB,
            "MB" => 1_000_000,
            "GB" => 1_000_000_000,
            "TB" => 1_000_000_000_000,
            "k" | "K" | "kB" | "KB" | "kb" | "Kb" | "kib" | "kiB" | "m" | "M" | "g" | "G" | "t"
            | "T" => return Err(QuantityError::AmbiguousUnit { text: owned() }),
            _ => return Err(QuantityError::NotASize { text: owned() }),
        };
        let parsed =
            Decimal::parse(number).ok_or_else(|| QuantityError::NotASize { text: owned() })?;
        let value = parsed
            .times(factor)
            .ok_or_else(|| QuantityError::NotWhole {
                text: owned(),
                smallest: "bytes",
            })?;
        Ok(Self(value))
    }

    /// The size in the notation of the standard for block sizes: `0.5 KiB` to `1024 KiB`.
    pub fn as_block(self) -> String {
        format!("{} KiB", self.kib_text())
    }

    /// The number of KiB without the unit: `0.5`, `4`, `1024`.
    pub fn kib_text(self) -> String {
        let whole = self.0 / KIB;
        let rest = self.0 % KIB;
        if rest == 0 {
            return whole.to_string();
        }
        let thousandths = rest * 1000 / KIB;
        let digits = format!("{thousandths:03}");
        format!("{whole}.{}", digits.trim_end_matches('0'))
    }

    /// A capacity as sold: decimal, three significant digits or so, `7.68 TB`.
    pub fn as_capacity(self) -> String {
        const STEPS: [(u64, &str); 4] = [
            (1_000_000_000_000, "TB"),
            (1_000_000_000, "GB"),
            (1_000_000, "MB"),
            (1_000, "kB"),
        ];
        for (unit, name) in STEPS {
            if self.0 >= unit {
                let hundredths =
                    (u128::from(self.0) * 100 + u128::from(unit) / 2) / u128::from(unit);
                let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
                return format!("{} {name}", trim_fraction(&text));
            }
        }
        format!("{} B", self.0)
    }
}

impl Nanos {
    /// A whole number of seconds.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds * SECOND_NS)
    }

    /// Reads a duration such as `60s`, `500ms`, `15m` or `8h`.
    ///
    /// # Errors
    /// [`QuantityError`] for an unknown unit or a fraction of a nanosecond.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let owned = || text.trim().to_owned();
        let (number, unit) = split_unit(text);
        let factor = match unit {
            "ns" => 1,
            "us" => 1_000,
            "ms" => 1_000_000,
            "s" => SECOND_NS,
            "m" | "min" => 60 * SECOND_NS,
            "h" => 3600 * SECOND_NS,
            _ => return Err(QuantityError::NotADuration { text: owned() }),
        };
        let parsed =
            Decimal::parse(number).ok_or_else(|| QuantityError::NotADuration { text: owned() })?;
        let value = parsed
            .times(factor)
            .ok_or_else(|| QuantityError::NotWhole {
                text: owned(),
                smallest: "nanoseconds",
            })?;
        Ok(Self(value))
    }

    /// The duration as a span for people: `1 h 05 min`, `2 min 03 s`, `12 s`, `0.5 s`, `20 ms`.
    pub fn as_span(self) -> String {
        if self.0 == 0 {
            return "0 s".to_owned();
        }
        let seconds = self.0 / SECOND_NS;
        let (hours, minutes, rest) = (seconds / 3600, seconds % 3600 / 60, seconds % 60);
        if hours > 0 {
            return format!("{hours} h {minutes:02} min");
        }
        if minutes > 0 {
            return format!("{minutes} min {rest:02} s");
        }
        if self.0 >= SECOND_NS / 10 {
            let millis = (self.0 % SECOND_NS) / 1_000_000;
            let text = format!("{seconds}.{millis:03}");
            return format!("{} s", trim_fraction(&text));
        }
        if self.0 >= 1_000_000 {
            let text = format!("{}.{:03}", self.0 / 1_000_000, self.0 % 1_000_000 / 1000);
            return format!("{} ms", trim_fraction(&text));
        }
        let text = format!("{}.{:03}", self.0 / 1000, self.0 % 1000);
        format!("{} us", trim_fraction(&text))
    }
}

impl fmt::Display for Bytes {
    /// The largest binary unit that divides the value exactly: `128KiB`, `512B`. What
    /// [`Bytes::parse`] reads back unchanged.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, name) in [(TIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")] {
            if self.0 >= unit && self.0.is_multiple_of(unit) {
                return write!(out, "{}{name}", self.0 / unit);
            }
        }
        write!(out, "{}B", self.0)
    }
}

impl fmt::Display for Nanos {
    /// The largest unit that divides the value exactly: `60s`, `500ms`. Read back unchanged by
    /// [`Nanos::parse`].
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, name) in [(SECOND_NS, "s"), (1_000_000, "ms"), (1_000, "us")] {
            if self.0.is_multiple_of(unit) {
                return write!(out, "{}{name}", self.0 / unit);
            }
        }
        write!(out, "{}ns", self.0)
    }
}

/// An unsigned decimal number held exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    digits: u128,
    /// Digits after the point.
    scale: u32,
}

impl Decimal {
    /// Reads `12`, `0.5` or `97.50`; `None` for anything else, signs and exponents included.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits_only = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let well_formed = !whole.is_empty()
            && digits_only(whole)
            && digits_only(fraction)
            && !(text.contains('.') && fraction.is_empty())
            && whole.len() <= 20
            && fraction.len() <= 12;
        if !well_formed {
            return None;
        }
        Some(Self {
            digits: format!("{whole}{fraction}").parse().ok()?,
            scale: u32::try_from(fraction.len()).ok()?,
        })
    }

    /// The value times `factor`, if that is a whole number below 2^64.
    pub fn times(self, factor: u64) -> Option<u64> {
        let divisor = 10_u128.checked_pow(self.scale)?;
        let product = self.digits.checked_mul(u128::from(factor))?;
        (product % divisor == 0).then(|| u64::try_from(product / divisor).ok())?
    }
}

/// The value as `f64`, for arithmetic that ends in print. Exact below 2^53.
#[allow(
    clippy::cast_precision_loss,
    reason = "the one named conversion for display arithmetic"
)]
pub fn to_f64(value: u64) -> f64 {
    value as f64
}

/// `amount` for each second of `elapsed`, as `f64` for print; `None` when no time has passed.
pub fn per_second(amount: u64, elapsed: Nanos) -> Option<f64> {
    (elapsed.0 > 0).then(|| to_f64(amount) * to_f64(SECOND_NS) / to_f64(elapsed.0))
}

fn split_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim())
}

fn trim_fraction(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_kibibyte_is_512_bytes() {
        assert_eq!(Bytes::parse("0.5KiB"), Ok(Bytes(512)));
        assert_eq!(Bytes(512).as_block(), "0.5 KiB");
        assert_eq!(Bytes(1536).kib_text(), "1.5");
    }

    /// Field report 30: "4k" is 4000 to one tool and 4096 to the next.
    #[test]
    fn a_bare_k_is_refused_with_the_remedy() {
        for text in ["4k", "4K", "4kB", "4KB"] {
            let error = Bytes::parse(text).unwrap_err().to_string();
            assert!(error.contains("KiB"), "{text}: {error}");
        }
    }

    #[test]
    fn printed_sizes_and_durations_read_back() {
        for bytes in [1, 512, 4096, 131_072, 7_681_501_126_656, 1 << 40] {
            assert_eq!(Bytes::parse(&Bytes(bytes).to_string()), Ok(Bytes(bytes)));
        }
        for nanos in [1, 1_500, 500_000_000, 60_000_000_000, 3_600_000_000_000] {
            assert_eq!(Nanos::parse(&Nanos(nanos).to_string()), Ok(Nanos(nanos)));
        }
    }

    #[test]
    fn fractions_of_a_byte_and_overflow_are_refused() {
        assert!(Bytes::parse("0.3B").is_err());
        assert!(Bytes::parse("99999999999TiB").is_err());
        assert!(Nanos::parse("-5s").is_err());
    }

    #[test]
    fn capacities_read_as_sold() {
        assert_eq!(Bytes(7_681_501_126_656).as_capacity(), "7.68 TB");
        assert_eq!(Bytes(480_103_981_056).as_capacity(), "480.1 GB");
        assert_eq!(Bytes(268_435_456).as_capacity(), "268.44 MB");
    }

    #[test]
    fn spans_read_like_a_clock() {
        assert_eq!(Nanos::from_secs(55_800).as_span(), "15 h 30 min");
        assert_eq!(Nanos(500_000_000).as_span(), "0.5 s");
        assert_eq!(Nanos(20_000_000).as_span(), "20 ms");
        assert_eq!(Nanos(0).as_span(), "0 s");
    }
}
