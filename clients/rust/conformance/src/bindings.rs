//! Commands about the bindings of one job, by its value, and of many, by a selection.

use serde::Deserialize;
use sluicegate_client::{Binding, Client};

use crate::answer;
use crate::failure::Answer;
use crate::jobs::Selected;
use crate::request::{BindingIn, Number};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct One {
    job_id: String,
    budget: BindingIn,
}

impl One {
    pub async fn bind(self, client: &Client) -> Answer {
        let job = client.get_job(self.job_id).await?;
        Ok(answer::job(&job.bind_budget(client, self.budget.into()).await?))
    }

    pub async fn rebind(self, client: &Client) -> Answer {
        let job = client.get_job(self.job_id).await?;
        Ok(answer::job(&job.rebind_budget(client, self.budget.into()).await?))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OneCost {
    job_id: String,
    key: String,
    cost: Number,
}

impl OneCost {
    pub async fn run(self, client: &Client) -> Answer {
        let job = client.get_job(self.job_id).await?;
        Ok(answer::job(&job.set_cost(client, self.key, self.cost.0).await?))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OneKey {
    job_id: String,
    key: String,
}

impl OneKey {
    pub async fn run(self, client: &Client) -> Answer {
        let job = client.get_job(self.job_id).await?;
        Ok(answer::job(&job.unbind_budget(client, self.key).await?))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OneAll {
    job_id: String,
    budgets: Vec<BindingIn>,
}

impl OneAll {
    pub async fn run(self, client: &Client) -> Answer {
        let job = client.get_job(self.job_id).await?;
        let bindings = self.budgets.into_iter().map(Binding::from).collect();
        Ok(answer::job(&job.replace_bindings(client, bindings).await?))
    }
}

#[derive(Deserialize)]
pub(crate) struct Many {
    #[serde(flatten)]
    selected: Selected,
    budget: BindingIn,
}

impl Many {
    pub async fn bind(self, client: &Client) -> Answer {
        Ok(answer::changed(&self.selected.selection(client).bind_budget(self.budget.into()).await?))
    }

    pub async fn rebind(self, client: &Client) -> Answer {
        Ok(answer::changed(&self.selected.selection(client).rebind_budget(self.budget.into()).await?))
    }
}

#[derive(Deserialize)]
pub(crate) struct ManyCost {
    #[serde(flatten)]
    selected: Selected,
    key: String,
    cost: Number,
}

impl ManyCost {
    pub async fn run(self, client: &Client) -> Answer {
        Ok(answer::changed(&self.selected.selection(client).set_cost(self.key, self.cost.0).await?))
    }
}

#[derive(Deserialize)]
pub(crate) struct ManyKey {
    #[serde(flatten)]
    selected: Selected,
    key: String,
}

impl ManyKey {
    pub async fn run(self, client: &Client) -> Answer {
        Ok(answer::changed(&self.selected.selection(client).unbind_budget(self.key).await?))
    }
}

#[derive(Deserialize)]
pub(crate) struct ManyAll {
    #[serde(flatten)]
    selected: Selected,
    budgets: Vec<BindingIn>,
}

impl ManyAll {
    pub async fn run(self, client: &Client) -> Answer {
        let bindings = self.budgets.into_iter().map(Binding::from).collect();
        Ok(answer::changed(&self.selected.selection(client).replace_bindings(bindings).await?))
    }
}
