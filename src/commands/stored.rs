//! A run folder as it stands: its journal, read and checked, and the plan it was made from.

use std::path::{Path, PathBuf};

use crate::commands::exit::CommandError;
use crate::journal::read::{self, Journal, ReadError};
use crate::journal::{JOURNAL_FILE, RunState, SAMPLES_FILE};
use crate::spec::{Plan, Source, load};
use crate::stimulus::Geometry;
use crate::units::Bytes;
use crate::verdict::verify::{self, Finding};

/// A run on disk.
#[derive(Debug)]
pub struct Stored {
    /// Its folder.
    pub folder: PathBuf,
    /// Its journal.
    pub journal: Journal,
    /// The plan of its effective test file on its drive.
    pub plan: Plan,
}

impl Stored {
    /// Reads the run in `folder` (or the folder of the journal that is named).
    ///
    /// # Errors
    /// When there is no journal (usage), or it is corrupt (exit code 1, in every command).
    pub fn open(folder: &Path) -> Result<Self, CommandError> {
        let folder = folder_of(folder);
        let path = folder.join(JOURNAL_FILE);
        let journal = read::read(&path).map_err(|error| match error {
            ReadError::File { .. } => CommandError::usage(format!(
                "{error}; name a run folder, such as one below reports/"
            )),
            ReadError::Empty => CommandError::usage(format!("{}: {error}", path.display())),
            ReadError::Corrupt { .. } | ReadError::Form { .. } | ReadError::Order { .. } => {
                CommandError::record(format!("{}: {error}", path.display()))
            }
        })?;
        let plan = plan_of(&journal.state)?;
        verify::shape(&journal.state, &plan)
            .map_err(|Finding(text)| CommandError::record(format!("{}: {text}", path.display())))?;
        Ok(Self {
            folder: folder.to_owned(),
            journal,
            plan,
        })
    }

    /// The samples, if they are there.
    ///
    /// # Errors
    /// When they are there and cannot be read.
    pub fn samples(&self) -> Result<Option<Vec<u8>>, CommandError> {
        let path = self.folder.join(SAMPLES_FILE);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CommandError::device(format!(
                "cannot read {}: {error}",
                path.display()
            ))),
        }
    }
}

/// The folder of a run that is named by its folder or by its journal.
pub fn folder_of(run: &Path) -> &Path {
    match run.file_name() {
        Some(name) if name == JOURNAL_FILE => run.parent().unwrap_or(Path::new(".")),
        _ => run,
    }
}

/// The plan a run was made from: its effective test file on the drive it recorded.
///
/// # Errors
/// When this version cannot read the effective test file.
pub fn plan_of(state: &RunState) -> Result<Plan, CommandError> {
    let opened = &state.opened;
    let source = Source {
        name: opened.spec_name.clone(),
        text: opened.effective.clone(),
        folder: None,
    };
    let unreadable = |cause: String| {
        CommandError::record(format!(
            "the test file in the journal cannot be read by this version ({}): {cause}",
            crate::commands::run::tool()
        ))
    };
    let loaded = load(&source, &[], false).map_err(|errors| unreadable(errors.render(false)))?;
    let geometry = Geometry {
        capacity: Bytes(opened.drive.capacity_bytes),
        logical_block: Bytes(opened.drive.logical_block_bytes),
    };
    Plan::resolve(&loaded.spec, geometry).map_err(|error| unreadable(error.to_string()))
}
