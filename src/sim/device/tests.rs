//! Tests of the device: completions by hand arithmetic, to the nanosecond.

use super::die::Suspension;
use super::pipe::Rate;
use super::*;
use crate::drive::PurgeMethod;
use crate::sim::flash::layout::Shape;

/// One die, one channel, 2.7 ms programs, real link share.
fn build(buffer_pages: u64) -> Build {
    Build {
        capacity: 4096 * 1000 - 512,
        shape: Shape {
            dies: 1,
            unit_pages: 24,
            sense_pages: 8,
            block_units: 1,
            superblocks: 60,
            user_pages: 1000,
            low_mark: 2,
        },
        channels: 1,
        buffer_pages,
        timing: Timing {
            command: 7_000,
            acknowledge: 4_500,
            interval: 0,
            sense: 60_000,
            program: 2_700_000,
            erase: 2_000_000,
            suspension: Suspension {
                delay: 25_000,
                stolen_max: 8_000_000,
            },
            channel: Rate::new(1_200_000_000, 1),
            link: Rate::new(7_000_000_000, 1),
            link_share: Rate::new(7_000_000_000, 1),
        },
        trouble: Trouble::default(),
    }
}

struct Lab {
    device: Device,
    now: u64,
}

impl Lab {
    fn new(build: Build) -> Self {
        let mut device = Device::new(build);
        device.grow(64);
        Self { device, now: 0 }
    }

    /// Latency of one I/O at queue depth 1, in nanoseconds.
    fn latency(&mut self, offset: u64, length: u32, is_read: bool) -> u64 {
        let io = Io {
            offset,
            length,
            is_read,
        };
        let before = self.now;
        self.device.submit(0, io, before);
        loop {
            let (time, place) = self.device.first().expect("an event");
            if let Some(slot) = self.device.step(time, place) {
                self.device.retire(slot);
                self.now = time;
                return time - before;
            }
        }
    }

    fn write_unit(&mut self) {
        for page in 0..24 {
            self.latency(page * 4096, 4096, false);
        }
        self.now = self.device.settle(self.now) + 1_000_000;
    }
}

/// 7,000 command + 60,000 sensing + 3,414 channel + 586 link + 4,500 acknowledgement.
#[test]
fn a_read_at_queue_depth_1_is_the_sum_of_its_parts() {
    let mut lab = Lab::new(build(4096));
    lab.write_unit();
    assert_eq!(lab.latency(5 * 4096, 4096, true), 75_500);
    // 512 bytes are sensed and transferred as a page; only the link carries 74 ns instead of 586.
    assert_eq!(lab.latency(5 * 4096, 512, true), 74_988);
    // Two pages of one sensing are two transfers on the channel, and one page is left for the link.
    assert_eq!(lab.latency(0, 8192, true), 78_914);
}

/// 7,000 command + 586 link + 4,500 acknowledgement.
#[test]
fn a_buffered_write_does_not_wait_for_flash() {
    let mut lab = Lab::new(build(4096));
    assert_eq!(lab.latency(0, 4096, false), 12_086);
    assert_eq!(lab.latency(0, 4096, true), 12_086, "read from the buffer");
}

#[test]
fn reads_of_pages_never_written_touch_no_die() {
    let mut lab = Lab::new(build(4096));
    assert_eq!(lab.latency(40_960, 4096, true), 12_086);
    let mut slow = build(4096);
    slow.trouble.unmapped_reads_slow = true;
    assert_eq!(Lab::new(slow).latency(40_960, 4096, true), 75_500);
}

/// All submitted at 0: the first unit is full at 7,000, transferred at 7,000 + 24 x 3,414 =
/// 88,936 and programmed at 2,788,936. Then the 49th write has room: 586 link + 4,500.
#[test]
fn a_full_buffer_waits_for_a_program() {
    let mut device = Device::new(build(48));
    device.grow(64);
    for slot in 0..49_u32 {
        let io = Io {
            offset: u64::from(slot) * 4096,
            length: 4096,
            is_read: false,
        };
        device.submit(slot as usize, io, 0);
    }
    let mut last = (0, 0);
    while let Some((time, place)) = device.first() {
        if let Some(slot) = device.step(time, place) {
            device.retire(slot);
            last = (slot, time);
        }
    }
    assert_eq!(last, (48, 2_788_936 + 586 + 4_500));
}

/// A sixteenth of the link's time: at queue depth 1 nothing waits for it.
#[test]
fn a_share_of_the_link_does_not_slow_a_single_io() {
    let mut slice = build(4096);
    slice.timing.link_share = Rate::new(7_000_000_000, 16);
    let mut lab = Lab::new(slice);
    assert_eq!(lab.latency(0, 4096, false), 12_086);
}

#[test]
fn small_sequential_writes_merge_in_the_open_unit() {
    let mut lab = Lab::new(build(4096));
    for part in 0..16 {
        lab.latency(part * 512, 512, false);
    }
    assert_eq!(lab.device.counts().host_pages, 2);
}

/// The rest of the page is read, one sensing, before its unit is programmed; the host does not
/// wait: 7,000 + 74 + 4,500.
#[test]
fn a_part_of_a_programmed_page_is_read_modified_and_written() {
    let mut lab = Lab::new(build(4096));
    lab.write_unit();
    assert_eq!(lab.latency(512, 512, false), 11_574);
    assert_eq!(lab.device.host_ready, lab.now - 4_500 - 74 + 63_414);
    assert_eq!(lab.device.counts().host_pages, 25);
}

/// The capacity ends 512 bytes before its last page does: writing up to it is a whole page.
#[test]
fn the_tail_of_an_odd_capacity_is_a_whole_page() {
    let mut lab = Lab::new(build(4096));
    lab.write_unit();
    let tail = 999 * 4096;
    assert_eq!(lab.latency(tail, 3584, false), 7_000 + 512 + 4_500);
    lab.latency(tail, 3584, false);
    assert_eq!(lab.device.counts().host_pages, 26);
}

#[test]
fn completions_in_a_stall_come_at_its_end() {
    let mut stalled = build(4096);
    stalled.trouble.stall = (10_000, 900_000);
    let mut lab = Lab::new(stalled);
    assert_eq!(lab.latency(0, 4096, false), 900_000);
    assert_eq!(lab.latency(0, 4096, false), 12_086);
}

#[test]
fn a_format_empties_and_a_settled_drive_has_no_jobs() {
    let mut lab = Lab::new(build(4096));
    for page in 0..1000 {
        lab.latency(page * 4096, 2048, false);
    }
    lab.now = lab.device.settle(lab.now);
    assert_eq!(lab.device.first(), None);
    assert_eq!(lab.device.mapped_bytes(), 1000 * 4096);
    lab.device.erase(PurgeMethod::Auto);
    assert_eq!(lab.device.counts(), FlashCounts::default());
    assert_eq!(
        (lab.device.mapped_bytes(), lab.device.buffered_pages),
        (0, 0)
    );
    assert_eq!(lab.latency(0, 4096, true), 12_086);
}
