//! Labelled places on axes, and how they read.

/// A labelled place of an axis in its own unit.
pub(super) type Tick = (f64, String);

/// Width of a digit, in heights of its text; the estimate only reserves room.
pub(super) const DIGIT: f64 = 0.58;

/// Width of the longest label, in heights of its text.
pub(super) fn label_width(ticks: &[Tick]) -> f64 {
    let longest = ticks.iter().map(|tick| tick.1.chars().count()).max();
    f64::from(u32::try_from(longest.unwrap_or(0)).unwrap_or(0)) * DIGIT
}

/// Round places between `low` and `high`, at most about `count`.
pub(super) fn linear(low: f64, high: f64, count: f64) -> Vec<Tick> {
    let step = nice_step((high - low).max(f64::MIN_POSITIVE) / count);
    let decimals = decimals_of(step);
    let first = (low / step).ceil();
    let last = (high / step + 1e-9).floor();
    let mut ticks = Vec::new();
    let mut at = first;
    // An axis never has more places than this; the bound also ends a hopeless range.
    while at <= last && ticks.len() < 50 {
        ticks.push((at * step, number(at * step, decimals)));
        at += 1.0;
    }
    ticks
}

/// The step of a scale of about `rough`: 1, 2, 2.5 or 5 times a power of ten.
pub(super) fn nice_step(rough: f64) -> f64 {
    let mut decade = 1.0;
    while decade * 10.0 <= rough {
        decade *= 10.0;
    }
    while decade > rough {
        decade /= 10.0;
    }
    let factors = [1.0, 2.0, 2.5, 5.0, 10.0];
    let fits = factors
        .into_iter()
        .find(|factor| factor * decade >= rough * 0.999);
    fits.unwrap_or(10.0) * decade
}

/// Powers of ten from the one below `low` to the one above `high`.
pub(super) fn decades(low: f64, high: f64) -> Vec<Tick> {
    let mut at = 1.0;
    while at > low {
        at /= 10.0;
    }
    while at * 10.0 <= low {
        at *= 10.0;
    }
    let mut ticks = vec![(at, number(at, decimals_of(at)))];
    while at < high && ticks.len() < 30 {
        at *= 10.0;
        ticks.push((at, number(at, decimals_of(at))));
    }
    if ticks.len() == 1 {
        ticks.push((at * 10.0, number(at * 10.0, decimals_of(at * 10.0))));
    }
    ticks
}

fn decimals_of(step: f64) -> usize {
    let mut decimals = 0;
    let mut scaled = step;
    while decimals < 9 && (scaled - scaled.round()).abs() > scaled * 1e-6 {
        scaled *= 10.0;
        decimals += 1;
    }
    decimals
}

/// A number with groups of three digits, held together by no-break spaces.
fn number(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::from(if value < 0.0 { "-" } else { "" });
    for (index, digit) in whole.chars().enumerate() {
        let left = whole.len() - index;
        if index > 0 && left.is_multiple_of(3) {
            grouped.push('\u{a0}');
        }
        grouped.push(digit);
    }
    grouped + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<String> {
        let plain = |tick: &Tick| tick.1.replace('\u{a0}', " ");
        ticks.iter().map(plain).collect()
    }

    #[test]
    fn linear_places_are_round() {
        let found = labels(&linear(0.0, 90_000.0, 6.0));
        assert_eq!(found, ["0", "20 000", "40 000", "60 000", "80 000"]);
        assert_eq!(
            labels(&linear(0.08, 0.12, 4.0)),
            ["0.08", "0.09", "0.10", "0.11", "0.12"]
        );
        assert_eq!(
            labels(&linear(0.0, 0.5, 5.0)),
            ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]
        );
    }

    #[test]
    fn decades_enclose_the_data() {
        assert_eq!(
            labels(&decades(798.6, 76_888.2)),
            ["100", "1 000", "10 000", "100 000"]
        );
        assert_eq!(labels(&decades(0.5, 0.5)), ["0.1", "1"]);
        assert_eq!(labels(&decades(1000.0, 1000.0)), ["1 000", "10 000"]);
    }

    #[test]
    fn fifteen_million_is_readable() {
        let ticks = linear(0.0, 15_000_000.0, 3.0);
        assert_eq!(labels(&ticks)[3], "15 000 000");
    }
}
