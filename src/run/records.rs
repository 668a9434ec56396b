//! From what a drive reports to what the journal keeps: the only place where live types become
//! types on disk.

use chrono::{DateTime, FixedOffset};

use crate::drive::{
    CacheDemand, CacheLook, Calendar, DriveKind, Failure, FlashCounts, Health, Host, Identity,
    Measurement, Purged, Tick, WorkerLoad, WriteCache,
};
use crate::journal::histograms;
use crate::journal::record::{
    ArrivalsRecord, CacheDone, CacheOccasion, CellDone, DriveRecord, FailedIo, FailedKind,
    FlashRecord, FlowRecord, HealthDone, HostRecord, LimitsRecord, PurgeDone, WorkerRecord,
};
use crate::journal::samples::SampleRow;
use crate::stats::Flow;
use crate::stimulus::arrivals::ArrivalCounts;
use crate::units::Nanos;

/// Error numbers of Linux for a command that ran out of time.
const ETIME: i32 = 62;
const ETIMEDOUT: i32 = 110;

/// The drive, as the opening record describes it.
pub fn drive(identity: &Identity) -> DriveRecord {
    DriveRecord {
        address: identity.address.clone(),
        kind: kind(identity.kind).to_owned(),
        manufacturer: identity.manufacturer.clone(),
        model: identity.model.clone(),
        serial: identity.serial.clone(),
        firmware: identity.firmware.clone(),
        interface: identity.interface.clone(),
        nand: identity.nand.clone(),
        pcie: identity.pcie.clone(),
        capacity_bytes: identity.capacity.0,
        logical_block_bytes: identity.logical_block.0,
        physical_block_bytes: identity.physical_block.map(|block| block.0),
        write_cache: write_cache(&identity.write_cache),
        anchor: identity.anchor.clone(),
        scale: identity.scale.clone(),
        engine: identity.engine.clone(),
        limits: identity.limits.map(|limits| LimitsRecord {
            transfer_bytes_max: limits.bytes_max.0,
            segments_max: limits.segments_max,
        }),
    }
}

/// The machine, as the opening record describes it.
pub fn host(host: &Host) -> HostRecord {
    HostRecord {
        motherboard: host.motherboard.clone(),
        cpu: host.cpu.clone(),
        memory: host.memory.clone(),
        operating_system: host.operating_system.clone(),
        hba: host.hba.clone(),
    }
}

/// A purge that ended.
pub fn purge(step_index: u32, purged: &Purged) -> PurgeDone {
    PurgeDone {
        step_index,
        method: purged.method.clone(),
        named_by_standard: purged.is_named_by_standard,
        verification: purged.verification.clone(),
        started_ns: purged.started.0,
        ended_ns: purged.ended.0,
    }
}

/// The write cache, read and set.
pub fn cache(occasion: CacheOccasion, look: &CacheLook) -> CacheDone {
    CacheDone {
        occasion,
        asked: match look.demand {
            CacheDemand::Look => None,
            CacheDemand::Set { on } => Some(if on { "on" } else { "off" }.to_owned()),
        },
        before: write_cache(&look.before),
        after: write_cache(&look.after),
        refusal: look.refusal.clone(),
    }
}

/// The health of the drive.
pub fn health(health: &Health) -> HealthDone {
    HealthDone {
        source: health.source.clone(),
        missing: health.missing.clone(),
        temperature_celsius: health.temperature_celsius,
        warning_celsius: health.warning_celsius,
        warnings: health.warnings,
        healthy: health.is_healthy,
        spare_percent: health.spare_percent,
        used_percent: health.used_percent,
        read_bytes: health.read_bytes,
        written_bytes: health.written_bytes,
        media_errors: health.media_errors,
        error_entries: health.error_entries,
        unsafe_shutdowns: health.unsafe_shutdowns,
        warning_minutes: health.warning_minutes,
        throttle_count: health.throttle_count,
        throttle_seconds: health.throttle_seconds,
        link: health.link.clone(),
    }
}

/// A cell that ended.
pub fn cell(measured: &Measurement, label: &str) -> CellDone {
    CellDone {
        step_index: measured.key.step_index,
        round: measured.key.round,
        cell_index: measured.key.cell_index,
        cell: label.to_owned(),
        started_ns: measured.started.0,
        elapsed_ns: measured.elapsed.0,
        read: flow(&measured.read),
        write: flow(&measured.write),
        idle_gap_ns: measured.hand_over.idle_gap.map(|gap| gap.0),
        hand_over_ns: measured.hand_over.overlap.0,
        hand_over_ios: measured.hand_over.ios_uncounted,
        reads_issued: Some(measured.issued.reads),
        writes_issued: Some(measured.issued.writes),
        arrivals: measured.arrivals.map(arrivals),
        workers: measured.workers.iter().map(worker).collect(),
        host_limited: measured.host_limited.clone(),
        flash: measured.flash.map(flash),
    }
}

