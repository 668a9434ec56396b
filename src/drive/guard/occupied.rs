//! Who uses a device now: mounts, swap, what is built on it, and what this machine itself needs.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::super::sysfs::{BlockFolder, DeviceNumber};
use super::family::Family;
use super::mounts::{Mount, parse_mounts, parse_swaps};
use super::{Guard, Refusal, System};

fn number_of(path: &str) -> Option<DeviceNumber> {
    let metadata = fs::metadata(path).ok()?;
    metadata
        .file_type()
        .is_block_device()
        .then(|| DeviceNumber::from_raw(metadata.rdev()))
}

/// Refuses what is mounted, swap or held, on any device of the same disk.
pub(in crate::drive) fn refuse_in_use(
    system: &System,
    path: &Path,
    folder: &BlockFolder,
) -> Result<(), Refusal> {
    let family = Family::above(folder, &system.sysfs);
    let device = |folder: &BlockFolder| format!("/dev/{}", folder.name());
    for mount in mounts(system, path)? {
        let numbers = [Some(mount.number), mount.source];
        let mounted = numbers
            .into_iter()
            .flatten()
            .find_map(|one| family.get(one));
        if let Some(mounted) = mounted {
            return Err(Refusal::Mounted {
                path: path.to_owned(),
                device: device(mounted),
                point: mount.point,
            });
        }
    }
    // A kernel without swap has no such list.
    let swaps = fs::read_to_string(system.proc.join("swaps")).unwrap_or_default();
    for number in parse_swaps(&swaps, number_of) {
        if let Some(swap) = family.get(number) {
            return Err(Refusal::Swap {
                path: path.to_owned(),
                device: device(swap),
            });
        }
    }
    match family.held() {
        None => Ok(()),
        Some((held, holder)) => Err(Refusal::Held {
            path: path.to_owned(),
            device: device(held),
            holder: device(&holder),
        }),
    }
}

/// All mounts of this host: those that this process sees, and those of every other mount
/// namespace that some process lives in, as containers and services have.
fn mounts(system: &System, path: &Path) -> Result<Vec<Mount>, Refusal> {
    let mut mounts = parse_mounts(&list(system, "self/mountinfo", path)?, number_of);
    let namespace = |process: &Path| fs::read_link(process.join("ns/mnt")).ok();
    let mut seen: BTreeSet<PathBuf> = namespace(&system.proc.join("self")).into_iter().collect();
    for process in fs::read_dir(&system.proc).into_iter().flatten().flatten() {
        // A process that has ended meanwhile, or that may not be looked at, has no link.
        let is_new = namespace(&process.path()).is_some_and(|one| seen.insert(one));
        let Some(bytes) = is_new
            .then(|| fs::read(process.path().join("mountinfo")).ok())
            .flatten()
        else {
            continue;
        };
        let name = process.file_name().to_string_lossy().into_owned();
        for mount in parse_mounts(&String::from_utf8_lossy(&bytes), number_of) {
            let point = format!("{} (as process {name} sees it)", mount.point);
            mounts.push(Mount { point, ..mount });
        }
    }
    Ok(mounts)
}

fn list(system: &System, name: &str, path: &Path) -> Result<String, Refusal> {
    let file = system.proc.join(name);
    let bytes = fs::read(&file).map_err(|error| Refusal::NotOpened {
        path: path.to_owned(),
        cause: format!("{} cannot be read ({error})", file.display()),
        remedy: "without it nobody can tell what is mounted, so mount /proc and try again",
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Refuses the disk that holds the root file system, this program or the run folder.
pub(super) fn refuse_needed(
    system: &System,
    path: &Path,
    folder: &BlockFolder,
    guard: &Guard<'_>,
) -> Result<(), Refusal> {
    let below = Family::below(&folder.disk());
    let program = std::env::current_exe().unwrap_or_default();
    let named = [
        ("the root file system", Path::new("/")),
        ("this program", &program),
    ];
    let folders = guard.needed.iter().map(|path| ("the run folder", *path));
    for (what, needed) in named.into_iter().chain(folders) {
        // The nearest ancestor that exists: the run folder itself may not exist yet.
        let metadata = needed
            .ancestors()
            .find_map(|place| fs::metadata(place).ok());
        let numbers = metadata.map(|metadata| DeviceNumber::from_raw(metadata.dev()));
        let device = numbers.and_then(|number| system.sysfs.block(number));
        if device.is_some_and(|device| Family::below(&device).meets(&below)) {
            return Err(Refusal::Needed {
                path: path.to_owned(),
                what,
                needed: needed.display().to_string(),
            });
        }
    }
    Ok(())
}

pub(super) fn refuse_unusable(path: &Path, folder: &BlockFolder) -> Result<(), Refusal> {
    let path = path.to_owned();
    if folder.value("ro").unwrap_or(0) != 0 || folder.disk().value("ro").unwrap_or(0) != 0 {
        return Err(Refusal::ReadOnly { path });
    }
    if folder.capacity().0 == 0 {
        return Err(Refusal::Empty { path });
    }
    Ok(())
}
