//! Promise: the whole job works on a real block device. Needs root and loop devices; says why
//! where it is skipped.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::killed;
use common::loops::LoopDevice;

fn ptse(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ptse"))
        .args(args)
        .output()
        .unwrap()
}

fn run_folder(out: &Path) -> PathBuf {
    std::fs::read_dir(out)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .max()
        .unwrap()
}

fn report(folder: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(folder.join("report.json")).unwrap()).unwrap()
}

/// Ids of the ledger's lines that are neither passed nor not applicable.
fn lines_in_question(folder: &Path) -> Vec<String> {
    let report = report(folder);
    let lines = report["ledger"]["lines"].as_array().unwrap().clone();
    let is_fine =
        |line: &serde_json::Value| line["verdict"] == "pass" || line["verdict"] == "not-applicable";
    let open = lines.iter().filter(|line| !is_fine(line));
    open.map(|line| line["id"].as_str().unwrap().to_owned())
        .collect()
}

fn quick_run(device: &LoopDevice, out: &Path, more: &[&str]) -> Output {
    let mut args = vec![
        "run",
        "pts-e/iops",
        "--quick",
        "--drive",
        &device.path,
        "--erase",
    ];
    args.extend([device.name(), "--out", out.to_str().unwrap()]);
    args.extend(more);
    ptse(&args)
}

