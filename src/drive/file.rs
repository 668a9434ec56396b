//! A regular file as a target. It is no drive, and every page of a report says so.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use super::Identity;
use super::block::OpenError;
use super::identity::{DriveKind, WriteCache};
use super::local::{Beside, LocalDrive, Medium};
use crate::units::Bytes;

/// Smallest I/O that direct access to a file of any file system allows.
const LOGICAL_BLOCK: u64 = 512;
/// Direct access on file systems with larger blocks needs multiples of this.
const LOGICAL_BLOCK_LARGE: u64 = 4096;

/// Who the file at `path` is. Nothing is kept open and nothing is written.
///
/// # Errors
/// [`OpenError::File`] when there is no such regular file or it is too small.
pub fn identify(path: &Path) -> Result<Identity, OpenError> {
    let refused = |cause: String| OpenError::File {
        path: path.display().to_string(),
        cause,
    };
    let metadata = std::fs::metadata(path).map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            let cause = "it does not exist; make it first, for example with `truncate -s 1G`";
            return refused(cause.to_owned());
        }
        refused(error.to_string())
    })?;
    if !metadata.is_file() {
        return Err(refused(
            "it is not a regular file; name a device without file:".to_owned(),
        ));
    }
    let logical_block = smallest_direct_read(path).map_err(|error| {
        refused(format!(
            "its file system allows no direct access ({error}); use one on ext4, XFS or Btrfs"
        ))
    })?;
    let capacity = metadata.len() / logical_block * logical_block;
    if capacity == 0 {
        let size = match metadata.len() {
            0 => "it is empty".to_owned(),
            length => format!("it has {length} B, less than a block of {logical_block} B"),
        };
        let remedy = "give it a size first, for example with `truncate -s 1G`";
        return Err(refused(format!("{size}; {remedy}")));
    }
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy().into_owned();
    Ok(Identity {
        address: format!("file:{}", path.display()),
        kind: DriveKind::File,
        manufacturer: None,
        model: format!("file {name}"),
        serial: None,
        firmware: None,
        interface: Some("file system".to_owned()),
        nand: None,
        pcie: None,
        capacity: Bytes(capacity),
        logical_block: Bytes(logical_block),
        physical_block: None,
        write_cache: WriteCache::Unknown {
            cause: "a file has no write cache of its own to set".to_owned(),
        },
        engine: None,
        limits: None,
        confirm_name: name,
        anchor: format!("file {}:{} {capacity}", metadata.dev(), metadata.ino()),
        scale: None,
    })
}

/// Opens the file for the run. Its content will be destroyed.
///
/// # Errors
/// As [`identify`], and when it cannot be opened for writing.
pub fn open(path: &Path) -> Result<LocalDrive, OpenError> {
    let identity = identify(path)?;
    super::guard::refuse_shared_file(path)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_DIRECT);
    let file = options.open(path).map_err(|error| OpenError::File {
        path: path.display().to_string(),
        cause: format!("it cannot be opened for writing ({error})"),
    })?;
    LocalDrive::start(identity, file, Medium::File, Beside::default())
}

/// The smallest length the file system takes in direct access, found by reading.
fn smallest_direct_read(path: &Path) -> io::Result<u64> {
    use std::os::unix::fs::FileExt;
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(libc::O_DIRECT).open(path)?;
    let mut region = crate::engine::memory::Region::new(4096)?;
    let mut refused = io::Error::from(io::ErrorKind::Unsupported);
    for length in [LOGICAL_BLOCK, LOGICAL_BLOCK_LARGE] {
        let part = region.part(0, usize::try_from(length).unwrap_or(4096));
        match file.read_at(part, 0) {
            Ok(_) => return Ok(length),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_of_some_size_is_refused_with_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let words = |path: &Path| identify(path).unwrap_err().to_string();
        assert!(words(&folder.path().join("none")).contains("truncate -s"));
        assert!(words(folder.path()).contains("not a regular file"));
        let empty = folder.path().join("empty");
        std::fs::write(&empty, []).unwrap();
        assert!(words(&empty).contains("it is empty"));
        std::fs::write(&empty, [0]).unwrap();
        assert!(words(&empty).contains("it has 1 B, less than a block of"));
    }
}
