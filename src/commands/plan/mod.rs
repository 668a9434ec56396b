//! `ptse plan`: what a test would do to a drive, and whether `run` would take it. Nothing is
//! written and nobody is asked.

mod foreseen;
mod json;
mod summary;
mod text;

use std::io::Write;

use crate::commands::arguments::TestArgs;
use crate::commands::exit::{CommandError, Exit};
use crate::commands::{target, test_file};
use crate::drive::{DriveKind, Identity};
use crate::spec::{Loaded, Plan, Source, load};
use crate::stimulus::Geometry;

/// What `ptse plan` takes.
#[derive(Debug, clap::Args)]
pub struct PlanArgs {
    /// Test, drive and what is allowed.
    #[command(flatten)]
    pub test: TestArgs,
    /// Form of the output
    #[arg(long, value_enum, default_value_t = PlanFormat::Text)]
    pub format: PlanFormat,
}

/// Forms of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum PlanFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// A drive as a plan needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// How people know it: address, model, serial.
    pub description: String,
    /// Capacity and logical block.
    pub geometry: Geometry,
    /// What `run` would do with it.
    pub start: Start,
}

/// Whether `run` would take a drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// With this name given to `--erase`; `None` where nothing real is erased.
    Free {
        /// Serial number, or kernel name.
        erase: Option<String>,
    },
    /// For this reason, with the remedy.
    Refused {
        /// A sentence.
        why: String,
    },
}

/// A test with its plan for one drive, and what is known to depart from the standard.
#[derive(Debug, Clone, PartialEq)]
struct Prepared {
    loaded: Loaded,
    plan: Plan,
    deviations: Vec<String>,
}

/// Runs the command: prints the plan and what the guard says of the drive, then names what of it
/// this version cannot run.
///
/// # Errors
/// As [`execute`], with its exit code; also when a step of the test is not built yet (usage) and
/// when the guard would refuse the drive (device).
pub fn command(args: &PlanArgs) -> Result<Exit, CommandError> {
    let test = &args.test;
    let identity = target::describe(&test.drive)?;
    let target = Target {
        description: target::description(&identity),
        geometry: Geometry {
            capacity: identity.capacity,
            logical_block: identity.logical_block,
        },
        start: start(test, &identity),
    };
    let mut out = std::io::stdout();
    let not_built = execute(
        args,
        &target,
        &|plan| foreseen::deviations(&identity, plan, test),
        &mut out,
    )
    .map_err(test_file::classify)?;
    test_file::refuse_not_built(&test.spec, &not_built)?;
    match target.start {
        Start::Free { .. } => Ok(Exit::Passed),
        Start::Refused { why } => Err(CommandError::device(format!("run would refuse it: {why}"))),
    }
}

/// Asks the guard as `run` does, with the drive's own name as consent.
fn start(test: &TestArgs, identity: &Identity) -> Start {
    let out = test.out_absolute();
    let consent = test.consent(Some(&identity.confirm_name), &out);
    let is_real = identity.kind != DriveKind::Simulated;
    match target::inspect(&test.drive, &consent) {
        Ok(_) => Start::Free {
            erase: is_real.then(|| identity.confirm_name.clone()),
        },
        Err(error) => Start::Refused { why: error.message },
    }
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
    let whole = load(
        &Source::find(&args.test.spec)?,
        &args.test.set,
        args.test.quick,
    )?;
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
