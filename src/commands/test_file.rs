//! From `SPEC`, `--set` and `--quick` to a plan, with the exit code of each refusal.

use std::io::IsTerminal;

use crate::commands::exit::CommandError;
use crate::spec::{Loaded, Plan, Source, load};
use crate::stimulus::Geometry;

/// Loads a built-in test or a file with its overrides.
///
/// # Errors
/// Every mistake at once, with carets (usage).
pub fn load_test(name: &str, set: &[String], quick: bool) -> Result<Loaded, CommandError> {
    let source = Source::find(name).map_err(CommandError::usage)?;
    load(&source, set, quick).map_err(|errors| {
        let color = std::io::stderr().is_terminal();
        let count = errors.count();
        let mistakes = if count == 1 { "1 mistake" } else { &format!("{count} mistakes") };
        CommandError::usage(format!("{mistakes} in '{name}':\n{}", errors.render(color)))
    })
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
pub fn refuse_not_built(plan: &Plan) -> Result<(), CommandError> {
    let missing = plan.not_built();
    if missing.is_empty() {
        return Ok(());
    }
    Err(CommandError::usage(format!(
        "'{}' cannot be run by this version, only planned: {}",
        plan.spec.test.name,
        missing.join("; ")
    )))
}
