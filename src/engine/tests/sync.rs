//! Without io_uring: asked for in the test file, or refused by the kernel.

use super::*;

/// Field report 70: what the engine does without io_uring is tried, not only hoped for.
#[test]
fn system_calls_fill_and_read_as_a_ring_does() {
    let rig = Rig::new(RANGE);
    let sync = |mut cell: Cell| {
        cell.access.engine = EngineKind::Sync;
        cell
    };
    let cells = vec![
        sync(cell(0, access(2, 1, 50, 4 * KIB), millis(200))),
        sync(fill(1, 2, 1)),
    ];
    let events = rig.run(&[cells]);
    let outcomes = outcomes(&events);
    assert_eq!(outcomes[0].elapsed, Nanos(200_000_000));
    assert!(outcomes[0].read.tally.ios > 0 && outcomes[0].write.tally.ios > 0);
    assert_eq!(outcomes[1].write.tally.bytes, RANGE);
    let mut block = [0; 512];
    for lba in 0..RANGE / 512 {
        rig.plain.read_exact_at(&mut block, lba * 512).unwrap();
        assert_eq!(Stamp::read(&block).map(|stamp| stamp.lba), Some(lba));
    }
}

/// A kernel or container that refuses io_uring, here by a filter on the calls of one thread, as
/// containers do it.
#[test]
fn a_refused_ring_is_replaced_and_named() {
    let words = std::thread::spawn(|| {
        let file = Arc::new(OwnedFd::from(File::open("/dev/zero").unwrap()));
        assert!(try_out(&file).unwrap().contains("io_uring SINGLE_ISSUER") || !has_rings());
        forbid_rings();
        try_out(&file).unwrap()
    })
    .join()
    .unwrap();
    assert!(words.starts_with("synchronous reads and writes"), "{words}");
    assert!(words.contains("io_uring is forbidden here"), "{words}");
}

fn has_rings() -> bool {
    io_uring::IoUring::new(1).is_ok()
}

/// Lets `io_uring_setup` fail with EPERM in the calling thread, for good.
fn forbid_rings() {
    let number = u32::try_from(libc::SYS_io_uring_setup).unwrap();
    let step = |code: u32, k: u32, jt: u8, jf: u8| libc::sock_filter {
        code: u16::try_from(code).unwrap(),
        jt,
        jf,
        k,
    };
    let errno = libc::SECCOMP_RET_ERRNO | u32::try_from(libc::EPERM).unwrap();
    let mut filter = [
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, number, 0, 1),
        step(libc::BPF_RET | libc::BPF_K, errno, 0, 0),
        step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0, 0),
    ];
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).unwrap(),
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: the call takes numbers only.
    let sealed = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    assert_eq!(sealed, 0);
    // SAFETY: the program and its filter live here during the call, which copies them.
    let filtered = unsafe {
        libc::prctl(
            libc::PR_SET_SECCOMP,
            libc::SECCOMP_MODE_FILTER,
            std::ptr::from_ref(&program),
        )
    };
    assert_eq!(filtered, 0);
}
