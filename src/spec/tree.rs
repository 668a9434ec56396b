//! The raw tree of a test file: TOML values in the order of the file, each with its place.
//!
//! The parser sorts keys; here they stand as written, since the order of nested loops and the
//! order of mistakes matter. Nothing is judged here: a tree may hold any key and any value.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A place in one of the texts a test was loaded from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    /// Index of the text: 0 is the file, the overrides follow in their order.
    pub(super) source: usize,
    /// First byte.
    pub(super) start: usize,
    /// First byte after it.
    pub(super) end: usize,
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) value: Value,
}

/// The values of TOML. Fractions and dates stay text: nothing is rounded on the way in.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Integer(i128),
    Fraction(String),
    Flag(bool),
    Date(String),
    List(Vec<Node>),
    Table(Table),
}

/// Keys with their values, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    /// Its head, or the whole of an inline table.
    pub(super) span: Span,
    pub(super) entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_span: Span,
    pub(super) node: Node,
}

/// A mistake of TOML itself: its place and the parser's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) span: Span,
    pub(super) message: String,
}

impl Span {
    /// The place before the first byte of a text.
    pub(super) fn beginning(source: usize) -> Self {
        Self {
            source,
            start: 0,
            end: 0,
        }
    }
}

impl Table {
    /// A table without keys.
    pub(super) fn empty(span: Span) -> Self {
        Self {
            span,
            entries: Vec::new(),
        }
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// A key with its place and value.
    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The value of a key, to be changed.
    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries
            .iter_mut()
            .find(|entry| entry.key == key)
            .map(|entry| &mut entry.node)
    }

    /// Gives a key another value and place, or adds it at the end.
    pub(super) fn put(&mut self, entry: Entry) {
        match self.entries.iter_mut().find(|old| old.key == entry.key) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
    }

    /// Takes a key out.
    pub(super) fn remove(&mut self, key: &str) {
        self.entries.retain(|entry| entry.key != key);
    }
}

impl Node {
    /// Its text, if it is one.
    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            Value::Integer(_)
            | Value::Fraction(_)
            | Value::Flag(_)
            | Value::Date(_)
            | Value::List(_)
            | Value::Table(_) => None,
        }
    }

    /// What it is, for a sentence: `the number 60`, `a list`.
    pub(super) fn description(&self) -> String {
        match &self.value {
            Value::Text(text) => format!("the text \"{}\"", shortened(text)),
            Value::Integer(number) => format!("the number {number}"),
            Value::Fraction(number) => format!("the number {}", shortened(number)),
            Value::Flag(flag) => format!("{flag}"),
            Value::Date(date) => format!("the date {date}"),
            Value::List(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
        }
    }

    /// Whether both hold the same value, wherever they stand.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Value::List(left), Value::List(right)) => {
                left.len() == right.len()
                    && left.iter().zip(right).all(|(one, two)| one.is_same(two))
            }
            (Value::Table(left), Value::Table(right)) => {
                left.entries.len() == right.entries.len()
                    && left.entries.iter().all(|entry| {
                        right
                            .get(&entry.key)
                            .is_some_and(|node| entry.node.is_same(node))
                    })
            }
            (left, right) => left == right,
        }
    }
}

/// Reads a document. What could be read stands in the tree even when there are mistakes.
pub(super) fn parse(text: &str, source: usize) -> (Table, Vec<SyntaxError>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let placed = Placed { source, offset: 0 };
    let errors = errors
        .iter()
        .map(|error| SyntaxError {
            span: placed.span(error.span().unwrap_or(0..0)),
            message: error.message().to_owned(),
        })
        .collect();
    let span = placed.span(table.span());
    (placed.table(table.get_ref(), span), errors)
}

/// Reads the value of an override that begins at byte `offset` of its argument; text that is no
/// TOML value is taken as a string, so that `60s` needs no quotation marks.
pub(super) fn parse_value(text: &str, source: usize, offset: usize) -> Node {
    let placed = Placed { source, offset };
    match DeValue::parse(text) {
        Ok(value) if !matches!(value.get_ref(), DeValue::Datetime(_)) => placed.node(&value),
        Ok(_) | Err(_) => Node {
            span: placed.span(0..text.len()),
            value: Value::Text(text.trim().to_owned()),
        },
    }
}

/// Turns the parser's values into ours, in a text that begins at `offset` of its source.
struct Placed {
    source: usize,
    offset: usize,
}

impl Placed {
    fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span {
            source: self.source,
            start: range.start + self.offset,
            end: range.end + self.offset,
        }
    }

    fn table(&self, table: &DeTable<'_>, span: Span) -> Table {
        let mut entries: Vec<Entry> = table
            .iter()
            .map(|(key, node)| Entry {
                key: key.get_ref().to_string(),
                key_span: self.span(key.span()),
                node: self.node(node),
            })
            .collect();
        entries.sort_by_key(|entry| entry.key_span);
        Table { span, entries }
    }

    fn node(&self, node: &Spanned<DeValue<'_>>) -> Node {
        let span = self.span(node.span());
        let value = match node.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => Value::Integer(
                i128::from_str_radix(number.as_str(), number.radix()).unwrap_or(i128::MAX),
            ),
            DeValue::Float(number) => Value::Fraction(number.as_str().to_owned()),
            DeValue::Boolean(flag) => Value::Flag(*flag),
            DeValue::Datetime(date) => Value::Date(date.to_string()),
            DeValue::Array(list) => {
                Value::List(list.iter().map(|element| self.node(element)).collect())
            }
            DeValue::Table(table) => Value::Table(self.table(table, span)),
        };
        Node { span, value }
    }
}

fn shortened(text: &str) -> String {
    const CHARACTERS_MAX: usize = 40;
    if text.chars().count() <= CHARACTERS_MAX {
        return text.to_owned();
    }
    let head: String = text.chars().take(CHARACTERS_MAX).collect();
    format!("{head}...")
}
