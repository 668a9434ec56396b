//! Run folders: their names, and whether there is room for a run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset};

use crate::commands::exit::CommandError;
use crate::journal::recorder::RESERVE_BYTES;
use crate::pts;
use crate::spec::model::AtLimit;
use crate::spec::plan::{Plan, PlannedWork};
use crate::units::Bytes;

/// Longest part of a folder name that comes from a drive.
const NAME_CHARS_MAX: usize = 48;
/// Most bytes a record of a cell takes: two histograms of every bucket, deflated.
const CELL_RECORD_BYTES_MAX: u64 = 24 << 10;
/// Most bytes a line of the samples takes.
const SAMPLE_BYTES_MAX: u64 = 256;
/// Room for the report and its plots.
const REPORT_BYTES_MAX: u64 = 32 << 20;

/// Makes the folder `<start>-<model>-<serial>-<test>` in `out`. An existing folder is never
/// written into: `-2`, `-3` ... is appended.
///
/// # Errors
/// When the folder cannot be made.
pub fn make(
    out: &Path,
    start: DateTime<FixedOffset>,
    model: &str,
    serial: Option<&str>,
    test: &str,
) -> Result<PathBuf, CommandError> {
    let parts = [Some(model), serial, Some(test)];
    let named = parts
        .into_iter()
        .flatten()
        .map(plain)
        .filter(|part| !part.is_empty());
    let name = std::iter::once(start.format("%Y%m%d-%H%M%S").to_string()).chain(named);
    let name = name.collect::<Vec<_>>().join("-");
    let failed = |path: &Path, error: io::Error| {
        CommandError::device(format!(
            "cannot make the run folder {}: {error}; choose another with --out",
            path.display()
        ))
    };
    fs::create_dir_all(out).map_err(|error| failed(out, error))?;
    for number in 1_u32.. {
        let suffix = if number == 1 {
            String::new()
        } else {
            format!("-{number}")
        };
        let path = out.join(format!("{name}{suffix}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&path, error)),
        }
    }
    unreachable!("there are fewer than 2^32 folders of one name")
}

/// Letters, digits, dots and underscores of a name; everything else becomes one dash.
fn plain(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars().take(NAME_CHARS_MAX) {
        if c.is_ascii_alphanumeric() || c == '.' || c == '_' {
            text.push(c);
        } else if !text.ends_with('-') {
            text.push('-');
        }
    }
    text.trim_matches(|c| c == '-' || c == '.').to_owned()
}

/// Refuses a run whose record may not fit.
///
/// # Errors
/// With the space needed and the space there is.
pub fn check_space(folder: &Path, plan: &Plan) -> Result<(), CommandError> {
    let stat = rustix::fs::statvfs(folder).map_err(|error| {
        CommandError::device(format!(
            "cannot read the free space of {}: {error}",
            folder.display()
        ))
    })?;
    let free = stat.f_bavail.saturating_mul(stat.f_frsize);
    let needed = needed(plan);
    if free >= needed {
        return Ok(());
    }
    Err(CommandError::device(format!(
        "results disk full: the record of this run may need {} and {} has {} free; free space or \
         choose another folder with --out",
        Bytes(needed).as_capacity(),
        folder.display(),
        Bytes(free).as_capacity()
    )))
}

/// Bytes of the record in the worst case, reserve and report included.
fn needed(plan: &Plan) -> u64 {
    let steps = plan.steps.iter().map(|step| match &step.work {
        PlannedWork::Rounds(rounds) => {
            let limit = match rounds.at_limit {
                AtLimit::Stop => rounds.rounds_max,
                AtLimit::Continue => rounds.rounds_max.max(4 * pts::ROUNDS_MAX),
            };
            let cells = u64::try_from(rounds.possible()).expect("cells of a loop");
            let rows = rounds.cell_time.0.div_ceil(1_000_000_000) + 2;
            u64::from(limit) * cells * (CELL_RECORD_BYTES_MAX + rows * SAMPLE_BYTES_MAX)
        }
        // A fill of a slow drive: a day of samples.
        PlannedWork::Fill(_) => CELL_RECORD_BYTES_MAX + 86_400 * SAMPLE_BYTES_MAX,
        PlannedWork::Purge | PlannedWork::NotBuilt { .. } => CELL_RECORD_BYTES_MAX,
    });
    steps.sum::<u64>() + RESERVE_BYTES + REPORT_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_drives_become_plain_folder_names() {
        assert_eq!(plain("SAMSUNG MZ/QL2 7T6"), "SAMSUNG-MZ-QL2-7T6");
        assert_eq!(plain("../../etc/passwd"), "etc-passwd");
        assert_eq!(plain("M\u{fc}\u{0}\u{fffd}ller"), "M-ller");
    }

    #[test]
    fn an_existing_folder_is_never_used_again() {
        let dir = tempfile::tempdir().unwrap();
        let start = DateTime::parse_from_rfc3339("2026-01-05T18:00:00Z").unwrap();
        let make = || make(dir.path(), start, "m", Some("s"), "pts-e/iops").unwrap();
        assert!(make().ends_with("20260105-180000-m-s-pts-e-iops"));
        assert!(make().ends_with("20260105-180000-m-s-pts-e-iops-2"));
    }
}
