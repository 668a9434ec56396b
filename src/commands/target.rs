//! From `--drive` to an open drive: described first, cleared by the guard second, opened for
//! writing last.

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::commands::exit::CommandError;
use crate::drive::block::{self, OpenError};
use crate::drive::guard::{self, Carries, Cleared, Guard};
use crate::drive::sysfs::Sysfs;
use crate::drive::target::Target;
use crate::drive::{Drive, Identity, PurgeMethod, file};
use crate::journal::record::DriveRecord;
use crate::sim::{self, SimError};

/// What the operator allows.
#[derive(Debug, Clone, Copy)]
pub struct Consent<'a> {
    /// `--erase`.
    pub erase: Option<&'a str>,
    /// What the device may carry: `--even-with-signatures`, or what the journal allowed.
    pub carries: Carries<'a>,
    /// How the device will be purged.
    pub purge: PurgeMethod,
    /// `--all-namespaces`: whether other namespaces may be erased with it.
    pub all_namespaces: bool,
    /// Folder of the results, whose disk must not be the target.
    pub out: &'a Path,
    /// Whether the operator may be asked at the terminal.
    pub can_ask: bool,
}

/// An open drive.
#[derive(Debug)]
pub struct Open {
    /// The drive.
    pub drive: Box<dyn Drive>,
    /// Seed of the run's random streams.
    pub seed: u64,
    /// What the operator named to allow erasing; `None` where nothing real is erased.
    pub consent: Option<String>,
    /// Fingerprints of the signatures it carried and that were allowed.
    pub signatures: Vec<String>,
    /// Whether its purge erases other namespaces too, which was allowed.
    pub reaches_others: bool,
}

/// Who a target is. Nothing is written and nothing stays open.
///
/// # Errors
/// When there is no such target.
pub fn describe(address: &str) -> Result<Identity, CommandError> {
    match Target::parse(address).map_err(CommandError::usage)? {
        Target::Simulated(_) => sim::describe(address).map_err(wrong_address),
        Target::File(path) => file::identify(&path).map_err(CommandError::device),
        Target::Block(path) => block::identify(&path).map_err(CommandError::device),
    }
}

/// How people know a drive: address, model, serial.
pub fn description(identity: &Identity) -> String {
    let serial = identity.serial.as_deref().unwrap_or("no serial number");
    format!("{} ({}, {serial})", identity.address, identity.model)
}

/// A target that was looked at and may be used once the operator agrees.
#[derive(Debug)]
pub enum Inspected {
    /// A simulated drive.
    Simulated(Box<Identity>),
    /// A file, with the fingerprints of what it carries and may carry.
    File(Box<Identity>, PathBuf, Vec<String>),
    /// A block device that the guard has looked at.
    Block(Box<guard::Inspected>),
}

/// Has the guard look at a target. Nothing is written, and nobody is asked yet.
///
/// # Errors
/// When there is no such target or the guard refuses it.
pub fn inspect(address: &str, consent: &Consent<'_>) -> Result<Inspected, CommandError> {
    match Target::parse(address).map_err(CommandError::usage)? {
        Target::Simulated(_) => Ok(Inspected::Simulated(Box::new(describe(address)?))),
        Target::File(path) => {
            let identity = Box::new(describe(address)?);
            let carried =
                guard::inspect_file(&path, consent.carries).map_err(CommandError::device)?;
            Ok(Inspected::File(identity, path, carried))
        }
        Target::Block(path) => {
            let needed = [consent.out];
            let guard = Guard {
                carries: consent.carries,
                needed: &needed,
                purge: consent.purge,
                all_namespaces: consent.all_namespaces,
            };
            let inspected = guard::inspect(&path, &guard).map_err(CommandError::device)?;
            Ok(Inspected::Block(Box::new(inspected)))
        }
    }
}

impl Inspected {
    /// Who it is.
    pub fn identity(&self) -> &Identity {
        match self {
            Self::Simulated(identity) | Self::File(identity, ..) => identity,
            Self::Block(inspected) => inspected.identity(),
        }
    }

    /// Opens it for writing, once the operator has named it.
    ///
    /// # Errors
    /// When consent is not given, or it cannot be opened any more.
    pub fn open(self, consent: &Consent<'_>) -> Result<Open, CommandError> {
        match self {
            Self::Simulated(identity) => {
                let drive = sim::open(&identity.address).map_err(wrong_address)?;
                let seed = drive.seed();
                Ok(Open {
                    drive: Box::new(drive),
                    seed,
                    consent: None,
                    signatures: Vec::new(),
                    reaches_others: false,
                })
            }
            Self::File(identity, path, signatures) => {
                let name = confirm_file(&path, identity.confirm_name, consent)?;
                // Nothing may have been made on it since it was looked at.
                let known = Carries::Known(&signatures);
                guard::inspect_file(&path, known).map_err(CommandError::device)?;
                opened(file::open(&path), name, signatures, false)
            }
            Self::Block(inspected) => {
                let name = inspected.identity().confirm_name.clone();
                let signatures = inspected.allowed().to_vec();
                let reaches_others = inspected.reaches_others();
                let cleared = confirm(*inspected, consent)?;
                opened(block::open(&cleared), name, signatures, reaches_others)
            }
        }
    }
}

