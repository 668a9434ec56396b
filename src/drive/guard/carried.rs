//! What a device carries, as fingerprints: so that exactly what an operator allowed may be erased,
//! and nothing that was made afterwards.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::Refusal;
use super::signatures::{self, Signature};

/// Refuses a device that carries something that is not allowed.
pub(in crate::drive) fn refuse_signed(
    path: &Path,
    file: &File,
    size: u64,
    allowed: &[String],
) -> Result<(), Refusal> {
    let mut found = carried(path, file, size)?;
    found.retain(|one| !allowed.contains(one));
    if found.is_empty() {
        return Ok(());
    }
    let words = |one: &String| one.split(", sha256").next().unwrap_or(one).to_owned();
    Err(Refusal::Signed {
        path: path.to_owned(),
        signatures: found.iter().map(words).collect::<Vec<_>>().join(", "),
    })
}

/// Fingerprints of what a device carries: the signature, its place, and a digest of the block it
/// lies in, so that a file system made anew is another one.
pub(super) fn carried(path: &Path, file: &File, size: u64) -> Result<Vec<String>, Refusal> {
    let unread = |error: io::Error| Refusal::NotOpened {
        path: path.to_owned(),
        cause: format!("what it carries cannot be read ({error})"),
        remedy: "check the drive",
    };
    let read = |offset, buffer: &mut [u8]| file.read_exact_at(buffer, offset);
    let found = signatures::find(size, read).map_err(unread)?;
    found
        .iter()
        .map(|one| fingerprint(one, file).map_err(unread))
        .collect()
}

fn fingerprint(one: &Signature, file: &File) -> io::Result<String> {
    const BLOCK: u64 = 4096;
    let mut block = vec![0; 4096];
    let length = file.read_at(&mut block, one.offset / BLOCK * BLOCK)?;
    let digest = Sha256::digest(&block[..length]);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!(
        "{} (at byte {}), sha256 {hex}",
        one.what, one.offset
    ))
}
