//! Loop devices of the tests: made over a temporary file, detached when dropped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Longest wait for a device to be detached.
const DETACH_MAX: Duration = Duration::from_secs(60);

/// A loop device over a file of its own.
pub struct LoopDevice {
    /// `/dev/loopN`.
    pub path: String,
    block: String,
    backing: PathBuf,
    _dir: TempDir,
}

/// A mounted file system; unmounted when dropped.
pub struct Mount {
    /// Where.
    pub point: PathBuf,
    _dir: TempDir,
}

impl LoopDevice {
    /// A device of `bytes` with blocks of `block` bytes; `None`, with the reason printed, where
    /// there can be none.
    pub fn new(bytes: u64, block: u32) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let backing = dir.path().join("backing.img");
        std::fs::File::create(&backing)
            .unwrap()
            .set_len(bytes)
            .unwrap();
        let output = Command::new("losetup")
            .args([
                "--find",
                "--show",
                "--direct-io=on",
                "--sector-size",
                &block.to_string(),
            ])
            .arg(&backing)
            .output();
        match output {
            Ok(output) if output.status.success() => {
                let path = String::from_utf8(output.stdout).unwrap().trim().to_owned();
                Some(Self {
                    path,
                    block: block.to_string(),
                    backing,
                    _dir: dir,
                })
            }
            Ok(output) => skip(&String::from_utf8_lossy(&output.stderr)),
            Err(error) => skip(&format!("losetup: {error}")),
        }
    }

    /// A device over the rest of another device or file from a place on.
    pub fn over(below: &str, offset: u64) -> Self {
        let output = Command::new("losetup")
            .args(["--find", "--show", "--offset", &offset.to_string(), below])
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let path = String::from_utf8(output.stdout).unwrap().trim().to_owned();
        let dir = tempfile::tempdir().unwrap();
        Self {
            path,
            block: "512".to_owned(),
            backing: below.into(),
            _dir: dir,
        }
    }

    /// The file behind it.
    pub fn backing(&self) -> &Path {
        &self.backing
    }

    /// Attaches the same file under another number, as a drive comes back after a boot.
    pub fn move_elsewhere(&mut self) {
        let output = Command::new("losetup")
            .args([
                "--find",
                "--show",
                "--direct-io=on",
                "--sector-size",
                &self.block,
            ])
            .arg(&self.backing)
            .output()
            .unwrap();
        let path = String::from_utf8(output.stdout).unwrap().trim().to_owned();
        assert_ne!(path, self.path);
        let detached = Command::new("losetup")
            .args(["--detach", &self.path])
            .status();
        assert!(detached.unwrap().success());
        // A device that a killed process still holds goes away when the kernel lets go of it.
        let backing = format!("/sys/block/{}/loop/backing_file", self.name());
        let begun = Instant::now();
        while Path::new(&backing).exists() {
            assert!(
                begun.elapsed() < DETACH_MAX,
                "{} is still attached",
                self.path
            );
        }
        self.path = path;
    }

    /// Its kernel name.
    pub fn name(&self) -> &str {
        self.path.trim_start_matches("/dev/")
    }

    /// Everything on it.
    pub fn content(&self) -> Vec<u8> {
        std::fs::read(&self.backing).unwrap()
    }

    /// Fills it with bytes that carry no signature.
    pub fn write_pattern(&self) {
        let length = std::fs::metadata(&self.backing).unwrap().len();
        let bytes: Vec<u8> = (0..length)
            .map(|i| u8::try_from(i % 251).unwrap())
            .collect();
        std::fs::write(&self.path, bytes).unwrap();
    }

    /// Puts an ext4 file system on it and mounts it read-only, without replaying its journal.
    pub fn mount_ext4_read_only(&self) -> Option<Mount> {
        let made = Command::new("mkfs.ext4")
            .args(["-q", "-F", &self.path])
            .status();
        if !made.as_ref().is_ok_and(std::process::ExitStatus::success) {
            return skip("mkfs.ext4 is missing");
        }
        let dir = tempfile::tempdir().unwrap();
        let point = dir.path().join("mounted here");
        std::fs::create_dir(&point).unwrap();
        let mounted = Command::new("mount")
            .args(["-o", "ro,noload", &self.path])
            .arg(&point)
            .status();
        if !mounted
            .as_ref()
            .is_ok_and(std::process::ExitStatus::success)
        {
            return skip("mounting is not allowed here");
        }
        Some(Mount { point, _dir: dir })
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        drop(
            Command::new("losetup")
                .args(["--detach", &self.path])
                .status(),
        );
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(&self.point).status());
    }
}

fn skip<T>(why: &str) -> Option<T> {
    eprintln!("skipped: no loop device: {}", why.trim());
    None
}
