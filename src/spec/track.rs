//! The variables that are followed over rounds, each tied to one cell of the loop.
//!
//! A variable names its cell by some of its keys. It fits a cell when laying those keys over the
//! cell changes nothing; exactly one cell of the loop must fit.

use super::errors::{Fault, Faults};
use super::model::{Metric, Variable};
use super::reader;
use super::rounds::{LooseCell, WINDOW_CLAUSE};
use super::steps::Scope;
use super::stimulus::{self, KEYS as STIMULUS_KEYS};
use super::tree::{Node, Table};

/// Names of the quantities that can be followed.
pub(super) const METRICS: [(&str, Metric); 3] = [
    ("iops", Metric::Iops),
    ("throughput", Metric::Throughput),
    ("latency", Metric::LatencyMean),
];
/// Rounds are judged, a plain sweep is not: each needs its keys and refuses the other's.
pub(super) fn check(scope: &Scope<'_>, rounds_max: Option<u32>, faults: &mut Faults) {
    if rounds_max == Some(1) {
        for key in ["track", "watch", "at_limit"] {
            if let Some(entry) = scope.table.entry(key) {
                faults.push(
                    Fault::at(
                        entry.key_span,
                        format!("a sweep of one round has no '{key}'"),
                    )
                    .label("nothing is judged in one round")
                    .clause(WINDOW_CLAUSE),
                );
            }
        }
    } else if scope.table.get("track").is_none() {
        let example = "[ { iops = { read_percent = 0, block = \"4KiB\" } } ]";
        let found = faults.count();
        scope.required("track", example, faults);
        if faults.count() > found {
            faults.amend_last(|fault| fault.clause(WINDOW_CLAUSE));
        }
    }
}

pub(super) fn variables(
    scope: &Scope<'_>,
    key: &str,
    cells: &[LooseCell],
    faults: &mut Faults,
) -> Vec<Variable> {
    let Some(node) = scope.table.get(key) else {
        return Vec::new();
    };
    let Some(list) = reader::list(node, key, faults) else {
        return Vec::new();
    };
    let names = METRICS.map(|(name, _)| name);
    let mut variables = Vec::new();
    for entry in list {
        let Some(table) = reader::table(entry, "a variable", faults) else {
            continue;
        };
        reader::check_keys(table, "a variable", &names, faults);
        for (name, metric) in METRICS {
            let Some(node) = table.get(name) else {
                continue;
            };
            let index = cell_index(node, name, scope, cells, faults);
            variables.extend(index.map(|cell_index| Variable { metric, cell_index }));
        }
    }
    variables
}

fn cell_index(
    node: &Node,
    name: &str,
    scope: &Scope<'_>,
    cells: &[LooseCell],
    faults: &mut Faults,
) -> Option<u32> {
    let selector = reader::table(node, name, faults)?;
    let before = faults.count();
    reader::check_keys(selector, "a tracked cell", &STIMULUS_KEYS, faults);
    let found = fitting(selector, scope, cells, faults);
    if faults.count() > before {
        return None;
    }
    match found.as_slice() {
        [index] => u32::try_from(*index).ok(),
        [] => {
            // One key that fits no cell on its own is the culprit, if there is such a key.
            let culprit = selector.entries.iter().find(|entry| {
                let alone = Table {
                    span: selector.span,
                    entries: vec![(*entry).clone()],
                };
                fitting(&alone, scope, cells, faults).is_empty()
            });
            let (span, label) = match culprit {
                Some(entry) => (
                    entry.node.span,
                    format!("no cell of this step has this '{}'", entry.key),
                ),
                None => (node.span, "no cell has all of these at once".to_owned()),
            };
            faults.push(
                Fault::at(span, "the tracked cell is not in the loop")
                    .label(label)
                    .help("use values that stand in the lists of 'loop'")
                    .clause(WINDOW_CLAUSE),
            );
            None
        }
        several => {
            faults.push(
                Fault::at(node.span, "the tracked cell is ambiguous")
                    .label(format!("{} cells of the loop are like that", several.len()))
                    .help("name more keys, until one cell is left"),
            );
            None
        }
    }
}

/// The cells that laying the keys of `selector` over them leaves as they are.
fn fitting(
    selector: &Table,
    scope: &Scope<'_>,
    cells: &[LooseCell],
    faults: &mut Faults,
) -> Vec<usize> {
    let mut found = Vec::new();
    for (index, cell) in cells.iter().enumerate() {
        let mut laid_over = stimulus::overlay(&cell.table, selector);
        laid_over.span = scope.table.span;
        let read = stimulus::read(&laid_over, scope.base, "a tracked cell", faults);
        if read == cell.stimulus {
            found.push(index);
        }
    }
    found
}
