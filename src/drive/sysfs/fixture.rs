//! A small sysfs tree in a temporary folder, for tests.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::Sysfs;

/// The tree; it goes with this value.
#[derive(Debug)]
pub(in crate::drive) struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    pub(in crate::drive) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for part in ["devices", "block", "dev/block"] {
            fs::create_dir_all(folder.path().join(part)).unwrap();
        }
        Self { folder }
    }

    pub(in crate::drive) fn sysfs(&self) -> Sysfs {
        Sysfs::at(self.folder.path())
    }

    pub(in crate::drive) fn path(&self) -> &Path {
        self.folder.path()
    }

    fn place(&self, path: &str) -> PathBuf {
        let place = self.folder.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        place
    }

    pub(in crate::drive) fn file(&self, path: &str, text: &str) {
        self.file_bytes(path, text.as_bytes());
    }

    pub(in crate::drive) fn file_bytes(&self, path: &str, bytes: &[u8]) {
        fs::write(self.place(path), bytes).unwrap();
    }

    /// A disk by its path below `devices`, usually its name alone.
    pub(in crate::drive) fn disk(&self, path: &str, number: &str, sectors: u64) {
        self.node(&format!("devices/{path}"), number, sectors);
        let name = path.rsplit('/').next().unwrap();
        symlink(
            self.path().join("devices").join(path),
            self.place(&format!("block/{name}")),
        )
        .unwrap();
    }

    pub(in crate::drive) fn partition(&self, disk: &str, name: &str, number: &str) {
        let folder = format!("devices/{disk}/{name}");
        self.node(&folder, number, 100);
        self.file(&format!("{folder}/partition"), "1\n");
    }

    /// `holder` is built on `slave`, a disk or `disk/partition`.
    pub(in crate::drive) fn hold(&self, slave: &str, holder: &str) {
        let slave_folder = self.path().join("devices").join(slave);
        let holder_folder = self.path().join("devices").join(holder);
        let slave_name = slave.rsplit('/').next().unwrap();
        symlink(
            &holder_folder,
            self.place(&format!("devices/{slave}/holders/{holder}")),
        )
        .unwrap();
        symlink(
            slave_folder,
            self.place(&format!("devices/{holder}/slaves/{slave_name}")),
        )
        .unwrap();
    }

    fn node(&self, folder: &str, number: &str, sectors: u64) {
        self.file(&format!("{folder}/dev"), &format!("{number}\n"));
        self.file(&format!("{folder}/size"), &format!("{sectors}\n"));
        self.file(&format!("{folder}/ro"), "0\n");
        symlink(
            self.path().join(folder),
            self.place(&format!("dev/block/{number}")),
        )
        .unwrap();
    }
}
