//! Runs a plan on a drive: the pure machine that decides and the driver that does.

mod absence;
mod condition;
pub mod driver;
mod ending;
mod keep;
pub mod machine;
pub mod records;
mod repeat;

pub use absence::Absence;
pub use driver::Driver;
pub use ending::{DriverError, Ending};
