//! From `--drive` to an open drive: inspected first, confirmed second, opened for writing last.

use std::path::Path;

use crate::commands::exit::CommandError;
use crate::drive::{Drive, Identity};
use crate::journal::record::DriveRecord;
use crate::sim;
use crate::stimulus::Geometry;

/// What the operator allows.
#[derive(Debug, Clone, Copy)]
pub struct Consent<'a> {
    /// `--erase`.
    pub erase: Option<&'a str>,
    /// `--even-with-signatures`.
    pub even_with_signatures: bool,
    /// Folder of the results, whose disk must not be the target.
    pub out: Option<&'a Path>,
    /// Whether the operator may be asked at the terminal.
    pub can_ask: bool,
}

/// A target that was looked at and may be used once the operator agrees.
#[derive(Debug)]
pub struct Inspected {
    identity: Identity,
}

/// A target the operator agreed to use.
#[derive(Debug)]
pub struct Confirmed {
    inspected: Inspected,
    /// What the operator named; `None` where nothing real is erased.
    pub consent: Option<String>,
}

/// An open drive.
#[derive(Debug)]
pub struct Open {
    /// The drive.
    pub drive: Box<dyn Drive>,
    /// Seed of the run's random streams.
    pub seed: u64,
}

/// Who a target is, without the guard: for what touches nothing.
///
/// # Errors
/// When it does not exist.
pub fn describe(address: &str) -> Result<Identity, CommandError> {
    sim::describe(address).map_err(CommandError::usage)
}

/// How people know a drive: address, model, serial.
pub fn description(identity: &Identity) -> String {
    let serial = identity.serial.as_deref().unwrap_or("no serial number");
    format!("{} ({}, {serial})", identity.address, identity.model)
}

/// Looks at a target without touching it.
///
/// # Errors
/// When it does not exist or the guard refuses it.
pub fn inspect(address: &str, _consent: &Consent<'_>) -> Result<Inspected, CommandError> {
    let identity = sim::describe(address).map_err(CommandError::usage)?;
    Ok(Inspected { identity })
}

/// Where the drive of a run is now.
///
/// # Errors
/// When it cannot be found.
pub fn find_again(drive: &DriveRecord) -> Result<String, CommandError> {
    Ok(drive.address.clone())
}

impl Inspected {
    /// Its size and block.
    pub fn geometry(&self) -> Geometry {
        Geometry {
            capacity: self.identity.capacity,
            logical_block: self.identity.logical_block,
        }
    }

    /// Who it is.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Asks for consent where something real is erased.
    ///
    /// # Errors
    /// When it is not given.
    pub fn confirm(self, _consent: &Consent<'_>) -> Result<Confirmed, CommandError> {
        Ok(Confirmed {
            inspected: self,
            consent: None,
        })
    }
}

impl Confirmed {
    /// Opens the drive for writing.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(self) -> Result<Open, CommandError> {
        let drive = sim::open(&self.inspected.identity.address).map_err(CommandError::device)?;
        let seed = drive.seed();
        Ok(Open {
            drive: Box::new(drive),
            seed,
        })
    }
}