/// A second that passed.
pub fn sample(tick: &Tick, segment: u32, step: &str) -> SampleRow {
    SampleRow {
        segment,
        at: tick.at,
        span: tick.span,
        step: step.to_owned(),
        round: (tick.key.round > 0).then_some(tick.key.round),
        cell_index: tick.key.cell_index,
        is_hand_over: tick.is_hand_over,
        read: tick.read,
        write: tick.write,
        temperature_celsius: tick.temperature_celsius,
    }
}

/// The I/O behind a failure, if there is one; `logical_block` in bytes.
pub fn failed(failure: &Failure, logical_block: u64) -> Option<FailedIo> {
    match failure {
        Failure::Io {
            direction,
            offset,
            length,
            lba,
            errno,
            at,
            cause: _,
        } => Some(FailedIo {
            kind: match errno {
                None => FailedKind::ShortTransfer,
                Some(ETIME | ETIMEDOUT) => FailedKind::TimeOut,
                Some(_) => FailedKind::Error,
            },
            direction: (*direction).to_owned(),
            offset_bytes: *offset,
            length_bytes: *length,
            lba: *lba,
            errno: *errno,
            at_ns: at.0,
        }),
        Failure::WrongData {
            lba,
            at,
            expected: _,
            found: _,
        } => Some(FailedIo {
            kind: FailedKind::WrongData,
            direction: "read".to_owned(),
            offset_bytes: lba * logical_block,
            length_bytes: logical_block,
            lba: *lba,
            errno: None,
            at_ns: at.0,
        }),
        Failure::Silent { .. } | Failure::Purge { .. } | Failure::Engine { .. } => None,
    }
}

/// I/Os that a silent drive never completed.
pub fn unanswered(failure: &Failure) -> Option<u32> {
    match failure {
        Failure::Silent { outstanding, .. } => Some(*outstanding),
        Failure::Io { .. }
        | Failure::WrongData { .. }
        | Failure::Purge { .. }
        | Failure::Engine { .. } => None,
    }
}

/// A date on the drive's calendar, RFC 3339. `now` is only asked for on the wall clock.
pub fn date(calendar: Calendar, at: Nanos, now: impl FnOnce() -> String) -> String {
    match calendar {
        Calendar::Wall => now(),
        Calendar::Virtual { start } => {
            let nanos = i64::try_from(at.0).unwrap_or(i64::MAX);
            date_text(start + chrono::Duration::nanoseconds(nanos))
        }
    }
}

/// A date as the journal writes it; texts of one time zone compare like their dates.
pub fn date_text(date: DateTime<FixedOffset>) -> String {
    date.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

fn flow(flow: &Flow) -> Option<FlowRecord> {
    let tally = &flow.tally;
    (tally.ios > 0).then(|| FlowRecord {
        ios: tally.ios,
        bytes: tally.bytes,
        latency_ns_sum: tally.latency_ns_sum,
        latency_ns_min: tally.latency_ns_min,
        latency_ns_max: tally.latency_ns_max,
        histogram: histograms::encode(&flow.histogram),
    })
}

fn worker(load: &WorkerLoad) -> WorkerRecord {
    WorkerRecord {
        cpu_permille: load.cpu_permille,
        waiting_permille: load.waiting_permille,
        preempted: load.preempted,
    }
}

fn arrivals(counts: ArrivalCounts) -> ArrivalsRecord {
    ArrivalsRecord {
        asked: counts.asked,
        not_issued: counts.not_issued,
    }
}

fn flash(counts: FlashCounts) -> FlashRecord {
    FlashRecord {
        host_pages: counts.host_pages,
        moved_pages: counts.moved_pages,
        programmed_pages: counts.programmed_pages,
    }
}

fn kind(kind: DriveKind) -> &'static str {
    match kind {
        DriveKind::Drive => "drive",
        DriveKind::Simulated => "simulated",
        DriveKind::Loop => "loop",
        DriveKind::File => "file",
        DriveKind::OtherBlock => "other-block",
    }
}

fn write_cache(state: &WriteCache) -> String {
    match state {
        WriteCache::On => "on".to_owned(),
        WriteCache::Off => "off".to_owned(),
        WriteCache::Absent => "absent".to_owned(),
        WriteCache::Unknown { cause } => format!("unknown: {cause}"),
    }
}
