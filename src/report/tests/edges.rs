//! Runs at the edges of what a report must hold.
