//! `ptse verify`: recomputes everything a run claims from its raw records.

use std::io::Write;
use std::path::PathBuf;

use crate::commands::exit::{CommandError, Exit};
use crate::commands::stored::Stored;
use crate::report;
use crate::verdict::verify::{self, Finding};

/// Arguments of `ptse verify`.
#[derive(Debug, clap::Args)]
pub struct VerifyArgs {
    /// Run folder
    run: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When the record cannot be read or is corrupt; its line is named.
pub fn command(args: &VerifyArgs) -> Result<Exit, CommandError> {
    let stored = Stored::open(&args.run)?;
    let state = &stored.journal.state;
    let samples = stored.samples()?;
    let mut findings = verify::verify(state, &stored.plan, samples.as_deref());
    findings.extend(derived_files(&stored)?);
    if let Some(torn) = stored.journal.torn {
        findings.push(Finding(format!(
            "line {}: torn, as a crash leaves it: {} bytes behind the last whole line; \
             `ptse resume` cuts them off",
            torn.record, torn.bytes
        )));
    }
    let mut out = std::io::stdout();
    for Finding(text) in &findings {
        drop(writeln!(out, "{text}"));
    }
    if !findings.is_empty() {
        let count = report::numbers::counted(findings.len(), "finding");
        return Err(CommandError::record(format!(
            "the record does not verify: {count}"
        )));
    }
    let ending = if state.closed.is_some() {
        "closed"
    } else {
        "not closed"
    };
    drop(writeln!(
        out,
        "verified: {} records, {ending}, chain intact, judgements, histograms, samples and derived \
         files follow from them\nhead {}",
        state.record_last, stored.journal.head
    ));
    Ok(Exit::Passed)
}

/// Derived files that are there and differ from what the record gives now.
fn derived_files(stored: &Stored) -> Result<Vec<Finding>, CommandError> {
    let report = report::build(&stored.journal.state, &stored.plan);
    let files = report::render_all(&report).map_err(CommandError::device)?;
    let mut findings = Vec::new();
    for (name, expected) in files {
        let path = stored.folder.join(&name);
        match std::fs::read(&path) {
            Ok(found) if found == expected.as_bytes() => {}
            Ok(_) => findings.push(Finding(format!(
                "{} differs from what the record gives; `ptse report` writes it anew",
                name.display()
            ))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                let text = format!("cannot read {}: {error}", path.display());
                return Err(CommandError::device(text));
            }
        }
    }
    Ok(findings)
}
