//! `--set KEY=VALUE`: edits the raw tree before it is judged, so that an override and a copied
//! file come to the same test.
//!
//! KEY is the path in the file. A step goes by its `do`, with its number where it repeats. What
//! the path ends in is not judged here: an unknown key is found by the loader like any other,
//! and its place is the argument.

use toml::de::{DeTable, DeValue};

use super::document::TOP_KEYS;
use super::errors::{Fault, Faults};
use super::nearest::nearest;
use super::tree::{Entry, Node, Span, Table, Value, parse_value};

/// Sections whose keys can be set.
const SECTIONS: [&str; 5] = ["test", "conditions", "params", "stimulus", "report"];
/// Keys of which one place holds only one: setting the left takes the right ones out.
const REPLACES: [(&str, &[&str]); 4] = [
    ("pattern", &["random_percent"]),
    ("random_percent", &["pattern"]),
    ("time", &["amount", "of"]),
    ("amount", &["time"]),
];

/// A piece of a path and its place in the argument.
struct Segment {
    text: String,
    span: Span,
}

/// Applies one argument, which is text number `source`.
pub(super) fn apply(tree: &mut Table, argument: &str, source: usize, faults: &mut Faults) {
    let whole = Span {
        source,
        start: 0,
        end: argument.len(),
    };
    let Some(equals) = argument.find('=') else {
        faults.push(
            Fault::at(whole, format!("'{argument}' sets nothing"))
                .label("no '=' in it")
                .help("write KEY=VALUE, such as rounds.cell_time=60s"),
        );
        return;
    };
    let Some(path) = path(&argument[..equals], source) else {
        faults.push(
            Fault::at(
                Span {
                    end: equals,
                    ..whole
                },
                "this is not a key",
            )
            .label("names joined by points, such as rounds.cell_time"),
        );
        return;
    };
    let value = parse_value(&argument[equals + 1..], source, equals + 1);
    let Some((table, rest)) = place(tree, &path, faults) else {
        return;
    };
    put(table, rest, value, faults);
}

/// The pieces of `fill.2.amount`; quotation marks protect points, as in TOML.
fn path(text: &str, source: usize) -> Option<Vec<Segment>> {
    if text.contains(['\n', '\r', '#']) {
        return None;
    }
    let line = format!("{text} = 0");
    let document = DeTable::parse(&line).ok()?;
    let mut segments = Vec::new();
    let mut table = document.get_ref();
    loop {
        let (key, node) = table.iter().next()?;
        segments.push(Segment {
            text: key.get_ref().to_string(),
            span: Span {
                source,
                start: key.span().start,
                end: key.span().end,
            },
        });
        match node.get_ref() {
            DeValue::Table(inner) => table = inner,
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_) => return Some(segments),
        }
    }
}

/// The section or step a path begins with, and the rest of the path.
fn place<'t, 'p>(
    tree: &'t mut Table,
    path: &'p [Segment],
    faults: &mut Faults,
) -> Option<(&'t mut Table, &'p [Segment])> {
    let (first, rest) = path.split_first()?;
    if SECTIONS.contains(&first.text.as_str()) {
        if tree.get(&first.text).is_none() {
            tree.put(Entry {
                key: first.text.clone(),
                key_span: first.span,
                node: empty_table(first.span),
            });
        }
        return match &mut tree.get_mut(&first.text)?.value {
            Value::Table(table) => Some((table, rest)),
            Value::Text(_)
            | Value::Integer(_)
            | Value::Fraction(_)
            | Value::Flag(_)
            | Value::Date(_)
            | Value::List(_) => None,
        };
    }
    let is_part = first.text == "part";
    let names = names(tree, if is_part { "part" } else { "step" });
    let places: Vec<usize> = (0..names.len())
        .filter(|index| is_part || names[*index] == first.text)
        .collect();
    let (index, rest) = if places.is_empty() {
        unknown(first, &names, faults);
        return None;
    } else {
        numbered(first, rest, &places, faults)?
    };
    let list = tree.get_mut(if is_part { "part" } else { "step" })?;
    match &mut list.value {
        Value::List(list) => match &mut list.get_mut(index)?.value {
            Value::Table(table) => Some((table, rest)),
            Value::Text(_)
            | Value::Integer(_)
            | Value::Fraction(_)
            | Value::Flag(_)
            | Value::Date(_)
            | Value::List(_) => None,
        },
        Value::Text(_)
        | Value::Integer(_)
        | Value::Fraction(_)
        | Value::Flag(_)
        | Value::Date(_)
        | Value::Table(_) => None,
    }
}

