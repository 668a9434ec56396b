//! Health through `smartctl --json`, for drives that are not NVMe. Bits of its exit code tell of
//! the drive as well as of the program, so it only failed where it gave no figures.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::Health;
use crate::process;

const SOURCE: &str = "smartctl";
/// A disk that spins up takes some 20 s to answer.
const TIME_MAX: Duration = Duration::from_secs(60);

/// What `smartctl` tells of a drive.
pub(super) fn ask(node: &Path) -> Health {
    ask_with(OsStr::new("smartctl"), node)
}

fn ask_with(program: &OsStr, node: &Path) -> Health {
    let arguments = [OsStr::new("--json"), OsStr::new("-x"), node.as_os_str()];
    match process::run(program, "smartmontools", &arguments, TIME_MAX) {
        Err(error) => Health::missing(SOURCE, error.to_string()),
        Ok(ended) => parse(&ended.out, ended.code),
    }
}

fn parse(said: &str, code: Option<i32>) -> Health {
    let Ok(page) = serde_json::from_str::<Value>(said) else {
        let cause = format!("smartctl gave no figures (exit code {code:?})");
        return Health::missing(SOURCE, cause);
    };
    let number = |path: &str| page.pointer(path).and_then(Value::as_u64);
    let health = Health {
        source: SOURCE.to_owned(),
        temperature_celsius: page.pointer("/temperature/current").and_then(Value::as_i64),
        is_healthy: page
            .pointer("/smart_status/passed")
            .and_then(Value::as_bool),
        used_percent: statistic(&page, "Percentage Used Endurance Indicator")
            .or_else(|| number("/scsi_percentage_used_endurance_indicator")),
        read_bytes: sectors(&page, "Logical Sectors Read"),
        written_bytes: sectors(&page, "Logical Sectors Written"),
        media_errors: statistic(&page, "Number of Reported Uncorrectable Errors")
            .or_else(|| number("/scsi_error_counter_log/read/total_uncorrected_errors")),
        error_entries: number("/ata_smart_error_log/extended/count"),
        ..Health::default()
    };
    let nothing = Health {
        source: SOURCE.to_owned(),
        ..Health::default()
    };
    if health != nothing {
        return health;
    }
    let messages = page.pointer("/smartctl/messages").and_then(Value::as_array);
    let words: Vec<&str> = messages
        .into_iter()
        .flatten()
        .filter_map(|message| message["string"].as_str())
        .collect();
    let cause = if words.is_empty() {
        "SMART is not available".to_owned()
    } else {
        words.join("; ")
    };
    Health::missing(SOURCE, cause)
}

/// A value of the ATA device statistics, by its name in the standard.
fn statistic(page: &Value, name: &str) -> Option<u64> {
    let pages = page.pointer("/ata_device_statistics/pages")?.as_array()?;
    let rows = pages.iter().filter_map(|page| page["table"].as_array());
    let row = rows.flatten().find(|row| row["name"] == name)?;
    row["value"].as_u64()
}

fn sectors(page: &Value, name: &str) -> Option<u64> {
    let block = page
        .pointer("/logical_block_size")
        .and_then(Value::as_u64)?;
    statistic(page, name)?.checked_mul(block)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// As smartctl 7.3 prints it, shortened.
    const SATA: &str = r#"{
        "smartctl": {"version": [7, 3], "exit_status": 4, "messages": [
            {"string": "Some command failed", "severity": "error"}]},
        "logical_block_size": 512,
        "smart_status": {"passed": true},
        "temperature": {"current": 31},
        "ata_device_statistics": {"pages": [{"number": 1, "table": [
            {"name": "Logical Sectors Written", "value": 1000},
            {"name": "Number of Reported Uncorrectable Errors", "value": 0}]},
            {"number": 7, "table": [
            {"name": "Percentage Used Endurance Indicator", "value": 3}]}]}
    }"#;

    /// Issue 4: exit codes 4, 32 and 128 are bits about the drive, not failures.
    #[test]
    fn bits_of_the_exit_code_are_no_failure() {
        for code in [0, 4, 32, 128] {
            let health = parse(SATA, Some(code));
            assert_eq!(health.missing, None);
            assert_eq!(
                (health.temperature_celsius, health.used_percent),
                (Some(31), Some(3))
            );
            assert_eq!(health.written_bytes, Some(512_000));
            assert_eq!((health.read_bytes, health.media_errors), (None, Some(0)));
        }
    }

    /// Field report 59: what has no SMART says so, and nothing stops.
    #[test]
    fn a_device_without_smart_is_not_available_with_the_cause() {
        let page = r#"{"smartctl": {"exit_status": 1, "messages": [
            {"string": "/dev/loop0: Unable to detect device type", "severity": "error"}]}}"#;
        let cause = parse(page, Some(1)).missing.unwrap();
        assert!(cause.contains("Unable to detect"), "{cause}");
        assert!(parse("", Some(2)).missing.is_some());
    }

    #[test]
    fn a_program_stands_between_and_may_be_missing() {
        let folder = tempfile::tempdir().unwrap();
        let shim = folder.path().join("smartctl");
        fs::write(
            &shim,
            format!("#!/bin/sh\ncat <<'END'\n{SATA}\nEND\nexit 128\n"),
        )
        .unwrap();
        fs::set_permissions(&shim, fs::Permissions::from_mode(0o755)).unwrap();
        let health = ask_with(shim.as_os_str(), Path::new("/dev/x"));
        assert_eq!(health.temperature_celsius, Some(31));
        let gone = folder.path().join("gone");
        let cause = ask_with(gone.as_os_str(), Path::new("/dev/x"))
            .missing
            .unwrap();
        assert!(
            cause.contains("install the package smartmontools"),
            "{cause}"
        );
    }
}
