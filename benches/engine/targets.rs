//! What the bench measures on: its own sparse file, loop device and zram device, all of which are
//! gone when it ends, also after a failure.

use std::fs::{File, OpenOptions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::Failure;

/// Size of the sparse file and of the zram device, in bytes.
pub(crate) const SIZE: u64 = 4 << 30;
/// What `statfs` calls ext4.
const EXT4: i64 = 0xEF53;

/// A sparse file on ext4. Reads of its holes complete in the kernel at once; it is never written.
pub(crate) struct SparseFile {
    file: tempfile::NamedTempFile,
}

impl SparseFile {
    /// In the first folder of some that lies on ext4.
    pub(crate) fn new() -> Result<Self, Failure> {
        let folders = [env!("CARGO_TARGET_TMPDIR"), "/var/tmp", "/tmp"];
        let on_ext4 = folders
            .into_iter()
            .find(|folder| rustix::fs::statfs(*folder).is_ok_and(|found| found.f_type == EXT4));
        let folder = on_ext4
            .ok_or_else(|| Failure(format!("none of {} lies on ext4", folders.join(", "))))?;
        let file = tempfile::Builder::new()
            .prefix("ptse-bench-")
            .tempfile_in(folder)?;
        file.as_file().set_len(SIZE)?;
        Ok(Self { file })
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }
}

/// A loop device with direct I/O over a sparse file.
pub(crate) struct Loop {
    path: PathBuf,
    _behind: SparseFile,
}

impl Loop {
    pub(crate) fn new() -> Result<Self, Failure> {
        let behind = SparseFile::new()?;
        let output = Command::new("losetup")
            .args(["--find", "--show", "--read-only", "--direct-io=on"])
            .arg(behind.path())
            .output()?;
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr);
            return Err(Failure(format!("no loop device: {}", words.trim())));
        }
        let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        Ok(Self {
            path,
            _behind: behind,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        // Nothing more can be done about a refusal than what `losetup` says about it itself.
        drop(
            Command::new("losetup")
                .arg("--detach")
                .arg(&self.path)
                .status(),
        );
    }
}

/// A zram device of our own into which nothing is written.
pub(crate) struct Zram {
    number: String,
    path: PathBuf,
}

const ZRAM_CONTROL: &str = "/sys/class/zram-control";

impl Zram {
    pub(crate) fn new() -> Result<Self, Failure> {
        let refused = |error| Failure(format!("no zram device ({error})"));
        let number = std::fs::read_to_string(format!("{ZRAM_CONTROL}/hot_add")).map_err(refused)?;
        let number = number.trim().to_owned();
        let device = Self {
            path: PathBuf::from(format!("/dev/zram{number}")),
            number,
        };
        let size = format!("/sys/block/zram{}/disksize", device.number);
        std::fs::write(size, SIZE.to_string()).map_err(refused)?;
        Ok(device)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        // The kernel dismantles a ring, which holds the device, some time after it was closed.
        for _ in 0..100 {
            let removed = std::fs::write(format!("{ZRAM_CONTROL}/hot_remove"), &self.number);
            match removed {
                Ok(()) => return,
                Err(_) => std::thread::sleep(std::time::Duration::from_millis(50)),
            }
        }
        println!("could not remove {}", self.path.display());
    }
}

/// Opens for reading without a page cache in between.
pub(crate) fn open_direct(path: &Path) -> Result<Arc<OwnedFd>, Failure> {
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(libc::O_DIRECT).open(path)?;
    Ok(Arc::new(file.into()))
}

/// Opens `/dev/null` for writing. It takes no direct I/O and has none to take.
pub(crate) fn open_null() -> Result<Arc<OwnedFd>, Failure> {
    let file: File = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    Ok(Arc::new(file.into()))
}
