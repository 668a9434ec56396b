//! `ptse drives`: what can be tested on this machine, and for each drive why not. Read-only.

use std::io::Write;

use serde_json::{Value, json};

use crate::commands::exit::{CommandError, Exit};
use crate::drive::survey::{Survey, Surveyed, survey};
use crate::drive::{DriveKind, WriteCache};

/// Form of the JSON output.
const SCHEMA: &str = "ptse-drives/1";
/// What stands where a drive does not tell.
const NOT_TOLD: &str = "-";

/// What `ptse drives` takes.
#[derive(Debug, clap::Args)]
pub struct DrivesArgs {
    /// Form of the output
    #[arg(long, value_enum, default_value_t = DrivesFormat::Text)]
    pub format: DrivesFormat,
}

/// Forms of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DrivesFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Runs the command.
///
/// # Errors
/// When nothing can be printed.
pub fn command(args: &DrivesArgs) -> Result<Exit, CommandError> {
    let survey = survey();
    let mut out = std::io::stdout();
    let printed = match args.format {
        DrivesFormat::Text => print_text(&survey, &mut out),
        DrivesFormat::Json => print_json(&survey, &mut out),
    };
    match printed {
        Ok(()) => Ok(Exit::Passed),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            Err(CommandError::closed_pipe())
        }
        Err(error) => Err(CommandError::device(format!("cannot print: {error}"))),
    }
}

fn print_text(survey: &Survey, out: &mut dyn Write) -> std::io::Result<()> {
    const HEADS: [&str; 8] = [
        "DEVICE",
        "MODEL",
        "SERIAL",
        "CAPACITY",
        "BLOCK",
        "INTERFACE",
        "CACHE",
        "TEST",
    ];
    let mut rows = vec![HEADS.map(str::to_owned)];
    rows.extend(survey.drives.iter().map(row));
    let widths: [usize; 8] = std::array::from_fn(|column| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0)
    });
    for row in &rows {
        let cells = row.iter().zip(widths);
        let line: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        writeln!(out, "{}", line.join("  ").trim_end())?;
    }
    for drive in &survey.drives {
        writeln!(out, "\n{}", drive.address.display())?;
        for line in details(drive) {
            writeln!(out, "  {line}")?;
        }
    }
    if !survey.empty.is_empty() {
        let names = survey.empty.join(", ");
        writeln!(out, "\nWithout a medium, so nothing to test: {names}")?;
    }
    Ok(())
}

fn row(drive: &Surveyed) -> [String; 8] {
    let identity = &drive.identity;
    let told = |text: &Option<String>| text.clone().unwrap_or(NOT_TOLD.to_owned());
    let cache = match &identity.write_cache {
        WriteCache::On => "on",
        WriteCache::Off => "off",
        WriteCache::Absent => "none",
        WriteCache::Unknown { .. } => NOT_TOLD,
    };
    let interface = match &drive.facts.link {
        Some(link) => format!("{} {link}", told(&identity.interface)),
        None => told(&identity.interface),
    };
    [
        drive.address.display().to_string(),
        identity.model.clone(),
        told(&identity.serial),
        identity.capacity.as_capacity(),
        format!("{} B", identity.logical_block.0),
        interface,
        cache.to_owned(),
        if drive.refusal.is_none() { "yes" } else { "no" }.to_owned(),
    ]
}

