//! Ranges, zones, block shares and amounts: the composite values of a stimulus.
//!
//! Shares are held as integers. A share with digits after the point turns all shares of its list
//! into hundredths of a percent, so that nothing is rounded.

use super::errors::{Fault, Faults};
use super::model::{Amount, AmountOf, Place, Range, ZoneShare};
use super::reader;
use super::tree::{Node, Span, Table, Value};
use crate::stimulus::BlockShares;
use crate::units::{Bytes, Decimal, MIB};

/// Millionths in the whole.
pub(super) const WHOLE_MILLIONTHS: u32 = 1_000_000;
/// Largest block: no drive of today takes more in one command.
const BLOCK_MAX: Bytes = Bytes(16 * MIB);
/// Unit of all addresses; no logical block is smaller.
const SECTOR_BYTES: u64 = 512;
/// Largest multiple of an amount, in thousandths: a thousand drive fills.
const TIMES_MAX: u64 = 1_000_000;

/// Block sizes of reads and of writes.
pub(super) type BlocksByDirection = (BlockShares, BlockShares);

/// The whole drive.
pub(super) fn everything() -> Range {
    Range {
        from: Place::Millionths(0),
        to: Place::Millionths(WHOLE_MILLIONTHS),
    }
}

/// `"100%"`, `"20GiB"`, `"25%..50%"`: a range; one place alone is the range that ends there.
pub(super) fn range(node: &Node, what: &str, faults: &mut Faults) -> Option<Range> {
    let text = reader::text(node, what, faults)?;
    if text == "all" {
        return Some(everything());
    }
    let (from, to) = text.split_once("..").unwrap_or(("0%", text));
    let places = place(from).zip(place(to));
    let Some((from, to)) = places else {
        faults.push(
            Fault::at(node.span, format!("{what} = \"{text}\" is not a range"))
                .label("not a range")
                .help(
                    "write \"100%\", \"0%..25%\", \"20GiB\" or \"10GiB..30GiB\", within the drive",
                ),
        );
        return None;
    };
    let is_empty = match (from, to) {
        (Place::Millionths(from), Place::Millionths(to)) => from >= to,
        (Place::At(from), Place::At(to)) => from >= to,
        (Place::Millionths(_), Place::At(to)) => to.0 == 0,
        (Place::At(_), Place::Millionths(to)) => to == 0,
    };
    if is_empty {
        faults.push(
            Fault::at(node.span, format!("{what} = \"{text}\" is empty"))
                .label("must end after its start"),
        );
        return None;
    }
    Some(Range { from, to })
}

fn place(text: &str) -> Option<Place> {
    let text = text.trim();
    match text.strip_suffix('%') {
        Some(percent) => {
            let millionths = Decimal::parse(percent)?.times(10_000)?;
            let millionths = u32::try_from(millionths).ok()?;
            (millionths <= WHOLE_MILLIONTHS).then_some(Place::Millionths(millionths))
        }
        None => Bytes::parse(text).ok().map(Place::At),
    }
}

/// `[ { share = 50, range = "0%..5%" }, ... ]`, in percent of the active range.
pub(super) fn zones(node: &Node, faults: &mut Faults) -> Option<Vec<ZoneShare>> {
    const KEYS: [&str; 2] = ["share", "range"];
    let mut shares = Vec::new();
    let mut ranges = Vec::new();
    let before = faults.count();
    for zone in reader::list(node, "zones", faults)? {
        let Some(table) = reader::table(zone, "a zone", faults) else {
            continue;
        };
        reader::check_keys(table, "a zone", &KEYS, faults);
        let share = reader::required(table, "share", "the zone", "50", &KEYS, faults);
        let place = reader::required(table, "range", "the zone", "\"0%..5%\"", &KEYS, faults);
        shares.extend(share.map(|share| (share, share.span)));
        ranges.extend(place.and_then(|place| zone_range(place, faults)));
    }
    let weights = weights(&shares, node.span, "zones", faults)?;
    (faults.count() == before).then(|| {
        weights
            .into_iter()
            .zip(ranges)
            .map(|(weight, range)| ZoneShare { weight, range })
            .collect()
    })
}

fn zone_range(node: &Node, faults: &mut Faults) -> Option<Range> {
    let range = range(node, "range", faults)?;
    if matches!(range.from, Place::At(_)) || matches!(range.to, Place::At(_)) {
        faults.push(
            Fault::at(node.span, "the range of a zone is given in bytes")
                .label("must be in percent of the active range, such as \"0%..5%\""),
        );
        return None;
    }
    Some(range)
}

/// A size, shares of sizes, or either for reads and writes apart.
pub(super) fn blocks(node: &Node, faults: &mut Faults) -> Option<BlocksByDirection> {
    const DIRECTIONS: [&str; 2] = ["read", "write"];
    let Value::Table(table) = &node.value else {
        let size = block_size(node, faults)?;
        return Some((BlockShares::one(size), BlockShares::one(size)));
    };
    let by_direction = DIRECTIONS.iter().any(|key| table.get(key).is_some());
    if !by_direction {
        let shares = block_shares(table, node.span, faults)?;
        return Some((shares.clone(), shares));
    }
    reader::check_keys(table, "block sizes by direction", &DIRECTIONS, faults);
    let mut direction = |key| {
        let example = "{ \"4KiB\" = 60, \"8KiB\" = 40 }";
        let node = reader::required(table, key, "block", example, &DIRECTIONS, faults)?;
        match &node.value {
            Value::Table(shares) => block_shares(shares, node.span, faults),
            Value::Text(_)
            | Value::Integer(_)
            | Value::Fraction(_)
            | Value::Flag(_)
            | Value::Date(_)
            | Value::List(_) => block_size(node, faults).map(BlockShares::one),
        }
    };
    let (read, write) = (direction("read"), direction("write"));
    read.zip(write)
}

