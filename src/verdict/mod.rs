//! Verdicts: what a record proves and how it departs from the standard. No verdict without
//! evidence.

pub mod verify;
