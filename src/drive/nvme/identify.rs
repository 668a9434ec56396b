//! The Identify data structures, as far as purge, cache and health need them.

/// Bytes of every Identify data structure.
pub(super) const IDENTIFY_BYTES: usize = 4096;

/// What a controller can do (Base Specification 1.4, figure 247).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::drive) struct Controller {
    /// Whether it has Format NVM.
    pub(in crate::drive) formats: bool,
    /// Whether namespaces can be made and attached, so that some may be hidden.
    pub(in crate::drive) manages_namespaces: bool,
    /// Whether a format changes every namespace.
    pub(in crate::drive) formats_all: bool,
    /// Whether an erase as part of a format hits every namespace.
    pub(in crate::drive) erases_all: bool,
    /// Whether a format can erase by changing the key.
    pub(in crate::drive) formats_crypto: bool,
    /// Whether it has a volatile write cache.
    pub(in crate::drive) has_cache: bool,
    /// Whether Sanitize can change the key.
    pub(in crate::drive) sanitizes_crypto: bool,
    /// Whether Sanitize can erase blocks.
    pub(in crate::drive) sanitizes_blocks: bool,
    /// Composite temperature from which it warns, in kelvin.
    pub(in crate::drive) warning_kelvin: Option<u16>,
}

/// What a namespace is formatted like (Base Specification 1.4, figure 245).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::drive) struct Namespace {
    /// Logical blocks.
    pub(in crate::drive) blocks: u64,
    /// Index of the LBA format in use.
    pub(in crate::drive) format_index: u8,
    /// Bytes of a logical block without metadata, as a power of two.
    pub(in crate::drive) block_shift: u8,
    /// Bytes of metadata for each block.
    pub(in crate::drive) metadata_bytes: u16,
    /// Whether metadata are transferred at the end of each block.
    pub(in crate::drive) is_extended: bool,
    /// Type of protection information, 0 for none.
    pub(in crate::drive) protection: u8,
    /// Whether protection information comes first among the metadata.
    pub(in crate::drive) protection_first: bool,
    /// What a deallocated block returns, as far as it is promised.
    pub(in crate::drive) deallocated: Option<u8>,
}

impl Controller {
    /// Reads the structure.
    pub(super) fn parse(data: &[u8; IDENTIFY_BYTES]) -> Self {
        let optional = u16::from_le_bytes([data[256], data[257]]);
        let format = data[524];
        let sanitize = u32::from_le_bytes([data[328], data[329], data[330], data[331]]);
        let warning = u16::from_le_bytes([data[266], data[267]]);
        Self {
            formats: optional & 1 << 1 != 0,
            manages_namespaces: optional & 1 << 3 != 0,
            formats_all: format & 1 != 0,
            erases_all: format & 1 << 1 != 0,
            formats_crypto: format & 1 << 2 != 0,
            has_cache: data[525] & 1 != 0,
            sanitizes_crypto: sanitize & 1 != 0,
            sanitizes_blocks: sanitize & 1 << 1 != 0,
            warning_kelvin: (warning > 0).then_some(warning),
        }
    }
}

impl Namespace {
    /// Reads the structure. The upper two bits of the index of the format in use only count where
    /// there are more than 16 formats.
    pub(super) fn parse(data: &[u8; IDENTIFY_BYTES]) -> Self {
        const FORMATS: usize = 128;
        let blocks: [u8; 8] = std::array::from_fn(|at| data[at]);
        let (formats_last, in_use, protection) = (data[25], data[26], data[29]);
        let upper = if formats_last > 15 {
            in_use >> 5 & 3
        } else {
            0
        };
        let format_index = in_use & 0xF | upper << 4;
        let format = FORMATS + 4 * usize::from(format_index);
        let metadata_bytes = u16::from_le_bytes([data[format], data[format + 1]]);
        Self {
            blocks: u64::from_le_bytes(blocks),
            format_index,
            block_shift: data[format + 2],
            metadata_bytes,
            is_extended: in_use & 1 << 4 != 0 && metadata_bytes > 0,
            protection: protection & 7,
            protection_first: protection & 1 << 3 != 0,
            deallocated: match data[33] & 7 {
                1 => Some(0x00),
                2 => Some(0xFF),
                _ => None,
            },
        }
    }

    /// Metadata and protection in words; `None` where there are none.
    pub(in crate::drive) fn metadata_words(&self) -> Option<String> {
        (self.metadata_bytes > 0).then(|| {
            let place = if self.is_extended {
                "at the end of each block"
            } else {
                "apart"
            };
            let protection = match self.protection {
                0 => "no protection information".to_owned(),
                kind => format!("protection type {kind}"),
            };
            let bytes = self.metadata_bytes;
            format!("{bytes} bytes of metadata for each block, {place}, {protection}")
        })
    }
}

/// A list of namespace identifiers, in ascending order, ended by a 0.
pub(super) fn parse_list(data: &[u8; IDENTIFY_BYTES]) -> Vec<u32> {
    let words = data.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .take_while(|nsid| *nsid > 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Base Specification 1.4: FLBAS bits 3:0 and 6:5 are the index, bit 4 the place of metadata.
    #[test]
    fn the_format_in_use_is_found_among_more_than_sixteen() {
        let mut data = [0; IDENTIFY_BYTES];
        data[25] = 20;
        // Index 18 = 0b01_0010.
        data[26] = 0b0011_0010;
        data[29] = 0b1001;
        data[33] = 0b001;
        data[128 + 4 * 18] = 8;
        data[128 + 4 * 18 + 2] = 12;
        let namespace = Namespace::parse(&data);
        assert_eq!((namespace.format_index, namespace.block_shift), (18, 12));
        assert!(namespace.is_extended && namespace.protection_first);
        assert_eq!((namespace.protection, namespace.deallocated), (1, Some(0)));
        // With 16 formats or fewer the upper bits mean nothing.
        data[25] = 7;
        assert_eq!(Namespace::parse(&data).format_index, 2);
    }

    #[test]
    fn a_controller_tells_what_it_can_do() {
        let mut data = [0; IDENTIFY_BYTES];
        assert_eq!(Controller::parse(&data), Controller::default());
        data[256] = 0b1010;
        data[266..268].copy_from_slice(&343_u16.to_le_bytes());
        data[328] = 0b010;
        data[524] = 0b110;
        data[525] = 1;
        let controller = Controller::parse(&data);
        assert!(controller.formats && controller.manages_namespaces && controller.has_cache);
        assert!(!controller.formats_all && controller.erases_all && controller.formats_crypto);
        assert!(!controller.sanitizes_crypto && controller.sanitizes_blocks);
        assert_eq!(controller.warning_kelvin, Some(343));
    }

    #[test]
    fn a_list_of_namespaces_ends_at_zero() {
        let mut data = [0; IDENTIFY_BYTES];
        data[0] = 1;
        data[4..8].copy_from_slice(&300_u32.to_le_bytes());
        data[12] = 9;
        assert_eq!(parse_list(&data), [1, 300]);
    }
}
