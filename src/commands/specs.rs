//! `ptse specs`: the built-in tests, and for one of them its file and who decides on each key.

use std::io::Write;

use crate::commands::exit::{CommandError, Exit};
use crate::commands::test_file;
use crate::sim;
use crate::spec::keys::{KeyRule, Ruling, rules};
use crate::spec::{Loaded, Source, builtin, load};

/// What `ptse specs` takes.
#[derive(Debug, clap::Args)]
pub struct SpecsArgs {
    /// What to do; lists the built-in tests when left out
    #[command(subcommand)]
    pub action: Option<SpecsAction>,
}

/// What can be done with the built-in tests.
#[derive(Debug, clap::Subcommand)]
pub enum SpecsAction {
    /// Print a test file and which of its keys the standard fixes
    Show {
        /// Built-in name such as pts-e/iops or sim:dc-tlc, or the path of a test file
        name: String,
    },
}

/// Runs the command.
///
/// # Errors
/// As [`execute`], with its exit code.
pub fn command(args: &SpecsArgs) -> Result<Exit, CommandError> {
    execute(args, &mut std::io::stdout()).map_err(test_file::classify)?;
    Ok(Exit::Passed)
}

/// Prints the list, or one test.
///
/// # Errors
/// A name that is neither built in nor a file, a file with mistakes, or a failed write.
pub fn execute(args: &SpecsArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    match &args.action {
        None => list(out),
        Some(SpecsAction::Show { name }) => show(name, out),
    }
}

fn list(out: &mut dyn Write) -> anyhow::Result<()> {
    for built_in in builtin::all() {
        let loaded = load(&Source::find(built_in.name)?, &[], false)?;
        let standard = follows(&loaded);
        let title = &loaded.spec.test.title;
        writeln!(out, "{:<20}  {title}  ({standard})", built_in.name)?;
    }
    writeln!(out)?;
    for (name, _) in sim::PROFILES {
        let drive = sim::describe(&format!("sim:{name}"))?;
        let capacity = drive.capacity.as_capacity();
        writeln!(out, "{:<20}  {}, {capacity}", drive.address, drive.model)?;
    }
    writeln!(
        out,
        "\n`ptse specs show NAME` prints a test file and which keys the standard fixes, or a \
         simulated drive and what its scale keeps true."
    )?;
    Ok(())
}

/// The profile of a built-in simulated drive and its scale in words.
fn show_drive(name: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    let drive = sim::describe(&format!("sim:{name}"))?;
    if let Some((_, text)) = sim::PROFILES.iter().find(|(known, _)| *known == name) {
        writeln!(out, "{}", text.trim_end())?;
    }
    let scale = drive.scale.unwrap_or_default();
    writeln!(out, "\n# SIMULATED: {scale}")?;
    Ok(())
}

fn show(name: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    if let Some(drive) = name.strip_prefix("sim:") {
        return show_drive(drive, out);
    }
    let is_drive = sim::PROFILES.iter().any(|(known, _)| *known == name);
    let source = Source::find(name);
    if source.is_err() && is_drive {
        anyhow::bail!("'{name}' is a simulated drive; show it as sim:{name}");
    }
    let loaded = load(&source?, &[], false)?;
    writeln!(out, "{}", loaded.text.trim_end())?;
    let rules = rules(&loaded.spec.test);
    if rules.is_empty() {
        writeln!(
            out,
            "\n# This test follows no standard: every key is the operator's choice."
        )?;
        return Ok(());
    }
    writeln!(out, "\n# Who decides on each key ({}):", follows(&loaded))?;
    let width = rules.iter().map(|rule| rule.key.len()).max().unwrap_or(0);
    for rule in &rules {
        writeln!(out, "# {:<width$}  {}", rule.key, decision(rule))?;
    }
    Ok(())
}

fn follows(loaded: &Loaded) -> String {
    let test = &loaded.spec.test;
    match (&test.standard, &test.clause) {
        (Some(standard), Some(clause)) => format!("{standard}, clause {clause}"),
        (Some(standard), None) => standard.clone(),
        (None, _) => "not PTS".to_owned(),
    }
}

fn decision(rule: &KeyRule) -> String {
    let clause = match rule.clause {
        "" => String::new(),
        "PTS-E" => " (PTS-E)".to_owned(),
        clause => format!(" (clause {clause})"),
    };
    match rule.ruling {
        Ruling::Fixed(value) => format!("fixed   {value}{clause}"),
        Ruling::Choice(Some(value)) => format!("choice  recommended {value}{clause}"),
        Ruling::Choice(None) => format!("choice  no recommendation{clause}"),
        Ruling::Ours => "ours    no bearing on compliance".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(action: Option<SpecsAction>) -> String {
        let mut out = Vec::new();
        execute(&SpecsArgs { action }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_built_in_test_has_its_line() {
        let text = printed(None);
        for built_in in builtin::all() {
            assert!(
                text.lines().any(|line| line.starts_with(built_in.name)),
                "{text}"
            );
        }
    }

    /// What is shown can be saved as a test file: the key table stands in comments.
    #[test]
    fn what_is_shown_is_a_test_file_with_the_key_table() {
        let name = "pts-e/iops".to_owned();
        let text = printed(Some(SpecsAction::Show { name }));
        assert!(text.contains("stimulus.queue_depth"), "{text}");
        assert!(text.contains("recommended 32 (clause 7)"), "{text}");
        let source = Source::from_bytes("shown.toml", text.as_bytes()).unwrap();
        let built_in = load(&Source::find("pts-e/iops").unwrap(), &[], false).unwrap();
        assert_eq!(load(&source, &[], false).unwrap().spec, built_in.spec);
    }
}
