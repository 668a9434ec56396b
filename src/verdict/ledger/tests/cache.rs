//! What the ledger says of a write cache that was set, refused, or came back on.

use super::departures::{only, recorded};
use super::*;
use crate::journal::record::{CacheDone, CacheOccasion};
use crate::journal::state::Noted;
use crate::verdict::fixture::date;

use LineVerdict::{CannotBeJudged, Deviation};

fn look(occasion: CacheOccasion, before: &str, after: &str) -> Noted<CacheDone> {
    Noted {
        record: 2,
        at: date(0),
        what: CacheDone {
            occasion,
            asked: Some("off".to_owned()),
            before: before.to_owned(),
            after: after.to_owned(),
            refusal: None,
        },
    }
}

fn verdicts(looks: &[Noted<CacheDone>]) -> Vec<(String, LineVerdict)> {
    recorded(|state| {
        state.opened.drive.write_cache = "on".to_owned();
        state.caches = looks.to_vec();
    })
}

/// Found on, switched off, switched on again by a format, and given back on at the end.
#[test]
fn a_cache_that_was_off_for_the_test_is_compliant() {
    let looks = [
        look(CacheOccasion::Start, "on", "off"),
        look(CacheOccasion::AfterPurge, "on", "off"),
        look(CacheOccasion::End, "off", "off"),
        look(CacheOccasion::Restored, "off", "on"),
    ];
    assert_eq!(verdicts(&looks), []);
}

/// Field report 53, issue 4: a refusal is a named deviation; a cache that is on at the end was on
/// at some time of the test.
#[test]
fn a_cache_that_was_on_at_any_look_is_a_deviation() {
    let mut refused = look(CacheOccasion::Start, "on", "on");
    refused.what.refusal = Some("the drive did not carry it out".to_owned());
    assert_eq!(verdicts(&[refused]), only("write-cache", Deviation));
    let came_back = [
        look(CacheOccasion::Start, "on", "off"),
        look(CacheOccasion::End, "on", "on"),
    ];
    assert_eq!(verdicts(&came_back), only("write-cache", Deviation));
}

#[test]
fn a_cache_that_cannot_be_read_back_is_not_taken_for_off() {
    let unknown = look(CacheOccasion::Start, "on", "unknown: no answer");
    assert_eq!(verdicts(&[unknown]), only("write-cache", CannotBeJudged));
}

#[test]
fn a_drive_without_a_cache_is_compliant_by_nature() {
    let looks = [look(CacheOccasion::Start, "absent", "absent")];
    assert_eq!(verdicts(&looks), []);
}
