//! The images behind emulated drives, and the run folders that a machine leaves on this host.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use ptse::journal::JOURNAL_FILE;
use ptse::journal::read::{Journal, read};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// An image of zeros, at a place that goes with the folder.
pub(crate) fn image(folder: &TempDir, name: &str, bytes: u64) -> PathBuf {
    let path = folder.path().join(name);
    File::create(&path).unwrap().set_len(bytes).unwrap();
    path
}

/// An image of bytes that are not zero and carry no signature.
pub(crate) fn patterned(folder: &TempDir, name: &str, bytes: u64) -> PathBuf {
    let path = folder.path().join(name);
    let pattern = |index: u64| u8::try_from(index % 251).unwrap();
    fs::write(&path, (0..bytes).map(pattern).collect::<Vec<u8>>()).unwrap();
    path
}

/// SHA-256 of everything in an image.
pub(crate) fn digest(path: &Path) -> Vec<u8> {
    Sha256::digest(fs::read(path).unwrap()).to_vec()
}

/// The only run folder in a folder.
pub(crate) fn run_folder(out: &Path) -> PathBuf {
    let mut folders = fs::read_dir(out).unwrap();
    let folder = folders.next().unwrap().unwrap().path();
    assert!(folders.next().is_none(), "one run in {}", out.display());
    folder
}

/// The journal of the only run in a folder, as far as it is written.
pub(crate) fn journal(out: &Path) -> Option<Journal> {
    let folder = fs::read_dir(out).ok()?.next()?.ok()?.path();
    read(&folder.join(JOURNAL_FILE)).ok()
}

/// The ledger line with this id in the report of a run.
pub(crate) fn ledger_line(folder: &Path, id: &str) -> serde_json::Value {
    let report = fs::read(folder.join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    let lines = report["ledger"]["lines"].as_array().unwrap();
    let line = lines.iter().find(|line| line["id"] == id);
    line.unwrap_or_else(|| panic!("no line {id}")).clone()
}
