//! The I/Os of one worker, drawn ahead in rings so that their map look-ups overlap.
//!
//! A look-up in a map of a hundred megabytes is a cache miss, and misses that wait for each other
//! are what a simulated I/O costs. Drawing 32 I/Os and then reading the 32 map entries in a loop
//! of its own lets the misses overlap, in safe code. What the stream yields is not changed.

use std::hint::black_box;

use crate::sim::flash::Flash;
use crate::sim::flash::layout::PAGE;
use crate::stimulus::addresses::{Addresses, Io};
use crate::stimulus::{Cell, Issued};

/// I/Os drawn at once: enough for the misses to overlap, and few enough to stay in the cache.
const RING: usize = 32;

/// A worker's stream.
#[derive(Debug)]
pub(super) struct Stream {
    addresses: Addresses,
    /// Drawn ahead is not issued.
    issued: Issued,
    ring: [Io; RING],
    next: usize,
    drawn: usize,
}

impl Stream {
    /// The stream of `worker` in `cell`.
    pub(super) fn new(cell: &Cell, worker: u32) -> Self {
        let none = Io {
            offset: 0,
            length: 0,
            is_read: true,
        };
        Self {
            addresses: Addresses::new(cell, worker),
            issued: Issued::default(),
            ring: [none; RING],
            next: 0,
            drawn: 0,
        }
    }

    /// Whether nothing is left of the worker's amount.
    pub(super) fn is_issued(&self) -> bool {
        self.next == self.drawn && self.addresses.is_issued()
    }

    /// I/Os taken from it so far.
    pub(super) fn issued(&self) -> Issued {
        self.issued
    }

    /// The next I/O; `None` when the worker's amount is issued.
    #[inline]
    pub(super) fn next(&mut self, flash: &Flash) -> Option<Io> {
        if self.next == self.drawn {
            self.draw(flash);
            if self.drawn == 0 {
                return None;
            }
        }
        let io = self.ring[self.next];
        self.next += 1;
        self.issued.note(io.is_read);
        Some(io)
    }

    fn draw(&mut self, flash: &Flash) {
        (self.next, self.drawn) = (0, 0);
        for place in &mut self.ring {
            let Some(io) = self.addresses.next_io() else {
                break;
            };
            *place = io;
            self.drawn += 1;
        }
        let mut seen = 0;
        for io in &self.ring[..self.drawn] {
            seen ^= flash.place_of(io.offset / PAGE);
        }
        black_box(seen);
    }
}
