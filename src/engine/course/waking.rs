//! When a worker must look again, even if nothing completes.

use super::Course;
use crate::units::Nanos;

/// How often a worker looks whether another one has started a clock.
const POLL: Nanos = Nanos(10_000_000);
/// The longest a worker sleeps, so that it hears of a cancel.
const SLEEP_MAX: Nanos = Nanos(100_000_000);

impl Course {
    /// When something is to be done even if nothing completes.
    pub(in crate::engine) fn wake_at(&self, now: Nanos) -> Nanos {
        if self.is_quiet(now) {
            // Seconds and deadlines are inclusive; what is due comes just after them.
            let late = Nanos(now.0 + SLEEP_MAX.0);
            return late.min(Nanos(self.quiet_until.0 + 1));
        }
        let change = self.change_at(now);
        match self.arrival_at() {
            Some(arrival) => change.min(arrival.max(now)),
            None => change,
        }
    }

    /// When the next I/O of an open loop is due, if a slot is free for it.
    fn arrival_at(&self) -> Option<Nanos> {
        let Some(upcoming) = &self.upcoming else {
            let current = self.current.as_ref()?;
            let has_room = current.in_flight < current.depth();
            return current.arrival_next().filter(|_| has_room);
        };
        let (old, depth_old) = match &self.current {
            Some(current) => (current.in_flight, current.depth()),
            None => (0, 0),
        };
        let depth = upcoming.depth();
        let has_room =
            upcoming.in_flight < depth && old + upcoming.in_flight < depth.max(depth_old);
        upcoming.arrival_next().filter(|_| has_room)
    }

    fn change_at(&self, now: Nanos) -> Nanos {
        let soon = Nanos(now.0 + POLL.0);
        let late = Nanos(now.0 + SLEEP_MAX.0);
        let Some(current) = &self.current else {
            return soon;
        };
        if current.is_issued && current.in_flight == 0 && !current.has_left {
            return now;
        }
        if self.upcoming.is_some() || (current.is_amount() && !current.takes_part()) {
            return soon;
        }
        // As above.
        current
            .boundary()
            .map_or(late, |end| late.min(Nanos(end.0 + 1)))
    }
}
