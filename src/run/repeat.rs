//! The repeating half of the driver: what a resume does before it goes on.
//!
//! While records that exist are repeated, nothing is written; where an interruption cut a round
//! short, only the cells that were committed are run again, and the drive comes to rest there, as
//! it does after every interruption.

use crate::journal::record::{Line, Record, Resumed};
use crate::run::driver::{Driver, Position};
use crate::run::ending::Halt;
use crate::run::machine::{self, Stretch};
use crate::units::{Nanos, SECOND_NS};

impl Driver<'_> {
    /// Whether records that exist are repeated, or the run has not been resumed yet.
    pub(super) fn is_repeating(&self) -> bool {
        !self.replay.is_empty() || self.resumed.is_some()
    }

    /// Handles what stands between two segments: in a replay the records of a pause, and after it
    /// the *resumed* record of this start.
    pub(super) async fn repeat_pause(&mut self) -> Result<bool, Halt> {
        self.skip_notes();
        let is_pause = self
            .replay
            .front()
            .is_some_and(|line| matches!(line.record, Record::Interrupted(_) | Record::Resumed(_)));
        if is_pause {
            self.settle().await?;
            self.apply_next();
            return Ok(true);
        }
        if self.replay.is_empty()
            && let Some(resumed) = self.resumed.take()
        {
            self.settle().await?;
            self.record(Record::Resumed(Box::new(resumed)))?;
            return Ok(true);
        }
        Ok(false)
    }

    /// A run whose program did not run for a while was interrupted without anybody's asking, and
    /// goes on by itself: the broken round counts for nothing, as after any interruption.
    pub(super) async fn wake(&mut self, absent: Nanos) -> Result<(), Halt> {
        let cause = format!(
            "the machine was suspended or this program stopped for {}",
            absent.as_span()
        );
        self.interrupt(&cause).await;
        self.position = Position::Idle;
        let latest = self.state.interruptions.iter().rev();
        let tool = latest
            .filter_map(|stop| stop.resumed.as_ref())
            .map(|noted| noted.what.tool.clone())
            .next();
        let resumed = Resumed {
            tool: tool.unwrap_or_else(|| self.state.opened.tool.clone()),
            address: self.drive.identity().address.clone(),
            pause_s: Some(absent.0 / SECOND_NS),
            drive: None,
            host: None,
        };
        self.record_and_wait(Record::Resumed(Box::new(resumed)))
            .await
    }

    /// Applies warnings and annotations that come next: they came from outside the drive, at any
    /// time, and a drive that repeats its work gives no cause for them.
    pub(super) fn skip_notes(&mut self) {
        let is_note =
            |line: &Line| matches!(line.record, Record::Warning(_) | Record::Annotated(_));
        while self.replay.front().is_some_and(is_note) {
            self.apply_next();
        }
    }

    fn apply_next(&mut self) {
        if let Some(line) = self.replay.pop_front() {
            self.state
                .apply(&line)
                .expect("the reader has folded it before");
        }
    }

    /// Whether the round that just ended is to be judged: always, unless it is repeated and the
    /// run was interrupted before its judgement was committed.
    pub(super) fn closes_round(&mut self) -> bool {
        self.skip_notes();
        match self.replay.front() {
            Some(line) => matches!(line.record, Record::RoundClosed(_)),
            None => self.resumed.is_none(),
        }
    }

    /// In a replay, how many cells of a stretch exist, if an interruption cut it short.
    pub(super) fn cells_to_repeat(&self, stretch: Stretch) -> Option<usize> {
        self.cut_short(stretch, 0)
    }

    pub(super) fn cells_to_repeat_after(&self, running: Stretch, next: Stretch) -> Option<usize> {
        let skip = machine::programme(self.plan, running, 0).cells.len();
        self.cut_short(next, skip)
    }

    fn cut_short(&self, stretch: Stretch, skip: usize) -> Option<usize> {
        if self.replay.is_empty() {
            return None;
        }
        let full = machine::programme(self.plan, stretch, 0).cells.len();
        let until_pause = self
            .replay
            .iter()
            .take_while(|line| !matches!(line.record, Record::Interrupted(_) | Record::Resumed(_)));
        let cells = until_pause
            .filter(|line| matches!(line.record, Record::CellDone(_)))
            .count();
        let existing = cells.saturating_sub(skip);
        (existing < full).then_some(existing)
    }
}