/// Which of several steps with the same `do` is meant.
fn numbered<'p>(
    first: &Segment,
    rest: &'p [Segment],
    places: &[usize],
    faults: &mut Faults,
) -> Option<(usize, &'p [Segment])> {
    let number = rest
        .first()
        .and_then(|next| next.text.parse::<usize>().ok());
    let Some(number) = number else {
        if let [only] = places {
            return Some((*only, rest));
        }
        let examples = format!("{0}.1 to {0}.{1}", first.text, places.len());
        faults.push(
            Fault::at(first.span, format!("'{}' is ambiguous", first.text))
                .label(format!("the test has {} of them", places.len()))
                .help(format!("number it: {examples}")),
        );
        return None;
    };
    let found = number.checked_sub(1).and_then(|index| places.get(index));
    let Some(index) = found else {
        let span = rest.first().map_or(first.span, |next| next.span);
        faults.push(
            Fault::at(span, format!("there is no {}.{number}", first.text))
                .label(format!("the test has {} of them", places.len())),
        );
        return None;
    };
    Some((*index, rest.get(1..).unwrap_or_default()))
}

fn unknown(first: &Segment, names: &[String], faults: &mut Faults) {
    let mut known: Vec<&str> = names.iter().map(String::as_str).collect();
    known.extend(SECTIONS);
    known.dedup();
    let near = nearest(&first.text, &known);
    let help = if near.is_empty() {
        format!("known here: {}", known.join(", "))
    } else {
        format!("did you mean '{}'?", near.join("' or '"))
    };
    let label = if TOP_KEYS.contains(&first.text.as_str()) {
        "cannot be set"
    } else {
        "neither a section nor a step of this test"
    };
    faults.push(
        Fault::at(first.span, format!("the test has no '{}'", first.text))
            .label(label)
            .help(help),
    );
}

/// The `do` of every step, or the `use` of every part.
fn names(tree: &Table, list: &str) -> Vec<String> {
    let key = if list == "part" { "use" } else { "do" };
    let Some(Value::List(nodes)) = tree.get(list).map(|node| &node.value) else {
        return Vec::new();
    };
    nodes
        .iter()
        .map(|node| match &node.value {
            Value::Table(table) => table.get(key).and_then(Node::as_text).unwrap_or_default(),
            Value::Text(_)
            | Value::Integer(_)
            | Value::Fraction(_)
            | Value::Flag(_)
            | Value::Date(_)
            | Value::List(_) => "",
        })
        .map(str::to_owned)
        .collect()
}

fn put(table: &mut Table, path: &[Segment], value: Node, faults: &mut Faults) {
    let Some((first, rest)) = path.split_first() else {
        faults.push(
            Fault::at(value.span, "this sets a whole section")
                .label("no key of it is named")
                .help("name one of its keys, such as stimulus.threads"),
        );
        return;
    };
    if rest.is_empty() {
        for (key, others) in REPLACES {
            if key == first.text {
                others.iter().for_each(|other| table.remove(other));
            }
        }
        table.put(Entry {
            key: first.text.clone(),
            key_span: first.span,
            node: value,
        });
        return;
    }
    if table.get(&first.text).is_none() {
        table.put(Entry {
            key: first.text.clone(),
            key_span: first.span,
            node: empty_table(first.span),
        });
    }
    let Some(node) = table.get_mut(&first.text) else {
        return;
    };
    descend(node, first, rest, value, faults);
}

fn descend(node: &mut Node, at: &Segment, rest: &[Segment], value: Node, faults: &mut Faults) {
    let description = node.description();
    match &mut node.value {
        Value::Table(table) => put(table, rest, value, faults),
        Value::List(list) => {
            let count = list.len();
            let number = rest
                .first()
                .and_then(|next| next.text.parse::<usize>().ok());
            let element = number
                .and_then(|number| number.checked_sub(1))
                .and_then(|index| list.get_mut(index));
            match (element, rest.get(1..)) {
                (Some(element), Some([])) => *element = value,
                (Some(element), Some(rest)) => descend(element, at, rest, value, faults),
                (None, _) | (_, None) => faults.push(
                    Fault::at(at.span, format!("'{}' is a list of {count}", at.text))
                        .label("which element?")
                        .help(format!("number it: {0}.1 to {0}.{count}", at.text)),
                ),
            }
        }
        Value::Text(_)
        | Value::Integer(_)
        | Value::Fraction(_)
        | Value::Flag(_)
        | Value::Date(_) => faults.push(
            Fault::at(at.span, format!("'{}' has no keys of its own", at.text))
                .label(format!("it is {description}")),
        ),
    }
}

fn empty_table(span: Span) -> Node {
    Node {
        span,
        value: Value::Table(Table::empty(span)),
    }
}
