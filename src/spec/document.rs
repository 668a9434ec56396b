//! A whole document: its sections, its parameters, and the test they make.

use std::collections::BTreeMap;

use super::errors::{Fault, Faults};
use super::model::{CacheWish, Conditions, Part, Spec, TestName};
use super::nearest::suggestion;
use super::reader;
use super::tree::{Node, Span, Table, Value};
use super::{params, steps, stimulus, write};

/// The form of test files this version reads.
pub const SCHEMA: &str = "ptse-spec/1";
/// Keys at the top of a document.
pub(super) const TOP_KEYS: [&str; 8] = [
    "schema",
    "test",
    "conditions",
    "params",
    "stimulus",
    "report",
    "step",
    "part",
];
/// Keys of `[test]`.
const TEST_KEYS: [&str; 4] = ["name", "title", "standard", "clause"];
/// Editions of the standard a test may follow.
const EDITIONS: [&str; 5] = [
    "PTS 2.0.2",
    "PTS 2.0.1",
    "PTS 2.0",
    "PTS-E 1.1",
    "PTS-E 1.0",
];

/// Judges a whole document. `None` only when the list names a mistake.
pub(super) fn read(tree: &Table, faults: &mut Faults) -> Option<Spec> {
    let before = faults.count();
    let tree = &params::substitute(tree, faults);
    reader::check_keys(tree, "a test file", &TOP_KEYS, faults);
    check_schema(tree, faults);
    let test = test_name(tree, faults);
    let conditions = conditions(tree, faults);
    let report_fields = report_fields(tree, faults);
    let base = match tree.get("stimulus") {
        Some(node) => reader::table(node, "[stimulus]", faults)?.clone(),
        None => Table::empty(Span::beginning(0)),
    };
    reader::check_keys(&base, "[stimulus]", &stimulus::KEYS, faults);
    stimulus::check_layer(&base, faults);
    let steps = steps::read(entries(tree, "step", faults), &base, faults);
    let parts = parts(entries(tree, "part", faults), faults);
    check_content(tree, faults);
    if faults.count() > before {
        return None;
    }
    Some(Spec {
        test: test?,
        conditions: conditions?,
        report_fields,
        steps,
        parts,
    })
}

fn check_schema(tree: &Table, faults: &mut Faults) {
    let example = format!("\"{SCHEMA}\"");
    let node = reader::required(tree, "schema", "the file", &example, &TOP_KEYS, faults);
    let Some(text) = node.and_then(|node| reader::text(node, "schema", faults)) else {
        return;
    };
    if let (Some(node), true) = (node, text != SCHEMA) {
        faults.push(
            Fault::at(
                node.span,
                format!("'{text}' is not a form this version reads"),
            )
            .label(format!("must be \"{SCHEMA}\"")),
        );
    }
}

fn check_content(tree: &Table, faults: &mut Faults) {
    match (tree.entry("step"), tree.entry("part")) {
        (Some(_), Some(part)) => faults.push(
            Fault::at(part.key_span, "a test has either steps or parts, not both")
                .label("parts beside steps")
                .help("put the steps into a file of their own and use it as a part"),
        ),
        (None, None) if reader::is_mistyped(tree, "step", &TOP_KEYS) => {}
        (None, None) => faults.push(
            Fault::at(tree.span, "the test does nothing")
                .label("no [[step]] and no [[part]]")
                .missing(),
        ),
        (Some(_), None) => {}
        (None, Some(_)) => {
            for key in ["stimulus", "conditions"] {
                if let Some(entry) = tree.entry(key) {
                    faults.push(
                        Fault::at(entry.key_span, format!("[{key}] has no effect on parts"))
                            .label("parts have their own")
                            .help("use set = { ... } of the part"),
                    );
                }
            }
        }
    }
}

/// The entries of `[[step]]` or `[[part]]`.
fn entries<'t>(tree: &'t Table, key: &str, faults: &mut Faults) -> &'t [Node] {
    let Some(entry) = tree.entry(key) else {
        return &[];
    };
    if let Value::Table(_) = entry.node.value {
        faults.push(
            Fault::at(
                entry.key_span,
                format!("[{key}] stands for one table, not for a row"),
            )
            .label(format!("write [[{key}]]")),
        );
        return &[];
    }
    reader::list(&entry.node, key, faults).unwrap_or_default()
}

fn section<'t>(tree: &'t Table, key: &str, faults: &mut Faults) -> Option<&'t Table> {
    let node = tree.get(key)?;
    reader::table(node, &format!("[{key}]"), faults)
}

