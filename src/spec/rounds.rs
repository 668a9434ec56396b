//! Rounds: nested loops multiplied out into cells, in the order in which they are run.
//!
//! The first entry of `loop` is the outermost; the variables that are followed stand in `track`.

use super::errors::{Fault, Faults};
use super::hold::nested as nested_hold;
use super::model::{AtLimit, LoopCell, Rounds, Stimulus};
use super::steps::Scope;
use super::stimulus::{self, KEYS as STIMULUS_KEYS};
use super::tree::{Entry, Node, Table};
use super::{reader, track};
use crate::pts;
use crate::units::Nanos;

/// Keys of a rounds step besides those of its stimulus.
pub(super) const KEYS: [&str; 9] = [
    "loop",
    "cells",
    "cell_time",
    "rounds_max",
    "at_limit",
    "track",
    "watch",
    "before_round",
    "before_cell",
];
/// Most cells of a loop.
const CELLS_MAX: usize = 4096;
/// Most rounds.
const ROUNDS_MAX: u32 = 1000;
/// Clause on the measurement window.
pub(super) const WINDOW_CLAUSE: &str =
    "PTS 2.0.2, clause 2.1.24: steady state is judged on five consecutive rounds";

/// A cell with the table it was read from.
pub(super) struct LooseCell {
    pub(super) table: Table,
    pub(super) stimulus: Stimulus,
}

/// Reads a rounds step.
pub(super) fn read(scope: &Scope<'_>, faults: &mut Faults) -> Option<Rounds> {
    let before = faults.count();
    let loops = loops(scope, faults);
    let cells = loops.as_ref().and_then(|loops| cells(scope, loops, faults));
    let cell_time = scope.time("cell_time", "\"60s\"", faults);
    let rounds_max = rounds_max(scope, faults);
    let at_limit = scope
        .table
        .get("at_limit")
        .map_or(Some(AtLimit::Stop), |node| {
            const WORDS: [(&str, AtLimit); 2] =
                [("stop", AtLimit::Stop), ("continue", AtLimit::Continue)];
            reader::choice(node, "at_limit", &WORDS, faults)
        });
    let before_round = scope
        .table
        .get("before_round")
        .and_then(|node| nested_hold(node, "before_round", &scope.merged, scope.base, faults));
    let idle_before_cell = idle_before_cell(scope, faults);
    track::check(scope, rounds_max, faults);
    let cells = cells?;
    let loops = loops?;
    // A mistake in a list of the loop makes other cells than were meant: nothing to look among.
    let is_misread = loops
        .iter()
        .flat_map(|entry| &entry.choices)
        .flat_map(|choice| &choice.entries)
        .any(|entry| faults.are_within(entry.node.span));
    if is_misread {
        return None;
    }
    let track = track::variables(scope, "track", &cells, faults);
    let watch = track::variables(scope, "watch", &cells, faults);
    if faults.count() > before {
        return None;
    }
    Some(Rounds {
        loop_keys: loops.into_iter().map(|entry| entry.keys).collect(),
        cells: cells
            .into_iter()
            .map(|cell| LoopCell {
                stimulus: cell.stimulus,
            })
            .collect(),
        cell_time: cell_time?,
        rounds_max: rounds_max?,
        at_limit: at_limit?,
        track,
        watch,
        before_round: before_round.map(Box::new),
        idle_before_cell: idle_before_cell?,
    })
}

/// One entry of `loop`: its keys, and what they are set to in turn.
struct Loop {
    keys: Vec<String>,
    choices: Vec<Table>,
}

fn loops(scope: &Scope<'_>, faults: &mut Faults) -> Option<Vec<Loop>> {
    let before = faults.count();
    let mut loops = Vec::new();
    if let Some(node) = scope.table.get("loop") {
        for entry in reader::list(node, "loop", faults)? {
            let table = reader::table(entry, "an entry of 'loop'", faults);
            loops.extend(table.and_then(|table| single_loop(table, faults)));
        }
    }
    if let Some(node) = scope.table.get("cells") {
        let mut choices = Vec::new();
        for cell in reader::list(node, "cells", faults)? {
            let Some(table) = reader::table(cell, "a cell", faults) else {
                continue;
            };
            reader::check_keys(table, "a cell", &STIMULUS_KEYS, faults);
            stimulus::check_layer(table, faults);
            refuse_engine(table, faults);
            choices.push(table.clone());
        }
        loops.push(Loop {
            keys: vec!["cells".to_owned()],
            choices,
        });
    }
    (faults.count() == before).then_some(loops)
}

