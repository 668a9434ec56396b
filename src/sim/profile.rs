//! From settings to what the device and the host are built from, with the scale applied.
//!
//! A profile describes the whole drive that is modelled; `scale.dies` = K takes one in K of its
//! dies, channels, buffer and link time, `scale.slow` = S makes every time S times longer, and the
//! capacity says how much of each die is left. An erase is charged in proportion to the shortened
//! block: a full one for each short block would eat the write bandwidth.

use chrono::{DateTime, FixedOffset};

use super::SimError;
use super::device::die::Suspension;
use super::device::pipe::Rate;
use super::device::{Build, Timing, Trouble};
use super::flash::layout::{PAGE, Shape};
use super::host::{HostBuild, HostFaults};
use super::settings::Settings;

/// Parts per million in one.
const MILLION: u64 = 1_000_000;
/// Superblocks that blocks are shortened for: open ones and the reserve then are below 1 %.
const SUPERBLOCKS_MIN: u64 = 1000;
/// Superblocks beyond the low mark that must be spare: two open ones, one being emptied.
const SPARE_BEYOND_MARK: u64 = 3;
/// Mapped pages at most: page numbers are 32 bits with a value to spare.
const PAGES_MAX: u64 = 1 << 30;
/// The longest time a profile may state, in nanoseconds: a minute after scaling.
const TIME_MAX: u64 = 60_000_000_000;
/// The schema of profiles.
const SCHEMA: &str = "ptse-drive/1";

/// A profile, checked and scaled.
#[derive(Debug, Clone)]
pub(super) struct Profile {
    /// Its name.
    pub(super) name: String,
    /// Where the virtual calendar starts.
    pub(super) start: DateTime<FixedOffset>,
    /// One die in so many is simulated.
    pub(super) one_die_in: u64,
    /// Times are longer by this factor.
    pub(super) slow: u64,
    /// User capacity of the whole drive in bytes.
    pub(super) whole_capacity: u64,
    /// Dies of the whole drive.
    pub(super) whole_dies: u64,
    /// The device.
    pub(super) build: Build,
    /// The host.
    pub(super) host: HostBuild,
}

impl Profile {
    /// Checks the settings and applies the scale.
    pub(super) fn new(settings: &Settings) -> Result<Self, SimError> {
        let schema = settings.text("schema")?;
        if schema != SCHEMA {
            return Err(wrong(
                "schema",
                &schema,
                format!("a profile says schema = \"{SCHEMA}\""),
            ));
        }
        let start = settings.text("calendar.start")?;
        let start = DateTime::parse_from_rfc3339(&start).map_err(|_| {
            let right = "a date such as 2026-01-05T08:00:00+00:00".to_owned();
            wrong("calendar.start", &start, right)
        })?;
        let logical_block = settings.size("logical_block")?;
        if ![512, 4096].contains(&logical_block) {
            let text = settings.text("logical_block")?;
            return Err(wrong("logical_block", &text, "512B or 4KiB".into()));
        }
        let capacity = settings.size("capacity")?;
        if capacity == 0 || !capacity.is_multiple_of(logical_block) {
            return Err(wrong(
                "capacity",
                &settings.text("capacity")?,
                format!("a multiple of the logical block, {logical_block} bytes"),
            ));
        }
        let one_die_in = positive(settings, "scale.dies")?;
        let whole_dies = positive(settings, "whole.dies")?;
        if whole_dies > 1024 || !whole_dies.is_multiple_of(one_die_in) {
            return Err(wrong(
                "scale.dies",
                &one_die_in.to_string(),
                format!("a divisor of whole.dies ({whole_dies}, at most 1024)"),
            ));
        }
        let slow = positive(settings, "scale.slow")?;
        let shape = shape(settings, capacity, whole_dies / one_die_in)?;
        let timing = timing(settings, &shape, one_die_in, slow)?;
        let buffer = settings.size("buffer")? / one_die_in / PAGE;
        let stall_at = settings.time("faults.stall_at")?;
        let build = Build {
            capacity,
            shape,
            channels: narrow(
                "whole.channels",
                (positive(settings, "whole.channels")? / one_die_in).max(1),
            )?,
            buffer_pages: buffer,
            timing,
            trouble: Trouble {
                stall: (
                    stall_at,
                    stall_at.saturating_add(settings.time("faults.stall_for")?),
                ),
                unmapped_reads_slow: settings.switch("faults.unmapped_reads_slow")?,
            },
        };
        Ok(Self {
            name: settings.text("name")?,
            start,
            one_die_in,
            slow,
            whole_capacity: settings.size("whole.capacity")?,
            whole_dies,
            host: host(settings, &build, logical_block)?,
            build,
        })
    }
}

