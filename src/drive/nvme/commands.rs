//! The commands that are used, in words.

use std::time::Duration;

use super::identify::{IDENTIFY_BYTES, parse_list};
use super::logs::LOG_BYTES;
use super::{ASK_TIME_MAX, Admin, AdminError, Controller, Namespace, Request};
use super::{SanitizeLog, SmartLog};

const GET_LOG_PAGE: u8 = 0x02;
const IDENTIFY: u8 = 0x06;
const SET_FEATURES: u8 = 0x09;
const GET_FEATURES: u8 = 0x0A;
const FORMAT_NVM: u8 = 0x80;
const SANITIZE: u8 = 0x84;

const SMART_LOG: u32 = 0x02;
const SANITIZE_LOG: u32 = 0x81;
const VOLATILE_WRITE_CACHE: u32 = 0x06;
const EVERY_NAMESPACE: u32 = u32::MAX;
/// Leave the failure mode of an earlier sanitize that allowed that.
const EXIT_FAILURE_MODE: u32 = 1;
/// Allow unrestricted exit: a sanitize that fails can be left by [`EXIT_FAILURE_MODE`].
const ALLOW_EXIT: u32 = 1 << 3;

/// How a format or a sanitize erases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::drive) enum Erase {
    /// All user data, or all blocks.
    Data,
    /// The key with which the data are encrypted.
    Key,
}

/// A namespace and what carries commands to its controller.
#[derive(Debug, Clone, Copy)]
pub(in crate::drive) struct Nvme<'a> {
    admin: &'a dyn Admin,
    nsid: u32,
}

impl<'a> Nvme<'a> {
    /// The namespace with this identifier.
    pub(in crate::drive) fn new(admin: &'a dyn Admin, nsid: u32) -> Self {
        Self { admin, nsid }
    }

    /// What the controller can do.
    pub(in crate::drive) fn controller(self) -> Result<Controller, AdminError> {
        Ok(Controller::parse(&self.identify(0, 0x01)?))
    }

    /// What the namespace is formatted like.
    pub(in crate::drive) fn namespace(self) -> Result<Namespace, AdminError> {
        Ok(Namespace::parse(&self.identify(self.nsid, 0x00)?))
    }

    /// All other namespaces of the NVM subsystem that the controller tells of, attached or not.
    pub(in crate::drive) fn others(self, controller: &Controller) -> Result<Vec<u32>, AdminError> {
        let mut all = parse_list(&self.identify(0, 0x02)?);
        if controller.manages_namespaces {
            all.extend(parse_list(&self.identify(0, 0x10)?));
        }
        all.retain(|nsid| *nsid != self.nsid);
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    fn identify(self, nsid: u32, what: u32) -> Result<[u8; IDENTIFY_BYTES], AdminError> {
        let mut data = [0; IDENTIFY_BYTES];
        self.ask(IDENTIFY, nsid, [what, 0], &mut data)?;
        Ok(data)
    }

    /// Whether the volatile write cache is on.
    pub(in crate::drive) fn cache(self) -> Result<bool, AdminError> {
        let dwords = [VOLATILE_WRITE_CACHE, 0];
        Ok(self.ask(GET_FEATURES, 0, dwords, &mut [])? & 1 != 0)
    }

    /// Switches the volatile write cache, until the next reset.
    pub(in crate::drive) fn set_cache(self, on: bool) -> Result<(), AdminError> {
        let dwords = [VOLATILE_WRITE_CACHE, u32::from(on)];
        self.ask(SET_FEATURES, 0, dwords, &mut []).map(drop)
    }

    /// Formats the namespace in the format it has, and erases it.
    pub(in crate::drive) fn format(
        self,
        kept: &Namespace,
        erase: Erase,
        time_max: Duration,
    ) -> Result<(), AdminError> {
        let erase = match erase {
            Erase::Data => 1,
            Erase::Key => 2,
        };
        let index = u32::from(kept.format_index);
        let dword = index & 0xF
            | u32::from(kept.is_extended) << 4
            | u32::from(kept.protection) << 5
            | u32::from(kept.protection_first) << 8
            | erase << 9
            | (index >> 4 & 3) << 12;
        self.submit(FORMAT_NVM, self.nsid, [dword, 0], time_max, &mut [])
            .map(drop)
    }

    /// Begins to sanitize the whole NVM subsystem; the log tells how it goes on.
    pub(in crate::drive) fn sanitize(self, erase: Erase) -> Result<(), AdminError> {
        let action = match erase {
            Erase::Data => 2,
            Erase::Key => 4,
        };
        let dwords = [action | ALLOW_EXIT, 0];
        self.ask(SANITIZE, 0, dwords, &mut []).map(drop)
    }

    /// Leaves the state that a failed sanitize left the drive in.
    pub(in crate::drive) fn exit_failure_mode(self) -> Result<(), AdminError> {
        self.ask(SANITIZE, 0, [EXIT_FAILURE_MODE, 0], &mut [])
            .map(drop)
    }

    /// How the last sanitize stands.
    pub(in crate::drive) fn sanitize_log(self) -> Result<SanitizeLog, AdminError> {
        Ok(SanitizeLog::parse(&self.log(SANITIZE_LOG)?))
    }

    /// The health of the drive.
    pub(in crate::drive) fn smart_log(self) -> Result<SmartLog, AdminError> {
        Ok(SmartLog::parse(&self.log(SMART_LOG)?))
    }

    fn log(self, page: u32) -> Result<[u8; LOG_BYTES], AdminError> {
        const DWORDS_LAST: u32 = 512 / 4 - 1;
        let mut data = [0; LOG_BYTES];
        let dwords = [page | DWORDS_LAST << 16, 0];
        self.ask(GET_LOG_PAGE, EVERY_NAMESPACE, dwords, &mut data)?;
        Ok(data)
    }

    fn ask(
        self,
        opcode: u8,
        nsid: u32,
        dwords: [u32; 2],
        data: &mut [u8],
    ) -> Result<u32, AdminError> {
        self.submit(opcode, nsid, dwords, ASK_TIME_MAX, data)
    }

    fn submit(
        self,
        opcode: u8,
        nsid: u32,
        dwords: [u32; 2],
        time_max: Duration,
        data: &mut [u8],
    ) -> Result<u32, AdminError> {
        let request = Request {
            opcode,
            nsid,
            dwords,
            time_max,
        };
        self.admin.submit(&request, data)
    }
}