fn block_size(node: &Node, faults: &mut Faults) -> Option<Bytes> {
    let size = reader::size(node, "block", faults)?;
    is_block(size, node.span, faults).then_some(size)
}

fn is_block(size: Bytes, span: Span, faults: &mut Faults) -> bool {
    if size.0.is_multiple_of(SECTOR_BYTES) && size <= BLOCK_MAX {
        return true;
    }
    faults.push(
        Fault::at(span, format!("a block of {} bytes is impossible", size.0))
            .label("must be a multiple of 512B, at most 16MiB"),
    );
    false
}

fn block_shares(table: &Table, span: Span, faults: &mut Faults) -> Option<BlockShares> {
    let before = faults.count();
    let mut sizes: Vec<Bytes> = Vec::new();
    for entry in &table.entries {
        let size = reader::size_of_text(&entry.key, entry.key_span, "block", faults);
        let Some(size) = size.filter(|size| is_block(*size, entry.key_span, faults)) else {
            continue;
        };
        if sizes.contains(&size) {
            faults.push(
                Fault::at(entry.key_span, format!("block size {size} stands twice"))
                    .label("add it to its other share"),
            );
        }
        sizes.push(size);
    }
    let shares: Vec<(&Node, Span)> = table
        .entries
        .iter()
        .map(|entry| (&entry.node, entry.node.span))
        .collect();
    let weights = weights(&shares, span, "block shares", faults)?;
    (faults.count() == before).then(|| BlockShares(sizes.into_iter().zip(weights).collect()))
}

/// Shares in percent as integer weights: percent, or hundredths of a percent where any share has
/// digits after the point. Their sum must be 100 exactly.
fn weights(
    shares: &[(&Node, Span)],
    span: Span,
    what: &str,
    faults: &mut Faults,
) -> Option<Vec<u32>> {
    let hundredths: Vec<Option<u32>> = shares
        .iter()
        .map(|(node, _)| share_hundredths(node, faults))
        .collect();
    let hundredths: Option<Vec<u32>> = hundredths.into_iter().collect();
    let hundredths = hundredths?;
    let sum: u64 = hundredths.iter().map(|share| u64::from(*share)).sum();
    if sum != 10_000 {
        let percent = format!("{}.{:02}", sum / 100, sum % 100);
        faults.push(
            Fault::at(span, format!("{what} add up to {percent} %, not 100 %"))
                .label("must add up to 100"),
        );
        return None;
    }
    if hundredths.iter().all(|share| share.is_multiple_of(100)) {
        return Some(hundredths.iter().map(|share| share / 100).collect());
    }
    Some(hundredths)
}

fn share_hundredths(node: &Node, faults: &mut Faults) -> Option<u32> {
    let text = match &node.value {
        Value::Integer(number) => number.to_string(),
        Value::Fraction(number) => number.clone(),
        Value::Text(_) | Value::Flag(_) | Value::Date(_) | Value::List(_) | Value::Table(_) => {
            reader::wrong_type(node, "a share", "a number of percent", faults);
            return None;
        }
    };
    let hundredths = Decimal::parse(&text)
        .and_then(|share| share.times(100))
        .and_then(|share| u32::try_from(share).ok())
        .filter(|share| (1..=10_000).contains(share));
    if hundredths.is_none() {
        faults.push(
            Fault::at(node.span, format!("a share of {text} % is impossible"))
                .label("0.01 to 100, with at most two digits after the point"),
        );
    }
    hundredths
}

/// `"2x"`, `"80%"` or a size; what a multiple refers to is `of`.
pub(super) fn amount(node: &Node, what: &str, of: AmountOf, faults: &mut Faults) -> Option<Amount> {
    let text = reader::text(node, what, faults)?;
    let times = |number: &str, factor: u64| {
        Decimal::parse(number)
            .and_then(|number| number.times(factor))
            .filter(|thousandths| (1..=TIMES_MAX).contains(thousandths))
            .map(|thousandths| Amount::Times { thousandths, of })
    };
    let trimmed = text.trim();
    let found = if let Some(number) = trimmed.strip_suffix('x') {
        times(number, 1000)
    } else if let Some(number) = trimmed.strip_suffix('%') {
        times(number, 10)
    } else if trimmed.ends_with(|last: char| last.is_alphabetic()) {
        return reader::size(node, what, faults).map(Amount::Exactly);
    } else {
        None
    };
    if found.is_none() {
        faults.push(
            Fault::at(node.span, format!("{what} = \"{text}\" is not an amount"))
                .label("write \"2x\", \"80%\" or a size, at most 1000x"),
        );
    }
    found
}
