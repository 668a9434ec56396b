//! What the simulated drive promises through the seam, driven as the driver of a run drives it.

mod changes;
mod demand;
mod harness;
mod physics;
mod protocol;
