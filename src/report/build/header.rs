//! The header block: forty fields in the order of PTS report pages.
//!
//! What the program knows comes from the journal. What only a person knows comes from the fields
//! given when the run was opened, or from a later annotation, which is marked as such. A drive's
//! own identity is never replaced by a text somebody typed.

mod words;

use chrono::{DateTime, FixedOffset};

use self::words::{cache_text, duration_text, fill_text, intensity, pattern};
use super::Run;
use super::fields::{Fields, NO_ANSWER, NO_ANSWER_DRIVE, NOT_GIVEN};
use crate::report::model::{Header, HeaderColumn, HeaderField};
use crate::report::numbers::counted;
use crate::stimulus::Access;
use crate::units::{Bytes, to_f64};
use crate::verdict::Ledger;

const NOT_APPLICABLE: &str = "n/a";

/// A date with its time zone.
pub(super) fn date_text(at: &DateTime<FixedOffset>) -> String {
    at.format("%Y-%m-%d %H:%M:%S %:z").to_string()
}

pub(super) fn header(run: &Run<'_>, ledger: &Ledger) -> Header {
    let test = &run.plan.spec.test;
    let drive = &run.state.opened.drive;
    let fields = Fields::of(run);
    let short = test.name.rsplit('/').next().unwrap_or(&test.name);
    let ended = run.state.closed.as_ref().map(|noted| noted.at);
    let (specification, revision) = match &test.standard {
        Some(standard) => (
            "SNIA SSS TWG: Solid State Storage Performance Test Specification (PTS)",
            format!("Rev. {}", standard.replace("PTS ", "PTS-E ")),
        ),
        None => (
            "Laboratory test, not from a standard",
            NOT_APPLICABLE.to_owned(),
        ),
    };
    Header {
        run_date: date_text(&run.state.opened_at),
        report_date: date_text(&ended.unwrap_or(run.state.last_at)),
        band: format!("{} Test - REPORT PAGE", short.to_uppercase()),
        specification: specification.to_owned(),
        subtitle: test.title.clone(),
        revision,
        vendor: fields.text("vendor", drive.manufacturer.as_deref(), NO_ANSWER_DRIVE),
        model: drive.model.clone(),
        tested_by: fields.text("tested_by", None, NOT_GIVEN),
        columns: vec![
            platform(run, &fields),
            device(run, &fields),
            set_up(run, &fields, ledger),
            parameters(run),
        ],
    }
}

fn column(title: &str, fields: [(&str, String); 10]) -> HeaderColumn {
    HeaderColumn {
        title: title.to_owned(),
        fields: fields
            .into_iter()
            .map(|(label, value)| HeaderField {
                label: label.to_owned(),
                value,
            })
            .collect(),
    }
}

fn platform(run: &Run<'_>, fields: &Fields<'_>) -> HeaderColumn {
    let opened = &run.state.opened;
    let host = &opened.host;
    let drive = &opened.drive;
    let (software, version) = opened
        .tool
        .split_once(' ')
        .unwrap_or((opened.tool.as_str(), "not recorded"));
    // The settings in force stand on the page of conditions.
    let engine = drive
        .engine
        .as_deref()
        .and_then(|text| text.split([' ', ',']).next());
    let version = engine.map_or(version.to_owned(), |engine| format!("{version} ({engine})"));
    let started = run.state.opened_at.format("%Y%m%dT%H%M%S%z").to_string();
    column(
        "Test Platform",
        [
            (
                "Ref Test Platform",
                fields.text("ref_test_platform", None, NOT_GIVEN),
            ),
            (
                "Motherboard",
                fields.text("motherboard", host.motherboard.as_deref(), NO_ANSWER),
            ),
            ("CPU", fields.text("cpu", host.cpu.as_deref(), NO_ANSWER)),
            (
                "Memory",
                fields.text("memory", host.memory.as_deref(), NO_ANSWER),
            ),
            (
                "Operating System",
                fields.text(
                    "operating_system",
                    host.operating_system.as_deref(),
                    NO_ANSWER,
                ),
            ),
            ("Test SW", software.to_owned()),
            ("Test SW ver (info)", version),
            ("Test ID No.", fields.text("test_id", Some(&started), "")),
            ("HBA", fields.text("hba", host.hba.as_deref(), NO_ANSWER)),
            (
                "PCIe",
                fields.text("pcie", drive.pcie.as_deref(), NO_ANSWER),
            ),
        ],
    )
}

fn device(run: &Run<'_>, fields: &Fields<'_>) -> HeaderColumn {
    let drive = &run.state.opened.drive;
    let own = |text: &Option<String>, missing: &str| text.as_deref().unwrap_or(missing).to_owned();
    let capacity = Bytes(drive.capacity_bytes);
    column(
        "Device Under Test",
        [
            (
                "Mfgr",
                fields.text(
                    "manufacturer",
                    drive.manufacturer.as_deref(),
                    NO_ANSWER_DRIVE,
                ),
            ),
            ("Model No.", drive.model.clone()),
            (
                "S/N",
                own(&drive.serial, "not recorded (the device has none)"),
            ),
            ("Firmware ver", own(&drive.firmware, NO_ANSWER_DRIVE)),
            (
                "Capacity",
                format!("{} ({} B)", capacity.as_capacity(), capacity.0),
            ),
            (
                "Interface",
                fields.text("interface", drive.interface.as_deref(), NO_ANSWER_DRIVE),
            ),
            (
                "NAND Type",
                fields.text("nand", drive.nand.as_deref(), NO_ANSWER_DRIVE),
            ),
            (
                "PCIe NVM",
                fields.text("pcie_nvm", drive.pcie.as_deref(), NOT_APPLICABLE),
            ),
            ("Purge Method", purge_text(run)),
            ("Write Cache", cache_text(run.state.write_cache())),
        ],
    )
}

