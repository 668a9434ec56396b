//! The flash translation layer: which physical page holds which page of the host.
//!
//! Page-mapped, with a write frontier for the host and one of its own for collection: with a
//! shared one, old data and a new stream would share superblocks and sequential throughput would
//! never recover. It is free of time: what the dies have to do comes out as [`Operation`]s.
//!
//! Counting: a page counts as a host page or as a moved page at the moment it is assigned to its
//! place in a program unit. Programmed pages are counted apart, from the units handed to the dies
//! and the fill of the two open units, so that at every moment programmed = host + moved can be
//! checked and not only asserted.

mod collect;
pub(crate) mod layout;

use std::collections::VecDeque;

use collect::Victim;
use layout::{Layout, Shape};

/// No page: of a page that was never written, and of a place that holds nothing.
pub(crate) const NONE: u32 = u32::MAX;

/// What the dies have to do, in the order it came up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Program a unit that is full.
    Program {
        /// The unit.
        unit: u32,
        /// How often its superblock was erased before.
        erase_count: u32,
        /// Whether it holds pages of the host, not moved ones.
        for_host: bool,
    },
    /// Read the valid pages of a unit that is being collected.
    MoveRead {
        /// The unit.
        unit: u32,
        /// Times its die has to sense.
        senses: u32,
        /// Pages that are transferred.
        pages: u32,
    },
    /// Erase a superblock on every die.
    Erase {
        /// The superblock.
        superblock: u32,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Open,
    Closed,
}

/// A superblock that is being written.
#[derive(Debug, Clone, Copy)]
struct Frontier {
    superblock: u32,
    next: u32,
    end: u32,
    unit_left: u32,
}

impl Frontier {
    const CLOSED: Self = Self {
        superblock: NONE,
        next: 0,
        end: 0,
        unit_left: 0,
    };
}

/// The maps.
#[derive(Debug)]
pub(crate) struct Flash {
    layout: Layout,
    place_of: Vec<u32>,
    page_at: Vec<u32>,
    valid: Vec<u32>,
    state: Vec<State>,
    erase_count: Vec<u32>,
    free: VecDeque<u32>,
    host: Frontier,
    collection: Frontier,
    victim: Option<Victim>,
    mapped_pages: u32,
    host_pages: u64,
    moved_pages: u64,
    units_programmed: u64,
}

impl Flash {
    /// An empty flash, every superblock erased.
    pub(crate) fn new(shape: Shape) -> Self {
        let layout = Layout::new(shape);
        let superblocks = shape.superblocks as usize;
        Self {
            layout,
            place_of: vec![NONE; shape.user_pages as usize],
            page_at: vec![NONE; layout.physical_pages() as usize],
            valid: vec![0; superblocks],
            state: vec![State::Free; superblocks],
            erase_count: vec![0; superblocks],
            free: (0..shape.superblocks).collect(),
            host: Frontier::CLOSED,
            collection: Frontier::CLOSED,
            victim: None,
            mapped_pages: 0,
            host_pages: 0,
            moved_pages: 0,
            units_programmed: 0,
        }
    }

    /// Where things lie.
    #[inline]
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Erases everything at once, as a format does.
    pub(crate) fn format(&mut self) {
        self.place_of.fill(NONE);
        self.page_at.fill(NONE);
        self.valid.fill(0);
        self.state.fill(State::Free);
        self.erase_count.iter_mut().for_each(|count| *count += 1);
        self.free = (0..self.layout.shape.superblocks).collect();
        self.host = Frontier::CLOSED;
        self.collection = Frontier::CLOSED;
        self.victim = None;
        self.mapped_pages = 0;
        (self.host_pages, self.moved_pages, self.units_programmed) = (0, 0, 0);
    }

    /// Forgets where every page of the host lies, as a discard of the whole drive does; flash is
    /// erased later, when it is needed.
    pub(crate) fn discard_all(&mut self) {
        self.place_of.fill(NONE);
        self.valid.fill(0);
        self.mapped_pages = 0;
    }

    /// The place of a page of the host, or [`NONE`].
    #[inline]
    pub(crate) fn place_of(&self, page: u64) -> u32 {
        self.place_of[usize::try_from(page).expect("a 64-bit machine")]
    }

