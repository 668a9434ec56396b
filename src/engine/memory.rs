//! Page-aligned memory for I/O buffers, mapped at once and touched before the first I/O.
//!
//! Large regions ask for huge pages: contents start at random places of a large pool, and small
//! pages would cost an address translation for each of them.
//!
//! It does not know what the memory is used for: who may touch which part while an I/O is in
//! flight is the business of `slots`.

use std::ffi::c_void;
use std::io;
use std::ptr::{self, NonNull};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

/// The size of a huge page, from which on it is worth asking for some.
const HUGE_PAGE: usize = 2 << 20;
/// The smallest page there is.
const PAGE: usize = 4096;

/// An anonymous mapping.
#[derive(Debug)]
pub struct Region {
    base: NonNull<u8>,
    length: usize,
}

// SAFETY: the region owns its mapping, which any thread may use; access goes through `&mut self`.
unsafe impl Send for Region {}

impl Region {
    /// Maps `length` bytes of zeros, at least one.
    ///
    /// # Errors
    /// When the system has no memory for it.
    pub fn new(length: usize) -> io::Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let length = length.max(1);
        // SAFETY: a new anonymous mapping at an address of the kernel's choice aliases nothing.
        let base = unsafe { mmap_anonymous(ptr::null_mut(), length, access, MapFlags::PRIVATE) }?;
        let base = NonNull::new(base.cast::<u8>())
            .ok_or_else(|| io::Error::other("the kernel mapped memory at address 0"))?;
        let mut region = Self { base, length };
        if length >= HUGE_PAGE {
            // A refusal leaves small pages, which do the same.
            let _ = region.advise(Advice::LinuxHugepage);
        }
        region.touch()?;
        Ok(region)
    }

    fn advise(&self, advice: Advice) -> rustix::io::Result<()> {
        // SAFETY: the range is our own mapping, and neither advice changes what it holds.
        unsafe { madvise(self.base.as_ptr().cast(), self.length, advice) }
    }

    /// Lets the kernel back every page now, not at the first I/O.
    fn touch(&mut self) -> io::Result<()> {
        match self.advise(Advice::LinuxPopulateWrite) {
            Ok(()) => Ok(()),
            Err(rustix::io::Errno::NOMEM | rustix::io::Errno::FAULT) => {
                Err(io::ErrorKind::OutOfMemory.into())
            }
            // Before Linux 5.14 pages are touched one by one.
            Err(_) => {
                let bytes = self.part(0, self.length);
                bytes.iter_mut().step_by(PAGE).for_each(|byte| *byte = 0);
                Ok(())
            }
        }
    }

    /// Asks the CPU to fetch the cache line at an offset, which will be written soon.
    #[inline]
    pub(super) fn fetch(&self, offset: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let at = self.base.as_ptr().wrapping_add(offset).cast::<i8>();
            // SAFETY: fetching is a hint that changes nothing, whatever the address is.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = offset;
    }

    /// A part of the region.
    ///
    /// # Panics
    /// When the part does not lie within the region.
    #[inline]
    pub fn part(&mut self, offset: usize, length: usize) -> &mut [u8] {
        let at = self.address(offset, length);
        // SAFETY: `address` checked that the part lies within our own mapping, which is borrowed
        // mutably for as long as the slice lives.
        unsafe { std::slice::from_raw_parts_mut(at, length) }
    }

    /// The address of a part, for the kernel.
    ///
    /// # Panics
    /// When the part does not lie within the region.
    #[inline]
    pub fn address(&self, offset: usize, length: usize) -> *mut u8 {
        let within = offset
            .checked_add(length)
            .is_some_and(|end| end <= self.length);
        assert!(within, "a part lies within its region");
        // SAFETY: the offset was checked to lie within the mapping.
        unsafe { self.base.as_ptr().add(offset) }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        let base = self.base.as_ptr().cast::<c_void>();
        // SAFETY: base and length are those of our own mapping, and no slice of it outlives us.
        // A refusal would only leave the memory mapped until the process ends.
        let _ = unsafe { munmap(base, self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_page_aligned_and_zero() {
        let mut region = Region::new(8192).unwrap();
        assert_eq!(region.address(0, 1).addr() % 4096, 0);
        assert!(region.part(0, 8192).iter().all(|&byte| byte == 0));
        region.part(4096, 512).fill(7);
        assert_eq!(region.part(4095, 2), [0, 7]);
    }

    #[test]
    #[should_panic(expected = "within its region")]
    fn a_part_beyond_the_end_is_refused() {
        Region::new(4096).unwrap().part(4096, 1);
    }
}
