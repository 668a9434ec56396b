//! What cannot be found, read or done on a drive is refused with the figures behind it.
#![allow(
    clippy::unwrap_used,
    reason = "a helper of a test fails the test by panicking"
)]

use ptse::spec::{Plan, PlanError, Source, SourceError, builtin, load};
use ptse::stimulus::Geometry;
use ptse::units::Bytes;

const IOPS: &str = "pts-e/iops";

fn built_in_text() -> String {
    builtin::find(IOPS).unwrap().text.to_owned()
}

fn source(text: &str) -> Source {
    Source::from_bytes("my.toml", text.as_bytes()).unwrap()
}

/// The built-in file with one piece of text exchanged.
fn with(old: &str, new: &str) -> String {
    let text = built_in_text();
    assert!(text.contains(old), "{old}");
    text.replacen(old, new, 1)
}

#[test]
fn a_name_that_is_nothing_lists_near_ones() {
    let Err(error) = Source::find("pts-e/iop") else {
        panic!("there is no such test");
    };
    assert!(matches!(error, SourceError::NotFound { .. }));
    assert!(
        error.to_string().contains("did you mean 'pts-e/iops'?"),
        "{error}"
    );
}

#[test]
fn a_file_that_is_not_text_or_far_too_large_is_refused() {
    let error = Source::from_bytes("x", b"ok\n\xff")
        .unwrap_err()
        .render(false);
    assert!(error.contains("byte 3, line 2"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.toml");
    std::fs::write(&path, vec![b'#'; (1 << 20) + 1]).unwrap();
    let error = Source::find(path.to_str().unwrap()).unwrap_err();
    assert!(matches!(error, SourceError::TooLarge { .. }), "{error}");
    let error = Source::find(folder.path().to_str().unwrap()).unwrap_err();
    assert!(matches!(error, SourceError::Unreadable { .. }), "{error}");
}

fn plan_errors(text: &str, capacity: u64, logical_block: u64) -> Vec<PlanError> {
    let spec = load(&source(text), &[], false).unwrap_or_else(|e| panic!("{}", e.render(false)));
    let geometry = Geometry {
        capacity: Bytes(capacity),
        logical_block: Bytes(logical_block),
    };
    Plan::resolve(&spec.spec, geometry).unwrap_err().0
}

/// Four threads with blocks of 1 MiB need 4 MiB; a 2 MiB drive has no room.
#[test]
fn a_drive_too_small_for_the_blocks_is_refused_by_the_plan() {
    let errors = plan_errors(&built_in_text(), 2 << 20, 512);
    assert!(
        errors
            .iter()
            .any(|e| matches!(e, PlanError::TooSmall { threads: 4, .. }))
    );
    let text = errors.last().unwrap().to_string();
    assert!(text.contains("at least 4MiB, and it has 2MiB"), "{text}");
}

#[test]
fn a_range_beyond_the_drive_is_refused_by_the_plan() {
    let errors = plan_errors(&with("\"100%\"", "\"20GiB\""), 10 << 30, 512);
    assert!(
        matches!(errors[0], PlanError::BeyondEnd { .. }),
        "{errors:?}"
    );
}

/// A tracked 0.5 KiB cell on 4096-byte blocks can never be judged.
#[test]
fn a_tracked_cell_that_is_impossible_is_refused_by_the_plan() {
    let text = with(
        "read_percent = 0, block = \"4KiB\"",
        "read_percent = 0, block = \"0.5KiB\"",
    );
    let errors = plan_errors(&text, 10 << 30, 4096);
    assert!(
        matches!(errors[0], PlanError::TrackedImpossible { .. }),
        "{errors:?}"
    );
}

#[test]
fn an_impossible_fill_or_geometry_is_refused_by_the_plan() {
    let errors = plan_errors(
        &with("block = \"128KiB\"", "block = \"2KiB\""),
        10 << 30,
        4096,
    );
    assert!(
        matches!(errors[0], PlanError::Impossible { .. }),
        "{errors:?}"
    );
    let errors = plan_errors(&built_in_text(), 1000, 512);
    assert!(
        matches!(errors[0], PlanError::OddGeometry { .. }),
        "{errors:?}"
    );
}

/// A report field that nothing prints would be lost without a word.
#[test]
fn a_report_field_that_no_page_prints_is_refused() {
    let set = ["report.tested_bye=me".to_owned()];
    let errors = load(&source(&built_in_text()), &set, false).unwrap_err();
    let page = errors.render(false);
    assert!(page.contains("did you mean 'tested_by'?"), "{page}");
    let right = ["report.tested_by=me".to_owned()];
    let loaded = load(&source(&built_in_text()), &right, false).unwrap();
    assert_eq!(loaded.spec.report_fields["tested_by"], "me");
}
