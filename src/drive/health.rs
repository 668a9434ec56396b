//! The health of a drive as it tells it itself: NVMe by its SMART log, others through `smartctl`.
//! It reads; what a change means is judged by the ledger.
//!
//! A log page can hold up I/O, so it is only read while nothing is measured.

mod smartctl;

use std::path::Path;

use super::facts::Link;
use super::nvme::{AdminError, Nvme, SmartLog};
use super::sysfs::BlockFolder;
use smartctl::ask;

/// Bytes of a data unit of the SMART log: a thousand times 512.
const UNIT_BYTES: u64 = 512_000;
/// 0 degrees Celsius, in kelvin as NVMe counts them.
const ZERO_CELSIUS_KELVIN: i64 = 273;

/// What a drive told. What it does not tell is `None`, never 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Health {
    /// Where it was read, in words.
    pub source: String,
    /// Why nothing is known, if nothing is.
    pub missing: Option<String>,
    /// Temperature in degrees Celsius.
    pub temperature_celsius: Option<i64>,
    /// Temperature from which the drive warns, in degrees Celsius.
    pub warning_celsius: Option<i64>,
    /// Warnings in force, as bits; NVMe only.
    pub warnings: Option<u64>,
    /// Whether the drive takes itself for healthy.
    pub is_healthy: Option<bool>,
    /// Spare that is left, in percent.
    pub spare_percent: Option<u64>,
    /// Endurance used, in percent; may pass 100.
    pub used_percent: Option<u64>,
    /// Bytes read by hosts over its life.
    pub read_bytes: Option<u64>,
    /// Bytes written by hosts over its life.
    pub written_bytes: Option<u64>,
    /// Errors of the medium over its life.
    pub media_errors: Option<u64>,
    /// Entries of the error log over its life.
    pub error_entries: Option<u64>,
    /// Shutdowns without notice over its life.
    pub unsafe_shutdowns: Option<u64>,
    /// Minutes above the warning temperature over its life.
    pub warning_minutes: Option<u64>,
    /// Times that thermal throttling began over its life.
    pub throttle_count: Option<u64>,
    /// Seconds in thermal throttling over its life.
    pub throttle_seconds: Option<u64>,
    /// PCIe link, with what it could be where that is more.
    pub link: Option<String>,
}

impl Health {
    /// Nothing is known, and why.
    pub(super) fn missing(source: &str, cause: String) -> Self {
        Self {
            source: source.to_owned(),
            missing: Some(cause),
            ..Self::default()
        }
    }
}

/// What an NVMe drive tells.
pub(super) fn of_nvme(nvme: Nvme<'_>) -> Health {
    const SOURCE: &str = "NVMe SMART log";
    let read = || -> Result<Health, AdminError> {
        let log = nvme.smart_log()?;
        let warning = nvme.controller()?.warning_kelvin;
        Ok(from_log(SOURCE, &log, warning))
    };
    read().unwrap_or_else(|error| Health::missing(SOURCE, error.to_string()))
}

fn from_log(source: &str, log: &SmartLog, warning_kelvin: Option<u16>) -> Health {
    let celsius = |kelvin: u16| i64::from(kelvin) - ZERO_CELSIUS_KELVIN;
    Health {
        source: source.to_owned(),
        // A controller that does not measure it says 0 kelvin.
        temperature_celsius: (log.kelvin > 0).then(|| celsius(log.kelvin)),
        warning_celsius: warning_kelvin.map(celsius),
        warnings: Some(u64::from(log.warnings)),
        is_healthy: Some(log.warnings == 0),
        spare_percent: Some(u64::from(log.spare_percent)),
        used_percent: Some(u64::from(log.used_percent)),
        read_bytes: Some(log.units_read.saturating_mul(UNIT_BYTES)),
        written_bytes: Some(log.units_written.saturating_mul(UNIT_BYTES)),
        media_errors: Some(log.media_errors),
        error_entries: Some(log.error_entries),
        unsafe_shutdowns: Some(log.unsafe_shutdowns),
        warning_minutes: Some(log.warning_minutes + log.critical_minutes),
        throttle_count: Some(log.throttle_counts.iter().sum()),
        throttle_seconds: Some(log.throttle_seconds.iter().sum()),
        ..Health::default()
    }
}

/// What any drive tells; `nvme` is its namespace, if it is one.
pub(super) fn of(disk: &BlockFolder, nvme: Option<Nvme<'_>>) -> Health {
    let mut health = match nvme {
        Some(nvme) => of_nvme(nvme),
        None => ask(&Path::new("/dev").join(disk.name())),
    };
    health.link = Link::of(disk).map(|link| link.to_string());
    health
}

#[cfg(test)]
mod tests {
    use super::super::nvme::fake::{Fake, Habits};
    use super::*;

    /// Base Specification 1.4, figure 194: kelvin, and units of a thousand 512 bytes.
    #[test]
    fn an_nvme_drive_tells_its_health() {
        let fake = Fake::new(Habits::default());
        let health = of_nvme(Nvme::new(&fake, 1));
        assert_eq!(health.temperature_celsius, Some(38));
        assert_eq!(health.written_bytes, Some(5_120_000));
        assert_eq!(health.media_errors, Some(0));
        // The controller tells no warning temperature.
        assert_eq!((health.warning_celsius, health.missing), (None, None));
    }

    #[test]
    fn a_drive_that_cannot_be_asked_says_why() {
        let fake = Fake::new(Habits {
            hides_health: true,
            ..Habits::default()
        });
        let health = of_nvme(Nvme::new(&fake, 1));
        assert!(health.missing.unwrap().contains("0x4109"));
        assert_eq!(health.temperature_celsius, None);
    }
}
