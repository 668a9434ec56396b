//! Garbage collection: which superblock is emptied, and how fast.
//!
//! Greedy: the closed superblock with the fewest valid pages. Paced: a victim with v valid of b
//! pages is worked through while the host writes b - v pages, so one superblock becomes free just
//! as one is used up, and write latency has no sawtooth. Should the free superblocks still run
//! out, a victim is emptied at once; the last free superblock belongs to collection.

use std::hint::black_box;

use super::{Flash, NONE, Operation, State};

/// A superblock that is being emptied.
#[derive(Debug)]
pub(super) struct Victim {
    superblock: u32,
    /// Program units worked through.
    units_done: u32,
    credit: u64,
    /// Credit that working through a unit costs; a host page earns the pages of a superblock.
    unit_cost: u64,
}

impl Flash {
    pub(super) fn open_for_host(&mut self, operations: &mut Vec<Operation>) {
        while self.free.len() <= 1 {
            self.collect_at_once(operations);
        }
        self.host = self.open(self.host);
        self.choose_victim(operations);
    }

    /// Earns the credit of one host page and spends it.
    #[inline]
    pub(super) fn pace(&mut self, operations: &mut Vec<Operation>) {
        let earned = u64::from(self.layout.superblock_pages);
        let Some(victim) = &mut self.victim else {
            return;
        };
        victim.credit += earned;
        while let Some(victim) = &mut self.victim {
            if victim.credit < victim.unit_cost {
                break;
            }
            victim.credit -= victim.unit_cost;
            self.collect_unit(operations);
        }
    }

    /// Takes a victim if free superblocks are short and none is being emptied. Superblocks without
    /// valid pages are freed on the spot.
    fn choose_victim(&mut self, operations: &mut Vec<Operation>) {
        while self.victim.is_none() && self.free.len() <= self.layout.shape.low_mark as usize {
            let Some(superblock) = self.least_valid() else {
                return;
            };
            let valid = self.valid[superblock as usize];
            if valid == 0 {
                self.release(superblock, operations);
                continue;
            }
            self.victim = Some(Victim {
                superblock,
                units_done: 0,
                credit: 0,
                unit_cost: u64::from(self.layout.superblock_pages - valid)
                    * u64::from(self.layout.shape.unit_pages),
            });
        }
    }

    /// The closed superblock with the fewest valid pages, if collecting it gains anything.
    fn least_valid(&self) -> Option<u32> {
        let mut best = NONE;
        let mut valid_least = self.layout.superblock_pages;
        for (index, (&valid, &state)) in (0..).zip(self.valid.iter().zip(&self.state)) {
            if valid < valid_least && state == State::Closed {
                (best, valid_least) = (index, valid);
            }
        }
        (best != NONE).then_some(best)
    }

    fn collect_at_once(&mut self, operations: &mut Vec<Operation>) {
        let free_before = self.free.len();
        self.choose_victim(operations);
        while self.victim.is_some() && self.free.len() <= free_before {
            self.collect_unit(operations);
        }
        assert!(
            self.free.len() > free_before,
            "a flash with spare superblocks always has one that is not all valid"
        );
    }

    /// Moves the valid pages of the victim's next program unit.
    fn collect_unit(&mut self, operations: &mut Vec<Operation>) {
        let Some(victim) = &mut self.victim else {
            return;
        };
        let superblock = victim.superblock;
        let unit = superblock * self.layout.superblock_units + victim.units_done;
        victim.units_done += 1;
        let is_last = victim.units_done == self.layout.superblock_units;
        let first = unit * self.layout.shape.unit_pages;
        let places = first..first + self.layout.shape.unit_pages;
        self.look_ahead(first as usize);

        // The read goes before the programs of what it reads; its counts are known afterwards.
        let position = operations.len();
        let (mut senses, mut pages, mut sense_last) = (0, 0, NONE);
        operations.push(Operation::MoveRead {
            unit,
            senses,
            pages,
        });
        for place in places {
            let page = self.page_at[place as usize];
            if page == NONE || self.place_of[page as usize] != place {
                continue;
            }
            let sense = self.layout.sense_of(place);
            senses += u32::from(sense != sense_last);
            sense_last = sense;
            pages += 1;
            self.move_page(page, superblock, operations);
        }
        if pages == 0 {
            operations.truncate(position);
        } else {
            operations[position] = Operation::MoveRead {
                unit,
                senses,
                pages,
            };
        }
        if is_last {
            self.victim = None;
            self.release(superblock, operations);
            self.choose_victim(operations);
        }
    }

    /// Reads the map entries of a whole unit in a row, so that their cache misses overlap; the
    /// loop after this one then finds them near.
    fn look_ahead(&self, first: usize) {
        let mut seen = 0;
        for &page in &self.page_at[first..first + self.layout.shape.unit_pages as usize] {
            seen ^= self.place_of.get(page as usize).copied().unwrap_or(NONE);
        }
        black_box(seen);
    }

    fn move_page(&mut self, page: u32, from: u32, operations: &mut Vec<Operation>) {
        if self.collection.next == self.collection.end {
            self.collection = self.open(self.collection);
        }
        let place = self.collection.next;
        self.place_of[page as usize] = place;
        self.page_at[place as usize] = page;
        self.valid[from as usize] -= 1;
        self.valid[self.collection.superblock as usize] += 1;
        self.moved_pages += 1;
        self.collection.next += 1;
        self.collection.unit_left -= 1;
        if self.collection.unit_left == 0 {
            self.program_unit(place, false, operations);
            self.collection.unit_left = self.unit_left_at(self.collection);
        }
    }

    fn release(&mut self, superblock: u32, operations: &mut Vec<Operation>) {
        let index = superblock as usize;
        assert_eq!(self.valid[index], 0, "a superblock is erased when empty");
        self.state[index] = State::Free;
        self.erase_count[index] += 1;
        self.free.push_back(superblock);
        operations.push(Operation::Erase { superblock });
    }
}
