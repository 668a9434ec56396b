//! Promises about real drives, kept on emulated NVMe drives in a machine of its own: needs qemu
//! and a kernel package; each test says so and passes where they cannot be had.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and says why it was skipped"
)]

mod cache;
mod faults;
mod found_again;
mod images;
mod machine;
mod partition;
mod refused;
mod whole_run;
