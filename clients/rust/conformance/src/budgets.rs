//! Commands about budgets.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::Value;
use sluicegate_client::{Client, DeleteOptions, Policy, ReplaceOptions};

use crate::answer;
use crate::failure::Answer;
use crate::request::{Millis, Number, PolicyIn, PolicyPatchIn};

#[derive(Deserialize)]
pub(crate) struct Define {
    key: String,
    policy: PolicyIn,
    #[serde(default)]
    replace: bool,
}

impl Define {
    pub async fn run(self, client: &Client) -> Answer {
        let policy = self.policy.into();
        let budget = if self.replace {
            let options = ReplaceOptions { allow_missing: true, etag: None };
            client.replace_budget(self.key, policy, options).await?
        } else {
            client.create_budget(self.key, policy).await?
        };
        Ok(answer::budget(&budget))
    }
}

#[derive(Deserialize)]
pub(crate) struct Key {
    key: String,
}

impl Key {
    pub async fn get(self, client: &Client) -> Answer {
        Ok(answer::budget(&client.get_budget(self.key).await?))
    }

    pub async fn unblock(self, client: &Client) -> Answer {
        Ok(answer::budget(&client.unblock_budget(self.key).await?))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct List {
    page_size: Option<u32>,
}

impl List {
    pub async fn run(self, client: &Client) -> Answer {
        let budgets = client.list_budgets_by(self.page_size).all().await?;
        Ok(budgets.iter().map(answer::budget).collect())
    }
}

#[derive(Deserialize)]
pub(crate) struct Update {
    key: String,
    patch: PolicyPatchIn,
    etag: Option<String>,
}

impl Update {
    pub async fn run(self, client: &Client) -> Answer {
        let budget = client.update_budget(self.key, self.patch.into(), self.etag.as_deref()).await?;
        Ok(answer::budget(&budget))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Delete {
    key: String,
    #[serde(default)]
    allow_missing: bool,
    etag: Option<String>,
}

impl Delete {
    pub async fn run(self, client: &Client) -> Answer {
        let options = DeleteOptions { allow_missing: self.allow_missing, etag: self.etag };
        client.delete_budget(self.key, options).await?;
        Ok(Value::Null)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Block {
    key: String,
    duration_ms: Option<Millis>,
}

impl Block {
    pub async fn run(self, client: &Client) -> Answer {
        let budget = client.block_budget(self.key, self.duration_ms.map(Duration::from)).await?;
        Ok(answer::budget(&budget))
    }
}

#[derive(Deserialize)]
pub(crate) struct Adjust {
    key: String,
    level: Number,
}

impl Adjust {
    pub async fn run(self, client: &Client) -> Answer {
        Ok(answer::budget(&client.adjust_budget(self.key, self.level.0).await?))
    }
}

#[derive(Deserialize)]
pub(crate) struct Encode {
    policy: PolicyIn,
}

impl Encode {
    pub fn run(self) -> Answer {
        Ok(BASE64_STANDARD.encode(Policy::from(self.policy).encode_to_vec()).into())
    }
}
