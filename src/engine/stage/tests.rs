//! Rules of this module.
