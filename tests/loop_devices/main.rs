//! Promises about real block devices, kept on loop devices: needs root and `losetup`. Where they
//! are missing each test says so and passes.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and says why it was skipped"
)]

mod gaps;
mod guard;
mod harness;
mod load;
