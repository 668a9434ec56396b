//! `ptse plan`: what a test would do to a drive. Touches nothing: the drive is known here only by
//! its description and its geometry, which the caller found out.

mod foreseen;
mod json;
mod summary;
mod text;

use std::io::Write;

use crate::commands::exit::{CommandError, Exit};
use crate::commands::{target, test_file};
use crate::spec::{Loaded, Plan, Source, load};
use crate::stimulus::Geometry;

/// What `ptse plan` takes.
#[derive(Debug, clap::Args)]
pub struct PlanArgs {
    /// Built-in test such as pts-e/iops, or the path of a test file.
    pub spec: String,
    /// Block device, sim:NAME or file:PATH.
    #[arg(long)]
    pub drive: String,
    /// Change a key of the test file, such as rounds.cell_time=30s; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Shorten every cell and hold to a rehearsal of minutes.
    #[arg(long)]
    pub quick: bool,
    /// Form of the output.
    #[arg(long, value_enum, default_value_t = PlanFormat::Text)]
    pub format: PlanFormat,
}

/// Forms of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum PlanFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// A drive as a plan needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// How people know it: address, model, serial.
    pub description: String,
    /// Capacity and logical block.
    pub geometry: Geometry,
}

/// A test with its plan for one drive, and what is known to depart from the standard.
#[derive(Debug, Clone, PartialEq)]
struct Prepared {
    loaded: Loaded,
    plan: Plan,
    deviations: Vec<String>,
}

/// Runs the command: prints the plan, then says by name what of it this version cannot run.
///
/// # Errors
/// As [`execute`], with its exit code; also when a step of the test is not built yet (usage).
pub fn command(args: &PlanArgs) -> Result<Exit, CommandError> {
    let identity = target::describe(&args.drive)?;
    let target = Target {
        description: target::description(&identity),
        geometry: Geometry {
            capacity: identity.capacity,
            logical_block: identity.logical_block,
        },
    };
    let mut out = std::io::stdout();
    let not_built = execute(
        args,
        &target,
        &|plan| foreseen::deviations(&identity, plan),
        &mut out,
    )
    .map_err(test_file::classify)?;
    test_file::refuse_not_built(&args.spec, &not_built)?;
    Ok(Exit::Passed)
}

/// Prints what the test, or each of its parts, would do. `deviations` names what of a plan is
/// known beforehand to depart from the standard, a sentence each. Returns what this version
/// cannot run yet, by name.
///
/// # Errors
/// A test that is not found, has mistakes or cannot be done on this drive; a failed write.
pub fn execute(
    args: &PlanArgs,
    target: &Target,
    deviations: &dyn Fn(&Plan) -> Vec<String>,
    out: &mut dyn Write,
) -> anyhow::Result<Vec<String>> {
    let whole = load(&Source::find(&args.spec)?, &args.set, args.quick)?;
    let parts = whole.parts()?;
    let tests = if parts.is_empty() {
        vec![whole.clone()]
    } else {
        parts
    };
    let mut prepared = Vec::new();
    for loaded in tests {
        let plan = Plan::resolve(&loaded.spec, target.geometry)?;
        let deviations = deviations(&plan);
        prepared.push(Prepared {
            loaded,
            plan,
            deviations,
        });
    }
    match args.format {
        PlanFormat::Text => text::print(&whole, &prepared, target, out)?,
        PlanFormat::Json => json::print(args, &whole, &prepared, target, out)?,
    }
    let whole_parts = (prepared.len() > 1 || !whole.spec.parts.is_empty())
        .then(|| "a test made of parts is not built yet in this version".to_owned());
    let steps = prepared.iter().flat_map(|test| test.plan.not_built());
    Ok(whole_parts.into_iter().chain(steps).collect())
}

#[cfg(test)]
mod tests;
