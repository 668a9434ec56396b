//! The ways to purge a drive, by the words of the command line and of the journal.

/// How to erase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PurgeMethod {
    /// The best the drive offers.
    #[default]
    Auto,
    /// NVMe Format NVM, user-data erase.
    Format,
    /// NVMe Format NVM, cryptographic erase.
    FormatCrypto,
    /// Sanitize (NVMe, SCSI), block erase.
    SanitizeBlock,
    /// Sanitize (NVMe, SCSI), cryptographic erase.
    SanitizeCrypto,
    /// ATA SECURITY ERASE UNIT, normal.
    AtaErase,
    /// ATA SECURITY ERASE UNIT, enhanced.
    AtaEraseEnhanced,
    /// SCSI FORMAT UNIT.
    ScsiFormat,
    /// Discard of the whole device (TRIM, UNMAP, DSM deallocate, punched file): not a purge named
    /// by the standard.
    Discard,
    /// No purge: waived by the operator.
    None,
}

impl PurgeMethod {
    /// All methods.
    pub const ALL: [Self; 10] = [
        Self::Auto,
        Self::Format,
        Self::FormatCrypto,
        Self::SanitizeBlock,
        Self::SanitizeCrypto,
        Self::AtaErase,
        Self::AtaEraseEnhanced,
        Self::ScsiFormat,
        Self::Discard,
        Self::None,
    ];

    /// The word of the command line and of the journal.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Format => "format",
            Self::FormatCrypto => "format-crypto",
            Self::SanitizeBlock => "sanitize-block",
            Self::SanitizeCrypto => "sanitize-crypto",
            Self::AtaErase => "ata-erase",
            Self::AtaEraseEnhanced => "ata-erase-enhanced",
            Self::ScsiFormat => "scsi-format",
            Self::Discard => "discard",
            Self::None => "none",
        }
    }

    /// The method with this word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.word() == word)
    }

    /// Whether the standard names it as a purge (PTS 2.0.2, clause 3.2). A new key makes old data
    /// unreadable and need not return the drive to never-written blocks, so it is not counted.
    pub fn is_named_by_standard(self) -> bool {
        match self {
            Self::Format
            | Self::SanitizeBlock
            | Self::AtaErase
            | Self::AtaEraseEnhanced
            | Self::ScsiFormat => true,
            Self::Auto | Self::FormatCrypto | Self::SanitizeCrypto | Self::Discard | Self::None => {
                false
            }
        }
    }

    /// What a report calls it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Auto => "the best method the drive offers",
            Self::Format => "NVMe Format NVM, user-data erase",
            Self::FormatCrypto => "NVMe Format NVM, cryptographic erase",
            Self::SanitizeBlock => "Sanitize, block erase",
            Self::SanitizeCrypto => "Sanitize, cryptographic erase",
            Self::AtaErase => "ATA SECURITY ERASE UNIT",
            Self::AtaEraseEnhanced => "ATA SECURITY ERASE UNIT, enhanced",
            Self::ScsiFormat => "SCSI FORMAT UNIT",
            Self::Discard => "discard of the whole device",
            Self::None => "none (waived)",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words are a promise of the command line and stand in journals.
    #[test]
    fn every_method_is_found_by_its_word() {
        for method in PurgeMethod::ALL {
            assert_eq!(PurgeMethod::named(method.word()), Some(method));
        }
        assert_eq!(PurgeMethod::named("Format"), None);
    }
}
