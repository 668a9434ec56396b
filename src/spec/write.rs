//! Writes a raw tree back as TOML that reads to the same tree: the effective test file.

use super::tree::{Node, Table, Value};

/// Lists of tables longer than this stand one element a line.
const LINE_MAX: usize = 90;

/// The document as text: what has no section first, then the sections in their order.
pub(super) fn document(tree: &Table) -> String {
    let mut text = String::new();
    let (sections, plain): (Vec<_>, Vec<_>) = tree
        .entries
        .iter()
        .partition(|entry| is_section(&entry.node));
    for entry in plain {
        text.push_str(&format!("{} = {}\n", key(&entry.key), value(&entry.node)));
    }
    for entry in sections {
        match &entry.node.value {
            Value::Table(table) => section(&format!("[{}]", key(&entry.key)), table, &mut text),
            Value::List(list) => {
                for element in list {
                    if let Value::Table(table) = &element.value {
                        section(&format!("[[{}]]", key(&entry.key)), table, &mut text);
                    }
                }
            }
            Value::Text(_)
            | Value::Integer(_)
            | Value::Fraction(_)
            | Value::Flag(_)
            | Value::Date(_) => {}
        }
    }
    text
}

fn is_section(node: &Node) -> bool {
    match &node.value {
        Value::Table(_) => true,
        Value::List(list) => {
            !list.is_empty()
                && list
                    .iter()
                    .all(|element| matches!(element.value, Value::Table(_)))
        }
        Value::Text(_)
        | Value::Integer(_)
        | Value::Fraction(_)
        | Value::Flag(_)
        | Value::Date(_) => false,
    }
}

fn section(head: &str, table: &Table, text: &mut String) {
    text.push_str(&format!("\n{head}\n"));
    for entry in &table.entries {
        let line = value(&entry.node);
        let line = match &entry.node.value {
            Value::List(list) if line.len() > LINE_MAX => {
                let elements: Vec<String> = list
                    .iter()
                    .map(|one| format!("  {},\n", value(one)))
                    .collect();
                format!("[\n{}]", elements.concat())
            }
            Value::List(_)
            | Value::Text(_)
            | Value::Integer(_)
            | Value::Fraction(_)
            | Value::Flag(_)
            | Value::Date(_)
            | Value::Table(_) => line,
        };
        text.push_str(&format!("{} = {line}\n", key(&entry.key)));
    }
}

/// A value on one line.
pub(super) fn value(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => quoted(text),
        Value::Integer(number) => number.to_string(),
        Value::Fraction(text) | Value::Date(text) => text.clone(),
        Value::Flag(flag) => flag.to_string(),
        Value::List(list) => {
            let elements: Vec<String> = list.iter().map(value).collect();
            format!("[{}]", elements.join(", "))
        }
        Value::Table(table) if table.entries.is_empty() => "{}".to_owned(),
        Value::Table(table) => {
            let entries: Vec<String> = table
                .entries
                .iter()
                .map(|entry| format!("{} = {}", key(&entry.key), value(&entry.node)))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

fn key(key: &str) -> String {
    let is_bare = !key.is_empty()
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if is_bare { key.to_owned() } else { quoted(key) }
}

/// A basic string: quotation marks, backslashes and control characters are escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            control if control.is_control() => {
                quoted.push_str(&format!("\\u{:04X}", u32::from(control)));
            }
            plain => quoted.push(plain),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::super::tree::parse;
    use super::*;

    /// Every kind of value, quotation marks and odd keys included.
    #[test]
    fn what_is_written_reads_to_the_same_tree() {
        let text = "a = 1\nb = \"q \\\" \\\\ \\u0007 \\n\"\n[s]\n\"0.5KiB\" = 39.35\nx = true\n\
                    l = [ { b = 1, a = \"2\" }, {}, [1, 2] ]\n[[step]]\ndo = \"z\"\n[[step]]\n";
        let (tree, errors) = parse(text, 0);
        assert!(errors.is_empty(), "{errors:?}");
        let written = document(&tree);
        let (again, errors) = parse(&written, 0);
        assert!(errors.is_empty(), "{written}\n{errors:?}");
        assert_eq!(document(&again), written);
        for (one, two) in tree.entries.iter().zip(&again.entries) {
            assert!(
                one.key == two.key && one.node.is_same(&two.node),
                "{written}"
            );
        }
    }
}
