//! Promises of the report to its readers, checked on runs made of published figures.

mod edges;
mod published;
