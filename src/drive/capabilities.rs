//! In which ways a device can be purged, as far as it tells.

use super::PurgeMethod;
use super::nvme::{Controller, Nvme};
use super::sysfs::BlockFolder;

/// All methods that the device offers, best first; discard, which the standard does not name as a
/// purge, comes last.
pub(super) fn purges(disk: &BlockFolder, nvme: Option<Nvme<'_>>) -> Vec<PurgeMethod> {
    let controller = nvme.and_then(|nvme| nvme.controller().ok());
    let mut methods = controller.map(|one| of_nvme(&one)).unwrap_or_default();
    if disk.value("queue/discard_max_bytes").unwrap_or(0) > 0 {
        methods.push(PurgeMethod::Discard);
    }
    methods
}

/// What an NVMe controller offers. Erasing data comes before changing keys: that a key was
/// changed cannot be told from the outside.
pub(super) fn of_nvme(controller: &Controller) -> Vec<PurgeMethod> {
    let all = [
        (PurgeMethod::Format, controller.formats),
        (PurgeMethod::SanitizeBlock, controller.sanitizes_blocks),
        (
            PurgeMethod::FormatCrypto,
            controller.formats && controller.formats_crypto,
        ),
        (PurgeMethod::SanitizeCrypto, controller.sanitizes_crypto),
    ];
    let offered = all.into_iter().filter(|(_, is_offered)| *is_offered);
    offered.map(|(method, _)| method).collect()
}

/// The method that is meant: `auto` is the first that is offered, any other must be among them.
///
/// # Errors
/// A sentence that says what is offered.
pub(super) fn choose(method: PurgeMethod, offered: &[PurgeMethod]) -> Result<PurgeMethod, String> {
    if method == PurgeMethod::None || offered.contains(&method) {
        return Ok(method);
    }
    if method == PurgeMethod::Auto {
        return Ok(offered.first().copied().unwrap_or(PurgeMethod::Discard));
    }
    let words: Vec<&str> = offered.iter().map(|one| one.word()).collect();
    Err(format!(
        "the device does not offer it; choose one of these with --purge: {}, none",
        words.join(", ")
    ))
}