/// The cells of a step run on the same workers, so that nothing rests between them.
fn refuse_engine(table: &Table, faults: &mut Faults) {
    if let Some(entry) = table.entry(stimulus::ENGINE) {
        faults.push(
            Fault::at(
                entry.key_span,
                "'engine' is the same for all cells of a step",
            )
            .label("cannot vary here")
            .help("set it in the step or in [stimulus]"),
        );
    }
}

fn single_loop(table: &Table, faults: &mut Faults) -> Option<Loop> {
    reader::check_keys(table, "an entry of 'loop'", &STIMULUS_KEYS, faults);
    stimulus::check_layer(table, faults);
    refuse_engine(table, faults);
    let mut lists: Vec<(&Entry, &[Node])> = Vec::new();
    for entry in &table.entries {
        lists.push((entry, reader::list(&entry.node, &entry.key, faults)?));
    }
    let Some((first, length)) = lists.first().map(|(entry, list)| (*entry, list.len())) else {
        faults
            .push(Fault::at(table.span, "an entry of 'loop' is empty").label("which key varies?"));
        return None;
    };
    for (entry, list) in &lists {
        if list.len() != length {
            faults.push(
                Fault::at(
                    entry.node.span,
                    format!(
                        "'{}' and '{}' go together but differ in number",
                        first.key, entry.key
                    ),
                )
                .label(format!("{} here, {length} there", list.len()))
                .help("keys in one entry vary together; give each loop its own { }"),
            );
        }
    }
    if let [(entry, list)] = lists.as_slice() {
        check_twice(entry, list, faults);
    }
    let choice = |index: usize| Table {
        span: table.span,
        entries: lists
            .iter()
            .filter_map(|(entry, list)| {
                list.get(index).map(|node| Entry {
                    key: entry.key.clone(),
                    key_span: entry.key_span,
                    node: node.clone(),
                })
            })
            .collect(),
    };
    Some(Loop {
        keys: lists.iter().map(|(entry, _)| entry.key.clone()).collect(),
        choices: (0..length).map(choice).collect(),
    })
}

fn check_twice(entry: &Entry, list: &[Node], faults: &mut Faults) {
    for (index, node) in list.iter().enumerate().take(CELLS_MAX) {
        if list[..index].iter().any(|other| other.is_same(node)) {
            faults.push(
                Fault::at(
                    node.span,
                    format!("'{}' has {} twice", entry.key, node.description()),
                )
                .label("stands in this loop already"),
            );
        }
    }
}

fn cells(scope: &Scope<'_>, loops: &[Loop], faults: &mut Faults) -> Option<Vec<LooseCell>> {
    let count = loops
        .iter()
        .try_fold(1_usize, |product, entry| {
            product.checked_mul(entry.choices.len())
        })
        .filter(|count| *count <= CELLS_MAX);
    if count.is_none() {
        let span = scope
            .table
            .get("loop")
            .map_or(scope.table.span, |node| node.span);
        faults.push(
            Fault::at(span, "the loop has too many cells")
                .label(format!("more than {CELLS_MAX} cells in a round")),
        );
        return None;
    }
    let mut tables = vec![scope.merged.clone()];
    for entry in loops {
        tables = tables
            .iter()
            .flat_map(|outer| {
                entry.choices.iter().map(|inner| {
                    let mut cell = stimulus::overlay(outer, inner);
                    cell.span = scope.table.span;
                    cell
                })
            })
            .collect();
    }
    let place = scope.place();
    Some(
        tables
            .into_iter()
            .map(|table| LooseCell {
                stimulus: stimulus::read(&table, scope.base, &place, faults),
                table,
            })
            .collect(),
    )
}

fn rounds_max(scope: &Scope<'_>, faults: &mut Faults) -> Option<u32> {
    let Some(node) = scope.table.get("rounds_max") else {
        return Some(pts::ROUNDS_MAX);
    };
    let max = reader::whole(node, "rounds_max", 1..=ROUNDS_MAX, faults)?;
    if (2..5).contains(&max) {
        faults.push(
            Fault::at(node.span, format!("{max} rounds can never be steady"))
                .label("must be at least 5, or 1 for a plain sweep")
                .clause(WINDOW_CLAUSE),
        );
        return None;
    }
    Some(max)
}

fn idle_before_cell(scope: &Scope<'_>, faults: &mut Faults) -> Option<Nanos> {
    let Some(node) = scope.table.get("before_cell") else {
        return Some(Nanos(0));
    };
    let table = reader::table(node, "before_cell", faults)?;
    reader::check_keys(table, "before_cell", &["idle"], faults);
    let idle = reader::required(table, "idle", "before_cell", "\"15m\"", &["idle"], faults)?;
    reader::duration(idle, "idle", faults)
}
