//! Which kind of drive an address names. It opens nothing.

use std::path::PathBuf;

/// What `--drive` named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A simulated drive: what stands after `sim:`.
    Simulated(String),
    /// A regular file: what stands after `file:`.
    File(PathBuf),
    /// A block device, by any of its names.
    Block(PathBuf),
}

/// An address that names nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Nothing after the colon, or nothing at all.
    #[error(
        "'{address}' names no drive; give a device such as /dev/nvme0n1, sim:NAME or file:PATH"
    )]
    Empty {
        /// As given.
        address: String,
    },
}

impl Target {
    /// Reads an address: `sim:dc-tlc,seed=7`, `file:/tmp/target`, `/dev/nvme0n1`.
    ///
    /// # Errors
    /// When it names nothing.
    pub fn parse(address: &str) -> Result<Self, AddressError> {
        let named = |rest: &str| {
            (!rest.trim().is_empty())
                .then(|| rest.to_owned())
                .ok_or_else(|| AddressError::Empty {
                    address: address.to_owned(),
                })
        };
        if let Some(rest) = address.strip_prefix("sim:") {
            return named(rest).map(Self::Simulated);
        }
        if let Some(rest) = address.strip_prefix("file:") {
            return named(rest).map(|path| Self::File(path.into()));
        }
        named(address).map(|path| Self::Block(path.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_their_kind() {
        let sim = Target::Simulated("dc-tlc,seed=7".to_owned());
        assert_eq!(Target::parse("sim:dc-tlc,seed=7"), Ok(sim));
        assert_eq!(
            Target::parse("file:/tmp/x"),
            Ok(Target::File("/tmp/x".into()))
        );
        assert_eq!(
            Target::parse("/dev/sda"),
            Ok(Target::Block("/dev/sda".into()))
        );
        assert!(Target::parse("file:").is_err());
        assert!(Target::parse("").is_err());
    }
}
