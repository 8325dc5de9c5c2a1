//! A fixed scramble of one number into another: what the scheduler has instead of randomness.
//!
//! Same input, same output, in every run and on every machine. It spreads retries and keeps trees
//! balanced; it hides nothing and is not for secrets.

/// The step between two states of the SplitMix64 sequence.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// What the SplitMix64 sequence yields at `state`: a bijection of `u64` in which every input bit
/// sways every output bit.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), with
/// the constants of the reference `splitmix64.c`.
pub const fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(GAMMA);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yields_the_published_sequence() {
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        let seed = 1_234_567_u64;
        let sequence: Vec<u64> = (0..3).map(|step| mix(seed.wrapping_add(GAMMA.wrapping_mul(step)))).collect();
        assert_eq!(sequence, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
