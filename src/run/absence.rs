//! How the driver learns that its own program did not run.

use crate::units::Nanos;

/// How long, in all, this program has not run since it or its machine began: suspended, stopped,
/// frozen. 0 for a virtual clock, which stands still meanwhile.
pub struct Absence(Box<dyn Fn() -> Nanos + Send>);

impl Absence {
    /// Asks `total` before and while cells run.
    pub fn new(total: impl Fn() -> Nanos + Send + 'static) -> Self {
        Self(Box::new(total))
    }

    pub(super) fn total(&self) -> Nanos {
        (self.0)()
    }
}

impl std::fmt::Debug for Absence {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Absence")
    }
}
