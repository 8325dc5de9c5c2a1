//! Whether what was found is what was expected.
//!
//! Of an object the fields that are named must match, of a list all entries. Null matches what isn't there. An object whose one
//! field begins with `$` says something else: see [`special`].

use serde_json::Value;

/// Why a value isn't what was expected, and where; none where it is.
pub(crate) fn mismatch(expected: &Value, found: &Value) -> Option<String> {
    compare(expected, found, "")
}

fn compare(expected: &Value, found: &Value, path: &str) -> Option<String> {
    if let Some((word, argument)) = word(expected) {
        return special(word, argument, found, path);
    }
    match (expected, found) {
        (Value::Object(fields), Value::Object(_)) => fields.iter().find_map(|(name, expected)| {
            let found = found.get(name).unwrap_or(&Value::Null);
            compare(expected, found, &format!("{path}.{name}"))
        }),
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let pairs = expected.iter().zip(found).enumerate();
            pairs.into_iter().find_map(|(at, (expected, found))| compare(expected, found, &format!("{path}.{at}")))
        }
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => None,
        _ if expected == found => None,
        _ => Some(differs(path, expected, found)),
    }
}

/// The word of an expectation that says something else, with its argument.
fn word(expected: &Value) -> Option<(&str, &Value)> {
    let fields = expected.as_object().filter(|fields| fields.len() == 1)?;
    let (name, argument) = fields.iter().next()?;
    Some((name.strip_prefix('$')?, argument))
}

/// `$any` something is there · `$exact` nothing beside it · `$contains` in a text, a text · `$atLeast`, `$atMost` a number, also
/// in a text (of null: null) · `$length` of a list · `$unordered` these in any order · `$oneOf` one of these · `$distinct` no
/// entry twice.
fn special(word: &str, argument: &Value, found: &Value, path: &str) -> Option<String> {
    let is_met = match word {
        "any" => !found.is_null(),
        "exact" => argument == found,
        "contains" => match (argument, found) {
            (Value::String(part), Value::String(text)) => text.contains(part.as_str()),
            _ => false,
        },
        "atLeast" => ordered(argument, found, |bound, number| number >= bound),
        "atMost" => ordered(argument, found, |bound, number| number <= bound),
        "length" => found.as_array().map(|entries| entries.len() as u64) == argument.as_u64(),
        "unordered" => match (argument, found) {
            (Value::Array(expected), Value::Array(found)) => is_permuted(expected, found),
            _ => false,
        },
        "oneOf" => {
            argument.as_array().is_some_and(|options| options.iter().any(|it| compare(it, found, path).is_none()))
        }
        "distinct" => found.as_array().is_some_and(|entries| {
            entries.iter().enumerate().all(|(at, entry)| !entry.is_null() && !entries[..at].contains(entry))
        }),
        _ => return Some(format!("the script says `${word}`, which is no expectation")),
    };
    let expected = serde_json::json!({ format!("${word}"): argument });
    (!is_met).then(|| differs(path, &expected, found))
}

fn ordered(bound: &Value, found: &Value, holds: impl Fn(i128, i128) -> bool) -> bool {
    match (number(bound), number(found)) {
        (Some(bound), Some(found)) => holds(bound, found),
        _ => bound.is_null() && found.is_null(),
    }
}

fn number(value: &Value) -> Option<i128> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

/// Whether each expectation has an entry of its own. Takes the first that fits: scripts tell theirs apart.
fn is_permuted(expected: &[Value], found: &[Value]) -> bool {
    let mut left: Vec<&Value> = found.iter().collect();
    let fits = expected.iter().all(|expected| {
        let at = left.iter().position(|found| compare(expected, found, "").is_none());
        at.map(|at| left.remove(at)).is_some()
    });
    fits && left.is_empty()
}

fn differs(path: &str, expected: &Value, found: &Value) -> String {
    let path = if path.is_empty() { String::new() } else { format!("at `{}` ", &path[1..]) };
    format!("{path}expected {expected}, found {found}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn matches(expected: Value, found: Value) -> bool {
        mismatch(&expected, &found).is_none()
    }

    #[test]
    fn objects_match_in_part_and_lists_as_a_whole() {
        assert!(matches(json!({ "a": 1 }), json!({ "a": 1.0, "b": 2 })));
        assert!(!matches(json!({ "a": 1 }), json!({ "b": 2 })));
        assert!(matches(json!({ "a": null }), json!({})));
        assert!(!matches(json!([1]), json!([1, 2])));
        assert!(matches(json!([{ "a": 1 }, 2]), json!([{ "a": 1, "b": 1 }, 2])));
        let why = mismatch(&json!({ "a": [{ "b": 1 }] }), &json!({ "a": [{ "b": 2 }] }));
        assert_eq!(why.as_deref(), Some("at `a.0.b` expected 1, found 2"));
    }

    #[test]
    fn words_say_something_else() {
        assert!(matches(json!({ "$any": true }), json!(0)) && !matches(json!({ "$any": true }), json!(null)));
        assert!(!matches(json!({ "$exact": { "a": 1 } }), json!({ "a": 1, "b": 2 })));
        assert!(
            matches(json!({ "$contains": "b" }), json!("abc")) && !matches(json!({ "$contains": "d" }), json!("abc"))
        );
        assert!(matches(json!({ "$atLeast": 3 }), json!("3")) && !matches(json!({ "$atLeast": 3 }), json!("2")));
        assert!(matches(json!({ "$atMost": 3 }), json!(3)) && !matches(json!({ "$atMost": 3 }), json!(4)));
        assert!(matches(json!({ "$atMost": null }), json!(null)) && !matches(json!({ "$atMost": null }), json!(4)));
        assert!(matches(json!({ "$length": 2 }), json!([1, 2])) && !matches(json!({ "$length": 2 }), json!([1])));
        assert!(matches(json!({ "$unordered": [1, 2] }), json!([2, 1])));
        assert!(!matches(json!({ "$unordered": [1, 1] }), json!([1, 2])));
        assert!(!matches(json!({ "$unordered": [1] }), json!([1, 2])));
        assert!(matches(json!({ "$oneOf": [1, 2] }), json!(2)) && !matches(json!({ "$oneOf": [1, 2] }), json!(3)));
        assert!(matches(json!({ "$distinct": true }), json!([1, 2])));
        assert!(!matches(json!({ "$distinct": true }), json!([1, 1])));
        assert!(!matches(json!({ "$distinct": true }), json!([null])));
        assert!(!matches(json!({ "$nonsense": true }), json!(1)));
    }
}
