//! Purge of a SATA drive by SECURITY ERASE UNIT, through `hdparm`. The standard names it first
//! (PTS 2.0.2, clause 3.2).
//!
//! A drive that the firmware froze cannot be erased until it is powered up again, one with an
//! unknown password not at all; a password that an earlier attempt left behind is taken back.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use super::PurgeMethod;
use crate::process::{self, Ended};

/// The user password that is set for the time of an erase. It is public, so that anybody can
/// unlock a drive whose erase was cut off by a power cut.
const PASSWORD: &str = "ptse";
/// How long a command that only asks or sets may take.
const ASK_TIME_MAX: Duration = Duration::from_secs(60);
/// A drive may take so many times what it says, and ten minutes beside.
const ESTIMATE_FACTOR: u32 = 4;
const ESTIMATE_SLACK: Duration = Duration::from_secs(600);
/// Longest erase of a drive that tells no time.
const ERASE_TIME_MAX: Duration = Duration::from_secs(12 * 3600);

/// The Security section of `hdparm -I`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Security {
    /// Whether the drive has the security feature set.
    is_supported: bool,
    /// Whether a user password is set.
    is_enabled: bool,
    is_locked: bool,
    is_frozen: bool,
    /// Whether it can also erase what was reassigned.
    has_enhanced: bool,
    /// Minutes an erase is said to take: normal, enhanced.
    minutes: [Option<u32>; 2],
}

impl Security {
    /// Reads the section; a drive without one has no such feature.
    fn parse(text: &str) -> Self {
        let mut security = Self::default();
        let section = text.lines().skip_while(|line| line.trim() != "Security:");
        for line in section.skip(1).take_while(|line| line.starts_with('\t')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["supported"] => security.is_supported = true,
                ["enabled"] => security.is_enabled = true,
                ["locked"] => security.is_locked = true,
                ["frozen"] => security.is_frozen = true,
                ["supported:", "enhanced", "erase"] => security.has_enhanced = true,
                _ => {}
            }
            for part in line.split('.') {
                let minutes = || part.trim().split("min").next()?.trim().parse().ok();
                if part.contains("for ENHANCED SECURITY ERASE") {
                    security.minutes[1] = minutes();
                } else if part.contains("for SECURITY ERASE") {
                    security.minutes[0] = minutes();
                }
            }
        }
        security
    }

    fn time_max(&self, is_enhanced: bool) -> Duration {
        // 508 minutes says "at least so long" (ACS-4, word 89).
        let minutes = self.minutes[usize::from(is_enhanced)].filter(|minutes| *minutes < 508);
        minutes.map_or(ERASE_TIME_MAX, |minutes| {
            Duration::from_secs(60) * minutes * ESTIMATE_FACTOR + ESTIMATE_SLACK
        })
    }
}

/// A SATA drive and the program that speaks to it.
#[derive(Debug, Clone)]
pub(super) struct Ata {
    program: OsString,
    node: PathBuf,
}

impl Ata {
    /// The drive at this node.
    pub(super) fn at(node: PathBuf) -> Self {
        Self {
            program: "hdparm".into(),
            node,
        }
    }

    /// The methods it offers, best first; none where it cannot be asked.
    pub(super) fn offered(&self) -> Vec<PurgeMethod> {
        let Ok(security) = self.security() else {
            return Vec::new();
        };
        let all = [
            (PurgeMethod::AtaErase, true),
            (PurgeMethod::AtaEraseEnhanced, security.has_enhanced),
        ];
        all.into_iter()
            .filter(|(_, is_offered)| *is_offered && security.is_supported)
            .map(|(method, _)| method)
            .collect()
    }

    /// Erases, and takes the password back.
    pub(super) fn erase(&self, is_enhanced: bool) -> Result<(), String> {
        let security = self.security()?;
        refuse(&security)?;
        if security.is_enabled {
            tracing::warn!("a password was left behind; trying to take back our own");
            self.say(&["--security-disable", PASSWORD], ASK_TIME_MAX)
                .map_err(|cause| {
                    format!(
                        "a password that is not ours is set ({cause}); take it back with `hdparm \
                         --security-disable PASSWORD {}`",
                        self.node.display()
                    )
                })?;
        }
        self.say(&["--security-set-pass", PASSWORD], ASK_TIME_MAX)?;
        let erase = if is_enhanced {
            "--security-erase-enhanced"
        } else {
            "--security-erase"
        };
        let erased = self.say(&[erase, PASSWORD], security.time_max(is_enhanced));
        let after = self.security()?;
        if after.is_enabled {
            // An erase that ended well takes the password back by itself.
            let disabled = self.say(&["--security-disable", PASSWORD], ASK_TIME_MAX);
            let left = match disabled {
                Ok(()) => "the password was taken back",
                Err(_) => "the password 'ptse' is still set, take it back with hdparm",
            };
            let cause = erased
                .err()
                .unwrap_or("the drive kept its password".to_owned());
            return Err(format!("{cause}; {left}"));
        }
        erased
    }

    fn security(&self) -> Result<Security, String> {
        let ended = self.hdparm(&["-I"], ASK_TIME_MAX)?;
        Ok(Security::parse(&ended.out))
    }

    fn say(&self, security: &[&str], time_max: Duration) -> Result<(), String> {
        let arguments = [&["--user-master", "u"], security].concat();
        let ended = self.hdparm(&arguments, time_max)?;
        // hdparm ends with 0 after some refusals and only says so.
        let is_refused = ended.err.contains("bad/missing sense") || ended.err.contains("FAILED");
        if ended.code == Some(0) && !is_refused {
            return Ok(());
        }
        let words: Vec<&str> = ended.err.lines().map(str::trim).collect();
        Err(format!(
            "hdparm {} was refused: {}",
            security[0],
            words.join(" ")
        ))
    }

    fn hdparm(&self, arguments: &[&str], time_max: Duration) -> Result<Ended, String> {
        let mut all: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        all.push(self.node.as_os_str());
        process::run(&self.program, "hdparm", &all, time_max).map_err(|error| error.to_string())
    }
}

/// States in which no erase can begin, each with what to do.
fn refuse(security: &Security) -> Result<(), String> {
    let words = if !security.is_supported {
        "the drive has no security feature set; choose --purge discard, which the standard does \
         not name"
    } else if security.is_frozen {
        "the firmware of this machine froze the drive at its start; suspend the machine and wake \
         it, or unplug the drive's power and plug it in again, and start again; or choose --purge \
         discard, which the standard does not name"
    } else if security.is_locked {
        "the drive is locked by a password; unlock it with `hdparm --security-unlock PASSWORD` \
         (`ptse` if an erase of this program was cut off), take the password back with `hdparm \
         --security-disable PASSWORD`, and start again"
    } else {
        return Ok(());
    };
    Err(words.to_owned())
}

#[cfg(test)]
mod tests;
