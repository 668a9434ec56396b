//! Promise: a journal survives being cut anywhere, and shows any changed byte.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::path::Path;

use ptse::journal::read::{ReadError, read};
use ptse::journal::record::Line;
use ptse::journal::recorder::{Claim, Recorder};
use ptse::journal::{Entry, JOURNAL_FILE, RESERVE_FILE};

fn write_journal(dir: &Path, lines: &[Line]) -> Vec<u8> {
    let recorder = Recorder::create(dir).unwrap();
    for (number, line) in (1..).zip(lines) {
        recorder.write(Entry::Record {
            number,
            line: Box::new(line.clone()),
        });
    }
    recorder.finish();
    std::fs::read(dir.join(JOURNAL_FILE)).unwrap()
}

fn small_run() -> Vec<Line> {
    let mut lines = vec![
        common::opened(),
        common::started(0, "purge"),
        common::purged(0),
        common::done(0),
        common::started(1, "rounds"),
    ];
    for round in 1..=2 {
        lines.extend((0..4).map(|index| common::cell(1, round, index, 100)));
        lines.push(common::round(1, round, false));
    }
    lines
}

#[test]
fn what_was_written_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let lines = small_run();
    write_journal(dir.path(), &lines);
    let journal = read(&dir.path().join(JOURNAL_FILE)).unwrap();
    assert_eq!((journal.lines, journal.torn), (lines, None));
    assert!(
        !dir.path().join(RESERVE_FILE).exists(),
        "the reserve goes at the end"
    );
}

/// Design 6: an unterminated last line is cut off, and everything before it is kept.
#[test]
fn cut_at_every_byte_it_keeps_every_whole_line() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = write_journal(dir.path(), &small_run());
    assert!(
        bytes.len() < 60_000,
        "a small journal stays small: {} bytes",
        bytes.len()
    );
    let path = dir.path().join("cut.jsonl");
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let whole_lines = bytes[..length]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        let ends_whole = length == 0 || bytes[length - 1] == b'\n';
        match read(&path) {
            Ok(journal) => {
                assert_eq!(journal.lines.len(), whole_lines, "cut at {length}");
                assert_eq!(journal.torn.is_none(), ends_whole, "cut at {length}");
            }
            Err(ReadError::Empty) => assert_eq!(whole_lines, 0, "cut at {length}"),
            Err(error) => panic!("cut at {length}: {error}"),
        }
    }
}

/// Design 6: a terminated line with a wrong hash is refused with its number.
#[test]
fn any_changed_byte_is_found_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = write_journal(dir.path(), &small_run());
    let path = dir.path().join("changed.jsonl");
    for position in (0..bytes.len() - 1).step_by(7) {
        if bytes[position] == b'\n' {
            continue;
        }
        let mut changed = bytes.clone();
        changed[position] ^= 1;
        std::fs::write(&path, &changed).unwrap();
        let line = bytes[..position]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
            + 1;
        match read(&path) {
            Err(ReadError::Corrupt { record }) => assert_eq!(record, line as u64),
            other => panic!("byte {position} changed and found as {other:?}"),
        }
    }
}

/// A power cut can leave a last line of NUL bytes where its data never reached the disk.
#[test]
fn a_last_line_of_nul_bytes_is_torn() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = write_journal(dir.path(), &small_run());
    let whole = bytes.len() as u64;
    bytes.extend([0; 300]);
    bytes.push(b'\n');
    let path = dir.path().join("nul.jsonl");
    std::fs::write(&path, &bytes).unwrap();
    let journal = read(&path).unwrap();
    assert_eq!(
        (journal.length_bytes, journal.torn.map(|t| t.bytes)),
        (whole, Some(301))
    );
}

#[test]
fn a_reopened_journal_goes_on_behind_the_torn_line() {
    let dir = tempfile::tempdir().unwrap();
    let lines = small_run();
    let bytes = write_journal(dir.path(), &lines);
    let path = dir.path().join(JOURNAL_FILE);
    std::fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
    let journal = read(&path).unwrap();
    let recorder =
        Recorder::reopen(Claim::take(dir.path()).unwrap(), dir.path(), &journal).unwrap();
    let last = lines.last().unwrap().clone();
    recorder.write(Entry::Record {
        number: journal.state.record_last + 1,
        line: Box::new(last),
    });
    recorder.finish();
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

/// Whoever resumes reads the journal under the lock: what another process adds meanwhile must not
/// be cut off.
#[test]
fn what_another_process_still_writes_is_never_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    let lines = small_run();
    let bytes = write_journal(dir.path(), &lines);
    let path = dir.path().join(JOURNAL_FILE);
    let end_of_first = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    std::fs::write(&path, &bytes[..end_of_first]).unwrap();
    let early = read(&path).unwrap();
    let claim = Claim::take(dir.path()).unwrap();
    let other = Claim::take(dir.path()).unwrap_err();
    assert_eq!(other.kind(), std::io::ErrorKind::ResourceBusy);
    std::fs::write(&path, &bytes).unwrap();
    let refused = Recorder::reopen(claim, dir.path(), &early).unwrap_err();
    assert!(refused.to_string().contains("not the one that was read"));
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

/// A run folder is never written into twice.
#[test]
fn an_existing_journal_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    write_journal(dir.path(), &small_run());
    assert!(Recorder::create(dir.path()).is_err());
}

/// Every version keeps a golden file that must always load.
#[test]
fn the_golden_journal_of_version_1_loads() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/journal-v1.jsonl");
    let journal = read(&path).unwrap();
    assert_eq!(journal.lines.len(), small_run().len());
    assert_eq!(journal.state.opened.schema, "ptse-journal/1");
    assert_eq!(journal.state.rounds(1).count(), 2);
}

/// Another schema is refused by its name.
#[test]
fn a_journal_of_another_schema_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let json = br#"{"at":"2026-01-05T18:00:00Z","record":"run-opened","schema":"ptse-journal/9"}"#;
    let hash = ptse::journal::chain::link(ptse::journal::chain::GENESIS, json);
    let path = dir.path().join(JOURNAL_FILE);
    std::fs::write(&path, [hash.as_bytes(), b" ", json, b"\n"].concat()).unwrap();
    assert!(
        read(&path)
            .unwrap_err()
            .to_string()
            .contains("ptse-journal/9")
    );
}
