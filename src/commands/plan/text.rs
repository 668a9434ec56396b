//! The plan for people: one block a step, within the width of a terminal.

use std::io::Write;

use super::summary::{rounds_lines, summary};
use super::{Prepared, Start, Target};
use crate::spec::model::CacheWish;
use crate::spec::{Cost, Loaded, PlannedWork, StepKind};
use crate::units::{Bytes, Nanos};

/// Longest line.
const WIDTH: usize = 92;
/// Column at which the text of a step begins.
const INDENT: usize = 17;

/// Prints the plan of every test.
pub(super) fn print(
    whole: &Loaded,
    tests: &[Prepared],
    target: &Target,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let geometry = target.geometry;
    field("Drive", std::slice::from_ref(&target.description), out)?;
    let size = format!(
        "{} ({} bytes), logical block {} B",
        geometry.capacity.as_capacity(),
        geometry.capacity.0,
        geometry.logical_block.0
    );
    field("", &[size], out)?;
    field("Start", &[start_line(whole, target)], out)?;
    if !whole.spec.parts.is_empty() {
        let parts = format!("{} tests, each from its own purge", tests.len());
        field(
            &whole.spec.test.name,
            &[whole.spec.test.title.clone(), parts],
            out,
        )?;
    }
    for test in tests {
        print_test(test, out)?;
    }
    let mut missing: Vec<String> = Vec::new();
    if !whole.spec.parts.is_empty() {
        missing.push("a test made of parts ([[part]]) is not built yet in this version".into());
    }
    for test in tests {
        let name = &test.plan.spec.test.name;
        missing.extend(test.plan.not_built().into_iter().map(|what| {
            if whole.spec.parts.is_empty() {
                what
            } else {
                format!("{name}: {what}")
            }
        }));
    }
    if !missing.is_empty() {
        writeln!(out)?;
        field("Cannot run yet", &missing, out)?;
    }
    Ok(())
}

/// Whether `run` would take the drive, and how it is allowed to.
fn start_line(whole: &Loaded, target: &Target) -> String {
    match &target.start {
        Start::Free { erase: None } => "nothing real is erased".to_owned(),
        Start::Free { erase: Some(name) } => format!(
            "ERASES the drive; allow it with: ptse run {} ... --erase {}",
            whole.name,
            shell_word(name)
        ),
        Start::Refused { why } => format!("REFUSED by run: {why}"),
    }
}

/// A serial number as it is typed in a shell.
fn shell_word(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/+@%".contains(c);
    if !name.is_empty() && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}

fn print_test(test: &Prepared, out: &mut dyn Write) -> anyhow::Result<()> {
    let spec = &test.plan.spec;
    writeln!(out)?;
    let standard = match (&spec.test.standard, &spec.test.clause) {
        (Some(standard), Some(clause)) => format!("{standard}, clause {clause}"),
        (Some(standard), None) => standard.clone(),
        (None, _) => "not PTS".to_owned(),
    };
    field(
        "Test",
        &[format!("{}: {}", spec.test.name, spec.test.title), standard],
        out,
    )?;
    let cache = match spec.conditions.write_cache {
        CacheWish::Off => "volatile write cache off",
        CacheWish::On => "volatile write cache on",
        CacheWish::AsFound => "volatile write cache as found",
    };
    field("Conditions", &[cache.to_owned()], out)?;
    let costs = test.plan.costs();
    for (index, step) in test.plan.steps.iter().enumerate() {
        let kind = &spec.steps[index].kind;
        let mut lines = match (&step.work, kind) {
            (PlannedWork::Rounds(planned), StepKind::Rounds(rounds)) => {
                rounds_lines(rounds, planned, test.plan.geometry)
            }
            (PlannedWork::Fill(fill), _) => {
                let mut lines = summary(kind, test.plan.geometry);
                lines.push(format!(
                    "{} ({} bytes)",
                    fill.amount.as_capacity(),
                    fill.amount.0
                ));
                lines
            }
            (PlannedWork::Purge | PlannedWork::Rounds(_) | PlannedWork::NotBuilt { .. }, _) => {
                summary(kind, test.plan.geometry)
            }
        };
        lines.push(time_line(costs[index]));
        field(&format!("{:>2}  {}", index + 1, step.id), &lines, out)?;
    }
    print_total(test, out)
}

fn print_total(test: &Prepared, out: &mut dyn Write) -> anyhow::Result<()> {
    let (total, unknown) = test.plan.total();
    let known = span(total);
    let line = match unknown.as_slice() {
        [] => known,
        ids if total.time_max == Some(Nanos(0)) => {
            format!("the drive decides how long {} take", ids.join(", "))
        }
        ids => format!("{known}, and what the drive needs for {}", ids.join(", ")),
    };
    field("Time", &[line], out)?;
    let costs = test.plan.costs();
    let least: u64 = costs
        .iter()
        .filter_map(|cost| cost.written_min)
        .fold(0, |sum, bytes| sum.saturating_add(bytes.0));
    let is_exact = costs
        .iter()
        .zip(&test.plan.steps)
        .all(|(cost, step)| step.work == PlannedWork::Purge || cost.written_max.is_some());
    let written = match (least, is_exact) {
        (0, false) => "as much as the drive takes in the time".to_owned(),
        (least, true) => Bytes(least).as_capacity(),
        (least, false) => format!(
            "{}, and as much as the drive takes in the timed cells",
            Bytes(least).as_capacity()
        ),
    };
    field("Written", &[written], out)?;
    if !test.deviations.is_empty() {
        field("Deviations", &test.deviations, out)?;
    }
    Ok(())
}

fn time_line(cost: Cost) -> String {
    match (cost.time_min, cost.time_max) {
        (None, None) => "time: the drive decides".to_owned(),
        (Some(_), Some(_)) => format!("time: {}", span(cost)),
        (Some(min), None) => format!("time: at least {}", min.as_span()),
        (None, Some(max)) => format!("time: at most {}", max.as_span()),
    }
}

fn span(cost: Cost) -> String {
    match (cost.time_min, cost.time_max) {
        (Some(min), Some(max)) if min == max => max.as_span(),
        (Some(Nanos(0)) | None, Some(max)) => format!("up to {}", max.as_span()),
        (Some(min), Some(max)) => format!("{} to {}", min.as_span(), max.as_span()),
        (min, None) => format!("at least {}", min.unwrap_or_default().as_span()),
    }
}

/// A heading with its lines beside it, each wrapped between words.
fn field(name: &str, lines: &[String], out: &mut dyn Write) -> anyhow::Result<()> {
    let mut heading = name;
    for line in lines {
        let words = line.trim_start();
        let mut row = line[..line.len() - words.len()].to_owned();
        let mut hang = row.len();
        for word in words.split(' ') {
            let is_full = row.chars().count() + 1 + word.chars().count() > WIDTH - INDENT;
            if is_full && row.len() > hang {
                writeln!(out, "{heading:<INDENT$}{}", row.trim_end())?;
                heading = "";
                row = "  ".to_owned();
                hang = row.len();
            }
            if row.len() > hang {
                row.push(' ');
            }
            row.push_str(word);
        }
        writeln!(out, "{heading:<INDENT$}{row}")?;
        heading = "";
    }
    Ok(())
}
