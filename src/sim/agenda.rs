//! What happens next: one pending time for each slot, and the earliest of them.
//!
//! A tournament tree: an inner node holds the smaller of its two children, so that the root is the
//! next event and changing one slot touches one path to the root. A key is the time with the slot
//! in its low bits: events at the same nanosecond are ordered by slot, so the order is total and
//! the same on every machine.

/// Key of a slot with nothing pending.
const NEVER: u64 = u64::MAX;

/// Pending times by slot.
#[derive(Debug)]
pub(super) struct Agenda {
    keys: Vec<u64>,
    leaves: usize,
    slot_bits: u32,
}

impl Agenda {
    /// An agenda with room for `slots` slots, all without a pending time.
    pub(super) fn new(slots: usize) -> Self {
        let leaves = slots.next_power_of_two().max(2);
        Self {
            keys: vec![NEVER; 2 * leaves],
            leaves,
            slot_bits: leaves.trailing_zeros(),
        }
    }

    /// Makes room for `slots` slots; pending times stay.
    pub(super) fn grow(&mut self, slots: usize) {
        if slots <= self.leaves {
            return;
        }
        let old = std::mem::replace(self, Self::new(slots));
        let keys = &old.keys[old.leaves..];
        for (slot, key) in keys.iter().enumerate().filter(|(_, key)| **key != NEVER) {
            self.set(slot, key >> old.slot_bits);
        }
    }

    /// The first time, in nanoseconds, that can no longer be set.
    pub(super) fn horizon(&self) -> u64 {
        1 << (64 - self.slot_bits)
    }

    /// The earliest pending time and its slot.
    #[inline]
    pub(super) fn first(&self) -> Option<(u64, usize)> {
        let key = self.keys[1];
        let slot = usize::try_from(key).expect("a 64-bit machine") & (self.leaves - 1);
        (key != NEVER).then_some((key >> self.slot_bits, slot))
    }

    /// Sets the pending time of a slot, in nanoseconds below [`Self::horizon`].
    #[inline]
    pub(super) fn set(&mut self, slot: usize, time: u64) {
        self.put(slot, (time << self.slot_bits) | slot as u64);
    }

    /// Leaves a slot with nothing pending.
    #[inline]
    pub(super) fn clear(&mut self, slot: usize) {
        self.put(slot, NEVER);
    }

    #[inline]
    fn put(&mut self, slot: usize, key: u64) {
        let mut node = self.leaves + slot;
        let mut least = key;
        self.keys[node] = key;
        while node > 1 {
            least = least.min(self.keys[node ^ 1]);
            node >>= 1;
            self.keys[node] = least;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_comes_first_and_ties_go_to_the_lower_slot() {
        let mut agenda = Agenda::new(5);
        for (slot, time) in [(4, 70), (2, 30), (3, 30), (0, 90)] {
            agenda.set(slot, time);
        }
        let mut order = Vec::new();
        while let Some((time, slot)) = agenda.first() {
            order.push((time, slot));
            agenda.clear(slot);
        }
        assert_eq!(order, [(30, 2), (30, 3), (70, 4), (90, 0)]);
    }

    #[test]
    fn growing_keeps_what_is_pending() {
        let mut agenda = Agenda::new(2);
        agenda.set(1, 12);
        agenda.grow(100);
        agenda.set(99, 11);
        assert_eq!(agenda.first(), Some((11, 99)));
        agenda.clear(99);
        assert_eq!(agenda.first(), Some((12, 1)));
    }
}
