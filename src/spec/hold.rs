//! Holds: a stimulus for a time or an amount, as a step or as the pre-write of another step.

use super::errors::{Fault, Faults};
use super::model::{AmountOf, Hold};
use super::tree::{Node, Table};
use super::{pattern, reader, stimulus};

/// Keys of a hold, also where one stands inside another step.
pub(super) const KEYS: [&str; 5] = ["time", "amount", "of", "record_every", "capture"];
pub(super) fn amount_of(table: &Table, faults: &mut Faults) -> Option<AmountOf> {
    const WORDS: [(&str, AmountOf); 2] =
        [("capacity", AmountOf::Capacity), ("range", AmountOf::Range)];
    let entry = table.entry("of")?;
    let known = stimulus::keys_with(&KEYS);
    if table.get("amount").is_none() && !reader::is_mistyped(table, "amount", &known) {
        faults.push(
            Fault::at(entry.key_span, "'of' stands without an 'amount'")
                .label("of what amount?")
                .help("add amount = \"2x\""),
        );
    }
    reader::choice(&entry.node, "of", &WORDS, faults)
}

/// A stimulus held for a time or an amount; also the pre-write inside another step.
pub(super) fn read(
    table: &Table,
    merged: &Table,
    base: &Table,
    place: &str,
    faults: &mut Faults,
) -> Option<Hold> {
    let before = faults.count();
    let stimulus = stimulus::read(merged, base, place, faults);
    let of = amount_of(table, faults);
    let time = table
        .get("time")
        .and_then(|node| reader::duration(node, "time", faults));
    let amount = table
        .get("amount")
        .and_then(|node| pattern::amount(node, "amount", of.unwrap_or(AmountOf::Capacity), faults));
    let record_every = table
        .get("record_every")
        .and_then(|node| reader::duration(node, "record_every", faults));
    let capture = table
        .get("capture")
        .map_or(Some(false), |node| reader::flag(node, "capture", faults));
    match (table.entry("time"), table.entry("amount")) {
        (Some(_), Some(amount)) => faults.push(
            Fault::at(
                amount.key_span,
                format!("{place} has both 'time' and 'amount'"),
            )
            .label("which of them ends it?")
            .help("keep one of the two"),
        ),
        (None, None) => {
            let known = stimulus::keys_with(&KEYS);
            reader::required(
                table,
                "time",
                place,
                "\"20m\", or an amount",
                &known,
                faults,
            );
        }
        (Some(_), None) | (None, Some(_)) => {}
    }
    if let (Some(time), Some(every), Some(entry)) =
        (time, record_every, table.entry("record_every"))
        && every > time
    {
        faults.push(
            Fault::at(entry.node.span, "a record is longer than the whole hold")
                .label(format!("longer than {time}")),
        );
    }
    (faults.count() == before).then_some(Hold {
        stimulus,
        time,
        amount,
        record_every,
        capture: capture?,
    })
}

/// A hold that stands as a table inside another step: its stimulus inherits from `outer`.
pub(super) fn nested(
    node: &Node,
    place: &str,
    outer: &Table,
    base: &Table,
    faults: &mut Faults,
) -> Option<Hold> {
    let table = reader::table(node, place, faults)?;
    let known = stimulus::keys_with(&KEYS);
    reader::check_keys(table, place, &known, faults);
    stimulus::check_layer(table, faults);
    let merged = stimulus::overlay(outer, table);
    read(table, &merged, base, place, faults)
}