    /// Whether a place lies in the program unit that the host fills just now.
    #[inline]
    pub(crate) fn is_in_open_unit(&self, place: u32) -> bool {
        self.host.unit_left > 0
            && place < self.host.next
            && place + self.layout.shape.unit_pages >= self.host.next + self.host.unit_left
    }

    /// How often a superblock was erased.
    #[inline]
    pub(crate) fn erase_count(&self, superblock: usize) -> u32 {
        self.erase_count[superblock]
    }

    /// Pages of the host that are mapped.
    pub(crate) fn mapped_pages(&self) -> u32 {
        self.mapped_pages
    }

    /// Pages assigned for the host, and pages moved, since the last format.
    pub(crate) fn assigned(&self) -> (u64, u64) {
        (self.host_pages, self.moved_pages)
    }

    /// Pages in units that are full, and in the two that are open.
    pub(crate) fn programmed_pages(&self) -> u64 {
        let unit_pages = self.layout.shape.unit_pages;
        let open = |frontier: &Frontier| match frontier.unit_left {
            0 => 0,
            left => u64::from(unit_pages - left),
        };
        self.units_programmed * u64::from(unit_pages) + open(&self.host) + open(&self.collection)
    }

    /// Writes a page of the host: maps it to the next place of the host's frontier, and moves as
    /// many pages of the superblock that is being collected as that one page costs.
    #[inline]
    pub(crate) fn write(&mut self, page: u32, operations: &mut Vec<Operation>) {
        if self.host.next == self.host.end {
            self.open_for_host(operations);
        }
        let place = self.host.next;
        let old = std::mem::replace(&mut self.place_of[page as usize], place);
        if old == NONE {
            self.mapped_pages += 1;
        } else {
            self.invalidate(old);
        }
        self.page_at[place as usize] = page;
        self.valid[self.host.superblock as usize] += 1;
        self.host_pages += 1;
        self.host.next += 1;
        self.host.unit_left -= 1;
        if self.host.unit_left == 0 {
            self.program_unit(place, true, operations);
            self.host.unit_left = self.unit_left_at(self.host);
        }
        if self.victim.is_some() {
            self.pace(operations);
        }
    }

    #[inline]
    fn invalidate(&mut self, place: u32) {
        let valid = &mut self.valid[self.layout.superblock_of(place)];
        *valid = valid
            .checked_sub(1)
            .expect("a mapped page is counted in its superblock");
    }

    fn program_unit(&mut self, place: u32, for_host: bool, operations: &mut Vec<Operation>) {
        self.units_programmed += 1;
        operations.push(Operation::Program {
            unit: self.layout.unit_of(place),
            erase_count: self.erase_count[self.layout.superblock_of(place)],
            for_host,
        });
    }

    /// Pages until the unit at the frontier is full; 0 when the superblock is.
    #[inline]
    fn unit_left_at(&self, frontier: Frontier) -> u32 {
        if frontier.next == frontier.end {
            0
        } else {
            self.layout.shape.unit_pages
        }
    }

    fn open(&mut self, frontier_before: Frontier) -> Frontier {
        if frontier_before.superblock != NONE {
            self.state[frontier_before.superblock as usize] = State::Closed;
        }
        let superblock = self
            .free
            .pop_front()
            .expect("the last free superblock is kept for collection");
        self.state[superblock as usize] = State::Open;
        let first = superblock * self.layout.superblock_pages;
        Frontier {
            superblock,
            next: first,
            end: first + self.layout.superblock_pages,
            unit_left: self.layout.shape.unit_pages,
        }
    }

    /// Sum of the valid counts and number of mapped pages, counted anew: they are always equal.
    #[cfg(test)]
    pub(crate) fn audit(&self) -> (u64, u64) {
        let valid = self.valid.iter().map(|&count| u64::from(count)).sum();
        let mapped = self.place_of.iter().filter(|&&place| place != NONE).count() as u64;
        assert_eq!(mapped, u64::from(self.mapped_pages));
        (valid, mapped)
    }
}

#[cfg(test)]
mod tests;