fn purge_text(run: &Run<'_>) -> String {
    if run.state.opened.purge_method == "none" {
        return "none (waived)".to_owned();
    }
    if !run.plan.has_purge() {
        return "none".to_owned();
    }
    let last = run
        .state
        .attempts
        .iter()
        .rev()
        .find_map(|attempt| attempt.purged.as_ref());
    last.map_or(
        "not recorded (the purge has not ended)".to_owned(),
        |noted| noted.what.method.clone(),
    )
}

/// First stimulus of the loop this drive can run.
fn loop_access<'a>(run: &Run<'a>) -> Option<&'a Access> {
    let cells = &run.planned?.cells;
    cells.iter().find_map(|cell| cell.access.as_ref().ok())
}

/// Share of the capacity that the zones of a stimulus cover, `100 %`.
fn range_text(run: &Run<'_>, access: Option<&Access>) -> String {
    let Some(access) = access else {
        return NOT_APPLICABLE.to_owned();
    };
    let capacity = run.plan.geometry.capacity.0;
    let covered: u64 = access.zones.iter().map(|zone| zone.len()).sum();
    if covered == capacity {
        return "100 %".to_owned();
    }
    format!("{:.3} %", to_f64(covered) * 100.0 / to_f64(capacity.max(1)))
}

fn set_up(run: &Run<'_>, fields: &Fields<'_>, ledger: &Ledger) -> HeaderColumn {
    let access = loop_access(run);
    let fill = run.plan.fill();
    let first = fill.map_or("None".to_owned(), fill_text);
    let duration = fill.map_or(NOT_APPLICABLE.to_owned(), |fill| {
        let capacity = run.plan.geometry.capacity;
        duration_text(fill.amount, capacity)
    });
    let has_loop = run.planned.is_some();
    let or_none = |text: String| {
        if has_loop {
            text
        } else {
            NOT_APPLICABLE.to_owned()
        }
    };
    column(
        "Set Up Parameters",
        [
            (
                "Data Pattern",
                pattern(fill.map(|fill| &fill.access).or(access)),
            ),
            (
                "AR",
                range_text(run, fill.map(|fill| &fill.access).or(access)),
            ),
            ("AR Segments", NOT_APPLICABLE.to_owned()),
            ("Pre Condition 1", first),
            ("- TOIO - TC/QD", intensity(fill.map(|fill| &fill.access))),
            ("- Duration", duration),
            ("Pre Condition 2", or_none(loop_name(run))),
            ("- TOIO - TC/QD", intensity(access)),
            ("- SS Rounds", or_none(run.steady_text())),
            ("Notes", notes(fields, ledger)),
        ],
    )
}

/// What a person noted, and how many deviations the ledger has: a page may be read alone.
fn notes(fields: &Fields<'_>, ledger: &Ledger) -> String {
    let given = fields.text("notes", None, "");
    let departs = match ledger.deviations() {
        0 => String::new(),
        count => format!("{}, see ledger", counted(count, "deviation")),
    };
    let both: Vec<&str> = [departs.as_str(), given.as_str()]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect();
    if both.is_empty() {
        return NOT_APPLICABLE.to_owned();
    }
    both.join("; ")
}

fn loop_name(run: &Run<'_>) -> String {
    let name = run
        .plan
        .spec
        .test
        .name
        .rsplit('/')
        .next()
        .unwrap_or_default();
    format!("{} Loop", name.to_uppercase())
}

fn parameters(run: &Run<'_>) -> HeaderColumn {
    let access = loop_access(run);
    let not_applicable = || NOT_APPLICABLE.to_owned();
    let has_loop = run.planned.is_some();
    let or_none = |text: String| if has_loop { text } else { not_applicable() };
    let (mixes, blocks) = nesting(run);
    let amount = run.plan.geometry.capacity.as_capacity();
    column(
        "Test Parameters",
        [
            ("Data Pattern", pattern(access)),
            (
                "AR & Amount",
                or_none(format!("{}, {amount}", range_text(run, access))),
            ),
            ("Test Stimulus 1", or_none(loop_name(run))),
            ("RW Mix", or_none(mixes)),
            ("Block Sizes", or_none(blocks)),
            ("- TOIO - TC/QD", intensity(access)),
            ("- Steady State", or_none(run.steady_text())),
            ("Test Stimulus 2", not_applicable()),
            ("- TOIO - TC/QD", not_applicable()),
            ("- Steady State", not_applicable()),
        ],
    )
}

/// Which of mix and block size is the outer loop, read from the order of the cells.
fn nesting(run: &Run<'_>) -> (String, String) {
    let cells = run
        .planned
        .map_or(&[][..], |rounds| rounds.cells.as_slice());
    let changes = |same: &dyn Fn(usize) -> bool| (1..cells.len()).filter(|i| !same(*i)).count();
    let of_mix = changes(&|i| cells[i].read_percent == cells[i - 1].read_percent);
    let of_block = changes(&|i| cells[i].block == cells[i - 1].block);
    let (outer, inner) = ("Outer Loop".to_owned(), "Inner Loop".to_owned());
    if of_mix <= of_block {
        (outer, inner)
    } else {
        (inner, outer)
    }
}
