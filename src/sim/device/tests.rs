//! Tests of `device`.
