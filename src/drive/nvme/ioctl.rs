//! Admin commands through the kernel, on an open namespace.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use super::super::sysfs::BlockFolder;
use super::{Admin, AdminError, Request};

/// `_IO('N', 0x40)` of `linux/nvme_ioctl.h`: the identifier of an open namespace.
const NVME_IOCTL_ID: u64 = 0x4E40;
/// `_IOWR('N', 0x41, struct nvme_passthru_cmd)`.
const NVME_IOCTL_ADMIN_CMD: u64 = 0xC048_4E41;

/// `struct nvme_passthru_cmd` of `linux/nvme_ioctl.h`.
#[derive(Debug, Default)]
#[repr(C)]
struct Passthrough {
    opcode: u8,
    flags: u8,
    reserved: u16,
    nsid: u32,
    dwords_2_3: [u32; 2],
    metadata: u64,
    address: u64,
    metadata_length: u32,
    data_length: u32,
    dwords_10_15: [u32; 6],
    timeout_ms: u32,
    result: u32,
}

/// An open NVMe namespace.
#[derive(Debug)]
pub(in crate::drive) struct Kernel {
    file: OwnedFd,
    nsid: u32,
}

impl Kernel {
    /// Takes a whole namespace that is open, for reading at least. `None` for any other device:
    /// a partition, and a mapped device over a part of a namespace, pass these calls on, and what
    /// they are told would hit all of the namespace below.
    pub(in crate::drive) fn on(disk: &BlockFolder, file: impl AsFd) -> Option<Self> {
        if disk.is_partition() || !disk.name().starts_with("nvme") {
            return None;
        }
        let file = file.as_fd().try_clone_to_owned().ok()?;
        let request = libc::Ioctl::try_from(NVME_IOCTL_ID).ok()?;
        // SAFETY: the descriptor is open, and this request takes no argument. Other drivers refuse
        // it with ENOTTY.
        let nsid = unsafe { libc::ioctl(file.as_raw_fd(), request) };
        let nsid = u32::try_from(nsid).ok().filter(|nsid| *nsid > 0)?;
        let is_the_one = disk
            .value("nsid")
            .is_none_or(|told| told == u64::from(nsid));
        is_the_one.then_some(Self { file, nsid })
    }

    /// Identifier of the namespace.
    pub(in crate::drive) fn nsid(&self) -> u32 {
        self.nsid
    }
}

impl Admin for Kernel {
    fn submit(&self, request: &Request, data: &mut [u8]) -> Result<u32, AdminError> {
        let [ten, eleven] = request.dwords;
        let mut command = Passthrough {
            opcode: request.opcode,
            nsid: request.nsid,
            address: u64::try_from(data.as_mut_ptr().expose_provenance())
                .map_err(io::Error::other)?,
            data_length: u32::try_from(data.len()).map_err(io::Error::other)?,
            dwords_10_15: [ten, eleven, 0, 0, 0, 0],
            timeout_ms: u32::try_from(request.time_max.as_millis()).unwrap_or(u32::MAX),
            ..Passthrough::default()
        };
        let number = libc::Ioctl::try_from(NVME_IOCTL_ADMIN_CMD).map_err(io::Error::other)?;
        // SAFETY: the descriptor is open; `command` is laid out as the kernel wants it and lives
        // until the call returns, and so does the buffer `data`, which the kernel writes at most
        // `data_length` bytes to.
        let status = unsafe { libc::ioctl(self.file.as_raw_fd(), number, &raw mut command) };
        match u16::try_from(status) {
            Ok(0) => Ok(command.result),
            Ok(status) => Err(AdminError::Status { status }),
            Err(_) => Err(io::Error::last_os_error().into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sysfs::DeviceNumber;
    use super::super::super::sysfs::fixture::Tree;
    use super::*;

    /// The request number holds the size of the structure: 72 bytes.
    #[test]
    fn the_structure_is_as_large_as_the_request_says() {
        let size = u64::try_from(size_of::<Passthrough>()).unwrap();
        assert_eq!(size, NVME_IOCTL_ADMIN_CMD >> 16 & 0x3FFF);
    }

    #[test]
    fn what_is_no_whole_namespace_is_not_taken_for_one() {
        let tree = Tree::new();
        tree.disk("nvme0n1", "259:0", 8);
        tree.partition("nvme0n1", "nvme0n1p1", "259:1");
        tree.disk("dm-0", "253:0", 8);
        for number in ["259:0", "259:1", "253:0"] {
            let number = DeviceNumber::parse(number).unwrap();
            let folder = tree.sysfs().block(number).unwrap();
            let file = tempfile::tempfile().unwrap();
            assert!(Kernel::on(&folder, &file).is_none());
        }
    }
}
