//! What a record says of the drive itself, and of the machine it hangs on.

use serde::{Deserialize, Serialize};

use super::LimitsRecord;

/// The drive as identified when the run opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriveRecord {
    /// How it was asked for, in a form that opens it again.
    pub address: String,
    /// `drive`, `simulated`, `loop`, `file` or `other-block`.
    pub kind: String,
    /// Manufacturer.
    pub manufacturer: Option<String>,
    /// Model number.
    pub model: String,
    /// Serial number.
    pub serial: Option<String>,
    /// Firmware revision.
    pub firmware: Option<String>,
    /// Interface and speed.
    pub interface: Option<String>,
    /// Flash type.
    pub nand: Option<String>,
    /// PCIe link.
    pub pcie: Option<String>,
    /// User capacity.
    pub capacity_bytes: u64,
    /// Logical block.
    pub logical_block_bytes: u64,
    /// Physical block.
    pub physical_block_bytes: Option<u64>,
    /// `on`, `off`, `absent`, or `unknown: CAUSE`.
    pub write_cache: String,
    /// What identifies the drive after a restart.
    pub anchor: String,
    /// Scale of a simulated drive, in words.
    pub scale: Option<String>,
    /// Load engine and its settings in force, in words.
    pub engine: Option<String>,
    /// Longest transfers; absent where the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitsRecord>,
}

/// The machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostRecord {
    /// Vendor and product.
    pub motherboard: Option<String>,
    /// CPU model and count.
    pub cpu: Option<String>,
    /// Memory.
    pub memory: Option<String>,
    /// Distribution and kernel.
    pub operating_system: Option<String>,
    /// Host bus adapter.
    pub hba: Option<String>,
}

/// When the write cache was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheOccasion {
    /// Before the first step of a segment of the run.
    Start,
    /// After a purge, which may have changed it.
    AfterPurge,
    /// After the last step.
    End,
    /// When it was given back as it was found.
    Restored,
}

/// The write cache, read before and after it was set; states as in [`DriveRecord`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheDone {
    /// When.
    pub occasion: CacheOccasion,
    /// What was asked for: `on`, `off`, or nothing but to read it.
    pub asked: Option<String>,
    /// As found.
    pub before: String,
    /// As read back.
    pub after: String,
    /// Why it is not as it was asked for.
    pub refusal: Option<String>,
}

/// The health of the drive as it told it; what it does not tell is `null`, never 0. Counters run
/// over the life of the drive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthDone {
    /// Where it was read, in words.
    pub source: String,
    /// Why nothing is known.
    pub missing: Option<String>,
    /// Temperature in degrees Celsius.
    pub temperature_celsius: Option<i64>,
    /// Temperature from which the drive warns.
    pub warning_celsius: Option<i64>,
    /// NVMe critical warnings in force, as bits.
    pub warnings: Option<u64>,
    /// Whether the drive takes itself for healthy.
    pub healthy: Option<bool>,
    /// Spare that is left.
    pub spare_percent: Option<u64>,
    /// Endurance used.
    pub used_percent: Option<u64>,
    /// Bytes read by hosts.
    pub read_bytes: Option<u64>,
    /// Bytes written by hosts.
    pub written_bytes: Option<u64>,
    /// Errors of the medium.
    pub media_errors: Option<u64>,
    /// Entries of the error log.
    pub error_entries: Option<u64>,
    /// Shutdowns without notice.
    pub unsafe_shutdowns: Option<u64>,
    /// Minutes above the warning temperature.
    pub warning_minutes: Option<u64>,
    /// Times that thermal throttling began.
    pub throttle_count: Option<u64>,
    /// Seconds in thermal throttling.
    pub throttle_seconds: Option<u64>,
    /// PCIe link, with what it could be where that is more.
    pub link: Option<String>,
}
