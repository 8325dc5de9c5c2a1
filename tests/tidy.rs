//! Keeps the tree as its authors promised: small files and functions, a scheduler without IO, clocks, floats and hash
//! order, layers that know only what is below them, and no words that stand for unfinished work.
//!
//! Reads text, not syntax trees: comments and literals are blanked out first, which is all these rules need.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// The most lines of a file, without the tests at its end.
const FILE_LINES_MAX: usize = 600;
/// The most lines of a function, from `fn` to its closing brace.
const FUNCTION_LINES_MAX: usize = 70;

/// What the scheduler must do without: it is told the time, and returns what is to be written and sent.
const IMPURE: [&str; 17] = [
    "std::time",
    "Instant",
    "SystemTime",
    "std::fs",
    "std::io",
    "std::net",
    "std::thread",
    "std::env",
    "tokio",
    "redb",
    "tonic",
    "rand",
    "HashMap",
    "HashSet",
    "f32",
    "f64",
    "async",
];

/// Each layer of `src`, and the others it must not name.
const LAYERS: [(&str, &[&str]); 5] = [
    ("scheduler", &["store", "event_log", "driver", "api", "cli"]),
    ("store", &["event_log", "driver", "api", "cli"]),
    ("event_log", &["store", "driver", "api", "cli"]),
    ("driver", &["api", "cli"]),
    ("api", &["store", "event_log", "cli"]),
];

/// What stands for unfinished work, in comments as in code.
const UNFINISHED: [&str; 6] = ["TODO", "FIXME", "for now", "dbg!", "todo!", "unimplemented!"];

/// Words that semantics 1 has other words for; refused where a tool's own words don't force them on us.
const OTHER_WORDS: [&str; 5] = ["task", "quota", "credit", "claim", "running"];

/// Folders that hold no source of ours, or none that was written by hand.
const SKIPPED: [&str; 8] =
    ["target", "node_modules", "generated", "gen", "sluicegatev1", "build", "dist", "sluicegate-data"];

/// The ends of the names of sources: ours in Rust and of the contract, and those of the clients.
const SOURCES: [&str; 6] = [".rs", ".proto", ".go", ".java", ".py", ".ts"];

/// Ends of names that only generated sources have.
const GENERATED: [&str; 2] = ["_pb2.py", "_pb2_grpc.py"];

#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    line: usize,
    problem: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.problem)
    }
}

