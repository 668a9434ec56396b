//! `ptse plan`: what a test would do to a drive. Touches nothing: the drive is known here only by
//! its description and its geometry, which the caller found out.

mod json;
mod summary;
mod text;

use std::io::Write;

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

/// Prints what the test, or each of its parts, would do. `deviations` names what of a plan is
/// known beforehand to depart from the standard, a sentence each.
///
/// # Errors
/// A test that is not found, has mistakes or cannot be done on this drive; a failed write.
pub fn execute(
    args: &PlanArgs,
    target: &Target,
    deviations: &dyn Fn(&Plan) -> Vec<String>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
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
        PlanFormat::Text => text::print(&whole, &prepared, target, out),
        PlanFormat::Json => json::print(args, &whole, &prepared, target, out),
    }
}

#[cfg(test)]
mod tests;
