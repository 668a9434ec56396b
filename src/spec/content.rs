//! `content`: what is written, as a word or as a table of how far it can be reduced.

use super::errors::{Fault, Faults};
use super::reader;
use super::tree::{Node, Table, Value};
use crate::stimulus::{Content, Reduction};

const CONTENTS: [(&str, Content); 4] = [
    ("random", Content::Random),
    ("fresh", Content::Fresh),
    ("stamped", Content::Stamped),
    ("zero", Content::Zero),
];
const COMPRESSIBLE: &str = "compressible_percent";
const DUPLICATE: &str = "duplicate_percent";
const KEYS: [&str; 2] = [COMPRESSIBLE, DUPLICATE];

/// `"random"`, `"fresh"`, `"stamped"`, `"zero"`, or
/// `{ compressible_percent = 50, duplicate_percent = 20 }`, either of which may be left out.
pub(super) fn read(node: &Node, faults: &mut Faults) -> Option<Content> {
    let Value::Table(table) = &node.value else {
        return reader::choice(node, "content", &CONTENTS, faults);
    };
    reader::check_keys(table, "'content'", &KEYS, faults);
    if table.entries.is_empty() {
        faults.push(
            Fault::at(node.span, "'content' says nothing")
                .label("an empty table")
                .help(
                    "write content = \"random\", or how far data can be reduced: content = \
                     { compressible_percent = 50 }",
                ),
        );
        return None;
    }
    Some(Content::Reducible(Reduction {
        compressible_percent: percent(table, COMPRESSIBLE, faults)?,
        duplicate_percent: percent(table, DUPLICATE, faults)?,
    }))
}

/// A share that may be left out.
fn percent(table: &Table, key: &str, faults: &mut Faults) -> Option<u8> {
    match table.get(key) {
        None => Some(0),
        Some(node) => {
            reader::whole(node, key, 0..=100, faults).and_then(|percent| u8::try_from(percent).ok())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::parse_value;
    use super::*;

    fn content(text: &str) -> (Option<Content>, usize) {
        let mut faults = Faults::default();
        let read = read(&parse_value(text, 0, 0), &mut faults);
        (read, faults.count())
    }

    #[test]
    fn a_word_or_shares_are_read() {
        assert_eq!(content("\"fresh\""), (Some(Content::Fresh), 0));
        assert_eq!(content("\"zero\""), (Some(Content::Zero), 0));
        let reduction = Reduction {
            compressible_percent: 50,
            duplicate_percent: 0,
        };
        let expected = Some(Content::Reducible(reduction));
        assert_eq!(content("{ compressible_percent = 50 }"), (expected, 0));
    }

    /// Field report 22: a share is of what is saved, from 0 to 100, and has one name.
    #[test]
    fn mistakes_are_named() {
        assert_eq!(content("\"zeros\"").1, 1);
        assert_eq!(content("{ compressible_percent = 101 }").1, 1);
        assert_eq!(content("{ compress_percent = 50 }").1, 1);
        assert_eq!(content("{}").1, 1);
        assert_eq!(content("7").1, 1);
    }
}
