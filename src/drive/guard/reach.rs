//! What a purge would erase beside the device that was named: other namespaces of the same NVM
//! subsystem. A format hits all of them where the controller says so (FNA), a sanitize always.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::super::PurgeMethod;
use super::super::capabilities::{Speaker, choose, offered};
use super::super::nvme::{AdminError, Controller, Kernel, Nvme, SanitizeState};
use super::super::purge::hits_all;
use super::super::sysfs::{BlockFolder, Sysfs};
use super::{Guard, Refusal, System};

/// Another namespace that would be erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::drive) struct Other {
    /// Its identifier.
    pub(in crate::drive) nsid: u32,
    /// Its device, if it has one here.
    pub(in crate::drive) node: Option<(PathBuf, BlockFolder)>,
}

/// All other namespaces that the purge would erase, once each of them may be erased.
///
/// # Errors
/// [`Refusal::Reaches`] when there are some and nobody allowed it.
pub(super) fn others(
    system: &System,
    path: &Path,
    folder: &BlockFolder,
    file: &File,
    guard: &Guard<'_>,
) -> Result<Vec<Other>, Refusal> {
    let is_whole = !folder.is_partition();
    let Some(kernel) = Kernel::on(folder, file) else {
        // No method of another device hits anything else; a partition can only be told to discard.
        let speaker = is_whole.then(|| Speaker::of(folder)).flatten();
        let chosen = choose(guard.purge, &offered(None, speaker.as_ref()));
        return chosen
            .map(|_| Vec::new())
            .map_err(|cause| no_purge(path, guard.purge, cause));
    };
    let nvme = Nvme::new(&kernel, kernel.nsid());
    others_of(&system.sysfs, path, folder, nvme, guard)
}

fn others_of(
    sysfs: &Sysfs,
    path: &Path,
    disk: &BlockFolder,
    nvme: Nvme<'_>,
    guard: &Guard<'_>,
) -> Result<Vec<Other>, Refusal> {
    if guard.purge == PurgeMethod::None || guard.purge == PurgeMethod::Discard {
        return Ok(Vec::new());
    }
    let failed = |error: AdminError| {
        let cause = format!("the controller could not be asked ({error}); run ptse as root");
        no_purge(path, guard.purge, cause)
    };
    let controller = nvme.controller().map_err(failed)?;
    refuse_sanitizing(path, nvme, &controller)?;
    let method = choose(guard.purge, &offered(Some(&controller), None))
        .map_err(|cause| no_purge(path, guard.purge, cause))?;
    if !hits_all(&controller, method) {
        return Ok(Vec::new());
    }
    let told = nvme.others(&controller).map_err(failed)?;
    let others = with_nodes(sysfs, disk, &told);
    if others.is_empty() || guard.all_namespaces {
        return Ok(others);
    }
    let words: Vec<String> = others.iter().map(Other::words).collect();
    Err(Refusal::Reaches {
        path: path.to_owned(),
        method: method.title(),
        others: words.join(", "),
    })
}

fn no_purge(path: &Path, method: PurgeMethod, cause: String) -> Refusal {
    Refusal::NoPurge {
        path: path.to_owned(),
        method: method.title(),
        cause,
    }
}

