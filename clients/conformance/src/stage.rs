//! Who takes part in a case: the server, its runners, and what stands between them. Owns their folder; knows no step.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use tempfile::TempDir;
use tokio::sync::oneshot;

use crate::failure::{At, Failure, Outcome};
use crate::gateway::Gateway;
use crate::languages::Language;
use crate::link::Link;
use crate::runner::{Answer, Runner};
use crate::script::{Case, Via};
use crate::server::Server;
use crate::value::Saved;

/// The runner of a step that names none.
pub(crate) const MAIN: &str = "main";

/// All that one case works with. Everything ends with it.
pub(crate) struct Stage {
    // Before the folder: those who write there end first.
    runners: BTreeMap<String, Runner>,
    pub server: Server,
    link: Option<Link>,
    gateway: Option<Gateway>,
    pub saved: Saved,
    /// Commands whose answers are awaited later, by name.
    pub background: BTreeMap<String, Background>,
    dir: TempDir,
}

/// A command that was sent.
pub(crate) struct Background {
    pub runner: String,
    pub command: String,
    pub answer: oneshot::Receiver<Answer>,
}

impl Stage {
    /// Starts all that a case needs, with runners of one language.
    pub async fn start(case: &Case, language: &Language) -> Outcome<Self> {
        let dir = tempfile::Builder::new().prefix("conformance-").tempdir().at("a temporary folder")?;
        let server = Server::start(dir.path(), &case.flags).await?;
        let ways: BTreeMap<&str, Via> = std::iter::once((MAIN, case.via))
            .chain(case.others.iter().map(|(name, via)| (name.as_str(), *via)))
            .collect();
        let link = match ways.values().any(|via| *via == Via::Link) {
            true => Some(Link::start(server.address()).await?),
            false => None,
        };
        let gateway = match ways.values().any(|via| *via == Via::Gateway) {
            true => Some(Gateway::start(server.address()).await?),
            false => None,
        };
        let mut runners = BTreeMap::new();
        for (name, via) in ways {
            let address: Option<SocketAddr> = match via {
                Via::Direct => Some(server.address()),
                Via::Link => link.as_ref().map(Link::address),
                Via::Gateway => gateway.as_ref().map(Gateway::address),
            };
            let address = address.ok_or("a way that wasn't opened")?;
            let log = dir.path().join(format!("runner-{name}.log"));
            runners.insert(name.to_owned(), Runner::start(language, address, &log)?);
        }
        Ok(Self { runners, server, link, gateway, saved: Saved::default(), background: BTreeMap::new(), dir })
    }

    /// A runner by its name, or the main one.
    pub fn runner(&self, name: Option<&str>) -> Outcome<&Runner> {
        let name = name.unwrap_or(MAIN);
        self.runners.get(name).ok_or_else(|| Failure::from(format!("the case has no runner `{name}`")))
    }

    pub fn link(&self) -> Outcome<&Link> {
        self.link.as_ref().ok_or_else(|| "no runner of the case goes via the link".into())
    }

    pub fn gateway(&self) -> Outcome<&Gateway> {
        self.gateway.as_ref().ok_or_else(|| "no runner of the case goes via the gateway".into())
    }

    /// Ends the runners, which must end well.
    pub async fn end_runners(&mut self) -> Outcome<()> {
        for (name, runner) in std::mem::take(&mut self.runners) {
            runner.end().await.map_err(|failure| failure.of(name))?;
        }
        Ok(())
    }

    /// Ends everything and keeps the folder, for whoever looks into it.
    pub fn keep(self) -> PathBuf {
        self.dir.keep()
    }
}
