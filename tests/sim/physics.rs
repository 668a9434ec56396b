//! Physics through the seam.
