//! How figures are printed. The only place where a report rounds, once, at print.
//!
//! IOPS and MB/s (MB = 10^6 bytes) have one decimal everywhere. Determination data have as many
//! as it takes to check the limits against the average by hand. No separators of thousands: a
//! printed figure can be copied into a calculator.

/// How a figure is read by people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One decimal: IOPS, MB/s.
    OneDecimal,
    /// Milliseconds with four decimals, to 0.1 us.
    Milliseconds,
    /// Three decimals: ratios and percentages.
    ThreeDecimals,
    /// Enough digits to compute with: four decimals or seven significant digits, without
    /// trailing zeros.
    Exact,
}

/// A figure as text.
pub fn text(value: f64, format: Format) -> String {
    if !value.is_finite() {
        return "n/a".to_owned();
    }
    match format {
        Format::OneDecimal => without_minus_zero(format!("{value:.1}")),
        Format::Milliseconds => without_minus_zero(format!("{value:.4}")),
        Format::ThreeDecimals => without_minus_zero(format!("{value:.3}")),
        Format::Exact => exact(value),
    }
}

/// The fitted line as PTS reports print it: `-6.4 * R + 11746`.
pub fn line_formula(slope: f64, intercept: f64) -> String {
    let sign = if intercept < 0.0 { '-' } else { '+' };
    format!("{} * R {sign} {}", exact(slope), exact(intercept.abs()))
}

/// All digits, for programs: the shortest text that reads back as the same number.
pub fn all_digits(value: f64) -> String {
    if value.is_finite() {
        value.to_string()
    } else {
        String::new()
    }
}

/// `1 round`, `2 rounds`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

fn exact(value: f64) -> String {
    let decimals = exact_decimals(value.abs());
    let text = format!("{value:.decimals$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    without_minus_zero(text.to_owned())
}

/// Four decimals, and more for values below 100 so that seven significant digits remain.
fn exact_decimals(value: f64) -> usize {
    let mut limit = 100.0;
    let mut decimals = 4;
    while value < limit && decimals < 9 {
        limit /= 10.0;
        decimals += 1;
    }
    decimals
}

fn without_minus_zero(text: String) -> String {
    let is_zero = text.chars().all(|c| matches!(c, '-' | '0' | '.'));
    match text.strip_prefix('-') {
        Some(rest) if is_zero => rest.to_owned(),
        _ => text,
    }
}
