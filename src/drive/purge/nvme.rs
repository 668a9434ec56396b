//! Purge of an NVMe namespace by Format NVM or Sanitize: what else it would hit, and that it ends.
//!
//! A format keeps the LBA format in use, metadata and protection included. A sanitize goes on in
//! the drive by itself, over resets and power cuts; it is polled until it ends or its time is over.

use std::time::Duration;

use super::super::PurgeMethod;
use super::super::nvme::{AdminError, Controller, Erase, Nvme, SanitizeLog, SanitizeState};

/// Longest format: drives that erase every block take minutes.
const FORMAT_TIME_MAX: Duration = Duration::from_secs(2 * 3600);
/// Longest sanitize of a drive that tells no estimate.
const SANITIZE_TIME_MAX: Duration = Duration::from_secs(8 * 3600);
/// A drive that tells an estimate may take so many times as long, and ten minutes beside.
const ESTIMATE_FACTOR: u32 = 4;
const ESTIMATE_SLACK: Duration = Duration::from_secs(600);
/// Time from one look at a sanitize to the next.
const POLL_EVERY: Duration = Duration::from_secs(1);

/// How an erase ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Erased {
    /// The drive says that it is done.
    Done {
        /// What it promises erased blocks to return.
        promised: Option<u8>,
    },
    /// It was cancelled; the drive may go on by itself.
    Cancelled,
}

/// Whether a method erases all namespaces that the controller reaches.
pub(in crate::drive) fn hits_all(controller: &Controller, method: PurgeMethod) -> bool {
    match method {
        PurgeMethod::Format | PurgeMethod::FormatCrypto => {
            controller.formats_all || controller.erases_all
        }
        PurgeMethod::SanitizeBlock | PurgeMethod::SanitizeCrypto => true,
        PurgeMethod::Auto
        | PurgeMethod::AtaErase
        | PurgeMethod::AtaEraseEnhanced
        | PurgeMethod::ScsiFormat
        | PurgeMethod::Discard
        | PurgeMethod::None => false,
    }
}

/// The namespaces beside this one that a method would erase, as far as the controller tells.
pub(super) fn reach(
    nvme: Nvme<'_>,
    controller: &Controller,
    method: PurgeMethod,
) -> Result<Vec<u32>, AdminError> {
    if hits_all(controller, method) {
        nvme.others(controller)
    } else {
        Ok(Vec::new())
    }
}

/// Erases by a method that the controller offers. `pause` waits and tells whether to give up.
pub(super) fn erase(
    nvme: Nvme<'_>,
    method: PurgeMethod,
    pause: &mut dyn FnMut(Duration) -> bool,
) -> Result<Erased, String> {
    match method {
        PurgeMethod::Format => format(nvme, Erase::Data),
        PurgeMethod::FormatCrypto => format(nvme, Erase::Key),
        PurgeMethod::SanitizeBlock => sanitize(nvme, Erase::Data, pause),
        PurgeMethod::SanitizeCrypto => sanitize(nvme, Erase::Key, pause),
        PurgeMethod::Auto
        | PurgeMethod::AtaErase
        | PurgeMethod::AtaEraseEnhanced
        | PurgeMethod::ScsiFormat
        | PurgeMethod::Discard
        | PurgeMethod::None => Err("it is no method of NVMe".to_owned()),
    }
}

fn format(nvme: Nvme<'_>, erase: Erase) -> Result<Erased, String> {
    let before = nvme.namespace().map_err(|error| error.to_string())?;
    if before.is_extended {
        return Err(format!(
            "the namespace carries {}, which a test must not write; format it without metadata \
             inside the block first",
            before.metadata_words().unwrap_or_default()
        ));
    }
    nvme.format(&before, erase, FORMAT_TIME_MAX)
        .map_err(|error| {
            format!("{error}; choose another method with --purge (`ptse drives` lists them)")
        })?;
    let after = nvme.namespace().map_err(|error| error.to_string())?;
    if after != before {
        return Err(format!(
            "the drive came back in another format: {before:?} before, {after:?} after; bring it \
             back to the old one and start again"
        ));
    }
    // What a formatted block returns is not promised (Base Specification 1.4, section 5.23).
    Ok(Erased::Done { promised: None })
}

fn sanitize(
    nvme: Nvme<'_>,
    erase: Erase,
    pause: &mut dyn FnMut(Duration) -> bool,
) -> Result<Erased, String> {
    let words = |error: AdminError| error.to_string();
    nvme.sanitize(erase).map_err(words)?;
    if !wait(nvme, erase, pause)? {
        return Ok(Erased::Cancelled);
    }
    let log = nvme.sanitize_log().map_err(words)?;
    match log.state {
        SanitizeState::Completed => {
            let promised = match erase {
                Erase::Data => nvme.namespace().map_err(words)?.deallocated,
                // A new key makes of old bits whatever it makes.
                Erase::Key => None,
            };
            Ok(Erased::Done { promised })
        }
        SanitizeState::Failed => Err("the drive says that it failed, and answers no I/O until \
                                      one succeeds; start again, which leaves that state first"
            .to_owned()),
        SanitizeState::Never | SanitizeState::InProgress => {
            Err("the drive's log does not show that it ended".to_owned())
        }
    }
}

/// Brings a drive to where it answers I/O: waits for a sanitize that is going on from before a
/// restart, and leaves the failure of an earlier one. `false` when it was cancelled.
pub(super) fn recover(
    nvme: Nvme<'_>,
    controller: &Controller,
    pause: &mut dyn FnMut(Duration) -> bool,
) -> Result<bool, String> {
    if !(controller.sanitizes_blocks || controller.sanitizes_crypto) {
        return Ok(true);
    }
    let words = |error: AdminError| error.to_string();
    if nvme.sanitize_log().map_err(words)?.state == SanitizeState::InProgress {
        tracing::warn!("a sanitize from before is in progress; waiting for its end");
        if !wait(nvme, Erase::Data, pause)? {
            return Ok(false);
        }
    }
    if nvme.sanitize_log().map_err(words)?.state == SanitizeState::Failed {
        tracing::warn!("the last sanitize failed; leaving its failure mode");
        // A drive that does not allow it says so when blocks are stamped.
        drop(nvme.exit_failure_mode());
    }
    Ok(true)
}

/// Polls until no sanitize is in progress; `false` when it was cancelled.
fn wait(
    nvme: Nvme<'_>,
    erase: Erase,
    pause: &mut dyn FnMut(Duration) -> bool,
) -> Result<bool, String> {
    let mut waited = Duration::ZERO;
    loop {
        let log = nvme.sanitize_log().map_err(|error| error.to_string())?;
        if log.state != SanitizeState::InProgress {
            return Ok(true);
        }
        let percent = log.percent();
        tracing::info!(percent, "sanitizing");
        let time_max = time_max(&log, erase);
        if waited >= time_max {
            return Err(format!(
                "it stands at {percent} % after {} s, longer than the {} s that this drive is \
                 given; wait until it has ended, then start again",
                waited.as_secs(),
                time_max.as_secs()
            ));
        }
        if pause(POLL_EVERY) {
            return Ok(false);
        }
        waited += POLL_EVERY;
    }
}

fn time_max(log: &SanitizeLog, erase: Erase) -> Duration {
    let estimate = match erase {
        Erase::Data => log.block_time,
        Erase::Key => log.crypto_time,
    };
    estimate.map_or(SANITIZE_TIME_MAX, |estimate| {
        estimate * ESTIMATE_FACTOR + ESTIMATE_SLACK
    })
}
