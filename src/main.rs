//! The `ptse` program. Its commands are being wired.

fn main() {}
