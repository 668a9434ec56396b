//! The way of a worker's I/Os to the kernel, and the rule that its memory outlives them.

use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use io_uring::{CompletionQueue, cqueue};

use super::ring::{Ring, explain, is_refusal};
use super::slots::Slots;
use super::sync::Calls;
use crate::units::Nanos;

/// How I/Os reach the kernel.
pub(super) enum Lane {
    /// Through a ring of the worker's own.
    Ring(Ring),
    /// By one system call for each.
    Calls(Calls),
}

/// Completions that are there.
pub(super) enum Completions<'a> {
    /// In a ring.
    Ring(CompletionQueue<'a>),
    /// Of system calls.
    Calls(std::vec::Drain<'a, (u32, i32)>),
}

impl Lane {
    /// A lane for I/O on `file` with the buffers of `slots`: a ring where the kernel grants one
    /// and none is forbidden, else system calls.
    pub(super) fn new(file: &Arc<OwnedFd>, slots: &Slots, is_sync: bool) -> Result<Self, String> {
        use std::os::fd::AsFd;
        if is_sync {
            return Calls::new(file, slots.count(), None).map(Self::Calls);
        }
        match Ring::new(file.as_fd(), slots, slots.count()) {
            Ok(ring) => Ok(Self::Ring(ring)),
            Err(error) if is_refusal(&error) => {
                Calls::new(file, slots.count(), Some(explain(&error))).map(Self::Calls)
            }
            Err(error) => Err(explain(&error)),
        }
    }

    /// The set-up in force, in words.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Ring(ring) => ring.words(),
            Self::Calls(calls) => calls.words(),
        }
    }

    /// Why the set-up may cost speed, if it may.
    pub(super) fn shortcoming(&self) -> Option<String> {
        match self {
            Self::Ring(ring) => ring.shortcoming(),
            Self::Calls(calls) => calls.shortcoming(),
        }
    }

    /// Takes the I/Os of a batch of slots, which get this stamp. Gives how many of
    /// them found room.
    #[inline]
    pub(super) fn push(&mut self, slots: &mut Slots, batch: &[u32], stamp: Nanos) -> usize {
        match self {
            Self::Ring(ring) => ring.push(slots, batch, stamp),
            Self::Calls(calls) => calls.push(slots, batch, stamp),
        }
    }

    /// Submits what was pushed. With a time limit it then waits for one completion.
    #[inline]
    pub(super) fn enter(&mut self, wait: Option<Nanos>) -> io::Result<()> {
        match self {
            Self::Ring(ring) => ring.enter(wait),
            Self::Calls(calls) => calls.enter(wait),
        }
    }

    /// The completions that are there now; later ones are left for the next time.
    #[inline]
    pub(super) fn completions(&mut self) -> Completions<'_> {
        match self {
            Self::Ring(ring) => Completions::Ring(ring.completions()),
            Self::Calls(calls) => Completions::Calls(calls.completions()),
        }
    }
}

impl Completions<'_> {
    /// Gives the slots back without a look at the results.
    pub(super) fn give_back_all(self, slots: &mut Slots) {
        let mut give_back = |slot| {
            slots.give_back(slot);
        };
        match self {
            Self::Ring(found) => found.for_each(|one| give_back(one.slot())),
            Self::Calls(found) => found.for_each(|one| give_back(Completed::slot(&one))),
        }
    }
}

/// What a completion says: its slot and its result.
pub(super) trait Completed {
    /// The number of the slot.
    fn slot(&self) -> u32;
    /// Bytes done, or a negative error number.
    fn result(&self) -> i32;
}

impl Completed for cqueue::Entry {
    #[inline]
    fn slot(&self) -> u32 {
        u32::try_from(self.user_data()).expect("user data is a slot's number")
    }

    #[inline]
    fn result(&self) -> i32 {
        Self::result(self)
    }
}

impl Completed for (u32, i32) {
    #[inline]
    fn slot(&self) -> u32 {
        self.0
    }

    #[inline]
    fn result(&self) -> i32 {
        self.1
    }
}

/// A lane and the slots its I/Os use. Dropped while I/Os are in flight, by a panic too, it leaves
/// both: the kernel may still write into the buffers, so they stay mapped until the process ends.
pub(super) struct Afloat {
    lane: ManuallyDrop<Lane>,
    slots: ManuallyDrop<Slots>,
}

impl Afloat {
    pub(super) fn new(lane: Lane, slots: Slots) -> Self {
        Self {
            lane: ManuallyDrop::new(lane),
            slots: ManuallyDrop::new(slots),
        }
    }

    /// Both, to be used together.
    #[inline]
    pub(super) fn parts(&mut self) -> (&mut Lane, &mut Slots) {
        (&mut self.lane, &mut self.slots)
    }

    /// I/Os in flight.
    #[inline]
    pub(super) fn taken(&self) -> u32 {
        self.slots.taken()
    }

    /// Whether none is in flight.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        self.slots.are_all_free()
    }

    /// The lane.
    pub(super) fn lane(&self) -> &Lane {
        &self.lane
    }
}

impl Drop for Afloat {
    fn drop(&mut self) {
        if self.slots.taken() > 0 {
            return;
        }
        // SAFETY: neither is used again, and the lane goes before the memory it was given.
        unsafe { ManuallyDrop::drop(&mut self.lane) };
        // SAFETY: as above.
        unsafe { ManuallyDrop::drop(&mut self.slots) };
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::engine::slots::Layout;
    use crate::stimulus::addresses::Io;

    fn is_mapped(address: usize) -> bool {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        maps.lines().any(|line| {
            let (from, rest) = line.split_once('-').unwrap();
            let to = rest.split(' ').next().unwrap();
            let number = |text| usize::from_str_radix(text, 16).unwrap();
            (number(from)..number(to)).contains(&address)
        })
    }

    /// Field report 72, as far as memory is concerned: a worker that panics ends without taking
    /// the buffers away from I/Os that are still in flight.
    #[test]
    fn a_panic_leaves_buffers_mapped_while_ios_are_in_flight() {
        let file = Arc::new(OwnedFd::from(File::open("/dev/zero").unwrap()));
        let layout = Layout {
            slots: 2,
            block_bytes: 4096,
            writes: false,
            slots_of_all: 2,
        };
        let io = Io {
            offset: 0,
            length: 4096,
            is_read: true,
        };
        let mut slots = Slots::new(layout).unwrap();
        let slot = slots.take(io, 0);
        let address = slots.get_mut(slot).address.addr();
        let lane = Lane::new(&file, &slots, true).unwrap();
        let afloat = Afloat::new(lane, slots);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            let _afloat = afloat;
            panic!("a fault of ours");
        }));
        assert!(panicked.is_err());
        assert!(is_mapped(address));
    }
}
