//! Runs a plan on a drive: the pure machine that decides and the driver that does.

pub mod driver;
mod keep;
pub mod machine;
pub mod records;
mod repeat;

pub use driver::{Driver, Ending};
