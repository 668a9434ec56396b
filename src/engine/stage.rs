//! Cells on their way through all workers: when a cell's clock starts, and who follows whom.
//!
//! A [`Stage`] is a cell with the little that workers share about it; a [`Row`] is a programme of
//! stages, linked to the next programme. Workers agree without locks: the last of them to complete
//! its I/Os of a cell publishes the start of the next cell's clock, and the first one to submit an
//! I/O of an amount publishes the start of that one: an amount counts all its I/Os, so its clock
//! has to hold them (design 4).

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

use crate::stimulus::{Cell, Until};
use crate::units::Nanos;

/// The start of a cell's clock, agreed between workers.
///
/// A worker that completes an I/O before it sees the start published counts it to the hand-over
/// and leaves its stamp here; the publisher then chooses a start that is no earlier than any stamp
/// left. So no two workers can disagree about which side of the start an I/O lies on.
#[derive(Debug, Default)]
pub(super) struct ClockStart(AtomicU64);

impl ClockStart {
    /// The start, once published.
    #[inline]
    pub(super) fn get(&self) -> Option<Nanos> {
        let word = self.0.load(Ordering::Acquire);
        (word & 1 == 1).then_some(Nanos(word >> 1))
    }

    /// The start if it is published; otherwise it will be no earlier than `at`.
    #[inline]
    pub(super) fn observe(&self, at: Nanos) -> Option<Nanos> {
        let raised = self
            .0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |word| {
                (word & 1 == 0).then_some(word.max(at.0 << 1))
            });
        raised.err().map(|word| Nanos(word >> 1))
    }

    /// Publishes the start, not before `at`, unless it is published already. Gives the start.
    pub(super) fn publish(&self, at: Nanos) -> Nanos {
        let published = self
            .0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |word| {
                (word & 1 == 0).then_some(word.max(at.0 << 1) | 1)
            });
        match published {
            Ok(floor) => Nanos(floor.max(at.0 << 1) >> 1),
            Err(word) => Nanos(word >> 1),
        }
    }
}

/// A cell as all workers see it.
#[derive(Debug)]
pub(super) struct Stage {
    /// Number among all cells of this engine, from 0.
    pub(super) number: u64,
    /// What is to be done.
    pub(super) cell: Cell,
    /// When its clock started.
    pub(super) start: ClockStart,
    last_completion: AtomicU64,
    /// Workers that still issue I/Os of it or wait for some.
    unfinished: AtomicU32,
}

impl Stage {
    fn new(number: u64, cell: Cell) -> Self {
        Self {
            number,
            start: ClockStart::default(),
            last_completion: AtomicU64::new(0),
            unfinished: AtomicU32::new(cell.access.threads),
            cell,
        }
    }

    /// The end of its clock, where a time ends it.
    pub(super) fn deadline(&self, start: Nanos) -> Option<Nanos> {
        match self.cell.until {
            Until::Time(time) => Some(Nanos(start.0.saturating_add(time.0))),
            Until::Transferred(_) => None,
        }
    }

    /// Whether an amount ends it, not a time.
    pub(super) fn is_amount(&self) -> bool {
        matches!(self.cell.until, Until::Transferred(_))
    }

    /// When its last I/O completed; final once every worker has left it.
    pub(super) fn last_completion(&self) -> Nanos {
        Nanos(self.last_completion.load(Ordering::Acquire))
    }

    /// The cell before it has ended at `ended`.
    fn follow(&self, ended: Nanos) {
        if !self.is_amount() {
            self.start.publish(ended);
        }
    }

    /// Whether every worker has left it.
    pub(super) fn is_finished(&self) -> bool {
        self.unfinished.load(Ordering::Acquire) == 0
    }

    /// The end of its clock, once every worker has left it: the deadline, or the last completion
    /// where an amount ends it.
    pub(super) fn end(&self) -> Nanos {
        let start = self.start.get().unwrap_or_default();
        let last = self.last_completion().max(start);
        self.deadline(start).unwrap_or(last)
    }
}

/// What comes after the last stage of a row.
#[derive(Debug)]
pub(super) enum Next {
    /// Another row for the same workers.
    Row(Arc<Row>),
    /// A row for other workers, who stand ready at its gate.
    Elsewhere(Arc<Row>),
    /// Nothing.
    End,
}

/// A programme under way.
#[derive(Debug)]
pub(super) struct Row {
    stages: Vec<Stage>,
    next: OnceLock<Next>,
    gate: Gate,
}

