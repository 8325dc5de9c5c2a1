//! How a command finds its server.

use anyhow::Context;
use clap::Args;
use sluicegate_client::Client;

/// The flag that names the server.
#[derive(Args, Clone, Debug)]
pub(super) struct ServerArgs {
    /// The server's address
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:7654", value_parser = endpoint)]
    pub server: String,
}

impl ServerArgs {
    /// Connects, or says that nobody is there.
    pub async fn connect(&self) -> anyhow::Result<Client> {
        Client::connect(self.server.as_str())
            .await
            .with_context(|| format!("cannot reach a server at {}; `sluicegate serve` starts one", self.server))
    }
}

/// An address without a scheme is one without encryption, which is all there is.
fn endpoint(text: &str) -> Result<String, String> {
    match text.split_once("://") {
        None => Ok(format!("http://{text}")),
        Some(("http", _)) => Ok(text.to_owned()),
        Some((scheme, _)) => Err(format!("`{scheme}` is no scheme it can speak; http is")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_may_be_left_out() {
        assert_eq!(endpoint("127.0.0.1:1"), Ok("http://127.0.0.1:1".into()));
        assert_eq!(endpoint("http://[::1]:1"), Ok("http://[::1]:1".into()));
        assert!(endpoint("unix:///x").is_err());
    }
}