fn shape(settings: &Settings, capacity: u64, dies: u64) -> Result<Shape, SimError> {
    let unit_pages = pages(settings, "flash.unit")?;
    let sense_pages = pages(settings, "flash.sense")?;
    if !unit_pages.is_multiple_of(sense_pages) {
        return Err(wrong(
            "flash.sense",
            &settings.text("flash.sense")?,
            format!("a part of flash.unit ({unit_pages} pages of 4 KiB)"),
        ));
    }
    let user_pages = capacity.div_ceil(PAGE);
    let spare = settings.share("flash.spare")?;
    let physical = u128::from(user_pages) * u128::from(MILLION + spare.min(100 * MILLION))
        / u128::from(MILLION);
    let physical = u64::try_from(physical).unwrap_or(u64::MAX);
    if physical > PAGES_MAX {
        return Err(wrong(
            "capacity",
            &settings.text("capacity")?,
            format!(
                "capacity and spare area of at most {} TiB",
                (PAGES_MAX * PAGE) >> 40
            ),
        ));
    }
    let row = unit_pages * dies;
    let longest = (physical / row / SUPERBLOCKS_MIN).max(1);
    let block_units = positive(settings, "flash.block_units")?.min(longest);
    let superblock = row * block_units;
    let superblocks = (physical + superblock / 2) / superblock;
    let low_mark = positive(settings, "flash.low_mark")?.max(2);
    let needed = user_pages.div_ceil(superblock) + low_mark + SPARE_BEYOND_MARK;
    if superblocks < needed {
        return Err(wrong(
            "flash.spare",
            &settings.text("flash.spare")?,
            format!(
                "a larger share (or capacity, or a smaller scale): {needed} superblocks of \
                 {} KiB are needed, these make {superblocks}",
                superblock * PAGE / 1024
            ),
        ));
    }
    Ok(Shape {
        dies: narrow("whole.dies", dies)?,
        unit_pages: narrow("flash.unit", unit_pages)?,
        sense_pages: narrow("flash.sense", sense_pages)?,
        block_units: narrow("flash.block_units", block_units)?,
        superblocks: narrow("capacity", superblocks)?,
        user_pages: narrow("capacity", user_pages)?,
        low_mark: narrow("flash.low_mark", low_mark)?,
    })
}

fn timing(
    settings: &Settings,
    shape: &Shape,
    one_die_in: u64,
    slow: u64,
) -> Result<Timing, SimError> {
    let time = |key: &'static str| {
        let time = settings.time(key)?.saturating_mul(slow);
        if time > TIME_MAX {
            let right = "at most 1 min after scale.slow".to_owned();
            return Err(wrong(key, &settings.text(key)?, right));
        }
        Ok(time)
    };
    let link = settings.rate("link.rate")?;
    let whole_units = positive(settings, "flash.block_units_whole")?;
    Ok(Timing {
        command: time("timing.command")?,
        acknowledge: time("timing.acknowledge")?,
        interval: time("timing.interval")?.saturating_mul(one_die_in),
        sense: time("timing.sense")?,
        program: time("timing.program")?,
        erase: time("timing.erase")? * u64::from(shape.block_units) / whole_units,
        suspension: Suspension {
            delay: time("timing.suspend")?,
            stolen_max: time("timing.suspended_max")?,
        },
        channel: Rate::new(settings.rate("channel.rate")?, slow),
        link: Rate::new(link, slow),
        link_share: Rate::new(link, slow.saturating_mul(one_die_in)),
    })
}

fn host(settings: &Settings, build: &Build, logical_block: u64) -> Result<HostBuild, SimError> {
    let error_lba = settings.count_if_any("faults.error_at_lba")?;
    let error_offset = error_lba.map(|lba| lba.saturating_mul(logical_block));
    if let (Some(lba), Some(offset)) = (error_lba, error_offset)
        && offset >= build.capacity
    {
        return Err(wrong(
            "faults.error_at_lba",
            &lba.to_string(),
            format!("an LBA below {}", build.capacity / logical_block),
        ));
    }
    let decay_ppm = settings.share("faults.decay")?;
    if decay_ppm > MILLION {
        let text = settings.text("faults.decay")?;
        return Err(wrong("faults.decay", &text, "at most 100%".into()));
    }
    Ok(HostBuild {
        logical_block,
        purge_method: settings.text("purge.method")?,
        purge_time: settings.time("purge.time")?,
        faults: HostFaults {
            gap_at_change: settings.time("faults.gap_at_cell_change")?,
            error_offset,
            never_completes: settings.count("faults.never_completes")?,
            decay_ppm,
            decay_rounds: narrow(
                "faults.decay_rounds",
                settings.count("faults.decay_rounds")?,
            )?,
            program_time: build.timing.program,
        },
    })
}

fn pages(settings: &Settings, key: &'static str) -> Result<u64, SimError> {
    let bytes = settings.size(key)?;
    if bytes == 0 || !bytes.is_multiple_of(PAGE) {
        let right = "a multiple of the flash page, 4KiB".to_owned();
        return Err(wrong(key, &settings.text(key)?, right));
    }
    Ok(bytes / PAGE)
}

fn positive(settings: &Settings, key: &'static str) -> Result<u64, SimError> {
    match settings.count(key)? {
        count @ 1..=PAGES_MAX => Ok(count),
        other => Err(wrong(
            key,
            &other.to_string(),
            format!("a number from 1 to {PAGES_MAX}"),
        )),
    }
}

fn narrow(key: &'static str, value: u64) -> Result<u32, SimError> {
    u32::try_from(value).map_err(|_| wrong(key, &value.to_string(), "a number below 2^32".into()))
}

fn wrong(key: &'static str, value: &str, right: String) -> SimError {
    SimError::Impossible {
        key,
        value: value.to_owned(),
        right,
    }
}

#[cfg(test)]
mod tests;
