//! The hash chain: how a line of the journal is written and recognised.
//!
//! A line is `HASH JSON`, where HASH is the SHA-256, in 64 hex digits, of the HASH of the line
//! before as text (64 zeros for the first line) followed by this line's JSON bytes. A changed
//! byte breaks its own line; a cut tail or a chain written anew is only shown by a seal.

use sha2::{Digest, Sha256};

/// What the first line is chained to.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// Characters of a hash.
pub const HASH_LEN: usize = GENESIS.len();

/// The hash of a line whose predecessor has the hash `previous`.
pub fn link(previous: &str, json: &[u8]) -> String {
    let mut hasher = Sha256::new();
    hasher.update(previous.as_bytes());
    hasher.update(json);
    hex(&hasher.finalize())
}

/// SHA-256 of a text or file, in hex.
pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-2, appendix B.1: the message "abc".
    #[test]
    fn digest_of_abc_is_the_published_one() {
        assert_eq!(
            digest(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_link_hashes_the_previous_hash_as_text() {
        let json = br#"{"a":1}"#;
        let joined = [GENESIS.as_bytes(), json].concat();
        assert_eq!(link(GENESIS, json), digest(&joined));
    }
}
