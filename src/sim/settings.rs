//! The keys of a simulated drive: from a profile, overlaid by the address.
//!
//! `sim:NAME[,seed=N][,KEY=VALUE]...`, where KEY is the path of a key in the profile. Keys are
//! strict: an unknown one, in the file or in the address, is refused with those that are known.
//! The canonical address repeats every key that was given, so it opens the same drive again.

use std::collections::BTreeMap;
use std::path::Path;

use super::SimError;
use crate::spec::suggestion;
use crate::units::{Bytes, Decimal, Nanos};

/// Profiles that are built in: name and text.
pub const PROFILES: [(&str, &str); 3] = [
    ("dc-tlc", include_str!("../../specs/drives/dc-tlc.toml")),
    (
        "dc-tlc-3dwpd",
        include_str!("../../specs/drives/dc-tlc-3dwpd.toml"),
    ),
    ("small", include_str!("../../specs/drives/small.toml")),
];

/// The longest profile that is read.
const PROFILE_BYTES_MAX: u64 = 1 << 20;
/// Parts per million in one.
const MILLION: u64 = 1_000_000;

/// What a key holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Count,
    Size,
    Time,
    Rate,
    Share,
    Switch,
}

/// Every key, what it holds, and its value where a profile may leave it out.
const KEYS: [(&str, Kind, Option<&str>); 48] = [
    ("buffer", Kind::Size, None),
    ("calendar.start", Kind::Text, None),
    ("capacity", Kind::Size, None),
    ("channel.rate", Kind::Rate, None),
    ("faults.decay", Kind::Share, Some("0%")),
    ("faults.decay_rounds", Kind::Count, Some("0")),
    ("faults.error_at_lba", Kind::Count, Some("")),
    ("faults.gap_at_cell_change", Kind::Time, Some("0s")),
    ("faults.never_completes", Kind::Count, Some("0")),
    ("faults.stall_at", Kind::Time, Some("0s")),
    ("faults.stall_for", Kind::Time, Some("0s")),
    ("faults.unmapped_reads_slow", Kind::Switch, Some("false")),
    ("flash.block_units", Kind::Count, None),
    ("flash.block_units_whole", Kind::Count, None),
    ("flash.low_mark", Kind::Count, None),
    ("flash.sense", Kind::Size, None),
    ("flash.spare", Kind::Share, None),
    ("flash.unit", Kind::Size, None),
    ("host.cpu", Kind::Text, None),
    ("host.hba", Kind::Text, None),
    ("host.memory", Kind::Text, None),
    ("host.motherboard", Kind::Text, None),
    ("host.operating_system", Kind::Text, None),
    ("identity.firmware", Kind::Text, None),
    ("identity.interface", Kind::Text, None),
    ("identity.manufacturer", Kind::Text, None),
    ("identity.model", Kind::Text, None),
    ("identity.nand", Kind::Text, None),
    ("identity.pcie", Kind::Text, None),
    ("link.rate", Kind::Rate, None),
    ("logical_block", Kind::Size, None),
    ("name", Kind::Text, None),
    ("purge.method", Kind::Text, None),
    ("purge.time", Kind::Time, None),
    ("scale.dies", Kind::Count, None),
    ("scale.slow", Kind::Count, None),
    ("schema", Kind::Text, None),
    ("timing.acknowledge", Kind::Time, None),
    ("timing.command", Kind::Time, None),
    ("timing.erase", Kind::Time, None),
    ("timing.interval", Kind::Time, None),
    ("timing.program", Kind::Time, None),
    ("timing.sense", Kind::Time, None),
    ("timing.suspend", Kind::Time, None),
    ("timing.suspended_max", Kind::Time, None),
    ("whole.capacity", Kind::Size, None),
    ("whole.channels", Kind::Count, None),
    ("whole.dies", Kind::Count, None),
];

/// A drive's settings, every value checked for its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    /// The address that opens the same drive again.
    pub(super) address: String,
    /// Seed of the run.
    pub(super) seed: u64,
    values: BTreeMap<String, String>,
}

impl Settings {
    /// Reads an address and the profile it names.
    pub(super) fn read(address: &str) -> Result<Self, SimError> {
        let rest = address.strip_prefix("sim:").unwrap_or(address);
        let mut parts = rest.split(',').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let mut values = parse_profile(name, &profile_text(name)?)?;
        let mut given = BTreeMap::new();
        let mut seed = None;
        for part in parts {
            let (key, value) = part.split_once('=').ok_or_else(|| SimError::NotAKeyValue {
                part: part.to_owned(),
            })?;
            let (key, value) = (key.trim(), value.trim());
            let is_new = if key == "seed" {
                let number = value.parse().map_err(|_| bad(key, value, Kind::Count))?;
                seed.replace(number).is_none()
            } else {
                check(key, value)?;
                given.insert(key.to_owned(), value.to_owned()).is_none()
            };
            if !is_new {
                return Err(SimError::Twice {
                    key: key.to_owned(),
                });
            }
        }
        let mut address = format!("sim:{name}");
        if let Some(seed) = seed {
            address += &format!(",seed={seed}");
        }
        for (key, value) in given {
            address += &format!(",{key}={value}");
            values.insert(key, value);
        }
        Ok(Self {
            address,
            seed: seed.unwrap_or(1),
            values,
        })
    }