/// A quick run on 512-byte blocks completes, its ledger lists what it must and nothing that has
/// no cause, and its record verifies.
#[test]
fn a_quick_run_on_512_byte_blocks_completes_with_its_deviations() {
    let Some(device) = LoopDevice::new(64 << 20, 512) else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let output = quick_run(&device, dir.path(), &["--set", "rounds.rounds_max=5"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{said}");
    let folder = run_folder(dir.path());
    let open = lines_in_question(&folder);
    for expected in ["device", "purge", "cell-time", "round-limit"] {
        assert!(
            open.iter().any(|id| id == expected),
            "{expected} is missing in {open:?}"
        );
    }
    let allowed = [
        "device",
        "purge",
        "cell-time",
        "round-limit",
        "steady-state",
        "host-limits",
        "idle-gaps",
        "write-cache",
        "splits",
    ];
    assert!(
        open.iter().all(|id| allowed.contains(&id.as_str())),
        "{open:?}"
    );
    assert_eq!(
        ptse(&["verify", folder.to_str().unwrap()]).status.code(),
        Some(0)
    );
    let samples = std::fs::read_to_string(folder.join("samples.csv")).unwrap();
    assert!(samples.lines().count() > 5 * 56);
}

/// On 4096-byte blocks the 0.5 KiB row is empty, never 0; 49 bars are drawn; the ledger says why.
#[test]
fn on_4096_byte_blocks_the_smallest_row_is_missing_and_never_zero() {
    let Some(device) = LoopDevice::new(64 << 20, 4096) else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let output = quick_run(
        &device,
        dir.path(),
        &[
            "--set",
            "rounds.rounds_max=5",
            "--set",
            "rounds.cell_time=100ms",
        ],
    );
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let folder = run_folder(dir.path());
    let table = std::fs::read_to_string(folder.join("tables/iops.csv")).unwrap();
    let smallest = table.lines().nth(1).unwrap();
    assert_eq!(smallest, "0.5,,,,,,,");
    let plot = std::fs::read_to_string(folder.join("plots/iops-3d.svg")).unwrap();
    assert_eq!(plot.matches("<title>").count(), 49);
    let report = report(&folder).to_string();
    assert!(
        report.contains("0.5 KiB is smaller than the logical block"),
        "the ledger says why"
    );
}

/// kill -9 in the middle of round 2; the device comes back under another name; then resume: it
/// completes, keeps every cell, and names the pause.
#[test]
fn kill_in_round_2_and_resume() {
    let Some(mut device) = LoopDevice::new(64 << 20, 512) else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptse"));
    command.args([
        "run",
        "pts-e/iops",
        "--quick",
        "--set",
        "rounds.cell_time=100ms",
    ]);
    command
        .args(["--drive", &device.path, "--erase", device.name(), "--out"])
        .arg(dir.path());
    let folder = killed::kill_when(command, dir.path(), |journal| {
        journal
            .state
            .rounds(2)
            .any(|round| round.number == 2 && round.cells.len() >= 20)
    });
    device.move_elsewhere();
    killed::check_resume(&folder, 2);
}

/// Without `--erase` nothing is erased; a wrong name neither.
#[test]
fn without_its_name_a_device_is_refused_and_unchanged() {
    let Some(device) = LoopDevice::new(8 << 20, 512) else {
        return;
    };
    device.write_pattern();
    let before = device.content();
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    for erase in [None, Some("sda"), Some("")] {
        let mut args = vec![
            "run",
            "pts-e/iops",
            "--quick",
            "--drive",
            &device.path,
            "--out",
            out,
        ];
        if let Some(name) = erase {
            args.extend(["--erase", name]);
        }
        let output = ptse(&args);
        assert_eq!(output.status.code(), Some(3), "{erase:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(device.name()), "{said}");
    }
    assert!(device.content() == before);
}

/// A mounted file system is never touched, whatever name the device is given.
#[test]
fn a_mounted_device_is_refused_by_any_of_its_names() {
    let Some(device) = LoopDevice::new(16 << 20, 512) else {
        return;
    };
    let Some(mount) = device.mount_ext4_read_only() else {
        return;
    };
    let before = device.content();
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("ata-By_Id_Name");
    std::os::unix::fs::symlink(&device.path, &link).unwrap();
    for name in [device.path.as_str(), link.to_str().unwrap()] {
        let out = dir.path().join("out");
        let output = ptse(&[
            "run",
            "pts-e/iops",
            "--quick",
            "--drive",
            name,
            "--erase",
            device.name(),
            "--even-with-signatures",
            "--out",
            out.to_str().unwrap(),
        ]);
        assert_eq!(output.status.code(), Some(3), "{name}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(mount.point.to_str().unwrap()), "{said}");
    }
    assert!(device.content() == before);
}

/// A loop device over a device, another over the same file, and the file itself share bytes: what
/// is on one of them protects the others, though the kernel calls none of them busy.
#[test]
fn what_shares_its_bytes_protects_a_device() {
    let Some(device) = LoopDevice::new(16 << 20, 512) else {
        return;
    };
    let before = device.content();
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let refused = |drive: &str, name: &str, holder: &str| {
        let args = [
            "run",
            "pts-e/iops",
            "--quick",
            "--drive",
            drive,
            "--erase",
            name,
        ];
        let output = ptse(&[&args[..], &["--out", out, "--even-with-signatures"]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{drive}: {said}");
        assert!(said.contains(holder), "{drive}: {said}");
    };
    {
        let above = LoopDevice::over(&device.path, 1 << 20);
        refused(&device.path, device.name(), &above.path);
        refused(&above.path, above.name(), &above.path);
    }
    {
        let beside = LoopDevice::over(device.backing().to_str().unwrap(), 1 << 20);
        refused(&device.path, device.name(), "/dev/loop");
        refused(&beside.path, beside.name(), "/dev/loop");
    }
    let file = format!("file:{}", device.backing().display());
    refused(&file, "backing.img", &device.path);
    assert!(device.content() == before);
}

/// A file that holds a file system is refused like a device that does.
#[test]
fn a_file_with_a_file_system_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let image = dir.path().join("disk.img");
    let mut bytes = vec![0_u8; 8 << 20];
    // The magic number of ext2, ext3 and ext4 in the superblock at 1024.
    bytes[1024 + 56] = 0x53;
    bytes[1024 + 57] = 0xEF;
    std::fs::write(&image, &bytes).unwrap();
    let (file, out) = (format!("file:{}", image.display()), dir.path().join("out"));
    let args = [
        "run",
        "pts-e/iops",
        "--quick",
        "--drive",
        &file,
        "--erase",
        "disk.img",
        "--out",
    ];
    let output = ptse(&[&args[..], &[out.to_str().unwrap()]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("ext") && said.contains("--even-with-signatures"),
        "{said}"
    );
    assert!(std::fs::read(&image).unwrap() == bytes);
}
