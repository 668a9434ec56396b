//! NVMe admin commands, behind one trait: the kernel's ioctl, or a fake in tests.
//!
//! It sends and understands commands (NVM Express Base Specification 1.4, section 5); what is
//! done with a drive is decided in `purge`, `cache` and `health`.

mod commands;
#[cfg(test)]
pub(super) mod fake;
mod identify;
mod ioctl;
mod logs;

use std::fmt;
use std::io;
use std::time::Duration;

pub(super) use commands::{Erase, Nvme};
pub(super) use identify::{Controller, Namespace};
pub(super) use ioctl::Kernel;
pub(super) use logs::{SanitizeLog, SanitizeState, SmartLog};

/// How long a command that only asks may take.
const ASK_TIME_MAX: Duration = Duration::from_secs(30);

/// A command without data, or with data that come from the drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// Operation code.
    pub(super) opcode: u8,
    /// Namespace, 0 for the controller.
    pub(super) nsid: u32,
    /// Command dwords 10 and 11.
    pub(super) dwords: [u32; 2],
    /// How long the kernel waits before it takes the controller for dead.
    pub(super) time_max: Duration,
}

/// What carries commands to a controller.
pub(super) trait Admin: fmt::Debug {
    /// Sends a command, waits for its end and fills `data`. Returns dword 0 of the completion.
    fn submit(&self, request: &Request, data: &mut [u8]) -> Result<u32, AdminError>;
}

/// Why a command gave nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum AdminError {
    /// The controller refused it.
    #[error("the drive answered status 0x{status:x} ({})", status_words(*status))]
    Status {
        /// Status code type and status code, as the kernel returns them.
        status: u16,
    },
    /// The kernel did not send it.
    #[error("{0}")]
    System(#[from] io::Error),
}

/// Status codes an operator may meet (Base Specification 1.4, figures 126 to 128). Bit 14 says
/// that trying again is of no use.
fn status_words(status: u16) -> &'static str {
    match status & 0x7FF {
        0x01 => "invalid command opcode",
        0x02 => "invalid field in command",
        0x06 => "internal error",
        0x07 => "command aborted",
        0x0B => "invalid namespace or format",
        0x0C => "command sequence error",
        0x15 => "operation denied",
        0x1C => "sanitize failed",
        0x1D => "sanitize in progress",
        0x20 => "namespace is write protected",
        0x82 => "namespace not ready",
        0x84 => "format in progress",
        0x109 => "invalid log page",
        0x10A => "invalid format",
        0x10D => "feature identifier not saveable",
        0x10E => "feature not changeable",
        _ => "see the NVM Express Base Specification, status codes",
    }
}
