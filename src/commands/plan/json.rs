//! The plan for programs, form `ptse-plan/1`: times in nanoseconds, sizes in bytes, `null` where
//! only the drive will tell.

use std::io::Write;

use serde_json::{Value, json};

use super::{PlanArgs, Prepared, Start, Target};
use crate::spec::plan::{PlannedRounds, PlannedVariable};
use crate::spec::{Cost, Loaded, PlannedWork, label};

/// Form of the output.
const SCHEMA: &str = "ptse-plan/1";

/// Prints one object.
pub(super) fn print(
    args: &PlanArgs,
    whole: &Loaded,
    tests: &[Prepared],
    target: &Target,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let page = json!({
        "schema": SCHEMA,
        "spec": whole.name,
        "spec_sha256": whole.sha256,
        "overrides": args.test.set,
        "quick": args.test.quick,
        "drive": {
            "description": target.description,
            "capacity_bytes": target.geometry.capacity.0,
            "logical_block_bytes": target.geometry.logical_block.0,
            "erase": match &target.start {
                Start::Free { erase } => erase.as_deref(),
                Start::Refused { .. } => None,
            },
            "refused": match &target.start {
                Start::Free { .. } => None,
                Start::Refused { why } => Some(why.as_str()),
            },
        },
        "tests": tests.iter().map(test).collect::<Vec<_>>(),
        "not_built": not_built(whole, tests),
    });
    let text = serde_json::to_string_pretty(&page)?;
    writeln!(out, "{text}")?;
    Ok(())
}

fn not_built(whole: &Loaded, tests: &[Prepared]) -> Vec<String> {
    let mut missing = Vec::new();
    if !whole.spec.parts.is_empty() {
        missing.push("a test made of parts ([[part]]) is not built yet in this version".into());
    }
    missing.extend(tests.iter().flat_map(|test| test.plan.not_built()));
    missing
}

fn test(test: &Prepared) -> Value {
    let spec = &test.plan.spec;
    let (total, unknown) = test.plan.total();
    let costs = test.plan.costs();
    let steps: Vec<Value> = (0..test.plan.steps.len())
        .map(|index| step(test, index, costs[index]))
        .collect();
    json!({
        "name": spec.test.name,
        "title": spec.test.title,
        "standard": spec.test.standard,
        "clause": spec.test.clause,
        "steps": steps,
        "total": bounds(total),
        "time_depends_on_drive": unknown,
        "deviations": test.deviations,
        "effective": test.loaded.effective,
    })
}

fn step(test: &Prepared, index: usize, cost: Cost) -> Value {
    let planned = &test.plan.steps[index];
    let kind = &test.plan.spec.steps[index].kind;
    let mut page = json!({
        "id": planned.id,
        "do": label::kind(kind),
        "cost": bounds(cost),
    });
    match &planned.work {
        PlannedWork::Purge => {}
        PlannedWork::Fill(fill) => page["amount_bytes"] = json!(fill.amount.0),
        PlannedWork::Rounds(rounds) => page["rounds"] = self::rounds(rounds),
        PlannedWork::NotBuilt { .. } => {
            page["summary"] = json!(super::summary::summary(kind, test.plan.geometry));
        }
    }
    page
}

fn rounds(rounds: &PlannedRounds) -> Value {
    let variables = |list: &[PlannedVariable]| -> Vec<Value> {
        list.iter()
            .map(|variable| {
                json!({
                    "label": variable.label,
                    "cell_index": variable.cell_index,
                    "unit": variable.metric.unit(),
                })
            })
            .collect()
    };
    let cells: Vec<Value> = rounds
        .cells
        .iter()
        .map(|cell| {
            json!({
                "label": cell.label,
                "read_percent": cell.read_percent,
                "block_bytes": cell.block.map(|block| block.0),
                "threads": cell.access.as_ref().ok().map(|access| access.threads),
                "queue_depth": cell.access.as_ref().ok().map(|access| access.queue_depth),
                "impossible": cell.access.as_ref().err(),
            })
        })
        .collect();
    json!({
        "rounds_max": rounds.rounds_max,
        "cell_time_ns": rounds.cell_time.0,
        "cells": cells,
        "tracked": variables(&rounds.tracked),
        "watched": variables(&rounds.watched),
    })
}

fn bounds(cost: Cost) -> Value {
    json!({
        "time_ns_min": cost.time_min.map(|time| time.0),
        "time_ns_max": cost.time_max.map(|time| time.0),
        "written_bytes_min": cost.written_min.map(|bytes| bytes.0),
        "written_bytes_max": cost.written_max.map(|bytes| bytes.0),
    })
}
