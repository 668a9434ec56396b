//! What the ledger says of a drive's health before and after.

use super::departures::recorded;
use super::*;
use crate::journal::record::HealthDone;
use crate::journal::state::Noted;

fn noted(record: u64, what: HealthDone) -> Noted<HealthDone> {
    Noted {
        record,
        at: crate::verdict::fixture::date(0),
        what,
    }
}

fn healthy() -> HealthDone {
    HealthDone {
        source: "NVMe SMART log".to_owned(),
        temperature_celsius: Some(40),
        warning_celsius: Some(70),
        healthy: Some(true),
        media_errors: Some(3),
        throttle_count: Some(1),
        link: Some("16.0 GT/s PCIe x4".to_owned()),
        ..HealthDone::default()
    }
}

fn verdicts(last: &HealthDone) -> Vec<(String, LineVerdict)> {
    recorded(|state| {
        state.healths = vec![noted(2, healthy()), noted(9, last.clone())];
    })
}

/// Errors of before the run are not the run's; what it does not tell is not compared.
#[test]
fn only_what_moved_in_the_run_is_a_warning() {
    assert_eq!(verdicts(&healthy()), []);
    let untold = HealthDone {
        media_errors: None,
        throttle_count: None,
        ..healthy()
    };
    assert_eq!(verdicts(&untold), []);
}

/// Issue 4: temperature above the warning level, throttle counters moving, link downgraded,
/// media errors.
#[test]
fn each_change_for_the_worse_is_a_warning_and_no_deviation() {
    let changes: [fn(&mut HealthDone); 5] = [
        |health| health.media_errors = Some(4),
        |health| health.throttle_count = Some(2),
        |health| health.temperature_celsius = Some(70),
        |health| health.link = Some("8.0 GT/s PCIe x4 (of 16.0 GT/s PCIe x4)".to_owned()),
        |health| health.healthy = Some(false),
    ];
    for change in changes {
        let mut last = healthy();
        change(&mut last);
        let expected = vec![("health".to_owned(), LineVerdict::Warning)];
        assert_eq!(verdicts(&last), expected, "{last:?}");
    }
}

/// Field report 59.
#[test]
fn health_that_is_not_available_says_why() {
    let missing = HealthDone {
        missing: Some("smartctl is not installed".to_owned()),
        ..HealthDone::default()
    };
    let found = recorded(|state| state.healths = vec![noted(2, missing.clone())]);
    assert_eq!(found, [("health".to_owned(), LineVerdict::CannotBeJudged)]);
}
