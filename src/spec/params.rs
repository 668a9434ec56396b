//! Parameters: values that stand once in `[params]` and are used in several places.
//!
//! A text `"$name"` stands for the parameter of that name. One that nothing uses is a mistake,
//! since it is most likely mistyped; one that an override made superfluous is taken out instead.

use super::errors::{Fault, Faults};
use super::nearest::suggestion;
use super::reader;
use super::tree::{Entry, Node, Table, Value};

/// The document with every `"$name"` replaced by the value of that name in `[params]`.
pub(super) fn substitute(tree: &Table, faults: &mut Faults) -> Table {
    let empty = Table::empty(tree.span);
    let params = match tree.get("params") {
        Some(node) => reader::table(node, "[params]", faults).unwrap_or(&empty),
        None => &empty,
    };
    for entry in &params.entries {
        if entry
            .node
            .as_text()
            .is_some_and(|text| text.starts_with('$'))
        {
            faults.push(
                Fault::at(entry.node.span, "a parameter cannot stand for another one")
                    .label("give it a value of its own"),
            );
        }
    }
    let mut used = Vec::new();
    let entries = tree
        .entries
        .iter()
        .map(|entry| {
            if entry.key == "params" {
                return entry.clone();
            }
            Entry {
                node: replaced(&entry.node, params, &mut used, faults),
                ..entry.clone()
            }
        })
        .collect();
    for entry in &params.entries {
        if !used.contains(&entry.key) {
            faults.push(
                Fault::at(
                    entry.key_span,
                    format!("parameter '{}' is not used", entry.key),
                )
                .label("nothing says it")
                .help(format!("write \"${}\" where its value belongs", entry.key)),
            );
        }
    }
    Table {
        span: tree.span,
        entries,
    }
}

fn replaced(node: &Node, params: &Table, used: &mut Vec<String>, faults: &mut Faults) -> Node {
    let value = match &node.value {
        Value::Text(text) => {
            let Some(name) = text.strip_prefix('$') else {
                return node.clone();
            };
            if let Some(param) = params.get(name) {
                used.push(name.to_owned());
                return param.clone();
            }
            let known: Vec<&str> = params.entries.iter().map(|e| e.key.as_str()).collect();
            faults.push(
                Fault::at(node.span, format!("no parameter is called '{name}'"))
                    .label("not in [params]")
                    .maybe_help(suggestion(name, &known)),
            );
            return node.clone();
        }
        Value::List(list) => Value::List(
            list.iter()
                .map(|element| replaced(element, params, used, faults))
                .collect(),
        ),
        Value::Table(table) => Value::Table(Table {
            span: table.span,
            entries: table
                .entries
                .iter()
                .map(|entry| Entry {
                    node: replaced(&entry.node, params, used, faults),
                    ..entry.clone()
                })
                .collect(),
        }),
        Value::Integer(_) | Value::Fraction(_) | Value::Flag(_) | Value::Date(_) => {
            return node.clone();
        }
    };
    Node {
        span: node.span,
        value,
    }
}

/// Takes out the parameters that were used before the overrides and are no longer used.
pub(super) fn prune(before: &Table, tree: &mut Table) {
    let used_before = uses(before);
    let used_now = uses(tree);
    let Some(Value::Table(params)) = tree.get_mut("params").map(|node| &mut node.value) else {
        return;
    };
    params
        .entries
        .retain(|entry| used_now.contains(&entry.key) || !used_before.contains(&entry.key));
    if params.entries.is_empty() {
        tree.remove("params");
    }
}

/// Names of the parameters that a document uses.
fn uses(tree: &Table) -> Vec<String> {
    let mut names = Vec::new();
    for entry in &tree.entries {
        if entry.key != "params" {
            collect(&entry.node, &mut names);
        }
    }
    names
}

fn collect(node: &Node, names: &mut Vec<String>) {
    match &node.value {
        Value::Text(text) => names.extend(text.strip_prefix('$').map(str::to_owned)),
        Value::List(list) => list.iter().for_each(|element| collect(element, names)),
        Value::Table(table) => {
            for entry in &table.entries {
                collect(&entry.node, names);
            }
        }
        Value::Integer(_) | Value::Fraction(_) | Value::Flag(_) | Value::Date(_) => {}
    }
}
