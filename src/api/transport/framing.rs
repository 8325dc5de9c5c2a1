//! Where one message of gRPC ends and the next begins: each has a byte of flags and four of length before it.

/// Bytes before each message.
const PREFIX_BYTES: usize = 5;

/// How far a request has come.
#[derive(Debug, Default)]
pub struct Framing {
    prefix: [u8; PREFIX_BYTES],
    /// How much of a prefix is there.
    prefix_bytes: usize,
    /// What the message announced, and what of that is missing.
    announced: usize,
    missing: usize,
    /// How many messages have begun.
    begun: u64,
    begun_before: u64,
}

impl Framing {
    /// Goes on by `data`.
    pub fn advance(&mut self, mut data: &[u8]) {
        self.begun_before = self.begun;
        while !data.is_empty() {
            if self.missing > 0 {
                let taken = self.missing.min(data.len());
                self.missing -= taken;
                data = &data[taken..];
                continue;
            }
            if self.prefix_bytes == 0 {
                self.begun += 1;
            }
            let taken = (PREFIX_BYTES - self.prefix_bytes).min(data.len());
            self.prefix[self.prefix_bytes..self.prefix_bytes + taken].copy_from_slice(&data[..taken]);
            self.prefix_bytes += taken;
            data = &data[taken..];
            if self.prefix_bytes == PREFIX_BYTES {
                let [_flags, length @ ..] = self.prefix;
                self.announced = u32::from_be_bytes(length) as usize;
                self.missing = self.announced;
                self.prefix_bytes = 0;
            }
        }
    }

    /// What the last message whose length is known announced.
    pub fn announced(&self) -> usize {
        self.announced
    }

    /// What is missing of the message that has begun; 0 also where its length isn't known.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// Whether a message of a known length is unfinished.
    pub fn is_within(&self) -> bool {
        self.missing > 0
    }

    /// Whether nothing has begun that isn't whole.
    pub fn is_between(&self) -> bool {
        self.missing == 0 && self.prefix_bytes == 0
    }

    /// Whether the last step ended in another message than it began in.
    pub fn has_begun_another(&self) -> bool {
        self.begun > self.begun_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(length: u32) -> Vec<u8> {
        let mut bytes = vec![0];
        bytes.extend(length.to_be_bytes());
        bytes.extend(vec![7; length as usize]);
        bytes
    }

    #[test]
    fn whole_messages_leave_nothing_unfinished() {
        let mut framing = Framing::default();
        framing.advance(&[message(0), message(3), message(300)].concat());
        assert!(framing.is_between());
        assert_eq!(framing.begun, 3);
    }

    #[test]
    fn bytes_one_by_one_come_to_the_same() {
        let mut framing = Framing::default();
        for _ in 0..2 {
            for (at, byte) in message(4).iter().enumerate() {
                framing.advance(&[*byte]);
                assert_eq!(framing.missing(), if (4..8).contains(&at) { 8 - at } else { 0 }, "after byte {at}");
                assert_eq!((framing.is_within(), framing.is_between()), ((4..8).contains(&at), at == 8));
                assert_eq!(framing.has_begun_another(), at == 0);
            }
        }
    }

    #[test]
    fn part_of_a_prefix_has_begun_and_has_no_length() {
        let mut framing = Framing::default();
        framing.advance(&[message(1), vec![0, 0]].concat());
        assert!(!framing.is_between() && !framing.is_within());
        framing.advance(&[1, 0, 0, 9]);
        assert_eq!((framing.announced(), framing.missing()), (1 << 16, (1 << 16) - 1));
        assert!(!framing.has_begun_another(), "it had begun before");
    }

    #[test]
    fn the_longest_length_is_no_overflow() {
        let mut framing = Framing::default();
        framing.advance(&[1, 255, 255, 255, 255, 0]);
        assert_eq!(framing.announced(), u32::MAX as usize);
    }
}
