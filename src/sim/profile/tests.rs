//! Tests of scaling and of what no drive can have.

use super::super::describe;
use super::*;
use crate::units::Bytes;

fn profile(address: &str) -> Profile {
    let settings = Settings::read(address).expect("a good address");
    Profile::new(&settings).expect("a possible drive")
}

fn refusal(address: &str) -> (&'static str, String) {
    let settings = Settings::read(address).expect("a good address");
    let error = Profile::new(&settings).expect_err("an impossible drive");
    let SimError::Impossible { key, right, .. } = error else {
        panic!("{error}");
    };
    (key, right)
}

/// 4 of 64 dies, 1 of 16 channels, a sixteenth of 256 MiB, 84 GiB x 1.145 in superblocks of
/// 4 x 80 x 96 KiB = 30 MiB: 3,282.9; an erase of 80 of 384 units costs 10 ms x 80 / 384.
#[test]
fn a_slice_is_a_part_of_everything_that_is_parallel() {
    let build = profile("sim:dc-tlc").build;
    let shape = build.shape;
    assert_eq!(
        (shape.dies, build.channels, build.buffer_pages),
        (4, 1, 4096)
    );
    assert_eq!((shape.block_units, shape.superblocks), (80, 3283));
    assert_eq!(shape.user_pages, 84 * 262_144);
    assert_eq!(build.timing.erase, 2_083_333);
    assert_eq!(build.timing.link.time(4096), 586);
    assert_eq!(build.timing.link_share.time(4096), 9_363);
}

#[test]
fn slow_motion_stretches_every_time() {
    let timing = profile("sim:small").build.timing;
    assert_eq!((timing.command, timing.acknowledge), (112_000, 72_000));
    assert_eq!((timing.sense, timing.program), (960_000, 43_200_000));
    assert_eq!(timing.suspension.delay, 400_000);
    assert_eq!(timing.channel.time(4096), 54_614);
    assert_eq!(timing.link, timing.link_share);
}

#[test]
fn the_whole_drive_at_full_speed_can_be_built() {
    let build = profile("sim:dc-tlc,scale.dies=1").build;
    assert_eq!((build.shape.dies, build.channels), (64, 16));
    assert_eq!(build.timing.link, build.timing.link_share);
}

/// 84 GiB x 1.145 and 70 GiB x 1.374 are the same flash.
#[test]
fn the_mixed_use_drive_has_the_flash_of_the_read_intensive_one() {
    let (one, three) = (
        profile("sim:dc-tlc").build,
        profile("sim:dc-tlc-3dwpd").build,
    );
    assert_eq!(one.shape.superblocks, three.shape.superblocks);
    assert_eq!(one.timing, three.timing);
}

/// 1,000 superblocks at least where the capacity allows; 1 GiB has 3,127 rows of 384 KiB.
#[test]
fn a_small_capacity_shortens_the_blocks() {
    let shape = profile("sim:dc-tlc,capacity=1GiB").build.shape;
    assert_eq!((shape.block_units, shape.superblocks), (3, 1042));
}

#[test]
fn odd_capacities_and_4096_byte_blocks_are_possible() {
    let identity = describe("sim:dc-tlc,capacity=299999744B").expect("possible");
    assert_eq!(identity.capacity, Bytes(299_999_744));
    let identity = describe("sim:dc-tlc,logical_block=4KiB").expect("possible");
    assert_eq!(identity.logical_block, Bytes(4096));
}

#[test]
fn what_no_drive_can_have_is_refused_by_its_key() {
    for (keys, key) in [
        ("capacity=100B", "capacity"),
        ("capacity=8TiB", "capacity"),
        ("logical_block=1KiB", "logical_block"),
        ("scale.dies=3", "scale.dies"),
        ("scale.slow=0", "scale.slow"),
        ("scale.slow=1000000", "timing.program"),
        ("flash.spare=0.1%", "flash.spare"),
        ("capacity=1MiB", "flash.spare"),
        ("flash.unit=10KiB", "flash.unit"),
        ("flash.sense=64KiB", "flash.sense"),
        ("calendar.start=today", "calendar.start"),
        ("schema=ptse-drive/9", "schema"),
        ("faults.error_at_lba=99999999999", "faults.error_at_lba"),
        ("faults.decay=101%", "faults.decay"),
    ] {
        let (found, right) = refusal(&format!("sim:dc-tlc,{keys}"));
        assert_eq!(found, key, "{right}");
    }
}

/// The sentence names each knob that is turned and none that is not.
#[test]
fn the_scale_is_told_in_words() {
    let of = |address| describe(address).expect("good").scale.expect("a scale");
    let slice = of("sim:dc-tlc");
    assert!(slice.contains("90.19 GB simulated as a model of a 7.68 TB drive with 64 dies"));
    assert!(slice.contains("slice of 1 in 16 (4 dies)") && slice.contains("shortened 5.3 times"));
    assert!(slice.contains("no slow motion"));
    let small = of("sim:small");
    assert!(
        small.contains("slow motion 1:16") && !small.contains("slice"),
        "{small}"
    );
}

/// 2.7 ms, 5 % more with each round, for two rounds.
#[test]
fn decay_lengthens_programs_round_by_round() {
    let host = profile("sim:dc-tlc,faults.decay=5%,faults.decay_rounds=2").host;
    let times = [0, 1, 2, 3, 4].map(|round| host.faults.program_time_in(round));
    assert_eq!(
        times,
        [2_700_000, 2_700_000, 2_835_000, 2_976_750, 2_976_750]
    );
}
