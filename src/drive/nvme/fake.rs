//! A drive that answers admin commands as it is told to, over a temporary file.

use std::cell::RefCell;
use std::fs::File;
use std::os::unix::fs::FileExt;

use super::{Admin, AdminError, Request};

/// Blocks of 512 bytes.
pub(in crate::drive) const BLOCKS: u64 = 1000;

/// What a drive does beside, or instead of, what it is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::drive) struct Habits {
    /// Byte 524 of Identify Controller: what a format hits.
    pub(in crate::drive) format_bits: u8,
    /// Namespaces beside number 1.
    pub(in crate::drive) others: Vec<u32>,
    /// Has no volatile write cache.
    pub(in crate::drive) has_no_cache: bool,
    /// Accepts a switch of the cache and does not do it.
    pub(in crate::drive) ignores_cache: bool,
    /// A format brings the cache back to on.
    pub(in crate::drive) format_flips_cache: bool,
    /// A format or sanitize leaves the block at LBA 0.
    pub(in crate::drive) leaves_a_block: bool,
    /// A format ends with this status.
    pub(in crate::drive) format_status: u16,
    /// A format changes the LBA format.
    pub(in crate::drive) format_changes_index: bool,
    /// Metadata at the end of each block.
    pub(in crate::drive) is_extended: bool,
    /// What Sanitize offers: bit 0 crypto, bit 1 block erase.
    pub(in crate::drive) sanitize_bits: u8,
    /// Polls until a sanitize has ended.
    pub(in crate::drive) sanitize_polls: u32,
    /// A sanitize fails.
    pub(in crate::drive) sanitize_fails: bool,
    /// Has no health to read.
    pub(in crate::drive) hides_health: bool,
    /// What erased blocks are said to return: 1 for zeros.
    pub(in crate::drive) deallocated: u8,
}

/// The drive.
#[derive(Debug)]
pub(in crate::drive) struct Fake {
    pub(in crate::drive) habits: Habits,
    pub(in crate::drive) file: File,
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    cache: bool,
    index: u8,
    /// Status of the sanitize log, and polls that are left.
    sanitize: (u8, u32),
    /// Every command that changes something, with its dword 10.
    sent: Vec<(u8, u32, u32)>,
}

impl Fake {
    pub(in crate::drive) fn new(habits: Habits) -> Self {
        let file = tempfile::tempfile().unwrap();
        file.set_len(BLOCKS * 512).unwrap();
        let state = State {
            cache: true,
            index: 2,
            ..State::default()
        };
        Self {
            habits,
            file,
            state: RefCell::new(state),
        }
    }

    /// As it is after a power cut in a sanitize.
    pub(in crate::drive) fn in_a_sanitize(self, polls: u32) -> Self {
        self.state.borrow_mut().sanitize = (2, polls);
        self
    }

    /// As it is after a sanitize that failed.
    pub(in crate::drive) fn after_a_failed_sanitize(self) -> Self {
        self.state.borrow_mut().sanitize = (3, 0);
        self
    }

    /// Commands that changed something: operation code, namespace, dword 10.
    pub(in crate::drive) fn sent(&self) -> Vec<(u8, u32, u32)> {
        self.state.borrow().sent.clone()
    }

    fn identify(&self, what: u32, data: &mut [u8]) {
        let habits = &self.habits;
        let list = |nsids: &[u32], data: &mut [u8]| {
            for (place, nsid) in data.chunks_exact_mut(4).zip(nsids) {
                place.copy_from_slice(&nsid.to_le_bytes());
            }
        };
        match what {
            0 => {
                data[0..8].copy_from_slice(&BLOCKS.to_le_bytes());
                data[25] = 3;
                let index = self.state.borrow().index;
                data[26] = index | u8::from(habits.is_extended) << 4;
                data[33] = habits.deallocated;
                let at = 128 + 4 * usize::from(index);
                data[at] = if habits.is_extended { 8 } else { 0 };
                data[at + 2] = 9;
            }
            1 => {
                data[256] = 1 << 1;
                data[328] = habits.sanitize_bits;
                data[524] = habits.format_bits;
                data[525] = u8::from(!habits.has_no_cache);
            }
            _ => list(&[&[1], habits.others.as_slice()].concat(), data),
        }
    }

    fn log(&self, page: u32, data: &mut [u8]) {
        if page & 0xFF == 2 {
            // 311 kelvin; 10 units written.
            data[1..3].copy_from_slice(&311_u16.to_le_bytes());
            data[48] = 10;
            return;
        }
        let mut state = self.state.borrow_mut();
        let (status, left) = state.sanitize;
        if status == 2 && left == 0 {
            state.sanitize.0 = if self.habits.sanitize_fails { 3 } else { 1 };
            if !self.habits.sanitize_fails {
                self.erase();
            }
        } else if status == 2 {
            state.sanitize.1 -= 1;
        }
        data[2] = state.sanitize.0;
        data[1] = 0x40;
        data[12..20].fill(0xFF);
    }

    fn erase(&self) {
        let first = u64::from(self.habits.leaves_a_block) * 512;
        let zeros = vec![0; usize::try_from(BLOCKS * 512 - first).unwrap()];
        self.file.write_all_at(&zeros, first).unwrap();
    }

    fn format(&self) -> Result<u32, AdminError> {
        let status = self.habits.format_status;
        if status > 0 {
            return Err(AdminError::Status { status });
        }
        self.erase();
        let mut state = self.state.borrow_mut();
        state.cache |= self.habits.format_flips_cache;
        state.index ^= u8::from(self.habits.format_changes_index);
        Ok(0)
    }
}

impl Admin for Fake {
    fn submit(&self, request: &Request, data: &mut [u8]) -> Result<u32, AdminError> {
        let [ten, eleven] = request.dwords;
        if matches!(request.opcode, 0x09 | 0x80 | 0x84) {
            let sent = (request.opcode, request.nsid, ten);
            self.state.borrow_mut().sent.push(sent);
        }
        match request.opcode {
            0x02 if self.habits.hides_health => {
                return Err(AdminError::Status { status: 0x4109 });
            }
            0x02 => self.log(ten, data),
            0x06 => self.identify(ten, data),
            0x09 if self.habits.ignores_cache => {}
            0x09 => self.state.borrow_mut().cache = eleven & 1 != 0,
            0x0A => return Ok(u32::from(self.state.borrow().cache)),
            0x80 => return self.format(),
            0x84 if ten & 7 == 1 => self.state.borrow_mut().sanitize = (0, 0),
            0x84 => {
                self.state.borrow_mut().sanitize = (2, self.habits.sanitize_polls);
            }
            _ => return Err(AdminError::Status { status: 0x4001 }),
        }
        Ok(0)
    }
}
