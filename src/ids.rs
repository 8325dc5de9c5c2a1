//! How ids are written: opaque text of fixed width that sorts, as bytes, in the order of the ids.
//!
//! A letter for the kind, then sixteen characters of lower-case Crockford base32 that hold the number (64 bits) and the
//! group (16 bits). Nobody but this module knows that; text that isn't of this form names nothing.

use crate::scheduler::units::{JobId, LeaseId, SessionId};

/// Bytes of an id's text.
pub const TEXT_BYTES: usize = 1 + DIGITS;

/// The only group there is: every id belongs to it.
const GROUP: u16 = 0;
const GROUP_BITS: u32 = 16;
const DIGITS: usize = 16;
const DIGIT_BITS: u32 = 5;
/// Ascending as bytes, so that texts sort as their numbers do.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Of each byte the value as a digit.
static VALUES: [Option<u8>; 256] = {
    let mut values = [None; 256];
    let mut value = 0;
    while value < ALPHABET.len() {
        values[ALPHABET[value] as usize] = Some(value as u8);
        value += 1;
    }
    values
};

/// The text of a job's id.
pub fn job_text(id: JobId) -> String {
    text(b'j', id.0, GROUP)
}

/// The job that `text` names; `None` if it is no text of a job's id in this group.
pub fn parse_job(text: &str) -> Option<JobId> {
    parse(b'j', text).map(JobId)
}

/// The text of a lease's id.
pub fn lease_text(id: LeaseId) -> String {
    text(b'l', id.0, GROUP)
}

/// The lease that `text` names; `None` if it is no text of a lease's id in this group.
pub fn parse_lease(text: &str) -> Option<LeaseId> {
    parse(b'l', text).map(LeaseId)
}

/// The text of a session's id, for logs.
pub fn session_text(id: SessionId) -> String {
    text(b's', id.0, GROUP)
}

fn text(kind: u8, number: u64, group: u16) -> String {
    let mut value = (u128::from(number) << GROUP_BITS) | u128::from(group);
    let mut text = vec![kind; TEXT_BYTES];
    for digit in text[1..].iter_mut().rev() {
        *digit = ALPHABET[value as usize % ALPHABET.len()];
        value >>= DIGIT_BITS;
    }
    String::from_utf8(text).expect("a letter and digits of the alphabet are ASCII")
}

fn parse(kind: u8, text: &str) -> Option<u64> {
    let digits: &[u8; DIGITS] = text.as_bytes().strip_prefix(&[kind])?.try_into().ok()?;
    let mut value = 0_u128;
    for digit in digits {
        let index = VALUES[usize::from(*digit)]?;
        value = (value << DIGIT_BITS) | u128::from(index);
    }
    let group = value % (1 << GROUP_BITS);
    let number = u64::try_from(value >> GROUP_BITS).expect("sixteen digits hold 80 bits");
    (group == u128::from(GROUP)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [u64; 9] = [0, 1, 31, 32, (1 << 16) - 1, 1 << 16, (1 << 40) + 7, u64::MAX - 1, u64::MAX];

    #[test]
    fn every_id_comes_back_from_its_text() {
        for number in NUMBERS {
            let text = job_text(JobId(number));
            assert_eq!(text.len(), TEXT_BYTES);
            assert_eq!(parse_job(&text), Some(JobId(number)));
            let text = lease_text(LeaseId(number));
            assert_eq!(text.len(), TEXT_BYTES);
            assert_eq!(parse_lease(&text), Some(LeaseId(number)));
        }
    }

    #[test]
    fn texts_sort_as_their_ids_do() {
        let texts: Vec<String> = NUMBERS.map(|number| job_text(JobId(number))).to_vec();
        assert!(texts.is_sorted());
        assert!(texts.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn other_kinds_groups_and_forms_name_nothing() {
        let good = job_text(JobId(77));
        let other_group = text(b'j', 77, 1);
        let cases = [
            String::new(),
            "j".to_owned(),
            lease_text(LeaseId(77)),
            other_group,
            good.to_uppercase(),
            good[..good.len() - 1].to_owned(),
            format!("{good}0"),
            good.replacen('0', "o", 1),
            good.replacen('0', "é", 1),
            format!(" {good}"),
        ];
        for case in cases {
            assert_eq!(parse_job(&case), None, "{case:?}");
        }
        assert_eq!(parse_lease(&good), None);
    }
}
