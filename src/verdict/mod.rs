//! What a record is worth: the measurement window of a report and the compliance ledger.
//!
//! Pure: every verdict is a function of the folded run and its plan, and returns the numbers it
//! was decided from. Nothing here reads files, clocks or drives.

#[cfg(test)]
pub(crate) mod fixture;
pub mod ledger;
pub mod window;

pub use ledger::Ledger;
pub use window::Window;
pub mod verify;
