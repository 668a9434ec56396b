//! The stimulus of a test file: one set of keys, inherited from `[stimulus]` by steps, loops and
//! cells, each of which may override any of them.
//!
//! Inheritance happens on raw tables ([`overlay`]), so every value keeps the place it was written
//! at; [`read`] then judges the result as a whole.

use super::content;
use super::errors::{Fault, Faults};
use super::model::{SequentialStart, SmallBlocks, Stimulus};
use super::pattern;
use super::reader;
use super::tree::{Node, Table};
use crate::stimulus::{BlockShares, Content, EngineKind};
use crate::units::{Bytes, KIB};

/// The keys of a stimulus.
pub(super) const KEYS: [&str; 14] = [
    "threads",
    "queue_depth",
    ENGINE,
    "pattern",
    "random_percent",
    "read_percent",
    "block",
    "range",
    "zones",
    "content",
    "sequential_start",
    "on_small_blocks",
    "rate",
    "with",
];
/// Chosen for a whole step: its cells follow each other on the same workers.
pub(super) const ENGINE: &str = "engine";
/// What a stream beside the main one may also say.
const OPERATION: &str = "operation";
/// What stands in for a block size that could not be read.
const BLOCK: Bytes = Bytes(4 * KIB);
/// Most workers.
const THREADS_MAX: u32 = 1024;
/// Most outstanding I/Os of a worker.
const QUEUE_DEPTH_MAX: u32 = 4096;
/// Most I/Os a second that can be asked for.
const RATE_MAX: u32 = 100_000_000;

/// Pairs of keys that say the same thing in two ways: the inner one replaces the outer.
const SAME: [(&str, &str); 2] = [("pattern", "random_percent"), ("random_percent", "pattern")];

