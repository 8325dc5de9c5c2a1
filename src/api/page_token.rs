//! Page tokens: where the next page of a list starts, as opaque text.
//!
//! A token says which list it is for, and for jobs which filter; one that is for another, or that no server gave out, is
//! refused. It promises nothing about what has changed meanwhile.

use std::hash::{DefaultHasher, Hasher};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use prost::Message;

use super::convert::{At, Invalid};
use super::proto as pb;
use crate::scheduler::job::Name;
use crate::scheduler::units::JobId;

/// The first byte of a token: its form. Another form gets another number.
const FORM: u8 = 1;
const BUDGETS: u8 = b'b';
const JOBS: u8 = b'j';
const QUEUES: u8 = b'q';
const NUMBER_BYTES: usize = size_of::<u64>();

/// The page of budgets after this key.
pub fn after_budget(key: &str) -> String {
    encode(BUDGETS, key.as_bytes())
}

/// After which key the page of budgets starts; empty text is the first page.
pub fn budget(token: &str) -> Result<Option<Name>, Invalid> {
    name(BUDGETS, token)
}

/// The page of queues after this name.
pub fn after_queue(name: &str) -> String {
    encode(QUEUES, name.as_bytes())
}

/// After which name the page of queues starts; empty text is the first page.
pub fn queue(token: &str) -> Result<Option<Name>, Invalid> {
    name(QUEUES, token)
}

/// The page of jobs after this one, under a filter with this fingerprint.
pub fn after_job(id: JobId, filter: u64) -> String {
    let mut cursor = [0; 2 * NUMBER_BYTES];
    cursor[..NUMBER_BYTES].copy_from_slice(&filter.to_be_bytes());
    cursor[NUMBER_BYTES..].copy_from_slice(&id.0.to_be_bytes());
    encode(JOBS, &cursor)
}

/// After which job the page starts, under a filter with this fingerprint; empty text is the first page.
pub fn job(token: &str, filter: u64) -> Result<Option<JobId>, Invalid> {
    let Some(cursor) = decode(JOBS, token)? else {
        return Ok(None);
    };
    let (of_filter, id) = cursor.split_at_checked(NUMBER_BYTES).ok_or_else(foreign)?;
    let id = id.try_into().map_err(|_| foreign())?;
    if of_filter != filter.to_be_bytes() {
        return Err(page_token("is of a list with another filter"));
    }
    Ok(Some(JobId(u64::from_be_bytes(id))))
}

/// Tells filters apart: equal ones have the same.
pub fn fingerprint(filter: Option<&pb::JobFilter>) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(&filter.map(Message::encode_to_vec).unwrap_or_default());
    hasher.finish()
}

fn name(list: u8, token: &str) -> Result<Option<Name>, Invalid> {
    let Some(cursor) = decode(list, token)? else {
        return Ok(None);
    };
    let text = String::from_utf8(cursor).map_err(|_| foreign())?;
    Ok(Some(Name::from(text)))
}

fn encode(list: u8, cursor: &[u8]) -> String {
    let mut token = Vec::with_capacity(2 + cursor.len());
    token.extend([FORM, list]);
    token.extend(cursor);
    URL_SAFE_NO_PAD.encode(token)
}

fn decode(list: u8, token: &str) -> Result<Option<Vec<u8>>, Invalid> {
    if token.is_empty() {
        return Ok(None);
    }
    let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| foreign())?;
    match bytes.strip_prefix(&[FORM, list]) {
        Some(cursor) => Ok(Some(cursor.to_vec())),
        None => Err(foreign()),
    }
}

fn foreign() -> Invalid {
    page_token("is no token of this list")
}

fn page_token(problem: &str) -> Invalid {
    At::Root.field("page_token").invalid(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back() {
        assert_eq!(budget(""), Ok(None));
        assert_eq!(budget(&after_budget("api:eu/1")), Ok(Some(Name::from("api:eu/1"))));
        assert_eq!(queue(&after_queue("mail")), Ok(Some(Name::from("mail"))));
        for id in [0, 1, u64::MAX] {
            assert_eq!(job(&after_job(JobId(id), 7), 7), Ok(Some(JobId(id))));
        }
    }

    #[test]
    fn what_no_server_gave_out_is_refused() {
        let cut = after_job(JobId(1), 7);
        for token in ["?", "AAAA", "====", &after_queue("mail"), &cut[..8]] {
            assert_eq!(job(token, 7).unwrap_err().field, "page_token", "{token}");
            assert_eq!(budget(token).unwrap_err().field, "page_token", "{token}");
        }
        let no_text = encode(BUDGETS, &[0xff, 0xfe]);
        assert!(budget(&no_text).is_err());
    }

    #[test]
    fn a_token_goes_with_its_filter() {
        let filter = pb::JobFilter { queues: vec!["mail".to_owned()], ..pb::JobFilter::default() };
        let other = pb::JobFilter { queues: vec!["post".to_owned()], ..pb::JobFilter::default() };
        let mark = fingerprint(Some(&filter));
        assert_eq!(mark, fingerprint(Some(&filter.clone())));
        assert_ne!(mark, fingerprint(Some(&other)));
        let token = after_job(JobId(9), mark);
        assert!(job(&token, fingerprint(Some(&other))).is_err());
        assert_eq!(job(&token, mark), Ok(Some(JobId(9))));
    }
}
