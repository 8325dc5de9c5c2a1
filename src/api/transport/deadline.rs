//! The time that a caller gives its call, from the `grpc-timeout` header.

use std::time::Duration;

use tonic::codegen::http::HeaderMap;

/// What the header says; `None` where it is missing or says nothing that can be understood.
pub fn of(headers: &HeaderMap) -> Option<Duration> {
    const DIGITS_MAX: usize = 8;
    let text = headers.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.len() > DIGITS_MAX || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(number * 3600)),
        "M" => Some(Duration::from_secs(number * 60)),
        "S" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_millis(number)),
        "u" => Some(Duration::from_micros(number)),
        "n" => Some(Duration::from_nanos(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_bounds() {
        let of = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("grpc-timeout", text.parse().unwrap());
            super::of(&headers)
        };
        assert_eq!(of("2H"), Some(Duration::from_secs(7200)));
        assert_eq!(of("2M"), Some(Duration::from_secs(120)));
        assert_eq!(of("99999999S"), Some(Duration::from_secs(99_999_999)));
        assert_eq!(of("1m"), Some(Duration::from_millis(1)));
        assert_eq!(of("1u"), Some(Duration::from_micros(1)));
        assert_eq!(of("0n"), Some(Duration::ZERO));
        for bad in ["", "S", "1", "1s", "-1S", "+1S", "100000000S", "1.5S", "1é"] {
            assert_eq!(of(bad), None, "{bad}");
        }
        assert_eq!(super::of(&HeaderMap::new()), None);
    }
}
