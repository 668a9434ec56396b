//! Promise: the detector decides and prints what published runs printed.
//!
//! Series and numbers: ljishen/SSSPT (MIT licence), a CloudHarmony sample report, and boundary
//! vectors computed by hand. Values enter as exact fractions of their printed digits.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ptse::steady_state::{Judgement, Sample, SteadyState, Verdict};
use serde_json::Value;

/// A decimal text as an exact fraction: `26239.08` is 2623908 per 100.
fn exact(text: &str) -> Option<Sample> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let padded = format!("{fraction:0<8}");
    let amount = format!("{whole}{padded}").parse().ok()?;
    Some(Sample {
        amount,
        per: 100_000_000,
    })
}

fn verdicts(values: &[&str]) -> Vec<Verdict> {
    let mut tracked = SteadyState::new(1, 1.0);
    values
        .iter()
        .map(|text| tracked.push(exact(text)))
        .collect()
}

fn last(values: &[&str]) -> Verdict {
    *verdicts(values).last().unwrap()
}

fn judgement(values: &[&str]) -> Judgement {
    *last(values).judgement().expect("five valid values")
}

fn first_steady(values: &[&str]) -> Option<usize> {
    let steady = |verdict: &Verdict| matches!(verdict, Verdict::Steady(_));
    verdicts(values)
        .iter()
        .position(steady)
        .map(|index| index + 1)
}

/// Numbers as they are written in the file, so that no digit is lost on the way.
fn texts(row: &Value) -> Vec<String> {
    let values = row["y"].as_array().expect("y");
    values
        .iter()
        .map(|v| v.as_str().expect("values are texts").to_owned())
        .collect()
}

