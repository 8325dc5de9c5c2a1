//! The end of what a program has written to its standard error.

use std::borrow::Cow;

/// As much as an error may have; what came before is forgotten.
const BYTES_MAX: usize = 4096;

/// The last bytes of a stream.
#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
}

impl Tail {
    /// Takes the next bytes of the stream.
    pub fn push(&mut self, chunk: &[u8]) {
        let chunk = &chunk[chunk.len().saturating_sub(BYTES_MAX)..];
        let excess = (self.bytes.len() + chunk.len()).saturating_sub(BYTES_MAX);
        self.bytes.drain(..excess);
        self.bytes.extend_from_slice(chunk);
    }

    /// Its end as text of at most `bytes_max` bytes. What isn't UTF-8 is replaced, a character that is cut in two left out.
    pub fn text(&self, bytes_max: usize) -> String {
        let bytes = &self.bytes[self.bytes.len().saturating_sub(bytes_max)..];
        // Of a character that begins before the cut only continuation bytes are left, three at most.
        let cut = bytes.iter().take(3).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count();
        let bytes = if bytes.len() < self.bytes.len() || self.bytes.len() == BYTES_MAX { &bytes[cut..] } else { bytes };
        let text: Cow<'_, str> = String::from_utf8_lossy(bytes);
        // A replacement is longer than what it replaces.
        let mut start = text.len().saturating_sub(bytes_max);
        while !text.is_char_boundary(start) {
            start += 1;
        }
        text[start..].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(chunks: &[&[u8]]) -> Tail {
        let mut tail = Tail::default();
        chunks.iter().for_each(|chunk| tail.push(chunk));
        tail
    }

    #[test]
    fn what_is_short_is_kept_whole() {
        assert_eq!(tail(&[]).text(10), "");
        assert_eq!(tail(&[b"ab", b"", b"cd"]).text(4), "abcd");
        assert_eq!(tail(&[b"abcd"]).text(3), "bcd");
        assert_eq!(tail(&[b"abcd"]).text(0), "");
    }

    #[test]
    fn only_the_end_is_kept_whatever_the_chunks() {
        let all: Vec<u8> = (0..20_000_u32).map(|i| b'a' + (i % 26) as u8).collect();
        for size in [1, 7, 4095, 4096, 4097, 20_000] {
            let tail = tail(&all.chunks(size).collect::<Vec<_>>());
            assert_eq!(tail.text(BYTES_MAX).as_bytes(), &all[all.len() - BYTES_MAX..], "{size}");
            assert_eq!(tail.text(5).as_bytes(), &all[all.len() - 5..], "{size}");
        }
    }

    #[test]
    fn a_cut_character_is_left_out_and_a_broken_one_replaced() {
        let text = "€".repeat(2000);
        for bytes_max in 0..12 {
            assert_eq!(tail(&[text.as_bytes()]).text(bytes_max), "€".repeat(bytes_max / 3), "{bytes_max}");
        }
        assert_eq!(tail(&[&[0xff, b'a']]).text(10), "\u{fffd}a");
        assert_eq!(tail(&[&[0x80, b'a']]).text(10), "\u{fffd}a");
        for bytes_max in 0..40 {
            let text = tail(&[&[0xff; 40]]).text(bytes_max);
            assert!(text.len() <= bytes_max && text.len() + 3 > bytes_max, "{bytes_max}");
        }
    }
}
