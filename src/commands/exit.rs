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
    /// Whether the reader of standard output went away, which is no error.
    pub is_closed_pipe: bool,
}

impl CommandError {
    fn new(exit: Exit, message: impl Display) -> Self {
        Self {
            exit,
            message: message.to_string(),
            is_closed_pipe: false,
        }
    }

    /// Standard output was closed by its reader.
    pub fn closed_pipe() -> Self {
        Self {
            is_closed_pipe: true,
            ..Self::new(Exit::Passed, "standard output was closed")
        }
    }

    /// A usage or test-file error.
    pub fn usage(message: impl Display) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A refusal or failure of a device or of the environment.
    pub fn device(message: impl Display) -> Self {
        Self::new(Exit::Device, message)
    }

    /// A record that cannot be trusted.
    pub fn record(message: impl Display) -> Self {
        Self::new(Exit::NotPassed, message)
    }
}