impl Row {
    /// A row of cells, numbered from `number_first`.
    pub(super) fn new(number_first: u64, cells: Vec<Cell>) -> Arc<Self> {
        let stages = (number_first..)
            .zip(cells)
            .map(|(number, cell)| Stage::new(number, cell))
            .collect();
        Arc::new(Self {
            stages,
            next: OnceLock::new(),
            gate: Gate::default(),
        })
    }

    /// Links the row that follows. Too late once a worker has found nothing here.
    pub(super) fn link(&self, next: Next) -> Result<(), Next> {
        self.next.set(next)
    }

    /// Its gate, at which workers of its own wait.
    pub(super) fn gate(&self) -> &Gate {
        &self.gate
    }
}

/// One stage of a row that is kept alive by it.
#[derive(Debug, Clone)]
pub(super) struct StageRef {
    row: Arc<Row>,
    index: usize,
}

/// Who goes on after a stage.
#[derive(Debug)]
pub(super) enum Following {
    /// The same workers, with this stage.
    Same(StageRef),
    /// Other workers, with this stage.
    Others(StageRef),
    /// Nobody.
    Nobody,
}

impl StageRef {
    /// The first stage of a row.
    pub(super) fn first(row: Arc<Row>) -> Self {
        Self { row, index: 0 }
    }

    /// All stages of a row in order.
    pub(super) fn all(row: &Arc<Row>) -> impl Iterator<Item = Self> + '_ {
        (0..row.stages.len()).map(|index| Self {
            row: Arc::clone(row),
            index,
        })
    }

    /// The stage.
    #[inline]
    pub(super) fn stage(&self) -> &Stage {
        &self.row.stages[self.index]
    }

    /// The gate of its row.
    pub(super) fn gate(&self) -> &Gate {
        &self.row.gate
    }

    /// The stage before it in its programme.
    pub(super) fn before(&self) -> Option<Self> {
        let index = self.index.checked_sub(1)?;
        let row = Arc::clone(&self.row);
        Some(Self { row, index })
    }

    /// Whether it is the last of its programme.
    pub(super) fn is_last(&self) -> bool {
        self.index + 1 == self.row.stages.len()
    }

    /// What follows. Asking settles the question: if nothing is linked now, nothing ever will be.
    pub(super) fn following(&self) -> Following {
        if self.is_last() {
            self.resolve(self.row.next.get_or_init(|| Next::End))
        } else {
            self.resolve(&Next::End)
        }
    }

    /// What follows, if that is settled.
    pub(super) fn peek(&self) -> Option<Following> {
        if self.is_last() {
            self.row.next.get().map(|next| self.resolve(next))
        } else {
            Some(self.resolve(&Next::End))
        }
    }

    fn resolve(&self, after_row: &Next) -> Following {
        if !self.is_last() {
            return Following::Same(Self {
                row: Arc::clone(&self.row),
                index: self.index + 1,
            });
        }
        match after_row {
            Next::Row(row) => Following::Same(Self::first(Arc::clone(row))),
            Next::Elsewhere(row) => Following::Others(Self::first(Arc::clone(row))),
            Next::End => Following::Nobody,
        }
    }

    /// A worker has completed its last I/O of this stage, at `last_completion`, after it had asked
    /// what follows. The last worker to leave starts the clock of the next stage, unless that is an
    /// amount.
    pub(super) fn leave(&self, last_completion: Nanos) {
        let stage = self.stage();
        stage
            .last_completion
            .fetch_max(last_completion.0, Ordering::AcqRel);
        if stage.unfinished.fetch_sub(1, Ordering::AcqRel) != 1 {
            return;
        }
        let ended = stage.last_completion().max(stage.end());
        match self.peek() {
            Some(Following::Same(next)) => next.stage().follow(ended),
            Some(Following::Others(next)) => {
                next.stage().follow(ended);
                next.row.gate.open();
            }
            Some(Following::Nobody) | None => {}
        }
    }
}

/// Where workers wait until their first cell may begin.
#[derive(Debug, Default)]
pub(super) struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    /// Lets everybody through, now and later.
    pub(super) fn open(&self) {
        *self.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.opened.notify_all();
    }

    /// Waits until the gate is open.
    pub(super) fn pass(&self) {
        let guard = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = |is_open: &mut bool| !*is_open;
        drop(self.opened.wait_while(guard, closed));
    }
}

#[cfg(test)]
mod tests;
