//! Every drive of this machine: what it is, and whether it could be tested. Read-only: each device
//! is looked at as `ptse run` would look at it, and nothing is kept open.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::PurgeMethod;
use super::block;
use super::capabilities::{self, Speaker};
use super::facts::Facts;
use super::guard::{self, Guard, System};
use super::identity::Identity;
use super::nvme::{Kernel, Nvme};
use super::sysfs::BlockFolder;

/// Virtual devices that are there without a medium on most machines; they say nothing then.
const OFTEN_EMPTY: [&str; 5] = ["loop", "ram", "zram", "nbd", "sr"];

/// A device that was looked at.
#[derive(Debug, Clone)]
pub struct Surveyed {
    /// Its node: `/dev/nvme0n1`.
    pub address: PathBuf,
    /// Who it is.
    pub identity: Identity,
    /// On what it hangs and how the kernel treats it.
    pub facts: Facts,
    /// Metadata and protection of an NVMe namespace, in words.
    pub metadata: Option<String>,
    /// The ways in which it can be purged, best first.
    pub purges: Vec<PurgeMethod>,
    /// Why it cannot be tested, with what to do; `None` when it can.
    pub refusal: Option<String>,
}

/// All devices, and the names of those that have no medium.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// Whole devices in the order of their names.
    pub drives: Vec<Surveyed>,
    /// Virtual devices without capacity.
    pub empty: Vec<String>,
}

/// Looks at every whole block device of this machine.
pub fn survey() -> Survey {
    let system = System::default();
    let mut survey = Survey::default();
    for disk in system.sysfs.disks() {
        let name = disk.name();
        let is_virtual = OFTEN_EMPTY.iter().any(|start| name.starts_with(start));
        if disk.capacity().0 == 0 && is_virtual {
            survey.empty.push(name);
        } else {
            survey.drives.push(look(&disk));
        }
    }
    survey
}

fn look(disk: &BlockFolder) -> Surveyed {
    let address = Path::new("/dev").join(disk.name());
    // A device that cannot be opened is still known by what sysfs tells.
    let identity =
        block::identify(&address).unwrap_or_else(|_| block::identity_from(disk, &address));
    let kernel = File::open(&address)
        .ok()
        .and_then(|file| Kernel::on(disk, file));
    let nvme = kernel
        .as_ref()
        .map(|kernel| Nvme::new(kernel, kernel.nsid()));
    Surveyed {
        facts: Facts::read(disk, Path::new("/dev/disk/by-id")),
        metadata: nvme
            .and_then(|nvme| nvme.namespace().ok())
            .and_then(|namespace| namespace.metadata_words()),
        purges: purges(disk, nvme),
        refusal: refusal(&address),
        address,
        identity,
    }
}

/// Discard is only listed where the kernel passes it on.
fn purges(disk: &BlockFolder, nvme: Option<Nvme<'_>>) -> Vec<PurgeMethod> {
    let controller = nvme.and_then(|nvme| nvme.controller().ok());
    let mut methods = capabilities::offered(controller.as_ref(), Speaker::of(disk).as_ref());
    let discards = disk.value("queue/discard_max_bytes").unwrap_or(0) > 0;
    methods.retain(|method| discards || *method != PurgeMethod::Discard);
    methods
}

/// What `ptse run` would say before it asks for consent.
fn refusal(address: &Path) -> Option<String> {
    match guard::inspect(address, &Guard::default()) {
        Err(refusal) => Some(refusal.to_string()),
        Ok(inspected) => {
            let testable = block::testable_block(inspected.identity());
            testable.err().map(|error| error.to_string())
        }
    }
}
