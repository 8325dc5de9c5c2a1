//! The command of a worker: arguments in which fields of a job's payload stand.
//!
//! Values are taken from the payload as they are written: no number passes through a float, and nothing through a shell.

use std::collections::BTreeMap;
use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::value::RawValue;
use sluicegate_client::Payload;

/// A command with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    arguments: Vec<Vec<Part>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// The names, outermost first, that lead to a value.
    Field(Vec<String>),
}

impl Template {
    /// Reads the arguments. Every text is one: what isn't a placeholder stands for itself.
    pub fn parse(arguments: &[String]) -> Self {
        Self { arguments: arguments.iter().map(|argument| parse(argument)).collect() }
    }

    /// Refuses a program that can't be found before it has cost any job an attempt.
    pub fn check_program(&self) -> Result<(), String> {
        let program = match self.arguments.first().map(Vec::as_slice) {
            Some([Part::Text(program)]) => program,
            Some([]) | None => return Err("the command is empty".to_owned()),
            Some(_) => return Ok(()),
        };
        let is_found = if program.contains('/') {
            is_executable(Path::new(program))
        } else {
            let path = env::var_os("PATH").unwrap_or_default();
            env::split_paths(&path).any(|dir| is_executable(&dir.join(program)))
        };
        if is_found { Ok(()) } else { Err(format!("there is no program `{program}` that could be run")) }
    }

    /// The arguments for one job; what is wrong with its payload otherwise.
    pub fn fill(&self, payload: &Payload) -> Result<Vec<String>, String> {
        self.arguments.iter().map(|parts| fill(parts, payload)).collect()
    }
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

fn parse(argument: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = argument;
    while let Some(at) = rest.find('{') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((name, after)) = placeholder(rest, "{{", "}}") {
            text.push_str(&format!("{{{name}}}"));
            rest = after;
        } else if let Some((name, after)) = placeholder(rest, "{", "}") {
            if !text.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut text)));
            }
            parts.push(Part::Field(name.split('.').map(str::to_owned).collect()));
            rest = after;
        } else {
            text.push('{');
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    parts
}

/// The name between two marks at the beginning of `text`, and what follows.
fn placeholder<'a>(text: &'a str, open: &str, close: &str) -> Option<(&'a str, &'a str)> {
    let (name, after) = text.strip_prefix(open)?.split_once(close)?;
    let is_name = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    name.split('.').all(is_name).then_some((name, after))
}

fn fill(parts: &[Part], payload: &Payload) -> Result<String, String> {
    let mut argument = String::new();
    for part in parts {
        match part {
            Part::Text(text) => argument.push_str(text),
            Part::Field(names) => argument.push_str(&value(names, payload)?),
        }
    }
    if argument.contains('\0') {
        return Err("a field has a NUL character, which no argument can have".to_owned());
    }
    Ok(argument)
}

fn value(names: &[String], payload: &Payload) -> Result<String, String> {
    let field = || names.join(".");
    let Payload::Json(text) = payload else {
        return Err(format!("the command needs the field `{}`, but the payload isn't JSON", field()));
    };
    let mut value: &RawValue =
        serde_json::from_str(text).map_err(|error| format!("the payload isn't JSON: {error}"))?;
    for name in names {
        value = inside(value, name).ok_or_else(|| format!("the payload has no field `{}`", field()))?;
    }
    match value.get() {
        "null" => Err(format!("the payload's field `{}` is null", field())),
        text if text.starts_with('"') => {
            serde_json::from_str(text).map_err(|error| format!("the payload's field `{}`: {error}", field()))
        }
        json => Ok(json.to_owned()),
    }
}

/// The value of an object's field, or of an array's element by its number from 0.
fn inside<'a>(value: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    if value.get().starts_with('[') {
        let elements: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
        return elements.get(name.parse::<usize>().ok()?).copied();
    }
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(value.get()).ok()?;
    fields.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(argument: &str, payload: &str) -> Result<String, String> {
        let template = Template::parse(&[argument.to_owned()]);
        Ok(template.fill(&Payload::Json(payload.to_owned()))?.remove(0))
    }

    #[test]
    fn fields_are_put_in_as_they_are_written() {
        let payload = r#"{"to":"a \"b\" ; rm -rf /","n":1.10,"big":12345678901234567890123,"ok":true,
            "a":{"b":{"c":"deep"},"list":[1,{"x":"y"}]},"dash-ed":"d","7":"seven"}"#;
        let cases = [
            ("{to}", r#"a "b" ; rm -rf /"#),
            ("--n={n}", "--n=1.10"),
            ("{big}", "12345678901234567890123"),
            ("{ok}{ok}", "truetrue"),
            ("{a.b.c}", "deep"),
            ("<{a.b}>", r#"<{"c":"deep"}>"#),
            ("{a.list.0} {a.list.1.x}", "1 y"),
            ("{dash-ed}{7}", "dseven"),
        ];
        for (argument, expected) in cases {
            assert_eq!(filled(argument, payload), Ok(expected.to_owned()), "{argument}");
        }
    }

    #[test]
    fn other_braces_stay() {
        for argument in
            ["", "{}", "{print $1}", r#"{"a":{"b":1}}"#, "{", "}", "{a", "a}", "{.}", "{a.}", "${HOME:-x}", "é{ü}"]
        {
            assert_eq!(filled(argument, "{}"), Ok(argument.to_owned()), "{argument}");
        }
        assert_eq!(filled("{{to}} {{a.b}}", "{}"), Ok("{to} {a.b}".to_owned()));
        assert_eq!(filled("{{x} {{{to}}", r#"{"to":"T","x":"X"}"#), Ok("{X {{to}".to_owned()));
    }

    #[test]
    fn what_isnt_there_is_said_by_name() {
        let cases = [
            ("{to}", "{}", "no field `to`"),
            ("{a.b}", r#"{"a":1}"#, "no field `a.b`"),
            ("{a.2}", r#"{"a":[1]}"#, "no field `a.2`"),
            ("{a.x}", r#"{"a":[1]}"#, "no field `a.x`"),
            ("{to}", "[]", "no field `to`"),
            ("{to}", r#"{"to":null}"#, "`to` is null"),
            ("{to}", r#"{"to":"a\u0000"}"#, "NUL"),
        ];
        for (argument, payload, words) in cases {
            let error = filled(argument, payload).expect_err(argument);
            assert!(error.contains(words), "{argument}: {error}");
        }
        let template = Template::parse(&["{to}".to_owned()]);
        for payload in [Payload::None, Payload::Binary(b"{\"to\":1}".as_slice().into())] {
            assert!(template.fill(&payload).expect_err("no JSON").contains("isn't JSON"));
        }
        let plain = Template::parse(&["cat".to_owned()]);
        assert_eq!(plain.fill(&Payload::None), Ok(vec!["cat".to_owned()]));
    }

    #[test]
    fn a_program_that_isnt_there_is_noticed_before_any_job() {
        let check = |program: &str| Template::parse(&[program.to_owned()]).check_program();
        assert_eq!(check("sh"), Ok(()));
        assert_eq!(check("/bin/sh"), Ok(()));
        assert_eq!(check("{program}"), Ok(()));
        for program in ["", "no-such-program-anywhere", "/bin", "/no/such/file"] {
            assert!(check(program).is_err(), "{program}");
        }
    }
}
