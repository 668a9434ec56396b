//! Exit codes, decided in one place.

use std::fmt::Display;
use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done, and every verdict passed.
    Passed,
    /// Done, but steady state was not reached or the record does not verify.
    NotPassed,
    /// Usage or test-file error.
    Usage,
    /// Device or environment refused or failed.
    Device,
    /// Interrupted; the run can be resumed.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Passed => 0,
            Exit::NotPassed => 1,
            Exit::Usage => 2,
            Exit::Device => 3,
            Exit::Interrupted => 4,
        })
    }
}

/// Why a command did not do its work: what to say and which code to end with.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// The code.
    pub exit: Exit,
    /// What, where and what to do.
    pub message: String,
}

impl CommandError {
    /// A usage or test-file error.
    pub fn usage(message: impl Display) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.to_string(),
        }
    }

    /// A refusal or failure of a device or of the environment.
    pub fn device(message: impl Display) -> Self {
        Self {
            exit: Exit::Device,
            message: message.to_string(),
        }
    }

    /// A record that cannot be trusted.
    pub fn record(message: impl Display) -> Self {
        Self {
            exit: Exit::NotPassed,
            message: message.to_string(),
        }
    }
}