/// What a table has no room for: whether it can be tested, and all that bears on a test.
fn details(drive: &Surveyed) -> Vec<String> {
    let identity = &drive.identity;
    let mut lines = vec![match &drive.refusal {
        None => format!(
            "can be tested: --drive {} --erase {}{}",
            drive.address.display(),
            quoted(&identity.confirm_name),
            flagged(identity.kind)
        ),
        Some(refusal) => format!("cannot be tested: {refusal}"),
    }];
    let words: Vec<&str> = drive.purges.iter().map(|method| method.word()).collect();
    lines.push(match words.as_slice() {
        [] => "purge: none that it tells of".to_owned(),
        words => format!("purge: {}", words.join(", ")),
    });
    let facts = &drive.facts;
    let given = [
        identity
            .firmware
            .as_ref()
            .map(|text| format!("firmware {text}")),
        identity
            .physical_block
            .map(|block| format!("physical block {} B", block.0)),
        drive.metadata.clone(),
        facts.namespace_id.map(|nsid| format!("namespace {nsid}")),
        facts.wwid.clone(),
        facts.numa_node.map(|node| format!("NUMA node {node}")),
        facts
            .scheduler
            .as_ref()
            .map(|name| format!("scheduler {name}")),
        facts
            .request_kib_max
            .map(|kib| format!("requests of at most {kib} KiB")),
        facts
            .rotational
            .filter(|it| *it)
            .map(|_| "rotating".to_owned()),
        facts
            .removable
            .filter(|it| *it)
            .map(|_| "removable".to_owned()),
    ];
    let given: Vec<String> = given.into_iter().flatten().collect();
    if !given.is_empty() {
        lines.push(given.join(", "));
    }
    if let WriteCache::Unknown { cause } = &identity.write_cache {
        lines.push(format!("write cache not known: {cause}"));
    }
    lines.extend(facts.names.iter().map(|name| name.display().to_string()));
    lines
}

/// In quotes where a shell would take it apart.
fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    if name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}

fn flagged(kind: DriveKind) -> &'static str {
    match kind {
        DriveKind::Drive => "",
        DriveKind::Loop | DriveKind::File | DriveKind::OtherBlock | DriveKind::Simulated => {
            " (the report will say that it is no drive)"
        }
    }
}

fn print_json(survey: &Survey, out: &mut dyn Write) -> std::io::Result<()> {
    let page = json!({
        "schema": SCHEMA,
        "drives": survey.drives.iter().map(object).collect::<Vec<_>>(),
        "without_medium": survey.empty,
    });
    serde_json::to_writer_pretty(&mut *out, &page)?;
    writeln!(out)
}

fn object(drive: &Surveyed) -> Value {
    let identity = &drive.identity;
    let facts = &drive.facts;
    let (cache, cause) = match &identity.write_cache {
        WriteCache::On => (Some("on"), None),
        WriteCache::Off => (Some("off"), None),
        WriteCache::Absent => (Some("absent"), None),
        WriteCache::Unknown { cause } => (None, Some(cause)),
    };
    let link = facts.link.as_ref().map(|link| {
        json!({
            "speed": link.speed,
            "width": link.width,
            "speed_max": link.speed_max,
            "width_max": link.width_max,
            "downgraded": link.is_downgraded(),
        })
    });
    let names: Vec<_> = facts
        .names
        .iter()
        .map(|name| name.to_string_lossy())
        .collect();
    json!({
        "address": drive.address.to_string_lossy(),
        "can_be_tested": drive.refusal.is_none(),
        "why_not": drive.refusal,
        "erase": identity.confirm_name,
        "is_drive": identity.kind == DriveKind::Drive,
        "model": identity.model,
        "manufacturer": identity.manufacturer,
        "serial": identity.serial,
        "firmware": identity.firmware,
        "capacity_bytes": identity.capacity.0,
        "logical_block_bytes": identity.logical_block.0,
        "physical_block_bytes": identity.physical_block.map(|block| block.0),
        "metadata": drive.metadata,
        "purge_methods": drive.purges.iter().map(|method| method.word()).collect::<Vec<_>>(),
        "write_cache": cache,
        "write_cache_unknown": cause,
        "block_layer_cache": facts.block_layer_cache,
        "transport": facts.transport,
        "pcie_link": link,
        "link_rate": facts.link_rate,
        "namespace_id": facts.namespace_id,
        "eui": facts.eui,
        "nguid": facts.nguid,
        "wwid": facts.wwid,
        "numa_node": facts.numa_node,
        "scheduler": facts.scheduler,
        "request_kib_max": facts.request_kib_max,
        "polls": facts.polls,
        "rotational": facts.rotational,
        "removable": facts.removable,
        "names": names,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_serial_number_is_quoted_where_a_shell_would_take_it_apart() {
        assert_eq!(quoted("PHX-12.a_b"), "PHX-12.a_b");
        assert_eq!(quoted("S 1"), "'S 1'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
