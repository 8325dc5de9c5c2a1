//! The words of a line: comments cut off, durations, numbers, ids, costs, and `name=value` pairs.
//!
//! Knows nothing of steps, and of the scheduler only its units.

use sluicegate::scheduler::job::Name;
use sluicegate::scheduler::units::{Nanos, Tokens};

/// What is wrong with a word or a line.
pub type Problem = String;

/// The words of one line, taken from front to back, pairs and flags from anywhere.
pub struct Words<'a>(Vec<&'a str>);

impl<'a> Words<'a> {
    /// Splits a line; a word that starts with `#` begins a comment.
    pub fn of(line: &'a str) -> Self {
        Self(line.split_whitespace().take_while(|word| !word.starts_with('#')).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The word in front; `what` says what is missing where there is none.
    pub fn next(&mut self, what: &str) -> Result<&'a str, Problem> {
        if self.0.is_empty() {
            return Err(format!("{what} is missing"));
        }
        Ok(self.0.remove(0))
    }

    /// The value of `name=value`, wherever it stands.
    pub fn pair(&mut self, name: &str) -> Option<&'a str> {
        let (at, value) = self.0.iter().enumerate().find_map(|(at, word)| {
            let value = word.strip_prefix(name)?.strip_prefix('=')?;
            Some((at, value))
        })?;
        self.0.remove(at);
        Some(value)
    }

    /// As [`Words::pair`], read by `read`.
    pub fn read<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&'a str) -> Result<T, Problem>,
    ) -> Result<Option<T>, Problem> {
        self.pair(name).map(read).transpose().map_err(|problem| format!("{name}: {problem}"))
    }

    /// Whether `word` is there, wherever it stands.
    pub fn flag(&mut self, word: &str) -> bool {
        let at = self.0.iter().position(|found| *found == word);
        at.map(|at| self.0.remove(at)).is_some()
    }

    /// Takes the reason after a final `!`.
    pub fn refusal(&mut self) -> Option<&'a str> {
        let [.., "!", reason] = self.0[..] else {
            return None;
        };
        self.0.truncate(self.0.len() - 2);
        Some(reason)
    }

    /// `verb j*3 …` as `verb j1 …`, `verb j2 …`, `verb j3 …`; any other line as it is.
    pub fn expanded(&self) -> Result<Vec<String>, Problem> {
        match self.0[..] {
            ["enqueue" | "dispatched", ..] => {}
            [verb, id, ref rest @ ..] if is_repeated(id) => {
                let lines = ids(id)?.into_iter();
                return Ok(lines.map(|id| format!("{verb} {id} {}", rest.join(" "))).collect());
            }
            _ => {}
        }
        Ok(vec![self.0.join(" ")])
    }

    /// All words are used up.
    pub fn end(&self) -> Result<(), Problem> {
        match self.0.first() {
            None => Ok(()),
            Some(word) => Err(format!("unknown word `{word}`")),
        }
    }

    /// All words that are left.
    pub fn rest(&mut self) -> Vec<&'a str> {
        std::mem::take(&mut self.0)
    }
}

fn is_repeated(id: &str) -> bool {
    matches!(id.split_once('*'), Some((stem, _)) if !stem.is_empty())
}

/// `j*3` as j1, j2, j3; any other id as itself.
pub fn ids(word: &str) -> Result<Vec<String>, Problem> {
    if !is_repeated(word) {
        return Ok(vec![id(word)?]);
    }
    let (stem, count) = word.split_once('*').expect("a repeated id has a star");
    let stem = id(stem)?;
    let count = number(count)?;
    Ok((1..=count).map(|index| format!("{stem}{index}")).collect())
}

/// One id of the story.
pub fn id(word: &str) -> Result<String, Problem> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if !word.starts_with(|c: char| c.is_ascii_alphanumeric()) || !word.chars().all(fits) {
        return Err(format!("`{word}` is no id"));
    }
    Ok(word.to_owned())
}

/// `-` as no ids, else ids with commas between.
pub fn id_list(word: &str) -> Result<Vec<String>, Problem> {
    if word == "-" {
        return Ok(Vec::new());
    }
    let lists: Result<Vec<_>, _> = word.split(',').map(ids).collect();
    Ok(lists?.concat())
}

/// A name for the scheduler, which judges it.
pub fn name(word: &str) -> Result<Name, Problem> {
    Ok(Name::from(word))
}

