//! What `ptse run` and `ptse plan` both take: a test, a drive, and what the operator allows.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::commands::target::Consent;
use crate::drive::PurgeMethod;
use crate::drive::guard::Carries;

/// A test on a drive.
#[derive(Debug, Clone, clap::Args)]
pub struct TestArgs {
    /// Built-in test (see `ptse specs`) or test file
    pub spec: String,
    /// Block device, `sim:NAME[,seed=N][,KEY=VALUE]...`, `sim:FILE.toml` or `file:PATH`
    #[arg(long)]
    pub drive: String,
    /// Folder in which the run's own folder is made
    #[arg(long, default_value = "reports")]
    pub out: PathBuf,
    /// How to purge
    #[arg(long, value_name = "METHOD", default_value = "auto", value_parser = method())]
    pub purge: PurgeMethod,
    /// Override a key of the test file, such as rounds.cell_time=30s; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// A rehearsal of minutes: half-second cells, at most 6 rounds; not a measurement
    #[arg(long)]
    pub quick: bool,
    /// Also erase a device that carries a file system, partition table, RAID or volume signature
    #[arg(long)]
    pub even_with_signatures: bool,
    /// Also erase the other namespaces of the drive, where the purge cannot leave them out
    #[arg(long)]
    pub all_namespaces: bool,
}

impl TestArgs {
    /// An absolute path: its nearest ancestor that exists tells which disk will hold the results.
    pub fn out_absolute(&self) -> PathBuf {
        std::path::absolute(&self.out).unwrap_or_else(|_| self.out.clone())
    }

    /// What these arguments allow, with the drive that `--erase` named.
    pub fn consent<'a>(&self, erase: Option<&'a str>, out: &'a std::path::Path) -> Consent<'a> {
        Consent {
            erase,
            carries: if self.even_with_signatures {
                Carries::Anything
            } else {
                Carries::Nothing
            },
            purge: self.purge,
            all_namespaces: self.all_namespaces,
            out,
            can_ask: true,
        }
    }
}

/// Reads a purge method by its word.
fn method() -> impl TypedValueParser<Value = PurgeMethod> {
    PossibleValuesParser::new(PurgeMethod::ALL.map(PurgeMethod::word))
        .map(|word| PurgeMethod::named(&word).expect("only words of methods are possible values"))
}