/// While a drive sanitizes itself it answers no I/O, so that nothing else can be found out.
fn refuse_sanitizing(path: &Path, nvme: Nvme<'_>, controller: &Controller) -> Result<(), Refusal> {
    if !(controller.sanitizes_blocks || controller.sanitizes_crypto) {
        return Ok(());
    }
    match nvme.sanitize_log() {
        Ok(log) if log.state == SanitizeState::InProgress => Err(Refusal::Sanitizing {
            path: path.to_owned(),
            percent: log.percent(),
        }),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Namespaces that the controller told of, and all that the kernel knows of the same subsystem,
/// whichever controller they are attached to.
fn with_nodes(sysfs: &Sysfs, disk: &BlockFolder, told: &[u32]) -> Vec<Other> {
    const SUBSYSTEM: &str = "device/subsysnqn";
    let subsystem = disk.text(SUBSYSTEM);
    let mut others: Vec<Other> = sysfs
        .disks()
        .into_iter()
        .filter(|one| one != disk && subsystem.is_some() && one.text(SUBSYSTEM) == subsystem)
        .filter_map(|one| {
            Some(Other {
                nsid: one.value("nsid")?.try_into().ok()?,
                node: Some((Path::new("/dev").join(one.name()), one)),
            })
        })
        .collect();
    for nsid in told {
        if others.iter().all(|one| one.nsid != *nsid) {
            others.push(Other {
                nsid: *nsid,
                node: None,
            });
        }
    }
    others.sort_by_key(|one| one.nsid);
    others
}

impl Other {
    fn words(&self) -> String {
        match &self.node {
            Some((path, folder)) => {
                let capacity = folder.capacity().as_capacity();
                format!("namespace {} ({}, {capacity})", self.nsid, path.display())
            }
            None => format!("namespace {} (attached to no device here)", self.nsid),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::nvme::fake::{Fake, Habits};
    use super::super::super::sysfs::DeviceNumber;
    use super::super::super::sysfs::fixture::Tree;
    use super::*;

    /// Field report 38: numbers of controllers and namespaces differ. Namespace 1 of controller 4
    /// is nvme1n1; nvme4n1 belongs to another drive.
    fn tree() -> Tree {
        let tree = Tree::new();
        for (name, number, nqn, nsid) in [
            ("nvme1n1", "259:1", "nqn.one", "1\n"),
            ("nvme1n2", "259:2", "nqn.one", "2\n"),
            ("nvme4n1", "259:3", "nqn.two", "1\n"),
        ] {
            tree.disk(name, number, 2048);
            tree.file(&format!("devices/{name}/device/subsysnqn"), nqn);
            tree.file(&format!("devices/{name}/nsid"), nsid);
        }
        tree
    }

    fn asked(habits: Habits, guard: &Guard<'_>) -> Result<Vec<Other>, Refusal> {
        let tree = tree();
        let number = DeviceNumber::parse("259:1").unwrap();
        let disk = tree.sysfs().block(number).unwrap();
        let fake = Fake::new(habits);
        let nvme = Nvme::new(&fake, 1);
        others_of(&tree.sysfs(), Path::new("/dev/x"), &disk, nvme, guard)
    }

    fn guard(purge: PurgeMethod, all_namespaces: bool) -> Guard<'static> {
        Guard {
            purge,
            all_namespaces,
            ..Guard::default()
        }
    }

    /// Field report 39, issue 4: what else would be erased is listed and refused.
    #[test]
    fn other_namespaces_are_named_and_need_leave() {
        let erases_all = Habits {
            format_bits: 0b10,
            others: vec![2, 9],
            ..Habits::default()
        };
        let refusal = asked(erases_all.clone(), &guard(PurgeMethod::Auto, false)).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "/dev/x: NVMe Format NVM, user-data erase would also erase namespace 2 (/dev/nvme1n2, \
             1.05 MB), namespace 9 (attached to no device here); add --all-namespaces if they may \
             be erased too, or choose --purge discard, which erases this one alone"
        );
        let allowed = asked(erases_all.clone(), &guard(PurgeMethod::Auto, true)).unwrap();
        let nsids: Vec<u32> = allowed.iter().map(|one| one.nsid).collect();
        assert_eq!(nsids, [2, 9]);
        for method in [PurgeMethod::Discard, PurgeMethod::None] {
            assert_eq!(asked(erases_all.clone(), &guard(method, false)), Ok(vec![]));
        }
    }

    #[test]
    fn a_format_of_one_namespace_reaches_no_other() {
        let habits = Habits {
            others: vec![2],
            ..Habits::default()
        };
        assert_eq!(
            asked(habits, &guard(PurgeMethod::Format, false)),
            Ok(vec![])
        );
    }

    #[test]
    fn a_sanitize_reaches_the_subsystem_though_the_controller_tells_of_none() {
        let habits = Habits {
            sanitize_bits: 0b10,
            ..Habits::default()
        };
        let refusal = asked(habits, &guard(PurgeMethod::SanitizeBlock, false)).unwrap_err();
        assert!(refusal.to_string().contains("/dev/nvme1n2"), "{refusal}");
    }

    #[test]
    fn a_drive_that_sanitizes_itself_is_refused_with_its_progress() {
        let fake = Fake::new(Habits {
            sanitize_bits: 0b10,
            ..Habits::default()
        })
        .in_a_sanitize(5);
        let nvme = Nvme::new(&fake, 1);
        let controller = nvme.controller().unwrap();
        let refusal = refuse_sanitizing(Path::new("/dev/x"), nvme, &controller).unwrap_err();
        assert!(refusal.to_string().contains("25 % done"), "{refusal}");
    }

    /// Every erase hits the whole disk: through a partition only a discard is possible.
    #[test]
    fn a_partition_can_only_be_told_to_discard() {
        let tree = Tree::new();
        tree.disk("pci/ata3/host2/target2:0:0/2:0:0:0/block/sda", "8:0", 2048);
        let disk = "pci/ata3/host2/target2:0:0/2:0:0:0/block/sda";
        tree.partition(disk, "sda1", "8:1");
        let system = System {
            sysfs: tree.sysfs(),
            proc: tree.path().to_owned(),
        };
        let part = tree
            .sysfs()
            .block(DeviceNumber::parse("8:1").unwrap())
            .unwrap();
        let file = tempfile::tempfile().unwrap();
        let asked = |purge| {
            let guard = guard(purge, true);
            others(&system, Path::new("/dev/x"), &part, &file, &guard)
        };
        assert_eq!(asked(PurgeMethod::Auto), Ok(vec![]));
        for method in [
            PurgeMethod::Format,
            PurgeMethod::AtaErase,
            PurgeMethod::ScsiFormat,
        ] {
            let words = asked(method).unwrap_err().to_string();
            assert!(words.contains("--purge: discard, none"), "{words}");
        }
    }

    #[test]
    fn a_method_that_is_not_offered_is_refused_before_anything_is_opened() {
        let refusal = asked(
            Habits::default(),
            &guard(PurgeMethod::SanitizeCrypto, false),
        );
        let words = refusal.unwrap_err().to_string();
        assert!(words.contains("does not offer it"), "{words}");
    }
}
