//! Short texts that several lines of the ledger share.

use crate::units::{Nanos, SECOND_NS};

/// A duration in seconds, as the standard writes it: `60 s`, `0.5 s`.
pub(super) fn seconds(time: Nanos) -> String {
    let whole = time.0 / SECOND_NS;
    let rest = time.0 % SECOND_NS;
    if rest == 0 {
        return format!("{whole} s");
    }
    let digits = format!("{rest:09}");
    format!("{whole}.{} s", digits.trim_end_matches('0'))
}

/// A mix as the standard writes it: `65/35`.
pub(super) fn mix(read_percent: u8) -> String {
    format!("{read_percent}/{}", 100 - read_percent.min(100))
}

/// `1 cell`, `2 cells`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// The first few items and how many more there are.
pub(super) fn some_of(items: &[String], shown: usize) -> String {
    let more = items.len().saturating_sub(shown);
    let listed = items[..items.len() - more].join("; ");
    if more == 0 {
        listed
    } else {
        format!("{listed}; and {more} more")
    }
}
