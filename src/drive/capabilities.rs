//! In which ways a device can be purged, as far as it tells, and by which of them that is meant.

use std::path::Path;

use super::PurgeMethod;
use super::ata::Ata;
use super::facts;
use super::nvme::Controller;
use super::scsi::Scsi;
use super::sysfs::BlockFolder;

/// Who speaks to a drive that is not NVMe.
#[derive(Debug, Clone)]
pub(super) enum Speaker {
    /// SATA.
    Ata(Ata),
    /// SAS and other SCSI.
    Scsi(Scsi),
}

impl Speaker {
    /// The speaker for a disk, by what it hangs on.
    pub(super) fn of(disk: &BlockFolder) -> Option<Self> {
        let node = Path::new("/dev").join(disk.name());
        match facts::transport(disk)?.as_str() {
            "SATA" => Some(Self::Ata(Ata::at(node))),
            "SAS" | "SCSI" => Some(Self::Scsi(Scsi::at(node))),
            _ => None,
        }
    }

    fn offered(&self) -> Vec<PurgeMethod> {
        match self {
            Self::Ata(ata) => ata.offered(),
            Self::Scsi(_) => Scsi::OFFERED.to_vec(),
        }
    }
}

/// All methods that a device offers, best first. Any device may be told to discard, which the
/// standard does not name as a purge; whether it can, it says itself.
pub(super) fn offered(
    controller: Option<&Controller>,
    speaker: Option<&Speaker>,
) -> Vec<PurgeMethod> {
    let mut methods = match (controller, speaker) {
        (Some(controller), _) => of_nvme(controller),
        (None, Some(speaker)) => speaker.offered(),
        (None, None) => Vec::new(),
    };
    methods.push(PurgeMethod::Discard);
    methods
}

/// What an NVMe controller offers. Erasing data comes before changing keys: that a key was
/// changed cannot be told from the outside.
fn of_nvme(controller: &Controller) -> Vec<PurgeMethod> {
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

#[cfg(test)]
mod tests {
    use super::super::sysfs::DeviceNumber;
    use super::super::sysfs::fixture::Tree;
    use super::*;

    #[test]
    fn who_speaks_depends_on_what_a_disk_hangs_on() {
        let tree = Tree::new();
        tree.disk("pci/ata3/host2/target2:0:0/2:0:0:0/block/sda", "8:0", 8);
        let sas = "pci/host6/port-6:0/end_device-6:0/target6:0:0/6:0:0:0/block/sdb";
        tree.disk(sas, "8:16", 8);
        tree.file(&format!("devices/{sas}/device/sas_address"), "0x5000c50\n");
        tree.disk("pci/usb1/1-1/host7/block/sdc", "8:32", 8);
        let speaker = |number: &str| {
            let number = DeviceNumber::parse(number).unwrap();
            Speaker::of(&tree.sysfs().block(number).unwrap())
        };
        assert!(matches!(speaker("8:0"), Some(Speaker::Ata(_))));
        assert!(matches!(speaker("8:16"), Some(Speaker::Scsi(_))));
        // What a USB bridge makes of an erase, nobody knows.
        assert!(speaker("8:32").is_none());
    }

    #[test]
    fn the_best_method_is_the_first_and_discard_the_last() {
        let controller = Controller {
            formats: true,
            sanitizes_blocks: true,
            ..Controller::default()
        };
        let methods = offered(Some(&controller), None);
        let expected = [
            PurgeMethod::Format,
            PurgeMethod::SanitizeBlock,
            PurgeMethod::Discard,
        ];
        assert_eq!(methods, expected);
        assert_eq!(choose(PurgeMethod::Auto, &methods), Ok(PurgeMethod::Format));
        let cause = choose(PurgeMethod::AtaErase, &methods).unwrap_err();
        assert!(
            cause.contains("format, sanitize-block, discard, none"),
            "{cause}"
        );
    }
}
