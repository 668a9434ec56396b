//! Reads a journal: checks the chain line by line and folds it.
//!
//! A last line without its end, or with NUL bytes in it, is what a crash or a power cut leaves:
//! it is cut off and reported as torn. A line that has its end but not its hash is corruption,
//! refused with its number: nothing after it can be trusted, and nothing is repaired silently.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::journal::chain::{self, GENESIS, HASH_LEN};
use crate::journal::fold::FoldError;
use crate::journal::record::{Line, Record, SCHEMA};
use crate::journal::state::RunState;

/// Longest line that is read; a record of a cell has a few KiB.
const LINE_BYTES_MAX: u64 = 64 << 20;

/// A journal that was read to its end.
#[derive(Debug)]
pub struct Journal {
    /// The fold of its records.
    pub state: RunState,
    /// Its records in order.
    pub lines: Vec<Line>,
    /// Hash of the last line.
    pub head: String,
    /// Bytes up to the end of the last whole line.
    pub length_bytes: u64,
    /// What a crash left behind the last whole line.
    pub torn: Option<Torn>,
}

/// A piece of a line at the end of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Torn {
    /// The number the line would have had.
    pub record: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A whole line does not have the hash it should have.
    #[error(
        "journal corrupt at line {record}: its hash does not match its content; the lines before \
         it are sound"
    )]
    Corrupt {
        /// Line number.
        record: u64,
    },
    /// A line has the right hash and is no record of this version.
    #[error("journal line {record} is not a record of {SCHEMA}: {cause}")]
    Form {
        /// Line number.
        record: u64,
        /// What is wrong.
        cause: String,
    },
    /// A record that cannot follow those before it.
    #[error("journal line {record}: {source}")]
    Order {
        /// Line number.
        record: u64,
        /// Which record, after what.
        source: FoldError,
    },
    /// Nothing was committed.
    #[error("the journal holds no whole record: the run never began, start it anew")]
    Empty,
}

/// Reads and checks the journal at `path`.
///
/// # Errors
/// [`ReadError`]; a torn last line is none, it is reported in [`Journal::torn`].
pub fn read(path: &Path) -> Result<Journal, ReadError> {
    let file_error = |source| ReadError::File {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(file_error)?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut lines = Vec::new();
    let mut state: Option<RunState> = None;
    let mut head = GENESIS.to_owned();
    let mut length_bytes = 0;
    let mut torn = None;
    loop {
        let record = u64::try_from(lines.len()).expect("lines fit in memory") + 1;
        let mut bytes = Vec::new();
        let limit = LINE_BYTES_MAX;
        let count = (&mut reader)
            .take(limit)
            .read_until(b'\n', &mut bytes)
            .map_err(file_error)?;
        if count == 0 {
            break;
        }
        let Some(text) = bytes.strip_suffix(b"\n") else {
            torn = Some(Torn {
                record,
                bytes: u64::try_from(count).expect("a line"),
            });
            break;
        };
        let is_last = reader.fill_buf().map_err(file_error)?.is_empty();
        if is_last && text.contains(&0) {
            torn = Some(Torn {
                record,
                bytes: u64::try_from(count).expect("a line"),
            });
            break;
        }
        let (line, hash) = parse(record, text, &head)?;
        fold(&mut state, record, &line)?;
        lines.push(line);
        head = hash;
        length_bytes += u64::try_from(count).expect("a line");
    }
    let state = state.ok_or(ReadError::Empty)?;
    Ok(Journal {
        state,
        lines,
        head,
        length_bytes,
        torn,
    })
}

fn parse(record: u64, text: &[u8], previous: &str) -> Result<(Line, String), ReadError> {
    let corrupt = ReadError::Corrupt { record };
    if text.len() <= HASH_LEN || text[HASH_LEN] != b' ' {
        return Err(corrupt);
    }
    let (hash, json) = (&text[..HASH_LEN], &text[HASH_LEN + 1..]);
    let expected = chain::link(previous, json);
    if hash != expected.as_bytes() {
        return Err(corrupt);
    }
    let form = |cause: String| ReadError::Form { record, cause };
    let value: serde_json::Value =
        serde_json::from_slice(json).map_err(|error| form(error.to_string()))?;
    if record == 1 {
        check_schema(&value).map_err(form)?;
    }
    let line = serde_json::from_value(value).map_err(|error| form(error.to_string()))?;
    Ok((line, expected))
}

/// The first line names the schema; a journal of another version is refused by that name.
fn check_schema(first: &serde_json::Value) -> Result<(), String> {
    match first.get("schema").and_then(serde_json::Value::as_str) {
        Some(SCHEMA) => Ok(()),
        Some(other) => Err(format!(
            "it was written in '{other}'; use the ptse that wrote it"
        )),
        None => Err("the first record names no schema".to_owned()),
    }
}

fn fold(state: &mut Option<RunState>, record: u64, line: &Line) -> Result<(), ReadError> {
    let order = |source| ReadError::Order { record, source };
    match (state.as_mut(), &line.record) {
        (None, Record::RunOpened(_)) => *state = Some(RunState::open(line).map_err(order)?),
        (None, _) => return Err(order(FoldError::NotOpened)),
        (Some(state), _) => state.apply(line).map_err(order)?,
    }
    Ok(())
}