/// Names with commas between.
pub fn names(word: &str) -> Result<Vec<Name>, Problem> {
    word.split(',').map(name).collect()
}

/// A whole number.
pub fn number(word: &str) -> Result<u64, Problem> {
    if !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("`{word}` is no number"));
    }
    word.parse().map_err(|_| format!("`{word}` is no number below 2^64"))
}

/// As [`number`], for what the scheduler counts in 32 bits.
pub fn small_number(word: &str) -> Result<u32, Problem> {
    u32::try_from(number(word)?).map_err(|_| format!("`{word}` is no number below 2^32"))
}

/// A whole number that may be below zero.
pub fn signed(word: &str) -> Result<i128, Problem> {
    word.parse().map_err(|_| format!("`{word}` is no number"))
}

/// As [`number`], of tokens.
pub fn tokens(word: &str) -> Result<Tokens, Problem> {
    number(word).map(Tokens)
}

/// A duration such as `1.5s`, exactly: a fraction finer than 1 ns is refused.
pub fn duration(word: &str) -> Result<Nanos, Problem> {
    let problem = || format!("`{word}` is no duration (10ms, 1.5s, 3m, 2h, 7d, 1ns)");
    let unit_at = word.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(problem)?;
    let (amount, unit) = word.split_at(unit_at);
    let unit_ns: u64 = match unit {
        "ns" => 1,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60 * 1_000_000_000,
        "h" => 3600 * 1_000_000_000,
        "d" => 86_400 * 1_000_000_000,
        _ => return Err(problem()),
    };
    let (whole, fraction) = match amount.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return Err(problem()),
        None => (amount, ""),
    };
    let digits = format!("{whole}{fraction}");
    if whole.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(problem());
    }
    let scale =
        u32::try_from(fraction.len()).ok().and_then(|places| 10_u128.checked_pow(places)).ok_or_else(problem)?;
    let scaled =
        digits.parse::<u128>().ok().and_then(|digits| digits.checked_mul(u128::from(unit_ns))).ok_or_else(problem)?;
    if scaled % scale != 0 {
        return Err(format!("`{word}` isn't a whole number of nanoseconds"));
    }
    u64::try_from(scaled / scale).map(Nanos).map_err(|_| problem())
}

/// `KEY:N`, or `KEY` for a cost of 1; a last numeric part after `:` is the cost.
pub fn cost(word: &str) -> Result<(Name, Tokens), Problem> {
    match word.rsplit_once(':') {
        Some((key, last)) if !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit()) => {
            Ok((name(key)?, tokens(last)?))
        }
        _ => Ok((name(word)?, Tokens::ONE)),
    }
}

/// As [`cost`], but the number must be there.
pub fn full_cost(word: &str) -> Result<(Name, Tokens), Problem> {
    match word.rsplit_once(':') {
        Some((key, last)) => Ok((name(key)?, tokens(last)?)),
        None => Err(format!("`{word}` has no `:N`")),
    }
}

/// Costs with commas between; `-` for none.
pub fn costs(word: &str) -> Result<Vec<(Name, Tokens)>, Problem> {
    if word == "-" {
        return Ok(Vec::new());
    }
    word.split(',').map(cost).collect()
}

/// `KEY:D`.
pub fn key_duration(word: &str) -> Result<(Name, Nanos), Problem> {
    match word.rsplit_once(':') {
        Some((key, span)) => Ok((name(key)?, duration(span)?)),
        None => Err(format!("`{word}` has no `:D`")),
    }
}

/// `used=` and `throttled=` name one or more budgets, with commas between.
pub fn listed<T>(word: Option<&str>, item: impl Fn(&str) -> Result<T, Problem>) -> Result<Vec<T>, Problem> {
    word.map_or(Ok(Vec::new()), |word| word.split(',').map(item).collect())
}

/// The instant or span of time `span` as a story writes it: the largest unit that needs no fraction.
pub fn show(span: Nanos) -> String {
    const UNITS: [(u64, &str); 5] =
        [(3600 * 1_000_000_000, "h"), (60 * 1_000_000_000, "m"), (1_000_000_000, "s"), (1_000_000, "ms"), (1, "ns")];
    let fits = |(unit_ns, _): &&(u64, &str)| span.0.is_multiple_of(*unit_ns);
    match UNITS.iter().find(fits) {
        Some((unit_ns, unit)) if span.0 > 0 => format!("{}{unit}", span.0 / unit_ns),
        _ => "0s".to_owned(),
    }
}
