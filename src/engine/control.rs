//! What stops all workers of a run, and how they see whether the drive still answers anybody.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crate::units::Nanos;

/// Shared between the workers of a crew and the conductor.
#[derive(Debug)]
pub(super) struct Control {
    is_stopped: AtomicBool,
    silent_after: Nanos,
    pulses: Vec<Pulse>,
}

/// Life signs of one worker, on a cache line of their own: they are written with every batch.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Pulse {
    completed: AtomicU64,
    outstanding: AtomicU32,
}

impl Control {
    /// For so many workers.
    pub(super) fn new(workers: u32, silent_after: Nanos) -> Self {
        Self {
            is_stopped: AtomicBool::new(false),
            silent_after,
            pulses: (0..workers).map(|_| Pulse::default()).collect(),
        }
    }

    /// Lets every worker stop issuing, complete what is outstanding and end.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
    }

    /// Whether the workers shall stop.
    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }

    /// How long no I/O may complete while some are outstanding.
    pub(super) fn silent_after(&self) -> Nanos {
        self.silent_after
    }

    /// A worker has completed I/Os and has so many outstanding.
    #[inline]
    pub(super) fn pulse(&self, worker: u32, now: Nanos, outstanding: u32) {
        if let Some(pulse) = usize::try_from(worker)
            .ok()
            .and_then(|w| self.pulses.get(w))
        {
            pulse.completed.store(now.0, Ordering::Relaxed);
            pulse.outstanding.store(outstanding, Ordering::Relaxed);
        }
    }

    /// All I/Os outstanding, if nothing has completed on any worker for `limit`.
    pub(super) fn silent_outstanding(&self, now: Nanos, limit: Nanos) -> Option<u32> {
        let quiet = |pulse: &Pulse| {
            now.0
                .saturating_sub(pulse.completed.load(Ordering::Relaxed))
                >= limit.0
        };
        let outstanding = |pulse: &Pulse| pulse.outstanding.load(Ordering::Relaxed);
        self.pulses
            .iter()
            .all(quiet)
            .then(|| self.pulses.iter().map(outstanding).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_is_silent_only_when_it_answers_no_worker() {
        let control = Control::new(2, Nanos::from_secs(30));
        control.pulse(0, Nanos::from_secs(5), 4);
        control.pulse(1, Nanos::from_secs(20), 8);
        let silent = |now| control.silent_outstanding(Nanos::from_secs(now), Nanos::from_secs(30));
        assert_eq!(silent(40), None);
        assert_eq!(silent(50), Some(12));
    }
}
