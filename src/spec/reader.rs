//! Reads single values out of the raw tree: the right type, the right range, the right words.
//!
//! Every function adds what is wrong to the list and returns `None`, so that reading goes on and
//! all mistakes are seen at once. What values mean together is judged by the callers.

use std::ops::RangeInclusive;

use super::errors::{Fault, Faults};
use super::nearest::{nearest, suggestion};
use super::tree::{Node, Span, Table, Value};
use crate::units::{Bytes, Nanos};

/// Longest duration any key may hold: a leap year. Keeps sums of times within 64 bits.
pub(super) const DURATION_MAX: Nanos = Nanos::from_secs(366 * 24 * 3600);

/// A text.
pub(super) fn text<'n>(node: &'n Node, what: &str, faults: &mut Faults) -> Option<&'n str> {
    let text = node.as_text();
    if text.is_none() {
        wrong_type(node, what, "a text in quotation marks", faults);
    }
    text
}

/// A whole number within a range.
pub(super) fn whole(
    node: &Node,
    what: &str,
    range: RangeInclusive<u32>,
    faults: &mut Faults,
) -> Option<u32> {
    let Value::Integer(number) = node.value else {
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        wrong_type(node, what, &wanted, faults);
        return None;
    };
    let inside = u32::try_from(number)
        .ok()
        .filter(|value| range.contains(value));
    if inside.is_none() {
        faults.push(
            Fault::at(node.span, format!("{what} = {number} is out of range")).label(format!(
                "{} to {}",
                range.start(),
                range.end()
            )),
        );
    }
    inside
}

/// A duration above 0.
pub(super) fn duration(node: &Node, what: &str, faults: &mut Faults) -> Option<Nanos> {
    let Some(text) = node.as_text() else {
        wrong_type(node, what, "a duration such as \"60s\"", faults);
        return None;
    };
    match Nanos::parse(text) {
        Ok(Nanos(0)) => {
            faults.push(Fault::at(node.span, format!("{what} is 0")).label("must be above 0"));
            None
        }
        Ok(time) if time > DURATION_MAX => {
            faults.push(
                Fault::at(node.span, format!("{what} = {text} is out of range"))
                    .label("longer than a year"),
            );
            None
        }
        Ok(time) => Some(time),
        Err(error) => {
            faults.push(Fault::at(node.span, format!("{what}: {error}")).label("not a duration"));
            None
        }
    }
}

/// A size above 0.
pub(super) fn size(node: &Node, what: &str, faults: &mut Faults) -> Option<Bytes> {
    let Some(text) = node.as_text() else {
        wrong_type(node, what, "a size such as \"128KiB\"", faults);
        return None;
    };
    size_of_text(text, node.span, what, faults)
}

/// A size above 0 that stands as text at a place, such as a key.
pub(super) fn size_of_text(
    text: &str,
    span: Span,
    what: &str,
    faults: &mut Faults,
) -> Option<Bytes> {
    match Bytes::parse(text) {
        Ok(Bytes(0)) => {
            faults.push(Fault::at(span, format!("{what} is 0")).label("must be above 0"));
            None
        }
        Ok(size) => Some(size),
        Err(error) => {
            faults.push(Fault::at(span, format!("{what}: {error}")).label("not a size"));
            None
        }
    }
}

/// `true` or `false`.
pub(super) fn flag(node: &Node, what: &str, faults: &mut Faults) -> Option<bool> {
    match node.value {
        Value::Flag(flag) => Some(flag),
        Value::Text(_)
        | Value::Integer(_)
        | Value::Fraction(_)
        | Value::Date(_)
        | Value::List(_)
        | Value::Table(_) => {
            wrong_type(node, what, "true or false", faults);
            None
        }
    }
}

/// A list with at least one element.
pub(super) fn list<'n>(node: &'n Node, what: &str, faults: &mut Faults) -> Option<&'n [Node]> {
    match &node.value {
        Value::List(list) if list.is_empty() => {
            faults.push(Fault::at(node.span, format!("{what} is empty")).label("nothing in it"));
            None
        }
        Value::List(list) => Some(list),
        Value::Text(_)
        | Value::Integer(_)
        | Value::Fraction(_)
        | Value::Flag(_)
        | Value::Date(_)
        | Value::Table(_) => {
            wrong_type(node, what, "a list in [ ]", faults);
            None
        }
    }
}

/// A table.
pub(super) fn table<'n>(node: &'n Node, what: &str, faults: &mut Faults) -> Option<&'n Table> {
    match &node.value {
        Value::Table(table) => Some(table),
        Value::Text(_)
        | Value::Integer(_)
        | Value::Fraction(_)
        | Value::Flag(_)
        | Value::Date(_)
        | Value::List(_) => {
            wrong_type(node, what, "a table in { }", faults);
            None
        }
    }
}

/// One of a few words.
pub(super) fn choice<T: Copy>(
    node: &Node,
    what: &str,
    choices: &[(&str, T)],
    faults: &mut Faults,
) -> Option<T> {
    let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
    let Some(text) = node.as_text() else {
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        wrong_type(node, what, &quoted.join(" or "), faults);
        return None;
    };
    let found = choices.iter().find(|(word, _)| *word == text);
    if found.is_none() {
        faults.push(
            Fault::at(node.span, format!("{what} = \"{text}\" is not known"))
                .label("not one of the words of this key")
                .maybe_help(suggestion(text, &words)),
        );
    }
    found.map(|(_, value)| *value)
}

/// Names every key of the table that is not known in this place.
pub(super) fn check_keys(table: &Table, place: &str, known: &[&str], faults: &mut Faults) {
    for entry in &table.entries {
        if !known.contains(&entry.key.as_str()) {
            faults.push(
                Fault::at(entry.key_span, format!("unknown key '{}'", entry.key))
                    .label(format!("not a key of {place}"))
                    .maybe_help(suggestion(&entry.key, known)),
            );
        }
    }
}

/// The value of a key that must be there. A mistyped form of it was named already and is not
/// named again as missing.
pub(super) fn required<'t>(
    table: &'t Table,
    key: &str,
    place: &str,
    example: &str,
    known: &[&str],
    faults: &mut Faults,
) -> Option<&'t Node> {
    if let Some(node) = table.get(key) {
        return Some(node);
    }
    if !is_mistyped(table, key, known) {
        faults.push(
            Fault::at(table.span, format!("{place} has no '{key}'"))
                .label(format!("'{key}' is missing"))
                .help(format!("add {key} = {example}"))
                .missing(),
        );
    }
    None
}

/// Whether an unknown key of the table looks like this one.
pub(super) fn is_mistyped(table: &Table, key: &str, known: &[&str]) -> bool {
    table.entries.iter().any(|entry| {
        !known.contains(&entry.key.as_str()) && !nearest(&entry.key, &[key]).is_empty()
    })
}

/// Says that a value has the wrong type.
pub(super) fn wrong_type(node: &Node, what: &str, wanted: &str, faults: &mut Faults) {
    faults.push(
        Fault::at(
            node.span,
            format!("{what} must be {wanted}, not {}", node.description()),
        )
        .label(format!("must be {wanted}")),
    );
}
