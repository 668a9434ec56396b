//! The test files that are part of the program. A user's file of the same form overrides them by
//! being named with its path.

/// A test file in the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// What it is called by: `pts-e/iops`.
    pub name: &'static str,
    /// Its TOML text with all comments.
    pub text: &'static str,
}

const ALL: [BuiltIn; 1] = [BuiltIn {
    name: "pts-e/iops",
    text: include_str!("../../specs/pts-e/iops.toml"),
}];

/// All of them, in the order in which they are listed.
pub fn all() -> &'static [BuiltIn] {
    &ALL
}

/// The one of this name.
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    ALL.iter().find(|built_in| built_in.name == name)
}
