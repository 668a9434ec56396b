//! Log pages: the state of a sanitize, and the health of a drive.

use std::time::Duration;

/// Bytes of both pages that are read.
pub(super) const LOG_BYTES: usize = 512;

/// How a sanitize stands (Base Specification 1.4, figure 244).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::drive) enum SanitizeState {
    /// There never was one.
    Never,
    /// The last one ended well.
    Completed,
    /// One is going on.
    InProgress,
    /// The last one failed; the drive refuses I/O.
    Failed,
}

/// The sanitize status log page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::drive) struct SanitizeLog {
    /// How it stands.
    pub(in crate::drive) state: SanitizeState,
    /// Part that is done, in 65,536ths.
    pub(in crate::drive) progress: u16,
    /// Time that a block erase is said to take.
    pub(in crate::drive) block_time: Option<Duration>,
    /// Time that a change of the key is said to take.
    pub(in crate::drive) crypto_time: Option<Duration>,
}

impl SanitizeLog {
    /// Reads the page.
    pub(super) fn parse(page: &[u8; LOG_BYTES]) -> Self {
        let estimate = |at: usize| {
            let seconds = number::<4>(page, at);
            (seconds != u64::from(u32::MAX)).then(|| Duration::from_secs(seconds))
        };
        Self {
            state: match page[2] & 7 {
                1 | 4 => SanitizeState::Completed,
                2 => SanitizeState::InProgress,
                3 => SanitizeState::Failed,
                _ => SanitizeState::Never,
            },
            progress: u16::from_le_bytes([page[0], page[1]]),
            block_time: estimate(12),
            crypto_time: estimate(16),
        }
    }

    /// Part that is done, in percent.
    pub(in crate::drive) fn percent(&self) -> u32 {
        u32::from(self.progress) * 100 / 65_536
    }
}

/// A little-endian number of `N` bytes, cut at the largest that 64 bits hold.
fn number<const N: usize>(page: &[u8; LOG_BYTES], at: usize) -> u64 {
    let mut value = 0_u128;
    for byte in page[at..at + N].iter().rev() {
        value = value << 8 | u128::from(*byte);
    }
    u64::try_from(value).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sanitize_tells_how_far_it_is() {
        let mut page = [0; LOG_BYTES];
        page[12..16].fill(0xFF);
        page[16] = 5;
        page[1] = 0x80;
        page[2] = 2;
        let log = SanitizeLog::parse(&page);
        assert_eq!((log.state, log.percent()), (SanitizeState::InProgress, 50));
        // 0xFFFFFFFF says that no time is known.
        assert_eq!(log.block_time, None);
        assert_eq!(log.crypto_time, Some(Duration::from_secs(5)));
        for (status, state) in [
            (0, SanitizeState::Never),
            (1, SanitizeState::Completed),
            (3, SanitizeState::Failed),
            (4, SanitizeState::Completed),
        ] {
            page[2] = status;
            assert_eq!(SanitizeLog::parse(&page).state, state);
        }
    }
}
