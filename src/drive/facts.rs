//! What sysfs tells of a block device beside its identity: on what it hangs, how fast, and how the
//! kernel's block layer treats it. Shown by `ptse drives`; it judges nothing.
//!
//! Everything missing is `None`: a device that does not tell is not a device that has none.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::sysfs::{BlockFolder, text_of};

/// Names under `/dev/disk/by-id` that are kept at most.
const NAMES_MAX: usize = 64;

/// Facts of a whole device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// On what it hangs: `NVMe`, `SATA`, `SAS`, `USB`, `virtio`, `loop`, `device mapper` ...
    pub transport: Option<String>,
    /// PCIe link of an NVMe controller.
    pub link: Option<Link>,
    /// Negotiated rate of a SATA or SAS link, in the kernel's words: `6.0 Gbps`.
    pub link_rate: Option<String>,
    /// NVMe namespace identifier.
    pub namespace_id: Option<u32>,
    /// IEEE extended unique identifier of a namespace.
    pub eui: Option<String>,
    /// Globally unique identifier of a namespace.
    pub nguid: Option<String>,
    /// World wide identifier, in the kernel's form.
    pub wwid: Option<String>,
    /// NUMA node nearest to it.
    pub numa_node: Option<u32>,
    /// I/O scheduler in force.
    pub scheduler: Option<String>,
    /// Largest request in KiB; the kernel splits what is larger.
    pub request_kib_max: Option<u64>,
    /// Whether I/O can be polled.
    pub polls: Option<bool>,
    /// Whether the kernel takes it for rotating.
    pub rotational: Option<bool>,
    /// Whether its medium can be taken out.
    pub removable: Option<bool>,
    /// State of the block layer's own cache flag: `write back` or `write through`.
    pub block_layer_cache: Option<String>,
    /// Its links under `/dev/disk/by-id`.
    pub names: Vec<PathBuf>,
}

/// A PCIe link, now and at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Speed of a lane now, in the kernel's words: `16.0 GT/s PCIe`.
    pub speed: String,
    /// Lanes now.
    pub width: String,
    /// Speed of a lane that both ends could reach.
    pub speed_max: Option<String>,
    /// Lanes of the device.
    pub width_max: Option<String>,
}

impl Facts {
    /// Reads the facts of the whole device that `folder` belongs to; its names are looked for
    /// among the links in `by_id`.
    pub fn read(folder: &BlockFolder, by_id: &Path) -> Self {
        let disk = folder.disk();
        let flag = |file: &str| disk.value(file).map(|value| value != 0);
        Self {
            transport: transport(&disk),
            link: Link::of(&disk),
            link_rate: sata_rate(&disk).or_else(|| sas_rate(&disk)),
            namespace_id: disk.value("nsid").and_then(|nsid| nsid.try_into().ok()),
            eui: disk.text("eui"),
            nguid: disk.text("nguid").filter(|nguid| is_given(nguid)),
            wwid: disk.wwid(),
            numa_node: numa_node(&disk),
            scheduler: disk.text("queue/scheduler").map(|list| chosen(&list)),
            request_kib_max: disk.value("queue/max_sectors_kb"),
            polls: flag("queue/io_poll"),
            rotational: flag("queue/rotational"),
            removable: flag("removable"),
            block_layer_cache: disk.text("queue/write_cache"),
            names: names_of(&disk, by_id),
        }
    }
}

impl Link {
    /// The link of the controller of an NVMe disk.
    pub fn of(disk: &BlockFolder) -> Option<Self> {
        let device = controller(disk).join("device");
        // A controller without a link of its own, as an emulated one, says that it is not known.
        let text = |file: &str| {
            text_of(&device.join(file)).filter(|text| !matches!(text.as_str(), "Unknown" | "0"))
        };
        Some(Self {
            speed: text("current_link_speed")?,
            width: text("current_link_width")?,
            speed_max: text("max_link_speed"),
            width_max: text("max_link_width"),
        })
    }

    /// Whether it runs slower or narrower than it could.
    pub fn is_downgraded(&self) -> bool {
        let is_less = |now: &str, max: &Option<String>| max.as_ref().is_some_and(|max| max != now);
        is_less(&self.speed, &self.speed_max) || is_less(&self.width, &self.width_max)
    }
}

impl fmt::Display for Link {
    /// `16.0 GT/s PCIe x4`, and what it could be where that is more.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} x{}", self.speed, self.width)?;
        if self.is_downgraded() {
            let speed = self.speed_max.as_deref().unwrap_or(&self.speed);
            let width = self.width_max.as_deref().unwrap_or(&self.width);
            write!(out, " (of {speed} x{width})")?;
        }
        Ok(())
    }
}

