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

/// The SMART / health information log page (Base Specification 1.4, figure 194). Counters that are
/// larger than 64 bits hold are cut at the largest number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::drive) struct SmartLog {
    /// Critical warning bits.
    pub(in crate::drive) warnings: u8,
    /// Composite temperature in kelvin.
    pub(in crate::drive) kelvin: u16,
    /// Spare that is left, in percent.
    pub(in crate::drive) spare_percent: u8,
    /// Endurance used, in percent; may pass 100.
    pub(in crate::drive) used_percent: u8,
    /// Thousands of 512 bytes read, rounded up.
    pub(in crate::drive) units_read: u64,
    /// Thousands of 512 bytes written, rounded up.
    pub(in crate::drive) units_written: u64,
    /// Unsafe shutdowns.
    pub(in crate::drive) unsafe_shutdowns: u64,
    /// Media and data integrity errors.
    pub(in crate::drive) media_errors: u64,
    /// Entries of the error log over the life of the drive.
    pub(in crate::drive) error_entries: u64,
    /// Minutes above the warning temperature.
    pub(in crate::drive) warning_minutes: u64,
    /// Minutes above the critical temperature.
    pub(in crate::drive) critical_minutes: u64,
    /// Times that light and heavy thermal throttling began.
    pub(in crate::drive) throttle_counts: [u64; 2],
    /// Seconds in light and heavy thermal throttling.
    pub(in crate::drive) throttle_seconds: [u64; 2],
}

impl SmartLog {
    /// Reads the page.
    pub(super) fn parse(page: &[u8; LOG_BYTES]) -> Self {
        let four = |at| number::<4>(page, at);
        Self {
            warnings: page[0],
            kelvin: u16::from_le_bytes([page[1], page[2]]),
            spare_percent: page[3],
            used_percent: page[5],
            units_read: number::<16>(page, 32),
            units_written: number::<16>(page, 48),
            unsafe_shutdowns: number::<16>(page, 144),
            media_errors: number::<16>(page, 160),
            error_entries: number::<16>(page, 176),
            warning_minutes: four(192),
            critical_minutes: four(196),
            throttle_counts: [four(216), four(220)],
            throttle_seconds: [four(224), four(228)],
        }
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

    /// Offsets of figure 194; 16-byte counters are little-endian.
    #[test]
    fn a_health_page_is_read() {
        let mut page = [0; LOG_BYTES];
        page[1..3].copy_from_slice(&311_u16.to_le_bytes());
        (page[3], page[5]) = (100, 2);
        page[48..50].copy_from_slice(&[0x10, 0x27]);
        page[160] = 3;
        page[192] = 7;
        page[216] = 1;
        page[228] = 9;
        let log = SmartLog::parse(&page);
        assert_eq!(
            (log.kelvin, log.spare_percent, log.used_percent),
            (311, 100, 2)
        );
        assert_eq!((log.units_written, log.media_errors), (10_000, 3));
        assert_eq!((log.warning_minutes, log.throttle_counts), (7, [1, 0]));
        assert_eq!(log.throttle_seconds, [0, 9]);
        page[48..64].fill(0xFF);
        assert_eq!(SmartLog::parse(&page).units_written, u64::MAX);
    }

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
