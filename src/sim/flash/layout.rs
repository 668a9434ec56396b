//! Where a physical page lies: superblock, program unit, die, read unit.
//!
//! A superblock is one block of every die. Its pages are numbered in the order they are written:
//! a program unit fills on one die, the next one on the next die. Physical page numbers run
//! through all superblocks, so every question is a division by a constant.

/// Bytes of a flash page, the unit of mapping.
pub(crate) const PAGE: u64 = 4096;

/// Division of a `u32` by a constant through its reciprocal, exact for every dividend.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reciprocal {
    divisor: u32,
    magic: u64,
}

impl Reciprocal {
    /// The reciprocal of `divisor`, which is not 0.
    pub(crate) fn new(divisor: u32) -> Self {
        Self {
            divisor,
            magic: u64::MAX / u64::from(divisor),
        }
    }

    /// `dividend / divisor`. With m = floor((2^64 - 1) / d) the product (n + 1) m / 2^64 is less
    /// than 2^-32 below (n + 1) / d, which is too little to miss the quotient.
    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a quotient of a u32 is a u32, and this runs for every page"
    )]
    pub(crate) fn divide(self, dividend: u32) -> u32 {
        (((u128::from(dividend) + 1) * u128::from(self.magic)) >> 64) as u32
    }

    /// `dividend % divisor`.
    #[inline]
    pub(crate) fn remainder(self, dividend: u32) -> u32 {
        dividend - self.divide(dividend) * self.divisor
    }
}

/// The counts that make up a flash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Dies.
    pub(crate) dies: u32,
    /// Pages programmed at once on one die.
    pub(crate) unit_pages: u32,
    /// Pages sensed at once on one die; divides `unit_pages`.
    pub(crate) sense_pages: u32,
    /// Program units of a block.
    pub(crate) block_units: u32,
    /// Superblocks.
    pub(crate) superblocks: u32,
    /// Pages the host can address.
    pub(crate) user_pages: u32,
    /// Free superblocks at which collection begins.
    pub(crate) low_mark: u32,
}

/// A shape with its divisions prepared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// The counts.
    pub(crate) shape: Shape,
    /// Pages of a superblock.
    pub(crate) superblock_pages: u32,
    /// Program units of a superblock.
    pub(crate) superblock_units: u32,
    by_superblock: Reciprocal,
    by_unit: Reciprocal,
    by_die: Reciprocal,
    by_sense: Reciprocal,
    by_superblock_units: Reciprocal,
}

impl Layout {
    /// Prepares the divisions of a shape.
    pub(crate) fn new(shape: Shape) -> Self {
        let superblock_units = shape.dies * shape.block_units;
        let superblock_pages = superblock_units * shape.unit_pages;
        Self {
            shape,
            superblock_pages,
            superblock_units,
            by_superblock: Reciprocal::new(superblock_pages),
            by_unit: Reciprocal::new(shape.unit_pages),
            by_die: Reciprocal::new(shape.dies),
            by_sense: Reciprocal::new(shape.sense_pages),
            by_superblock_units: Reciprocal::new(superblock_units),
        }
    }

    /// All physical pages.
    pub(crate) fn physical_pages(&self) -> u32 {
        self.shape.superblocks * self.superblock_pages
    }

    /// Superblock of a physical page.
    #[inline]
    pub(crate) fn superblock_of(&self, place: u32) -> usize {
        self.by_superblock.divide(place) as usize
    }

    /// Program unit of a physical page.
    #[inline]
    pub(crate) fn unit_of(&self, place: u32) -> u32 {
        self.by_unit.divide(place)
    }

    /// Die of a program unit.
    #[inline]
    pub(crate) fn die_of(&self, unit: u32) -> usize {
        self.by_die.remainder(unit) as usize
    }

    /// Number of the group of pages that is sensed together with this one.
    #[inline]
    pub(crate) fn sense_of(&self, place: u32) -> u32 {
        self.by_sense.divide(place)
    }

    /// Superblock of a program unit.
    #[inline]
    pub(crate) fn superblock_of_unit(&self, unit: u32) -> usize {
        self.by_superblock_units.divide(unit) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reciprocal_divides_like_the_operator() {
        for divisor in [1, 2, 3, 4, 7, 24, 64, 1536, 7680, 12_345, 65_537, u32::MAX] {
            let reciprocal = Reciprocal::new(divisor);
            let near = (0..6_u32).map(|k| k.wrapping_mul(divisor));
            let edges = [0, 1, 1 << 16, (1 << 30) - 1, 1 << 30, u32::MAX];
            for dividend in near.chain(edges) {
                for n in [dividend.wrapping_sub(1), dividend, dividend.wrapping_add(1)] {
                    assert_eq!(reciprocal.divide(n), n / divisor, "{n} / {divisor}");
                    assert_eq!(reciprocal.remainder(n), n % divisor, "{n} % {divisor}");
                }
            }
        }
    }

    /// 2 dies, units of 3 pages, 2 units a block: pages 0-2 die 0, 3-5 die 1, 6-8 die 0, ...
    #[test]
    fn program_units_go_round_the_dies() {
        let layout = Layout::new(Shape {
            dies: 2,
            unit_pages: 3,
            sense_pages: 1,
            block_units: 2,
            superblocks: 10,
            user_pages: 80,
            low_mark: 2,
        });
        assert_eq!(layout.superblock_pages, 12);
        let dies: Vec<_> = (0..15).map(|p| layout.die_of(layout.unit_of(p))).collect();
        assert_eq!(dies, [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0]);
        assert_eq!(layout.superblock_of(11), 0);
        assert_eq!(layout.superblock_of(12), 1);
        assert_eq!(layout.superblock_of_unit(4), 1);
    }
}
