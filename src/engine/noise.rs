//! Random bytes for contents, as fast as memory takes them.
//!
//! Eight lanes of xoshiro256+ fill a vector register of AVX-512 at a time where the CPU has it;
//! elsewhere one stream of xoshiro256++ does. The choice is made at run time, so the same program
//! runs everywhere. Which bytes come is of no account, only that no two blocks are alike.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A source of random bytes.
#[derive(Debug, Clone)]
pub struct Noise {
    single: Xoshiro256PlusPlus,
    #[cfg(target_arch = "x86_64")]
    wide: Option<wide::Lanes>,
}

impl Noise {
    /// A source from a seed, as fast as this CPU allows.
    pub fn new(seed: u64) -> Self {
        let mut noise = Self::scalar(seed);
        #[cfg(target_arch = "x86_64")]
        {
            let single = &mut noise.single;
            noise.wide = wide::Lanes::new(|| single.next_u64());
        }
        noise
    }

    /// A source that every CPU has.
    fn scalar(seed: u64) -> Self {
        Self {
            single: Xoshiro256PlusPlus::seed_from_u64(seed),
            #[cfg(target_arch = "x86_64")]
            wide: None,
        }
    }

    /// One random word.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.single.next_u64()
    }

    /// Fills a buffer.
    #[inline]
    pub fn fill(&mut self, buffer: &mut [u8]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(lanes) = &mut self.wide {
            let rest = lanes.fill(buffer);
            self.single.fill_bytes(rest);
            return;
        }
        self.single.fill_bytes(buffer);
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi64, _mm512_loadu_si512, _mm512_rol_epi64, _mm512_slli_epi64,
        _mm512_storeu_si512, _mm512_xor_si512,
    };

    /// Bytes of a vector register.
    const WIDTH: usize = 64;

    /// Eight states of xoshiro256+. Exists only where the CPU has AVX-512.
    #[derive(Debug, Clone)]
    pub(super) struct Lanes {
        state: [[u64; 8]; 4],
    }

    impl Lanes {
        /// Seeded with words of another generator; `None` where the CPU cannot do it.
        pub(super) fn new(mut word: impl FnMut() -> u64) -> Option<Self> {
            is_x86_feature_detected!("avx512f").then(|| Self {
                state: std::array::from_fn(|_| std::array::from_fn(|_| word())),
            })
        }

        /// Fills whole registers; gives the rest of the buffer.
        #[inline]
        pub(super) fn fill<'a>(&mut self, buffer: &'a mut [u8]) -> &'a mut [u8] {
            let (chunks, rest) = buffer.as_chunks_mut::<WIDTH>();
            // SAFETY: `new` makes lanes only where the CPU has AVX-512F.
            unsafe { fill(&mut self.state, chunks) };
            rest
        }
    }

    #[target_feature(enable = "avx512f")]
    fn fill(state: &mut [[u64; 8]; 4], chunks: &mut [[u8; WIDTH]]) {
        let [l0, l1, l2, l3] = &*state;
        let (mut s0, mut s1, mut s2, mut s3) = (load(l0), load(l1), load(l2), load(l3));
        for chunk in chunks {
            store(chunk, _mm512_add_epi64(s0, s3));
            let t = _mm512_slli_epi64::<17>(s1);
            s2 = _mm512_xor_si512(s2, s0);
            s3 = _mm512_xor_si512(s3, s1);
            s1 = _mm512_xor_si512(s1, s2);
            s0 = _mm512_xor_si512(s0, s3);
            s2 = _mm512_xor_si512(s2, t);
            s3 = _mm512_rol_epi64::<45>(s3);
        }
        for (lanes, value) in state.iter_mut().zip([s0, s1, s2, s3]) {
            // SAFETY: eight words are as long as the register.
            unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), value) };
        }
    }

    #[target_feature(enable = "avx512f")]
    fn load(lanes: &[u64; 8]) -> __m512i {
        // SAFETY: eight words are as long as the register.
        unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(chunk: &mut [u8; WIDTH], value: __m512i) {
        // SAFETY: the chunk is as long as the register.
        unsafe { _mm512_storeu_si512(chunk.as_mut_ptr().cast(), value) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2^20 bytes hold every value about 4,096 times; six standard deviations are 383.
    #[test]
    fn bytes_are_evenly_spread_with_and_without_wide_registers() {
        for mut noise in [Noise::new(5), Noise::scalar(5)] {
            let mut bytes = vec![0; 1 << 20];
            noise.fill(&mut bytes);
            let mut counts = [0_i32; 256];
            bytes
                .iter()
                .for_each(|&byte| counts[usize::from(byte)] += 1);
            assert!(counts.iter().all(|count| (count - 4096).abs() < 383));
        }
    }

    #[test]
    fn every_length_is_filled_and_no_two_blocks_are_alike() {
        let mut noise = Noise::new(1);
        let mut seen = std::collections::HashSet::new();
        for length in [16_usize, 64, 100, 512, 4096, 5000] {
            for _ in 0..100 {
                let mut bytes = vec![0; length];
                noise.fill(&mut bytes);
                assert!(bytes[length - 16..].iter().any(|&byte| byte != 0));
                assert!(seen.insert(bytes));
            }
        }
    }
}