fn test_name(tree: &Table, faults: &mut Faults) -> Option<TestName> {
    if tree.get("test").is_none() && !reader::is_mistyped(tree, "test", &TOP_KEYS) {
        faults.push(
            Fault::at(tree.span, "the test has no name")
                .label("[test] is missing")
                .help("add a section [test] with name and title")
                .missing(),
        );
    }
    let table = section(tree, "test", faults)?;
    reader::check_keys(table, "[test]", &TEST_KEYS, faults);
    let mut needed = |key, example| {
        let node = reader::required(table, key, "[test]", example, &TEST_KEYS, faults)?;
        reader::text(node, key, faults).map(str::to_owned)
    };
    let name = needed("name", "\"lab/my-test\"");
    let title = needed("title", "\"what the report pages say\"");
    let standard = table.get("standard").and_then(|node| {
        let text = reader::text(node, "standard", faults)?;
        if !EDITIONS.contains(&text) {
            faults.push(
                Fault::at(node.span, format!("'{text}' is no edition of the standard"))
                    .label("unknown edition")
                    .maybe_help(suggestion(text, &EDITIONS)),
            );
        }
        Some(text.to_owned())
    });
    let clause = table
        .get("clause")
        .and_then(|node| reader::text(node, "clause", faults).map(str::to_owned));
    let is_named =
        table.get("standard").is_some() || reader::is_mistyped(table, "standard", &TEST_KEYS);
    if let (Some(entry), false) = (table.entry("clause"), is_named) {
        faults.push(
            Fault::at(entry.key_span, "a clause of which standard?")
                .label("'standard' is missing")
                .help(format!("add standard = \"{}\"", EDITIONS[0])),
        );
    }
    Some(TestName {
        name: name?,
        title: title?,
        standard,
        clause,
    })
}

fn conditions(tree: &Table, faults: &mut Faults) -> Option<Conditions> {
    const WORDS: [(&str, CacheWish); 3] = [
        ("off", CacheWish::Off),
        ("on", CacheWish::On),
        ("as found", CacheWish::AsFound),
    ];
    if tree.get("conditions").is_none() {
        return Some(Conditions {
            write_cache: CacheWish::AsFound,
        });
    }
    let table = section(tree, "conditions", faults)?;
    reader::check_keys(table, "[conditions]", &["write_cache"], faults);
    let write_cache = table
        .get("write_cache")
        .map_or(Some(CacheWish::AsFound), |node| {
            reader::choice(node, "write_cache", &WORDS, faults)
        })?;
    Some(Conditions { write_cache })
}

/// What a person may supply for the header block of report pages. What names the drive itself
/// (model, serial number, firmware, capacity) comes from the drive alone.
pub const REPORT_FIELDS: [&str; 15] = [
    "tested_by",
    "vendor",
    "manufacturer",
    "interface",
    "nand",
    "pcie",
    "pcie_nvm",
    "ref_test_platform",
    "motherboard",
    "cpu",
    "memory",
    "operating_system",
    "hba",
    "test_id",
    "notes",
];

fn report_fields(tree: &Table, faults: &mut Faults) -> BTreeMap<String, String> {
    let Some(table) = section(tree, "report", faults) else {
        return BTreeMap::new();
    };
    reader::check_keys(table, "[report]", &REPORT_FIELDS, faults);
    table
        .entries
        .iter()
        .filter(|entry| REPORT_FIELDS.contains(&entry.key.as_str()))
        .filter_map(|entry| {
            let text = reader::text(&entry.node, &entry.key, faults)?;
            Some((entry.key.clone(), text.to_owned()))
        })
        .collect()
}

fn parts(list: &[Node], faults: &mut Faults) -> Vec<Part> {
    const KEYS: [&str; 2] = ["use", "set"];
    let mut parts = Vec::new();
    for node in list {
        let Some(table) = reader::table(node, "a part", faults) else {
            continue;
        };
        reader::check_keys(table, "a part", &KEYS, faults);
        let uses = reader::required(table, "use", "the part", "\"pts-e/iops\"", &KEYS, faults)
            .and_then(|node| reader::text(node, "use", faults));
        let mut set = Vec::new();
        if let Some(table) = table
            .get("set")
            .and_then(|node| reader::table(node, "set", faults))
        {
            flatten("", table, &mut set);
        }
        parts.extend(uses.map(|uses| Part {
            uses: uses.to_owned(),
            set,
        }));
    }
    parts
}

/// `{ stimulus = { threads = 8 } }` and `{ "stimulus.threads" = 8 }` are the same override.
fn flatten(prefix: &str, table: &Table, set: &mut Vec<(String, String)>) {
    for entry in &table.entries {
        let key = if prefix.is_empty() {
            entry.key.clone()
        } else {
            format!("{prefix}.{}", entry.key)
        };
        match &entry.node.value {
            Value::Table(inner) => flatten(&key, inner, set),
            Value::Text(_)
            | Value::Integer(_)
            | Value::Fraction(_)
            | Value::Flag(_)
            | Value::Date(_)
            | Value::List(_) => set.push((key, write::value(&entry.node))),
        }
    }
}
