//! From `SPEC`, `--set` and `--quick` to a plan, with the exit code of each refusal.

use std::io::IsTerminal;

use crate::commands::exit::CommandError;
use crate::spec::{Loaded, Plan, PlanErrors, Source, SpecErrors, load};
use crate::stimulus::Geometry;

/// Loads a built-in test or a file with its overrides.
///
/// # Errors
/// Every mistake at once, with carets (usage).
pub fn load_test(name: &str, set: &[String], quick: bool) -> Result<Loaded, CommandError> {
    let source = Source::find(name).map_err(CommandError::usage)?;
    load(&source, set, quick).map_err(|errors| mistakes(&errors))
}

/// The test on a drive of this size.
///
/// # Errors
/// When the drive is too small for it or cannot do a tracked cell (device).
pub fn resolve(loaded: &Loaded, geometry: Geometry) -> Result<Plan, CommandError> {
    Plan::resolve(&loaded.spec, geometry).map_err(CommandError::device)
}

/// Refuses a test that this version can plan but not run, by the names of its steps.
///
/// # Errors
/// With those names (usage).
pub fn refuse_not_built(test: &str, missing: &[String]) -> Result<(), CommandError> {
    if missing.is_empty() {
        return Ok(());
    }
    Err(CommandError::usage(format!(
        "'{test}' can be planned but not run by this version:\n  {}",
        missing.join("\n  ")
    )))
}

/// The exit code of an error that came up as one of several kinds.
pub fn classify(error: anyhow::Error) -> CommandError {
    if let Some(errors) = error.downcast_ref::<SpecErrors>() {
        return mistakes(errors);
    }
    if error.downcast_ref::<PlanErrors>().is_some() {
        return CommandError::device(error);
    }
    let io = error.downcast_ref::<std::io::Error>();
    if io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe) {
        return CommandError::closed_pipe();
    }
    CommandError::usage(format!("{error:#}"))
}

fn mistakes(errors: &SpecErrors) -> CommandError {
    let count = errors.count();
    let plural = if count == 1 { "" } else { "s" };
    let color = std::io::stderr().is_terminal();
    CommandError::usage(format!(
        "{count} mistake{plural}:\n{}",
        errors.render(color)
    ))
}
