//! What the values of a script stand for: names of saved values, and values too long to be written out.
//!
//! `"$job"` is what was saved as `job`, `"$job.budgets.0.key"` a part of it. `{"$times": [3, "x"]}` is `"xxx"`, of anything but
//! text a list of three; `{"$plus": [1, 2]}` a sum, which is null where a part is.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::failure::{Failure, Outcome};

/// What was saved, by name.
#[derive(Clone, Default)]
pub(crate) struct Saved(BTreeMap<String, Value>);

impl Saved {
    /// Saves a value under a name, in place of what had it.
    pub fn save(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// A value with all names in it replaced.
    pub fn resolve(&self, value: &Value) -> Outcome<Value> {
        match value {
            Value::String(text) => match text.strip_prefix('$') {
                Some(path) => self.look_up(path),
                None => Ok(value.clone()),
            },
            Value::Array(entries) => entries.iter().map(|entry| self.resolve(entry)).collect(),
            Value::Object(fields) => self.resolve_object(fields),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(value.clone()),
        }
    }

    fn resolve_object(&self, fields: &Map<String, Value>) -> Outcome<Value> {
        let resolve = |(name, value): (&String, &Value)| Ok((name.clone(), self.resolve(value)?));
        let fields: Map<String, Value> = fields.iter().map(resolve).collect::<Outcome<_>>()?;
        if fields.len() > 1 {
            return Ok(Value::Object(fields));
        }
        match fields.iter().next() {
            Some((name, value)) if name == "$times" => times(value),
            Some((name, value)) if name == "$plus" => plus(value),
            _ => Ok(Value::Object(fields)),
        }
    }

    fn look_up(&self, path: &str) -> Outcome<Value> {
        let (name, rest) = path.split_once('.').unwrap_or((path, ""));
        let value = self.0.get(name).ok_or_else(|| Failure::from(format!("nothing was saved as `{name}`")))?;
        part(value, rest)
    }
}

/// A part of a value, by names and indexes between points; an empty path is the whole.
pub(crate) fn part(value: &Value, path: &str) -> Outcome<Value> {
    let steps = path.split('.').filter(|step| !step.is_empty());
    let found = steps.clone().try_fold(value, |value, step| match value {
        Value::Array(entries) => entries.get(step.parse::<usize>().ok()?),
        other => other.get(step),
    });
    found.cloned().ok_or_else(|| Failure::from(format!("there is no `{path}` in {value}")))
}

fn times(arguments: &Value) -> Outcome<Value> {
    let count = arguments[0].as_u64().and_then(|count| usize::try_from(count).ok());
    match (count, &arguments[1]) {
        (Some(count), Value::String(text)) => Ok(Value::String(text.repeat(count))),
        (Some(count), value) => Ok(Value::Array(vec![value.clone(); count])),
        (None, _) => Err(format!("$times takes a count and a value: {arguments}").into()),
    }
}

fn plus(arguments: &Value) -> Outcome<Value> {
    let parts = arguments.as_array().ok_or_else(|| Failure::from(format!("$plus takes a list: {arguments}")))?;
    if parts.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    let numbers = parts.iter().map(Value::as_i64).collect::<Option<Vec<i64>>>();
    let sum = numbers.ok_or_else(|| Failure::from(format!("$plus takes numbers: {arguments}")))?.iter().sum::<i64>();
    Ok(json!(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_what_was_saved() {
        let mut saved = Saved::default();
        saved.save("job", json!({ "id": "j", "budgets": [{ "key": "b" }] }));
        let resolved =
            saved.resolve(&json!({ "id": "$job.id", "keys": ["$job.budgets.0.key"], "all": "$job.budgets" }));
        assert_eq!(resolved, Ok(json!({ "id": "j", "keys": ["b"], "all": [{ "key": "b" }] })));
        assert!(saved.resolve(&json!("$other")).is_err());
        assert!(saved.resolve(&json!("$job.nothing")).is_err());
    }

    #[test]
    fn long_values_and_sums_are_made() {
        let saved = Saved::default();
        assert_eq!(saved.resolve(&json!({ "$times": [3, "ab"] })), Ok(json!("ababab")));
        assert_eq!(saved.resolve(&json!({ "$times": [2, { "a": 1 }] })), Ok(json!([{ "a": 1 }, { "a": 1 }])));
        assert_eq!(saved.resolve(&json!({ "$plus": [1, 2] })), Ok(json!(3)));
        assert_eq!(saved.resolve(&json!({ "$plus": [null, 2] })), Ok(Value::Null));
        assert!(saved.resolve(&json!({ "$plus": ["a"] })).is_err());
    }
}
