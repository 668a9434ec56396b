//! Who a drive is and what it hangs on, for the header block and for finding it again.

use crate::units::Bytes;

/// What is known of a drive. A missing text is `None` and printed as "not recorded".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// How it was asked for: `/dev/nvme0n1`, `sim:dc-tlc`, `file:/tmp/target`.
    pub address: String,
    /// What it is.
    pub kind: DriveKind,
    /// Manufacturer.
    pub manufacturer: Option<String>,
    /// Model number.
    pub model: String,
    /// Serial number. Loop devices have none: their kernel name stands in `confirm_name`.
    pub serial: Option<String>,
    /// Firmware revision.
    pub firmware: Option<String>,
    /// Interface and speed: "PCIe 4.0 x4, NVMe", "SATA 6 Gb/s".
    pub interface: Option<String>,
    /// Flash type.
    pub nand: Option<String>,
    /// PCIe link or version, where there is one.
    pub pcie: Option<String>,
    /// All bytes.
    pub capacity: Bytes,
    /// Logical block.
    pub logical_block: Bytes,
    /// Physical block, where the system tells.
    pub physical_block: Option<Bytes>,
    /// State of the volatile write cache as last read back: "on", "off", "none", or why unknown.
    pub write_cache: WriteCache,
    /// What `--erase` must name: the serial number, or the kernel name of a device without one.
    pub confirm_name: String,
    /// What the same drive is known by after a restart: serial and namespace, or backing file.
    pub anchor: String,
    /// Page banner of a simulated drive: its scale in words.
    pub scale: Option<String>,
    /// Load engine with the settings in force, in words.
    pub engine: Option<String>,
    /// Longest request that goes to it whole; `None` where the system does not tell.
    pub limits: Option<TransferLimits>,
}

/// What the kernel passes on in one request. It splits what is longer, and each part then has a
/// latency of its own inside the one that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferLimits {
    /// Longest request.
    pub bytes_max: Bytes,
    /// Pieces of memory that a request may lie in.
    pub segments_max: Option<u64>,
}

/// What the anchor of a device begins with that is known by its node's name alone.
pub(super) const ANCHOR_NAME: &str = "name ";

impl Identity {
    /// Whether nothing but the name of its node tells it from other devices.
    pub fn is_known_by_name_only(&self) -> bool {
        self.anchor.starts_with(ANCHOR_NAME)
    }
}

/// Kinds of targets; the ledger treats everything but a drive as a deviation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriveKind {
    /// A solid-state drive.
    Drive,
    /// A simulated drive.
    Simulated,
    /// A loop device.
    Loop,
    /// A regular file.
    File,
    /// Another block device without flash of its own: zram, device mapper, ram disk, network.
    OtherBlock,
}

/// What is known about the volatile write cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteCache {
    /// Read back as enabled.
    On,
    /// Read back as disabled.
    Off,
    /// The drive has no volatile cache.
    Absent,
    /// It could be neither set nor read, with the cause.
    Unknown {
        /// Why.
        cause: String,
    },
}

/// The machine a drive hangs on. Every text is as the system gives it, or `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Host {
    /// Vendor and product of the machine or board.
    pub motherboard: Option<String>,
    /// CPU model and count.
    pub cpu: Option<String>,
    /// Memory.
    pub memory: Option<String>,
    /// Distribution and kernel.
    pub operating_system: Option<String>,
    /// Host bus adapter or controller.
    pub hba: Option<String>,
}