/// One file, with its path from the root.
struct Source {
    path: String,
    text: String,
    /// The text with comments and literals blanked; of a `.proto` file, the text.
    code: String,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        let code = if path.ends_with(".rs") { blanked(text) } else { text.to_owned() };
        Self { path: path.to_owned(), text: text.to_owned(), code }
    }

    fn findings(&self) -> Vec<Finding> {
        let mut findings = self.words();
        findings.extend(self.file_length());
        if self.path.ends_with(".rs") {
            findings.extend(self.opening());
            findings.extend(self.functions());
            findings.extend(self.purity());
            findings.extend(self.layering());
        }
        findings
    }

    fn finding(&self, line: usize, problem: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, problem: problem.into() }
    }

    fn file_length(&self) -> Option<Finding> {
        let lines: Vec<_> = self.code.lines().collect();
        let tests = lines.windows(2).rposition(|pair| {
            pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].trim_end().ends_with('{')
        });
        let length = tests.unwrap_or(lines.len());
        (length > FILE_LINES_MAX).then(|| {
            let problem = format!("the file has {length} lines without its tests; {FILE_LINES_MAX} is the most");
            self.finding(FILE_LINES_MAX + 1, problem)
        })
    }

    fn opening(&self) -> Option<Finding> {
        let opens = self.text.starts_with("//!");
        (!opens).then(|| self.finding(1, "the file doesn't open with `//!`: say what it owns"))
    }

    fn functions(&self) -> Vec<Finding> {
        let code: Vec<char> = self.code.chars().collect();
        let mut findings = Vec::new();
        for at in 0..code.len() {
            if let Some((name, end)) = function_at(&code, at) {
                let first = line_of(&code, at);
                let lines = line_of(&code, end) - first + 1;
                if lines > FUNCTION_LINES_MAX {
                    let problem = format!("fn {name} has {lines} lines; {FUNCTION_LINES_MAX} is the most");
                    findings.push(self.finding(first, problem));
                }
            }
        }
        findings
    }

    fn words(&self) -> Vec<Finding> {
        let is_whole = ["proto/", "clients/"].iter().any(|folder| self.path.starts_with(folder));
        let is_product = is_whole || self.path.split('/').any(|folder| folder == "src");
        if !is_product {
            return Vec::new();
        }
        let ours = ["proto/", "src/scheduler/", "src/store/"].iter().any(|layer| self.path.starts_with(layer));
        let other_words = if ours { &OTHER_WORDS[..] } else { &[] };
        let mut findings = Vec::new();
        for (index, line) in self.text.lines().enumerate() {
            let unfinished = UNFINISHED.iter().filter(|word| has_term(line, word));
            findings.extend(unfinished.map(|word| self.finding(index + 1, format!("`{word}` is unfinished work"))));
            let lower = line.to_lowercase();
            let other = other_words.iter().filter(|word| has_term(&lower, word));
            findings.extend(other.map(|word| self.finding(index + 1, format!("`{word}` is no word of ours"))));
        }
        findings
    }

    /// Of the scheduler: nothing impure, by name, by a path in a `use` tree, or as a literal.
    fn purity(&self) -> Vec<Finding> {
        if !self.path.starts_with("src/scheduler/") {
            return Vec::new();
        }
        let mut findings = Vec::new();
        for (line, code) in self.lines_and_imports() {
            let impure = IMPURE.iter().filter(|term| has_term(&code, term));
            findings.extend(impure.map(|term| self.finding(line, format!("`{term}` in the scheduler"))));
            if has_float(&code) {
                findings.push(self.finding(line, "a float in the scheduler"));
            }
        }
        unique(findings)
    }

    fn layering(&self) -> Vec<Finding> {
        let in_layer = |layer: &str| {
            let rest = self.path.strip_prefix("src/").and_then(|path| path.strip_prefix(layer));
            rest.is_some_and(|rest| rest.starts_with('/') || rest == ".rs")
        };
        let Some((layer, others)) = LAYERS.iter().find(|(layer, _)| in_layer(layer)) else {
            return Vec::new();
        };
        let mut findings = Vec::new();
        for (line, code) in self.lines_and_imports() {
            for other in *others {
                let named = ["crate", "super", "sluicegate"].iter();
                if named.map(|root| format!("{root}::{other}")).any(|path| has_term(&code, &path)) {
                    findings.push(self.finding(line, format!("{layer} names {other}")));
                }
            }
        }
        unique(findings)
    }

    /// Every line of code, and every path that a `use` brings in, written out.
    fn lines_and_imports(&self) -> Vec<(usize, String)> {
        let mut found: Vec<_> =
            self.code.lines().enumerate().map(|(index, line)| (index + 1, line.to_owned())).collect();
        let mut offset = 0;
        while let Some(at) = self.code[offset..].find("use ").map(|at| offset + at) {
            offset = at + 4;
            if self.code[..at].ends_with(is_word) {
                continue;
            }
            let tree = self.code[offset..].split(';').next().unwrap_or_default();
            let line = self.code[..at].matches('\n').count() + 1;
            found.extend(use_paths("", tree).into_iter().map(|path| (line, path)));
        }
        found
    }
}

fn unique(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|one, other| (one.line, &one.problem).cmp(&(other.line, &other.problem)));
    findings.dedup();
    findings
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether `term` is there as a whole word.
fn has_term(line: &str, term: &str) -> bool {
    line.match_indices(term).any(|(at, _)| {
        let after = &line[at + term.len()..];
        let goes_on = term.ends_with(is_word) && after.starts_with(is_word);
        !goes_on && !line[..at].ends_with(is_word)
    })
}

/// Whether a number with a point is there; `x.0.1` and `0..1` aren't.
fn has_float(line: &str) -> bool {
    line.match_indices('.').any(|(at, _)| {
        let whole = line[..at].trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
        whole.len() < at
            && !whole.ends_with(|c: char| is_word(c) || c == '.')
            && line[at + 1..].starts_with(|c: char| c.is_ascii_digit())
    })
}

/// `a::{b, c::{d, e}}` as `a::b`, `a::c::d`, `a::c::e`.
fn use_paths(prefix: &str, tree: &str) -> Vec<String> {
    let tree = tree.trim();
    match tree.split_once('{') {
        None => vec![format!("{prefix}{tree}")],
        Some((head, inner)) => {
            let inner = inner.trim_end().trim_end_matches('}');
            let prefix = format!("{prefix}{}", head.trim());
            split_outside_braces(inner).into_iter().flat_map(|part| use_paths(&prefix, part)).collect()
        }
    }
}

fn split_outside_braces(list: &str) -> Vec<&str> {
    let mut depth = 0;
    list.split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
    .filter(|part| !part.trim().is_empty())
    .collect()
}