/// The keys of a place that takes a stimulus and some keys of its own.
pub(super) fn keys_with(own: &[&'static str]) -> Vec<&'static str> {
    own.iter().chain(KEYS.iter()).copied().collect()
}

/// The outer table with every key of the inner one in its place. `range = "active"` means the
/// outer range and changes nothing.
pub(super) fn overlay(outer: &Table, inner: &Table) -> Table {
    let mut merged = outer.clone();
    for entry in &inner.entries {
        if entry.key == "range" && entry.node.as_text() == Some("active") {
            continue;
        }
        for (key, other) in SAME {
            if entry.key == key {
                merged.remove(other);
            }
        }
        merged.put(entry.clone());
    }
    merged.span = inner.span;
    merged
}

/// Names a contradiction within one table, before it is merged with others.
pub(super) fn check_layer(table: &Table, faults: &mut Faults) {
    if let (Some(_), Some(second)) = (table.get("pattern"), table.entry("random_percent")) {
        faults.push(
            Fault::at(
                second.key_span,
                "'pattern' and 'random_percent' stand in one place",
            )
            .label("both say how random the addresses are")
            .help("keep one: pattern = \"random\" is random_percent = 100"),
        );
    }
}

/// Reads a merged table. `base` is `[stimulus]`, where an intensity that is nowhere set is
/// missed; what else is missing is missed in the merged table, whose span is the step's.
///
/// A value with a mistake is replaced, so that judging goes on to the mistakes behind it; the
/// list of mistakes keeps such a stimulus from ever being used.
pub(super) fn read(merged: &Table, base: &Table, place: &str, faults: &mut Faults) -> Stimulus {
    let threads = intensity(merged, base, "threads", THREADS_MAX, faults);
    let queue_depth = intensity(merged, base, "queue_depth", QUEUE_DEPTH_MAX, faults);
    let random_percent = random_percent(merged, place, faults);
    let read_percent = reader::required(merged, "read_percent", place, "0", &KEYS, faults)
        .and_then(|node| percent(node, "read_percent", faults));
    let (read_blocks, write_blocks) =
        reader::required(merged, "block", place, "\"4KiB\"", &KEYS, faults)
            .and_then(|node| pattern::blocks(node, faults))
            .unwrap_or_else(|| (BlockShares::one(BLOCK), BlockShares::one(BLOCK)));
    let range = merged
        .get("range")
        .and_then(|node| pattern::range(node, "range", faults));
    let zones = merged
        .get("zones")
        .and_then(|node| pattern::zones(node, faults));
    check_zones(merged, random_percent, faults);
    let rate = merged
        .get("rate")
        .and_then(|node| reader::whole(node, "rate", 1..=RATE_MAX, faults));
    Stimulus {
        threads: threads.unwrap_or(1),
        queue_depth: queue_depth.unwrap_or(1),
        engine: engine(merged, queue_depth.unwrap_or(1), faults),
        read_percent: read_percent.unwrap_or(0),
        random_percent: random_percent.unwrap_or(100),
        read_blocks,
        write_blocks,
        range: range.unwrap_or(pattern::everything()),
        zones: zones.unwrap_or_default(),
        content: merged
            .get("content")
            .and_then(|node| content::read(node, faults))
            .unwrap_or(Content::Random),
        sequential_start: word(merged, "sequential_start", &STARTS, faults)
            .unwrap_or(SequentialStart::Zero),
        small_blocks: word(merged, "on_small_blocks", &SMALL_BLOCKS, faults)
            .unwrap_or(SmallBlocks::Skip),
        rate_iops: rate.map(u64::from),
        with: streams(merged, base, faults),
        discards: merged.get(OPERATION).is_some(),
    }
}

const ENGINES: [(&str, EngineKind); 2] =
    [("io_uring", EngineKind::Ring), ("sync", EngineKind::Sync)];
const STARTS: [(&str, SequentialStart); 2] = [
    ("zero", SequentialStart::Zero),
    ("continue", SequentialStart::Continue),
];
const SMALL_BLOCKS: [(&str, SmallBlocks); 2] = [
    ("skip", SmallBlocks::Skip),
    ("round up", SmallBlocks::RoundUp),
];

fn word<T: Copy>(
    merged: &Table,
    key: &str,
    choices: &[(&str, T)],
    faults: &mut Faults,
) -> Option<T> {
    let node = merged.get(key)?;
    reader::choice(node, key, choices, faults)
}

fn engine(merged: &Table, queue_depth: u32, faults: &mut Faults) -> EngineKind {
    let engine = word(merged, ENGINE, &ENGINES, faults).unwrap_or_default();
    if let (EngineKind::Sync, Some(entry)) = (engine, merged.entry(ENGINE))
        && queue_depth > 1
    {
        faults.push(
            Fault::at(
                entry.node.span,
                format!("engine = \"sync\" with queue_depth = {queue_depth}"),
            )
            .label("holds one I/O outstanding for each thread")
            .help("set queue_depth = 1 here, with more threads if you like, or leave engine out"),
        );
    }
    engine
}

fn intensity(
    merged: &Table,
    base: &Table,
    key: &str,
    max: u32,
    faults: &mut Faults,
) -> Option<u32> {
    if let Some(node) = merged.get(key) {
        return reader::whole(node, key, 1..=max, faults);
    }
    if !reader::is_mistyped(merged, key, &KEYS) {
        let at = if base.entries.is_empty() {
            merged.span
        } else {
            base.span
        };
        faults.push(
            Fault::at(
                at,
                format!("'{key}' is set neither in [stimulus] nor where it is needed"),
            )
            .label(format!("'{key}' is missing"))
            .help(format!("add {key} = 1, or the number you want"))
            .missing(),
        );
    }
    None
}

fn random_percent(merged: &Table, place: &str, faults: &mut Faults) -> Option<u8> {
    const PATTERNS: [(&str, u8); 2] = [("random", 100), ("sequential", 0)];
    if let Some(node) = merged.get("random_percent") {
        return percent(node, "random_percent", faults);
    }
    let node = reader::required(merged, "pattern", place, "\"random\"", &KEYS, faults)?;
    reader::choice(node, "pattern", &PATTERNS, faults)
}

fn percent(node: &Node, what: &str, faults: &mut Faults) -> Option<u8> {
    reader::whole(node, what, 0..=100, faults).and_then(|value| u8::try_from(value).ok())
}

fn check_zones(merged: &Table, random_percent: Option<u8>, faults: &mut Faults) {
    let (Some(zones), Some(random)) = (merged.entry("zones"), random_percent) else {
        return;
    };
    if random < 100 {
        faults.push(
            Fault::at(zones.key_span, "zones need random addresses")
                .label(format!(
                    "{} % of the addresses are sequential here",
                    100 - random
                ))
                .help("a sequential stream runs through all zones; use 'range' for it"),
        );
    }
}

fn streams(merged: &Table, base: &Table, faults: &mut Faults) -> Vec<Stimulus> {
    let Some(node) = merged.get("with") else {
        return Vec::new();
    };
    let mut outer = merged.clone();
    outer.remove("with");
    outer.remove("rate");
    let known: Vec<&str> = KEYS
        .into_iter()
        .filter(|key| !matches!(*key, "with" | ENGINE))
        .chain([OPERATION])
        .collect();
    let mut streams = Vec::new();
    for stream in reader::list(node, "with", faults).unwrap_or_default() {
        let Some(table) = reader::table(stream, "a stream of 'with'", faults) else {
            continue;
        };
        reader::check_keys(table, "a stream of 'with'", &known, faults);
        check_layer(table, faults);
        if let Some(node) = table.get(OPERATION) {
            reader::choice(node, OPERATION, &[("discard", ())], faults);
        }
        let mut inner = overlay(&outer, table);
        inner.remove("with");
        streams.push(read(&inner, base, "the stream", faults));
    }
    streams
}