/// Interface and speed for the header of a report: `SATA 6.0 Gbps`, `NVMe`.
pub(super) fn interface(disk: &BlockFolder) -> Option<String> {
    let transport = transport(disk)?;
    match sata_rate(disk).or_else(|| sas_rate(disk)) {
        Some(rate) => Some(format!("{transport} {rate}")),
        None => Some(transport),
    }
}

/// The folder of the controller: where the subsystem has several, the disk hangs on the subsystem
/// and this is the first of them.
fn controller(disk: &BlockFolder) -> PathBuf {
    let device = disk.folder().join("device");
    let is_controller = |place: &PathBuf| place.join("transport").exists();
    if is_controller(&device) {
        return device;
    }
    let all = starting_with(&device, "nvme");
    all.into_iter().find(is_controller).unwrap_or(device)
}

pub(super) fn transport(disk: &BlockFolder) -> Option<String> {
    const BY_NAME: [(&str, &str); 8] = [
        ("loop", "loop"),
        ("dm-", "device mapper"),
        ("md", "software RAID"),
        ("zram", "compressed memory"),
        ("ram", "memory"),
        ("nbd", "network block device"),
        ("nullb", "null block device"),
        ("bcache", "bcache"),
    ];
    let name = disk.name();
    if let Some((_, words)) = BY_NAME.iter().find(|(start, _)| name.starts_with(start)) {
        return Some((*words).to_owned());
    }
    let place = disk.folder().to_string_lossy().into_owned();
    let is_on = |part: &str| place.contains(part);
    let words = if is_on("/nvme") {
        return Some(
            match text_of(&controller(disk).join("transport")).as_deref() {
                None | Some("pcie") => "NVMe".to_owned(),
                Some(fabric) => format!("NVMe over {fabric}"),
            },
        );
    } else if is_on("/usb") {
        "USB"
    } else if ata_port(disk).is_some() {
        "SATA"
    } else if disk.text("device/sas_address").is_some() {
        "SAS"
    } else if is_on("/virtio") {
        "virtio"
    } else if is_on("/pseudo_") {
        "emulated SCSI"
    } else if is_on("/host") {
        "SCSI"
    } else {
        return None;
    };
    Some(words.to_owned())
}

/// The folder of the ATA port that a disk hangs on.
fn ata_port(disk: &BlockFolder) -> Option<&Path> {
    let is_port = |name: &OsStr| {
        let number = name.to_str().and_then(|name| name.strip_prefix("ata"));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    disk.folder()
        .ancestors()
        .find(|place| place.file_name().is_some_and(is_port))
}

fn sata_rate(disk: &BlockFolder) -> Option<String> {
    let links = starting_with(ata_port(disk)?, "link");
    links.iter().find_map(|link| {
        let name = link.file_name()?;
        text_of(&link.join("ata_link").join(name).join("sata_spd"))
    })
}

/// The phys of the port that leads to a SAS end device.
fn sas_rate(disk: &BlockFolder) -> Option<String> {
    let is_port = |name: &OsStr| name.to_string_lossy().starts_with("port-");
    let port = disk
        .folder()
        .ancestors()
        .find(|place| place.file_name().is_some_and(is_port))?;
    starting_with(port, "phy-").iter().find_map(|phy| {
        let name = phy.file_name()?;
        text_of(&phy.join("sas_phy").join(name).join("negotiated_linkrate"))
    })
}

/// Entries of a folder whose names begin like this, in order.
fn starting_with(folder: &Path, start: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(start))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

/// The node of the nearest device above that tells one; -1 there means that none is nearer.
fn numa_node(disk: &BlockFolder) -> Option<u32> {
    disk.folder()
        .ancestors()
        .find_map(|place| text_of(&place.join("numa_node")))
        .or_else(|| text_of(&controller(disk).join("numa_node")))?
        .parse()
        .ok()
}

/// `none [mq-deadline] kyber`: the one in brackets, or the only one.
fn chosen(list: &str) -> String {
    let inside = |list: &str| {
        let (_, rest) = list.split_once('[')?;
        Some(rest.split_once(']')?.0.to_owned())
    };
    inside(list).unwrap_or_else(|| list.to_owned())
}

/// An identifier of zeros says that there is none.
fn is_given(identifier: &str) -> bool {
    identifier.chars().any(|digit| !matches!(digit, '0' | '-'))
}

/// Links that lead to the node of this disk. They are named by drives, so in any bytes.
fn names_of(disk: &BlockFolder, by_id: &Path) -> Vec<PathBuf> {
    let node = disk.name();
    let mut names = starting_with(by_id, "");
    names.retain(|link| {
        let target = fs::read_link(link).unwrap_or_default();
        target.file_name() == Some(OsStr::new(&node))
    });
    names.truncate(NAMES_MAX);
    names
}

#[cfg(test)]
mod tests;