fn rows(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/golden/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Every window of every published series: mean, excursions, fit, both verdicts, first steady
/// round.
#[test]
fn every_published_window_has_its_published_numbers() {
    let rows = rows("series.jsonl");
    assert_eq!(rows.len(), 21);
    for row in rows {
        let id = row["id"].as_str().unwrap();
        let series = texts(&row);
        let values: Vec<&str> = series.iter().map(String::as_str).collect();
        let expected_first = row["first_ss_round"]
            .as_u64()
            .map(|round| usize::try_from(round).unwrap());
        assert_eq!(first_steady(&values), expected_first, "{id}");
        for window in row["windows"].as_array().unwrap() {
            check_window(id, &values, window);
        }
    }
}

fn check_window(id: &str, values: &[&str], window: &Value) {
    let number = |index: usize| window[index].as_f64().unwrap();
    let last_round = usize::try_from(window[1].as_u64().unwrap()).unwrap();
    let j = judgement(&values[..last_round]);
    let place = format!("{id} {}-{last_round}", window[0]);
    assert_eq!(
        u64::from(j.round_first),
        window[0].as_u64().unwrap(),
        "{place}"
    );
    assert_eq!(j.data_holds, number(9) == 1.0, "{place} data");
    assert_eq!(j.slope_holds, number(10) == 1.0, "{place} slope");
    let found = [
        (2, j.mean),
        (3, j.data_allowed()),
        (4, j.data_excursion),
        (5, j.slope_per_round),
        (6, j.intercept),
        (7, j.slope_allowed()),
        (8, j.slope_excursion),
    ];
    for (index, value) in found {
        let printed = window[index].to_string();
        let digits = printed
            .split_once('.')
            .map_or(0, |(_, fraction)| fraction.len());
        let half_unit = 0.5 * 10_f64.powi(-i32::try_from(digits).unwrap());
        let off = (value - number(index)).abs();
        assert!(
            off <= half_unit * 1.02 + 1e-9,
            "{place} [{index}]: {value} is not {printed}"
        );
    }
}

/// All 56 cells of one real run, every round, with the statistics of their last five rounds
/// (computed from the raw files; the rounds here are rounded to 0.1).
#[test]
fn a_real_run_of_56_cells_has_its_statistics_and_verdicts() {
    let path = format!(
        "{}/tests/golden/iops-56-cells.csv",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut reader = csv::Reader::from_path(path).unwrap();
    let mut cells = 0;
    for row in reader.records() {
        let row = row.unwrap();
        let values: Vec<&str> = row[2].split(' ').collect();
        let j = judgement(&values);
        let number = |index: usize| row[index].parse::<f64>().unwrap();
        let name = format!("{} {}", &row[0], &row[1]);
        // Each value may be off by 0.05: the mean by that, differences and slopes by a little more.
        assert!((j.mean - number(3)).abs() <= 0.06, "{name} mean {}", j.mean);
        assert!((j.data_excursion - number(4)).abs() <= 0.11, "{name} range");
        assert!(
            (j.slope_per_round - number(5)).abs() <= 0.04,
            "{name} slope"
        );
        assert!(
            (j.slope_excursion - number(6)).abs() <= 0.13,
            "{name} slope excursion"
        );
        assert_eq!(j.is_steady(), &row[7] == "Y", "{name}");
        cells += 1;
    }
    assert_eq!(cells, 56);
}

/// CloudHarmony's printed determination blocks, from windows that reproduce them.
#[test]
fn published_determination_blocks_are_reproduced() {
    let blocks: [(&[&str], [f64; 5], f64, f64); 3] = [
        (
            &["11646", "11730", "11903", "11752", "11603"],
            [11726.8, 2345.36, 300.0, 1172.68, 25.6],
            -6.4,
            11746.0,
        ),
        (
            &["1068.40", "1075.44", "1090.78", "1075.98", "1051.30"],
            [1072.38, 214.476, 39.48, 107.238, 13.464],
            -3.366,
            1082.478,
        ),
        (
            &["1098.70", "1104.26", "1101.10", "1091.97", "1095.70"],
            [1098.346, 219.6692, 12.29, 109.8346, 7.316],
            -1.829,
            1103.833,
        ),
    ];
    for (values, [mean, allowed_data, data, allowed_slope, slope], gradient, intercept) in blocks {
        let j = judgement(values);
        let pairs = [
            (j.mean, mean),
            (j.data_allowed(), allowed_data),
            (j.data_excursion, data),
            (j.slope_allowed(), allowed_slope),
            (j.slope_excursion, slope),
            (j.slope_per_round, gradient),
            (j.intercept, intercept),
        ];
        for (found, printed) in pairs {
            assert!((found - printed).abs() < 1e-6, "{found} is not {printed}");
        }
        assert!(j.is_steady());
    }
}

/// Boundary vectors: limits are inclusive, and the rule is not a band of +-10 %.
#[test]
fn limits_are_inclusive_and_max_minus_min_is_not_a_band() {
    let steady: [&[&str]; 9] = [
        &["100", "115", "100", "100", "100"],
        &["90", "100", "110", "100", "100"],
        &["95", "97.5", "100", "102.5", "105"],
        &["110", "90", "110", "90", "100"],
        &["110", "90", "100", "100", "100"],
        &["100", "100", "117", "100", "100"],
        &["0.0095", "0.00975", "0.01", "0.01025", "0.0105"],
        &["11646", "11730", "11903", "11752", "11603"],
        &["1", "1", "1", "1", "1"],
    ];
    for values in steady {
        assert!(matches!(last(values), Verdict::Steady(_)), "{values:?}");
    }
    let unsteady: [&[&str]; 5] = [
        &["92", "96", "100", "104", "108"],
        &["112", "90", "100", "99", "99"],
        &["0.0200", "0.0206", "0.0212", "0.0218", "0.0224"],
        &["118", "99", "99", "99", "99"],
        &[
            "92000000000",
            "96000000000",
            "100000000000",
            "104000000000",
            "108000000000",
        ],
    ];
    for values in unsteady {
        assert!(matches!(last(values), Verdict::Unsteady(_)), "{values:?}");
    }
}

/// Which of the two limits fails is part of the evidence.
#[test]
fn the_failing_limit_is_named() {
    let drift = judgement(&["118", "99", "99", "99", "99"]);
    assert_eq!((drift.data_holds, drift.slope_holds), (true, false));
    let spread = judgement(&["112", "90", "100", "99", "99"]);
    assert_eq!((spread.data_holds, spread.slope_holds), (false, true));
}

/// The smallest step beyond each limit fails.
#[test]
fn one_unit_beyond_a_limit_fails() {
    assert!(!judgement(&["110.00000001", "90", "100", "100", "100"]).data_holds);
    assert!(!judgement(&["95", "97.5", "100", "102.5", "105.00000001"]).slope_holds);
}

#[test]
fn zeros_are_invalid_and_spoil_every_window_that_holds_them() {
    assert_eq!(last(&["0"; 5]), Verdict::Invalid { round: 5 });
    let spoiled = ["100", "100", "0", "100", "100", "100"];
    assert_eq!(first_steady(&spoiled), None);
    let healed = ["100", "100", "0", "100", "100", "100", "100", "100"];
    assert_eq!(first_steady(&healed), Some(8));
    assert_eq!(judgement(&healed).round_first, 4);
}

#[test]
fn a_missing_value_spoils_the_window_and_does_not_shorten_it() {
    let mut tracked = SteadyState::new(1, 1.0);
    let mut samples = vec![exact("100"); 5];
    samples[2] = None;
    let verdicts: Vec<_> = samples
        .into_iter()
        .map(|sample| tracked.push(sample))
        .collect();
    assert_eq!(verdicts[4], Verdict::Invalid { round: 3 });
}

#[test]
fn the_first_decision_is_after_round_five() {
    let all = verdicts(&["100"; 5]);
    assert_eq!(all[3], Verdict::TooFew { rounds_missing: 1 });
    assert!(matches!(all[4], Verdict::Steady(_)));
}

proptest::proptest! {
    /// Scaling all values by a positive factor never changes the verdict.
    #[test]
    fn scale_does_not_matter(
        values in proptest::array::uniform5(1_u64..1_000_000),
        factor in 1_u64..1_000_000,
    ) {
        let run = |scale: u64| {
            let mut tracked = SteadyState::new(1, 1.0);
            let verdicts: Vec<_> = values
                .iter()
                .map(|&amount| tracked.push(Some(Sample { amount: amount * scale, per: 7 })))
                .collect();
            let judged = verdicts[4].judgement().copied().unwrap();
            (judged.data_holds, judged.slope_holds)
        };
        proptest::prop_assert_eq!(run(1), run(factor));
    }

    /// Reversing the window only turns the sign of the slope.
    #[test]
    fn reversal_turns_the_slope(values in proptest::array::uniform5(1_u64..1_000_000)) {
        let run = |values: &[u64]| {
            let mut tracked = SteadyState::new(1, 1.0);
            let push = |&amount: &u64| tracked.push(Some(Sample { amount, per: 1 }));
            *values.iter().map(push).last().unwrap().judgement().unwrap()
        };
        let mut reversed = values;
        reversed.reverse();
        let (forth, back) = (run(&values), run(&reversed));
        proptest::prop_assert!((forth.slope_per_round + back.slope_per_round).abs() < 1e-6);
        proptest::prop_assert_eq!(forth.is_steady(), back.is_steady());
    }
}