/// The function whose `fn` is at `at`: its name, and where its body ends. None for one without a body.
fn function_at(code: &[char], at: usize) -> Option<(String, usize)> {
    let starts = code[at..].starts_with(&['f', 'n', ' ']) && (at == 0 || !is_word(code[at - 1]));
    let name: String = code.get(at + 3..)?.iter().take_while(|c| is_word(**c)).collect();
    if !starts || name.is_empty() {
        return None;
    }
    let mut nested = 0;
    let mut braces = 0;
    for (offset, c) in code[at..].iter().enumerate() {
        match c {
            '(' | '[' => nested += 1,
            ')' | ']' => nested -= 1,
            ';' if nested == 0 && braces == 0 => return None,
            '{' => braces += 1,
            '}' => {
                braces -= 1;
                if braces == 0 {
                    return Some((name, at + offset));
                }
            }
            _ => {}
        }
    }
    None
}

fn line_of(code: &[char], at: usize) -> usize {
    code[..at].iter().filter(|c| **c == '\n').count() + 1
}

/// The text with every comment and literal turned into spaces; lines stay where they are.
fn blanked(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let length = literal_length(&chars, at);
        if length == 0 {
            out.push(chars[at]);
            at += 1;
            continue;
        }
        let end = (at + length).min(chars.len());
        out.extend(chars[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
        at = end;
    }
    out
}

/// How many characters the comment or literal at `at` has; 0 where none begins.
fn literal_length(chars: &[char], at: usize) -> usize {
    let rest = &chars[at..];
    let after_word = at > 0 && is_word(chars[at - 1]);
    match rest {
        ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
        ['/', '*', ..] => block_comment_length(rest),
        ['"', ..] => quoted_length(rest, '"'),
        ['r', '"' | '#', ..] if !after_word => raw_length(rest, 1),
        ['b' | 'c', 'r', '"' | '#', ..] if !after_word => raw_length(rest, 2),
        ['\'', '\\', ..] | ['\'', _, '\'', ..] => quoted_length(rest, '\''),
        _ => 0,
    }
}

fn block_comment_length(rest: &[char]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at + 1 < rest.len() {
        match (rest[at], rest[at + 1]) {
            ('/', '*') => depth += 1,
            ('*', '/') => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn quoted_length(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// A raw string whose hashes, if any, begin at `from`; 0 where it is a raw identifier.
fn raw_length(rest: &[char], from: usize) -> usize {
    let hashes = rest[from..].iter().take_while(|c| **c == '#').count();
    if rest.get(from + hashes) != Some(&'"') {
        return 0;
    }
    let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let body = from + hashes + 1;
    let end = rest[body..].windows(close.len()).position(|window| window == close);
    end.map_or(rest.len(), |end| body + end + close.len())
}

fn read_dir(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a listing doesn't break off").path()).collect();
    paths.sort();
    paths
}

fn ends_with_any(name: &str, ends: &[&str]) -> bool {
    ends.iter().any(|end| name.ends_with(end))
}

/// Every source below `dir` that was written by hand.
fn collect(root: &Path, dir: &Path, sources: &mut Vec<Source>) {
    for path in read_dir(dir) {
        let name = path.file_name().expect("what is listed has a name").to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
                collect(root, &path, sources);
            }
        } else if ends_with_any(&name, &SOURCES) && !ends_with_any(&name, &GENERATED) {
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            if !text.lines().take(5).any(|line| line.contains("@generated")) {
                let relative =
                    path.strip_prefix(root).expect("it is below the root").to_string_lossy().replace('\\', "/");
                sources.push(Source::new(&relative, &text));
            }
        }
    }
}

#[test]
fn the_tree_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    collect(root, root, &mut sources);
    for expected in
        ["src/lib.rs", "src/scheduler/mod.rs", "tests/tidy.rs", "proto/sluicegate/v1/job.proto", "clients/go/worker.go"]
    {
        assert!(sources.iter().any(|source| source.path == expected), "{expected} was not looked at");
    }
    let findings: Vec<_> = sources.iter().flat_map(Source::findings).map(|finding| finding.to_string()).collect();
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

/// What must be found, with its line, and what must not.
#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<(usize, String)> {
        let findings = Source::new(path, text).findings();
        findings.into_iter().map(|finding| (finding.line, finding.problem)).collect()
    }

    /// One line under a proper opening in the scheduler: what is found there.
    fn in_scheduler(line: &str) -> Vec<String> {
        let findings = found("src/scheduler/x.rs", &format!("//! X.\n{line}\n"));
        assert!(findings.iter().all(|(at, _)| *at == 2), "{findings:?}");
        findings.into_iter().map(|(_, problem)| problem).collect()
    }

    #[test]
    fn long_files_are_found_unless_their_end_is_tests() {
        let long = format!("//! X.\n{}", "\n".repeat(600));
        assert_eq!(found("src/x.rs", &long)[0].0, 601);
        assert_eq!(found("proto/x.proto", &long)[0].0, 601);
        assert_eq!(found("src/x.rs", &format!("//! X.\n{}", "\n".repeat(599))), []);
        let tests = format!("//! X.\n#[cfg(test)]\nmod tests {{\n{}}}\n", "\n".repeat(700));
        assert_eq!(found("src/x.rs", &tests), []);
        let elsewhere = format!("//! X.\n#[cfg(test)]\nmod tests;\n{}", "\n".repeat(700));
        assert_eq!(found("src/x.rs", &elsewhere).len(), 1);
    }

    #[test]
    fn long_functions_are_found() {
        let function = |lines: usize| format!("//! X.\nfn long(a: [u8; 2]) {{{}}}\n", "\n".repeat(lines - 1));
        assert_eq!(found("src/x.rs", &function(70)), []);
        let problem = "fn long has 71 lines; 70 is the most".to_owned();
        assert_eq!(found("src/x.rs", &function(71)), [(2, problem)]);
        let without_body = format!("//! X.\ntrait T {{\n    fn short();\n{}}}\n", "\n".repeat(80));
        assert_eq!(found("src/x.rs", &without_body), []);
        let brace_in_text =
            format!("//! X.\nfn f() {{ let _ = (\"{{\", '{{', r#\"{{\"#); /* {{ */ }}\n{}", "\n".repeat(80));
        assert_eq!(found("src/x.rs", &brace_in_text), []);
    }

    #[test]
    fn files_without_an_opening_are_found() {
        assert_eq!(found("tests/x.rs", "use std::fmt;\n").len(), 1);
        assert_eq!(found("tests/x.rs", "").len(), 1);
        assert_eq!(found("proto/x.proto", "syntax = \"proto3\";\n"), []);
    }

    #[test]
    fn impure_schedulers_are_found() {
        for term in IMPURE {
            let line = format!("use {term}::x;");
            assert_eq!(in_scheduler(&line), [format!("`{term}` in the scheduler")], "{line}");
            assert_eq!(found("src/driver/x.rs", &format!("//! X.\n{line}\n")), [], "{line}");
        }
        assert_eq!(in_scheduler("use std::{fmt, time::{self, Duration}};"), ["`std::time` in the scheduler"]);
        assert_eq!(in_scheduler("let half = 0.5;"), ["a float in the scheduler"]);
        for line in ["let x = pair.0.1;", "for x in 0..10 {}", "// no HashMap, no 0.5", "let redbird = operand;"] {
            assert_eq!(in_scheduler(line), Vec::<String>::new(), "{line}");
        }
    }

    #[test]
    fn layers_that_name_a_higher_one_are_found() {
        for (layer, others) in LAYERS {
            for other in others {
                for line in [format!("use crate::{other}::X;"), format!("use crate::{{ids, {other}::X}};")] {
                    let findings = found(&format!("src/{layer}/x.rs"), &format!("//! X.\n{line}\n"));
                    assert_eq!(findings, [(2, format!("{layer} names {other}"))], "{line}");
                }
            }
        }
        assert_eq!(found("src/api.rs", "//! X.\nfn f() { crate::store::open() }\n").len(), 1);
        assert_eq!(found("src/driver/x.rs", "//! X.\nuse crate::store::Store;\n"), []);
    }

    #[test]
    fn unfinished_work_and_other_words_are_found() {
        for word in UNFINISHED {
            assert_eq!(found("src/x.rs", &format!("//! X.\n// {word}\n")).len(), 1, "{word}");
            assert_eq!(found("proto/x.proto", &format!("// {word}\n")).len(), 1, "{word}");
        }
        for word in OTHER_WORDS {
            assert_eq!(found("proto/x.proto", &format!("// The {word}.\n")).len(), 1, "{word}");
            assert_eq!(found("src/driver/x.rs", &format!("//! The {word}.\n")), [], "{word}");
        }
        assert_eq!(found("src/x.rs", "//! What a mastodon does for nowhere.\n"), []);
    }

    #[test]
    fn literals_and_comments_are_blanked_and_lifetimes_are_not() {
        let blank = |text: &str| blanked(text).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(blank("a \"x\\\"y\" b // c\nd"), "a b d");
        assert_eq!(blank("a /* x /* y */ z */ b"), "a b");
        assert_eq!(blank("a r#\"x\"y\"# b br\"z\" c"), "a b c");
        assert_eq!(blank("fn f<'a>(x: &'a str) -> char { '\\'' }"), "fn f<'a>(x: &'a str) -> char { }");
        assert_eq!(blank("r#type 'x' '\\u{1F600}' 'static"), "r#type 'static");
    }
}
