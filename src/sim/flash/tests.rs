//! Tests of `flash`.
