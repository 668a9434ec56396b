//! Tests of the maps: amplification against published and computed values, and invariants.

use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::layout::Shape;
use super::{Flash, NONE, Operation};

/// A flash of `blocks` superblocks of `pages` pages, `user_pages` of them for the host.
fn flash(blocks: u32, pages: u32, user_pages: u32) -> Flash {
    Flash::new(Shape {
        dies: 4,
        unit_pages: pages / 4,
        sense_pages: pages / 8,
        block_units: 1,
        superblocks: blocks,
        user_pages,
        low_mark: 2,
    })
}

fn draw(random: &mut Xoshiro256PlusPlus, below: u32) -> u32 {
    u32::try_from((u128::from(random.next_u64()) * u128::from(below)) >> 64).expect("below")
}

struct Writer {
    flash: Flash,
    user_pages: u32,
    random: Xoshiro256PlusPlus,
    operations: Vec<Operation>,
}

impl Writer {
    fn new(blocks: u32, pages: u32, alpha_millis: u32) -> Self {
        let user_pages = u32::try_from(u64::from(blocks * pages) * 1000 / u64::from(alpha_millis));
        let user_pages = user_pages.expect("small");
        Self {
            flash: flash(blocks, pages, user_pages),
            user_pages,
            random: Xoshiro256PlusPlus::seed_from_u64(1),
            operations: Vec::new(),
        }
    }

    fn fill(&mut self) {
        for page in 0..self.user_pages {
            self.flash.write(page, &mut self.operations);
            self.operations.clear();
        }
    }

    /// Writes this many thousandths of the user pages at random; gives the amplification.
    fn random(&mut self, millis: u64) -> f64 {
        let (host_before, moved_before) = self.flash.assigned();
        for _ in 0..u64::from(self.user_pages) * millis / 1000 {
            let page = draw(&mut self.random, self.user_pages);
            self.flash.write(page, &mut self.operations);
            self.operations.clear();
        }
        let (host, moved) = self.flash.assigned();
        1.0 + crate::units::to_f64(moved - moved_before) / crate::units::to_f64(host - host_before)
    }
}

fn assert_near(found: f64, golden: f64, tolerance: f64) {
    let off = (found - golden).abs() / golden;
    assert!(off <= tolerance, "{found} against {golden}: {off}");
}

/// Greedy, 4,096 blocks of 64 pages, filled, then uniform random writes: simulated reference
/// values 2.5966 (spare 25 %) and 1.6804 (spare 50 %). Ours keeps two to three blocks more out of
/// use, 0.07 % of the spare area, worth 0.2 % of amplification here.
#[test]
fn greedy_amplification_is_that_of_the_reference_simulation() {
    for (alpha_millis, golden) in [(1250, 2.5966), (1500, 1.6804)] {
        let mut writer = Writer::new(4096, 64, alpha_millis);
        writer.fill();
        writer.random(1500);
        assert_near(writer.random(1000), golden, 0.015);
    }
}

/// The same with spare 7 %: 6.9909. Here 0.07 % less spare area is worth 1.1 %.
#[test]
fn greedy_amplification_holds_with_little_spare_area() {
    let mut writer = Writer::new(4096, 64, 1070);
    writer.fill();
    writer.random(750);
    assert_near(writer.random(500), 6.9909, 0.025);
}

/// Blocks of 128 pages, spare 25 %, after a sequential fill, for each eighth of the capacity
/// written: none until the spare area is used up, then an overshoot. Reference simulation: 1.000
/// until 1.25, 3.216 until 1.375, 2.807 until 1.5, about 2.65 from then on.
#[test]
fn collection_overshoots_after_a_sequential_fill() {
    let mut writer = Writer::new(4096, 128, 1250);
    writer.fill();
    assert_near(writer.random(240), 1.0, 0.0001);
    writer.random(10);
    assert_near(writer.random(125), 3.216, 0.06);
    assert_near(writer.random(125), 2.807, 0.03);
    assert_near(writer.random(500), 2.65, 0.03);
}

#[test]
fn sequential_writes_are_not_amplified() {
    let mut writer = Writer::new(256, 64, 1070);
    for _ in 0..4 {
        writer.fill();
    }
    assert_eq!(
        writer.flash.assigned(),
        (4 * u64::from(writer.user_pages), 0)
    );
    assert_eq!(
        writer.flash.programmed_pages(),
        4 * u64::from(writer.user_pages)
    );
}

#[test]
fn valid_counts_add_up_to_the_mapped_pages() {
    let mut writer = Writer::new(128, 64, 1150);
    writer.fill();
    writer.random(3000);
    let mapped = u64::from(writer.user_pages);
    assert_eq!(writer.flash.audit(), (mapped, mapped));
    writer.flash.discard_all();
    assert_eq!(writer.flash.audit(), (0, 0));
    writer.fill();
    assert_eq!(writer.flash.audit(), (mapped, mapped));
    writer.flash.format();
    assert_eq!(writer.flash.audit(), (0, 0));
    assert_eq!(writer.flash.assigned(), (0, 0));
}

/// 64-page superblocks of four 16-page units: after 20 pages one unit is programmed and four
/// pages lie in the open one.
#[test]
fn only_the_unit_being_filled_is_open() {
    let mut flash = flash(16, 64, 512);
    let mut operations = Vec::new();
    for page in 0..20 {
        flash.write(page, &mut operations);
    }
    let program = Operation::Program {
        unit: 0,
        erase_count: 0,
        for_host: true,
    };
    assert_eq!(operations, [program]);
    let open: Vec<_> = (0..24).filter(|&p| flash.is_in_open_unit(p)).collect();
    assert_eq!(open, [16, 17, 18, 19]);
    assert!(!flash.is_in_open_unit(NONE));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever is written in whatever order: a page is found at its place, nothing is lost, and
    /// programmed = host + moved.
    #[test]
    fn every_page_is_found_at_its_place(
        seed in any::<u64>(),
        alpha_millis in 1120_u32..2000,
        span in 1_u32..100,
    ) {
        let mut writer = Writer::new(96, 32, alpha_millis);
        writer.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let all = writer.user_pages;
        writer.fill();
        for _ in 0..3000 {
            let first = draw(&mut writer.random, all);
            for page in first..(first + span).min(all) {
                writer.flash.write(page, &mut writer.operations);
            }
        }
        for page in 0..all {
            let place = writer.flash.place_of(u64::from(page));
            prop_assert_eq!(writer.flash.page_at[place as usize], page);
        }
        let (host, moved) = writer.flash.assigned();
        prop_assert_eq!(writer.flash.programmed_pages(), host + moved);
        prop_assert_eq!(writer.flash.audit(), (u64::from(all), u64::from(all)));
    }
}
