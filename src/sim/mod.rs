//! The simulated drive: a small, honest flash drive with a virtual clock, behind [`Drive`].
//!
//! From the outside in: `settings` (the address and its keys), `profile` (checked and scaled),
//! `host` (slots, cells, hand-overs, the conversation), `device` (when an I/O is done), `flash`
//! (which physical page holds what) and `agenda` (what happens next). The drive holds no
//! randomness: same profile, seed and commands give the same events on every machine. It does not
//! extrapolate: every I/O of every virtual second is played.

mod agenda;
mod device;
mod flash;
mod host;
mod profile;
mod scale;
mod settings;

use std::path::PathBuf;
use std::thread;

use crate::drive::{Calendar, Drive, Host, Identity, Link};
use device::Device;
use host::Session;
use profile::Profile;
use settings::Settings;

pub use settings::PROFILES;

/// Why a simulated drive cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// No such profile.
    #[error(
        "there is no simulated drive '{name}': known are {known}, or a file that ends in .toml"
    )]
    UnknownProfile {
        /// What was asked for.
        name: String,
        /// The built-in ones.
        known: String,
    },
    /// A profile file could not be read.
    #[error("the profile {} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A profile file is too long to be one.
    #[error("the profile {} has {length} bytes; a profile has at most 1 MiB", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its length in bytes.
        length: u64,
    },
    /// A profile is not TOML.
    #[error("the profile '{name}' is not valid TOML: {source}")]
    NotToml {
        /// The profile.
        name: String,
        /// Why.
        source: toml::de::Error,
    },
    /// A part of the address is not KEY=VALUE.
    #[error("'{part}' in the drive's address is not KEY=VALUE, such as seed=2 or capacity=8GiB")]
    NotAKeyValue {
        /// The part.
        part: String,
    },
    /// A key that does not exist.
    #[error("a simulated drive has no key '{key}': {hint}")]
    UnknownKey {
        /// The key.
        key: String,
        /// The key that was meant, or all keys.
        hint: String,
    },
    /// A key given twice in the address.
    #[error("'{key}' is given twice in the drive's address")]
    Twice {
        /// The key.
        key: String,
    },
    /// A key that the profile lacks.
    #[error("the profile lacks the key '{key}'")]
    Missing {
        /// The key.
        key: &'static str,
    },
    /// A value that cannot be read.
    #[error("{key} = '{value}' is not {right}")]
    BadValue {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What it should be.
        right: &'static str,
    },
    /// A value that no drive can have.
    #[error("{key} = '{value}' is not possible here: {right}")]
    Impossible {
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
        /// What it should be.
        right: String,
    },
    /// The thread of the drive could not be started.
    #[error("the thread of the simulated drive cannot be started: {source}")]
    Thread {
        /// Why.
        source: std::io::Error,
    },
}

/// A simulated drive.
#[derive(Debug)]
pub struct SimulatedDrive {
    identity: Identity,
    host: Host,
    calendar: Calendar,
    seed: u64,
    link: Link,
}

/// Opens the drive of an address `sim:NAME[,seed=N][,KEY=VALUE]...`, where NAME is a built-in
/// profile or a file that ends in `.toml`, and starts its thread.
///
/// # Errors
/// [`SimError`] with what is known or would be right.
pub fn open(address: &str) -> Result<SimulatedDrive, SimError> {
    let settings = Settings::read(address)?;
    let profile = Profile::new(&settings)?;
    let (link, end) = Link::new();
    let drive = SimulatedDrive {
        identity: scale::identity(&settings, &profile)?,
        host: scale::host(&settings)?,
        calendar: Calendar::Virtual {
            start: profile.start,
        },
        seed: settings.seed,
        link,
    };
    thread::Builder::new()
        .name("sim".to_owned())
        .spawn(move || {
            let device = Device::new(profile.build);
            Session::new(device, profile.host, end.commands, end.events).converse();
        })
        .map_err(|source| SimError::Thread { source })?;
    Ok(drive)
}

/// Who the drive of an address is, without building it.
///
/// # Errors
/// As [`open`].
pub fn describe(address: &str) -> Result<Identity, SimError> {
    let settings = Settings::read(address)?;
    let profile = Profile::new(&settings)?;
    scale::identity(&settings, &profile)
}

impl SimulatedDrive {
    /// The seed of the address, 1 by default: the seed of the run.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

impl Drive for SimulatedDrive {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn host(&self) -> &Host {
        &self.host
    }

    fn calendar(&self) -> Calendar {
        self.calendar
    }

    fn link(&mut self) -> &mut Link {
        &mut self.link
    }
}
