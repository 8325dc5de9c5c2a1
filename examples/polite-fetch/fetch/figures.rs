//! What a run comes to, by the site's own access log.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::Context;

use super::site::{self, Page};
use super::{Mode, RATE_BURST};

/// The least share of the site's rate that a run must use to have used it.
pub const SHARE_MIN: f64 = 0.95;

/// The figures of one run.
#[derive(Clone, Debug)]
pub struct Figures {
    /// How it was done.
    pub mode: Mode,
    /// Files that were to be fetched.
    pub files: usize,
    /// Files that were fetched whole, each counted once.
    pub fetched: usize,
    /// Requests that reached the site.
    pub requests: usize,
    /// Requests that it answered with a file.
    pub served: usize,
    /// Requests that it refused for their rate.
    pub refused_rate: usize,
    /// Requests that it refused for their connections.
    pub refused_connections: usize,
    /// From its first answer with a file to its last, in seconds.
    pub span_s: f64,
}

impl Figures {
    /// Reads them off the access log.
    ///
    /// # Errors
    /// A line isn't in the format of the site's configuration.
    pub fn read(mode: Mode, pages: &[Page], access_log: &str) -> anyhow::Result<Self> {
        let wanted: BTreeMap<_, _> = pages.iter().map(|page| (page.uri.as_str(), page.bytes)).collect();
        let mut fetched = BTreeSet::new();
        let mut served_at_s = Vec::new();
        let mut figures = Self {
            mode,
            files: wanted.len(),
            fetched: 0,
            requests: 0,
            served: 0,
            refused_rate: 0,
            refused_connections: 0,
            span_s: 0.0,
        };
        for line in access_log.lines() {
            let answer = Answer::parse(line).with_context(|| format!("not a line of the access log: {line}"))?;
            figures.requests += 1;
            match answer.status {
                200 => {
                    served_at_s.push(answer.time_s);
                    if wanted.get(answer.uri) == Some(&answer.bytes) {
                        fetched.insert(answer.uri);
                    }
                }
                site::STATUS_RATE => figures.refused_rate += 1,
                site::STATUS_CONNECTIONS => figures.refused_connections += 1,
                status => anyhow::bail!("the site answered {status} to a request for {}", answer.uri),
            }
        }
        figures.fetched = fetched.len();
        figures.served = served_at_s.len();
        if let (Some(first), Some(last)) = (served_at_s.first(), served_at_s.last()) {
            figures.span_s = last - first;
        }
        Ok(figures)
    }

    /// Requests that the site refused.
    pub fn refused(&self) -> usize {
        self.refused_rate + self.refused_connections
    }

    /// The part of what the site's rate allows in the span that was used; what the full pool held at the start isn't counted.
    pub fn share_used(&self) -> f64 {
        let beyond_burst = self.served as f64 - RATE_BURST as f64;
        beyond_burst / (f64::from(site::RATE_PER_S) * self.span_s)
    }

    /// What the run should have shown and didn't; empty after a good one.
    pub fn missed(&self) -> Vec<String> {
        let (files, fetched, refused, share) = (self.files, self.fetched, self.refused(), self.share_used());
        let mut missed = Vec::new();
        let mut expect = |holds: bool, what: String| missed.extend((!holds).then_some(what));
        match self.mode {
            Mode::WithoutBudgets => {
                expect(refused > 0, "nothing was refused: these limits don't show what budgets are for".into());
            }
            Mode::WithBudgets | Mode::Kill9 => {
                expect(refused == 0, format!("{refused} requests were refused; none should be"));
                expect(fetched == files, format!("{fetched} of {files} files were fetched; all should be"));
            }
        }
        if self.mode == Mode::WithBudgets {
            let least = SHARE_MIN * 100.0;
            expect(share >= SHARE_MIN, format!("{:.1} % of the rate was used; {least} % is the least", share * 100.0));
        }
        missed
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mode, files, fetched, requests, served, refused_rate, refused_connections, span_s } = self;
        writeln!(f, "mode        {mode}")?;
        writeln!(f, "files       {files}, {fetched} of them fetched whole")?;
        writeln!(f, "requests    {requests}")?;
        let refused = self.refused();
        writeln!(
            f,
            "refused     {refused} by nginx: {refused_rate} for the rate, {refused_connections} for the connections"
        )?;
        write!(f, "span        {span_s:.2} s")?;
        if *mode == Mode::WithoutBudgets {
            return Ok(());
        }
        let rate = site::RATE_PER_S;
        let share = self.share_used() * 100.0;
        write!(f, "\nshare used  {share:.1} % = ({served} served - {RATE_BURST} burst) / ({rate}/s x {span_s:.2} s)")
    }
}

/// A line of the access log.
struct Answer<'a> {
    time_s: f64,
    status: u16,
    bytes: u64,
    uri: &'a str,
}

impl<'a> Answer<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.split(' ');
        let mut next = || words.next();
        let answer = Self {
            time_s: next()?.parse().ok()?,
            status: next()?.parse().ok()?,
            bytes: next()?.parse().ok()?,
            uri: next()?,
        };
        next().is_none().then_some(answer)
    }
}