/// Where the drive of a run is now: at its old address if it still is the same drive, otherwise
/// wherever a device with its serial number (or backing file) stands. Node names prove nothing.
///
/// # Errors
/// When no device of this machine is the drive of the run.
pub fn find_again(drive: &DriveRecord) -> Result<Identity, CommandError> {
    let is_it = |identity: &Identity| identity.anchor == drive.anchor;
    let at_its_place = describe(&drive.address);
    let here = at_its_place
        .as_ref()
        .ok()
        .filter(|identity| is_it(identity));
    if !matches!(Target::parse(&drive.address), Ok(Target::Block(_))) {
        if let Some(identity) = here {
            return Ok(identity.clone());
        }
    } else {
        let found: Vec<Identity> = block_devices().into_iter().filter(is_it).collect();
        match found.as_slice() {
            [] => {}
            // Its old address, where that leads to it: the words of the operator.
            [identity] => return Ok(here.unwrap_or(identity).clone()),
            several => {
                let places: Vec<&str> = several.iter().map(|one| one.address.as_str()).collect();
                return Err(CommandError::device(format!(
                    "{} are all known by '{}': nothing shows which is the drive of this run; \
                     disconnect the others and resume again",
                    places.join(", "),
                    drive.anchor
                )));
            }
        }
    }
    let now = match at_its_place {
        Ok(identity) => format!(
            "{} is now {}, known by '{}', and the run's drive is known by '{}'",
            drive.address,
            block::describe(&identity),
            identity.anchor,
            drive.anchor
        ),
        Err(error) => error.message,
    };
    let serial = drive.serial.as_deref().unwrap_or("no serial number");
    Err(CommandError::device(format!(
        "the drive of this run ({}, {serial}) is not here: {now}; connect it and resume again",
        drive.model
    )))
}

/// Every disk and partition of this machine that can be looked at.
fn block_devices() -> Vec<Identity> {
    let disks = Sysfs::at("/sys").disks();
    let places = disks.iter().flat_map(|disk| {
        let partitions = disk.partitions();
        std::iter::once(disk.name()).chain(partitions.into_iter().map(|one| one.name()))
    });
    let nodes = places.map(|name| Path::new("/dev").join(name));
    nodes
        .filter_map(|node| block::identify(&node).ok())
        .collect()
}

fn opened<D: Drive + 'static>(
    drive: Result<D, OpenError>,
    consent: String,
    signatures: Vec<String>,
    reaches_others: bool,
) -> Result<Open, CommandError> {
    let drive = Box::new(drive.map_err(CommandError::device)?);
    Ok(Open {
        drive,
        seed: fresh_seed()?,
        consent: Some(consent),
        signatures,
        reaches_others,
    })
}

/// The guard's last question, put to the operator where there is one to answer.
fn confirm(inspected: guard::Inspected, consent: &Consent<'_>) -> Result<Cleared, CommandError> {
    let identity = inspected.identity();
    let typed = match consent.erase {
        None if can_ask(consent) => Some(ask(&identity.address, &block::describe(identity))?),
        given => given.map(str::to_owned),
    };
    inspected
        .confirm(typed.as_deref())
        .map_err(CommandError::device)
}

/// A file has no guard of its own, and may hold somebody's data: it is named like a drive.
fn confirm_file(path: &Path, name: String, consent: &Consent<'_>) -> Result<String, CommandError> {
    let place = path.display();
    match consent.erase {
        Some(given) if given == name => Ok(name),
        Some(given) => Err(CommandError::device(format!(
            "file:{place} is not '{given}'; to overwrite it give --erase {name}"
        ))),
        None => Err(CommandError::device(format!(
            "file:{place} will be overwritten; to allow that give --erase {name}"
        ))),
    }
}

fn can_ask(consent: &Consent<'_>) -> bool {
    consent.can_ask && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

fn ask(place: &str, described: &str) -> Result<String, CommandError> {
    let failed = |error| CommandError::device(format!("cannot ask for consent: {error}"));
    let mut err = std::io::stderr();
    write!(
        err,
        "ALL DATA on {place} ({described}) WILL BE ERASED.\nType its serial number (or its kernel \
         name, if it has none) to go on: "
    )
    .map_err(failed)?;
    err.flush().map_err(failed)?;
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(failed)?;
    Ok(line.trim().to_owned())
}

/// A seed from the system; it is recorded, so that the addresses of a run can be repeated.
fn fresh_seed() -> Result<u64, CommandError> {
    let mut bytes = [0; 8];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut bytes))
        .map_err(|error| CommandError::device(format!("cannot read /dev/urandom: {error}")))?;
    Ok(u64::from_le_bytes(bytes))
}

fn wrong_address(error: SimError) -> CommandError {
    CommandError::usage(error)
}