    /// A text.
    pub(super) fn text(&self, key: &'static str) -> Result<String, SimError> {
        let default = KEYS
            .iter()
            .find(|(known, _, _)| *known == key)
            .and_then(|(_, _, default)| *default);
        let value = self.values.get(key).map(String::as_str).or(default);
        value.map(str::to_owned).ok_or(SimError::Missing { key })
    }

    /// A count; also a number that may be absent, as `None`.
    pub(super) fn count_if_any(&self, key: &'static str) -> Result<Option<u64>, SimError> {
        let text = self.text(key)?;
        Ok(text.parse().ok())
    }

    /// A count.
    pub(super) fn count(&self, key: &'static str) -> Result<u64, SimError> {
        self.parsed(key, Kind::Count)
    }

    /// A size in bytes.
    pub(super) fn size(&self, key: &'static str) -> Result<u64, SimError> {
        self.parsed(key, Kind::Size)
    }

    /// A time in nanoseconds.
    pub(super) fn time(&self, key: &'static str) -> Result<u64, SimError> {
        self.parsed(key, Kind::Time)
    }

    /// A rate in bytes per second.
    pub(super) fn rate(&self, key: &'static str) -> Result<u64, SimError> {
        self.parsed(key, Kind::Rate)
    }

    /// A share in millionths.
    pub(super) fn share(&self, key: &'static str) -> Result<u64, SimError> {
        self.parsed(key, Kind::Share)
    }

    /// A switch.
    pub(super) fn switch(&self, key: &'static str) -> Result<bool, SimError> {
        Ok(self.parsed(key, Kind::Switch)? == 1)
    }

    fn parsed(&self, key: &'static str, kind: Kind) -> Result<u64, SimError> {
        let text = self.text(key)?;
        parse(&text, kind).ok_or_else(|| bad(key, &text, kind))
    }
}

fn parse(text: &str, kind: Kind) -> Option<u64> {
    match kind {
        Kind::Text => Some(0),
        Kind::Count => text.parse().ok(),
        Kind::Size => Bytes::parse(text).ok().map(|bytes| bytes.0),
        Kind::Time => Nanos::parse(text).ok().map(|nanos| nanos.0),
        Kind::Rate => Bytes::parse(text.strip_suffix("/s")?)
            .ok()
            .map(|bytes| bytes.0)
            .filter(|&bytes| bytes > 0),
        Kind::Share => Decimal::parse(text.strip_suffix('%')?)?.times(MILLION / 100),
        Kind::Switch => match text {
            "true" => Some(1),
            "false" => Some(0),
            _ => None,
        },
    }
}

fn check(key: &str, value: &str) -> Result<(), SimError> {
    let (_, kind, _) = KEYS
        .iter()
        .find(|(known, _, _)| *known == key)
        .ok_or_else(|| {
            let known: Vec<&str> = std::iter::once("seed")
                .chain(KEYS.map(|(known, _, _)| known))
                .collect();
            SimError::UnknownKey {
                key: key.to_owned(),
                hint: suggestion(key, &known).unwrap_or_default(),
            }
        })?;
    match parse(value, *kind) {
        Some(_) => Ok(()),
        None => Err(bad(key, value, *kind)),
    }
}

fn bad(key: &str, value: &str, kind: Kind) -> SimError {
    SimError::BadValue {
        key: key.to_owned(),
        value: value.to_owned(),
        right: match kind {
            Kind::Text => "a text",
            Kind::Count => "a whole number",
            Kind::Size => "a size such as 8GiB",
            Kind::Time => "a time such as 20ms",
            Kind::Rate => "a rate such as 1200MB/s",
            Kind::Share => "a share such as 14.5%",
            Kind::Switch => "true or false",
        },
    }
}

fn profile_text(name: &str) -> Result<String, SimError> {
    if let Some((_, text)) = PROFILES.iter().find(|(known, _)| *known == name) {
        return Ok((*text).to_owned());
    }
    let path = Path::new(name);
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Err(SimError::UnknownProfile {
            name: name.to_owned(),
            known: PROFILES.map(|(known, _)| known).join(", "),
        });
    }
    let unreadable = |source| SimError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let length = std::fs::metadata(path).map_err(unreadable)?.len();
    if length > PROFILE_BYTES_MAX {
        return Err(SimError::TooLong {
            path: path.to_owned(),
            length,
        });
    }
    std::fs::read_to_string(path).map_err(unreadable)
}

fn parse_profile(name: &str, text: &str) -> Result<BTreeMap<String, String>, SimError> {
    let table: toml::Table = text.parse().map_err(|source| SimError::NotToml {
        name: name.to_owned(),
        source,
    })?;
    let mut values = BTreeMap::new();
    flatten("", &table, &mut values);
    for (key, value) in &values {
        check(key, value)?;
    }
    Ok(values)
}

fn flatten(prefix: &str, table: &toml::Table, values: &mut BTreeMap<String, String>) {
    for (name, value) in table {
        let key = format!("{prefix}{name}");
        if let toml::Value::Table(inner) = value {
            flatten(&format!("{key}."), inner, values);
        } else {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            values.insert(key, text);
        }
    }
}

#[cfg(test)]
mod tests;
