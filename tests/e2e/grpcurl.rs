//! Real grpcurl, which knows the contract by reflection alone: every administrative call, and what a refusal prints.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::server::Server;
use crate::support::within;
use crate::tools::tool;

/// grpcurl against one server.
struct Grpcurl {
    program: PathBuf,
    address: String,
}

impl Grpcurl {
    fn new(program: &Path, server: &Server) -> Self {
        Self { program: program.to_owned(), address: server.address().to_string() }
    }

    async fn run(&self, flags: &[&str], rest: &[&str]) -> (bool, String) {
        let mut command = Command::new(&self.program);
        command.arg("-plaintext").args(flags).arg(&self.address).args(rest).kill_on_drop(true);
        let output = within("grpcurl's end", command.output()).await.expect("grpcurl starts");
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(said).expect("text"))
    }

    /// A call that succeeds, as JSON.
    async fn call(&self, method: &str, request: Value) -> Value {
        let (ok, said) = self.run(&["-d", &request.to_string()], &[&format!("sluicegate.v1.{method}")]).await;
        assert!(ok, "{method} {request}: {said}");
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{method}: {error}: {said}"))
    }

    /// A call that is refused: what grpcurl prints.
    async fn refused(&self, method: &str, request: Value) -> String {
        let (ok, said) = self.run(&["-d", &request.to_string()], &[&format!("sluicegate.v1.{method}")]).await;
        assert!(!ok, "{method} {request}: {said}");
        said
    }
}

async fn grpcurl() -> Option<(Server, Grpcurl)> {
    let program = tool("GRPCURL", "grpcurl")?;
    let server = Server::start().await;
    let grpcurl = Grpcurl::new(&program, &server);
    Some((server, grpcurl))
}

#[tokio::test]
async fn reflection_shows_every_service() {
    let Some((_server, grpcurl)) = grpcurl().await else { return };
    let (ok, services) = grpcurl.run(&[], &["list"]).await;
    assert!(ok, "{services}");
    for service in [
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
        "sluicegate.v1.BudgetService",
        "sluicegate.v1.JobService",
        "sluicegate.v1.QueueService",
    ] {
        assert!(services.lines().any(|line| line == service), "{service} in {services}");
    }
    let (ok, described) = grpcurl.run(&[], &["describe", "sluicegate.v1.JobService.Dispatch"]).await;
    assert!(ok && described.contains("stream .sluicegate.v1.DispatchRequest"), "{described}");
    assert!(described.contains("A worker's stream"), "comments travel along: {described}");
    let (ok, health) = grpcurl.run(&[], &["grpc.health.v1.Health/Check"]).await;
    assert!(ok && health.contains("SERVING"), "{health}");
}

#[tokio::test]
async fn budgets_are_administered() {
    let Some((_server, grpcurl)) = grpcurl().await else { return };
    let policy = json!({"allocation": 100, "timeBased": {"duration": "60s", "burst": 8}});
    let created = grpcurl.call("BudgetService/CreateBudget", json!({"key": "smtp", "policy": policy})).await;
    assert_eq!(created["budget"]["status"]["available"], "8");
    let refused = grpcurl.refused("BudgetService/CreateBudget", json!({"key": "smtp", "policy": policy})).await;
    for part in ["Code: AlreadyExists", "google.rpc.ErrorInfo", "BUDGET_ALREADY_EXISTS", "\"sluicegate\"", "smtp"] {
        assert!(refused.contains(part), "{part} in {refused}");
    }
    let update =
        json!({"key": "smtp", "policy": {"timeBased": {"burst": 4}}, "updateMask": {"paths": ["time_based.burst"]}});
    let updated = grpcurl.call("BudgetService/UpdateBudget", update).await;
    assert_eq!(updated["budget"]["policy"]["timeBased"], json!({"duration": "60s", "burst": "4"}));
    let replace = json!({"key": "db", "policy": {"allocation": 5, "whileInFlight": {}}, "allowMissing": true});
    grpcurl.call("BudgetService/ReplaceBudget", replace).await;
    let got = grpcurl.call("BudgetService/GetBudget", json!({"key": "db"})).await;
    assert_eq!(got["budget"]["policy"]["allocation"], "5");
    let listed = grpcurl.call("BudgetService/ListBudgets", json!({"pageSize": 1})).await;
    assert_eq!(listed["budgets"][0]["key"], "db");
    assert!(listed["nextPageToken"].is_string());
    assert_eq!(grpcurl.call("BudgetService/DeleteBudget", json!({"key": "db"})).await, json!({}));
    let refused = grpcurl.refused("BudgetService/GetBudget", json!({"key": "db"})).await;
    for part in ["Code: NotFound", "google.rpc.ResourceInfo", "BUDGET_NOT_FOUND"] {
        assert!(refused.contains(part), "{part} in {refused}");
    }
    let blocked = grpcurl.call("BudgetService/BlockBudget", json!({"key": "smtp", "duration": "60s"})).await;
    assert!(blocked["budget"]["status"]["blockedUntil"].is_string());
    let unblocked = grpcurl.call("BudgetService/UnblockBudget", json!({"key": "smtp"})).await;
    assert_eq!(unblocked["budget"]["status"]["blocked"], Value::Null);
    let adjusted = grpcurl.call("BudgetService/AdjustBudget", json!({"key": "smtp", "level": 0})).await;
    assert_eq!(adjusted["budget"]["status"]["capacity"], "4");
    let paused = grpcurl.call("QueueService/PauseQueue", json!({"name": "q"})).await;
    assert_eq!(paused["queue"]["paused"], true);
    let resumed = grpcurl.call("QueueService/ResumeQueue", json!({"name": "q"})).await;
    assert_eq!(resumed["queue"]["paused"], Value::Null);
}

#[tokio::test]
async fn jobs_live_a_whole_life() {
    let Some((_server, grpcurl)) = grpcurl().await else { return };
    let spec = json!({
        "queue": "q",
        "type": "t",
        "json": "{\"to\": 1}",
        "bindings": [{"budget": "db", "cost": 2, "createWith": {"allocation": 3, "whileInFlight": {}}}],
        "retention": {"completed": "60s"},
    });
    let first = grpcurl.call("JobService/Enqueue", json!({"job": spec, "requestId": "r"})).await;
    let first = first["job"]["id"].clone();
    let again = grpcurl.call("JobService/Enqueue", json!({"job": spec, "requestId": "r"})).await;
    assert_eq!(again["job"]["id"], first);
    let batch = grpcurl.call("JobService/BatchEnqueue", json!({"jobs": [spec, {"queue": "r"}]})).await;
    let second = batch["jobs"][0]["id"].clone();
    let refused = grpcurl.refused("JobService/BatchEnqueue", json!({"jobs": [{"queue": "r"}, {"queue": "a b"}]})).await;
    for part in ["Code: InvalidArgument", "google.rpc.BadRequest", "jobs[1].queue", "INVALID_FIELD"] {
        assert!(refused.contains(part), "{part} in {refused}");
    }

    let lease = json!({"workerId": "w", "queues": ["q"], "maxJobs": 5, "wait": "5s"});
    let leased = grpcurl.call("JobService/LeaseJobs", lease).await;
    let leased = leased["jobs"].as_array().expect("leases");
    assert_eq!(leased.len(), 1, "the budget pays for one");
    assert_eq!((&leased[0]["job"]["id"], &leased[0]["job"]["spec"]["json"]), (&first, &json!("{\"to\": 1}")));
    let lease_id = &leased[0]["lease"]["id"];
    let got = grpcurl.call("JobService/GetJob", json!({"jobId": first})).await;
    assert_eq!((&got["job"]["state"], &got["job"]["lease"]["id"]), (&json!("JOB_STATE_IN_FLIGHT"), lease_id));

    let explained = grpcurl.call("JobService/ExplainJob", json!({"jobId": second})).await;
    assert_eq!(explained["explanation"]["holdUps"], json!(["HOLD_UP_NO_WORKER", "HOLD_UP_BUDGET"]));
    assert_eq!(explained["explanation"]["budgets"][0]["heldByJobIds"], json!([first]));
    let operation = json!({"jobId": second, "operation": {"setCost": {"budget": "db", "cost": 1}}});
    let modified = grpcurl.call("JobService/ModifyBindings", operation).await;
    assert_eq!(modified["job"]["spec"]["bindings"][0]["cost"], "1");
    let dear = json!({"jobId": second, "operation": {"setCost": {"budget": "db", "cost": 4}}});
    let refused = grpcurl.refused("JobService/ModifyBindings", dear).await;
    for part in ["Code: FailedPrecondition", "google.rpc.PreconditionFailure", "COST_EXCEEDS_CAPACITY"] {
        assert!(refused.contains(part), "{part} in {refused}");
    }

    let extended = grpcurl.call("JobService/ExtendLeases", json!({"leaseIds": [lease_id, "x"]})).await;
    let statuses: Vec<_> = extended["results"].as_array().expect("results").iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, ["EXTEND_STATUS_EXTENDED", "EXTEND_STATUS_GONE"]);
    let outcomes = json!([{"leaseId": lease_id, "success": {"result": "b2s="}}, {"leaseId": lease_id, "release": {}}]);
    let settled = grpcurl.call("JobService/SettleJobs", json!({"outcomes": outcomes})).await;
    let statuses: Vec<_> = settled["results"].as_array().expect("results").iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, ["SETTLE_STATUS_SETTLED", "SETTLE_STATUS_ALREADY_SETTLED"]);

    let filter = json!({"states": ["JOB_STATE_COMPLETED"]});
    let listed = grpcurl.call("JobService/ListJobs", json!({"filter": filter, "view": "JOB_VIEW_FULL"})).await;
    assert_eq!((&listed["jobs"][0]["id"], &listed["jobs"][0]["result"]), (&first, &json!("b2s=")));
    let counted = grpcurl.call("JobService/CountJobs", json!({"filter": {"queues": ["q"]}})).await;
    assert_eq!(counted["count"], "2");
    let queues = grpcurl.call("QueueService/ListQueues", json!({})).await;
    let names: Vec<_> = queues["queues"].as_array().expect("queues").iter().map(|queue| &queue["name"]).collect();
    assert_eq!(names, ["q", "r"]);
    let refused = grpcurl.refused("JobService/GetJob", json!({"jobId": "none"})).await;
    assert!(refused.contains("JOB_NOT_FOUND"), "{refused}");
}

#[tokio::test]
async fn many_jobs_are_changed_at_once() {
    let Some((_server, grpcurl)) = grpcurl().await else { return };
    let policy = json!({"allocation": 3, "whileInFlight": {}});
    grpcurl.call("BudgetService/CreateBudget", json!({"key": "db", "policy": policy})).await;
    grpcurl.call("JobService/BatchEnqueue", json!({"jobs": [{"queue": "q"}, {"queue": "q"}]})).await;
    let filter = json!({"queues": ["q"]});
    let bind = json!({"filter": filter, "operation": {"bind": {"budget": "db"}}});
    let changed = json!({"changed": "2"});
    assert_eq!(grpcurl.call("JobService/BulkModifyBindings", bind).await, changed);
    let update = json!({"filter": filter, "job": {"priority": 1}, "updateMask": {"paths": ["priority"]}});
    assert_eq!(grpcurl.call("JobService/UpdateJobs", update).await, changed);
    for method in ["CancelJobs", "RetryJobs", "DeleteJobs"] {
        let answer = grpcurl.call(&format!("JobService/{method}"), json!({"filter": filter})).await;
        assert_eq!(answer, changed, "{method}");
    }
    let refused = grpcurl.refused("JobService/DeleteJobs", json!({})).await;
    assert!(refused.contains("INVALID_FIELD"), "{refused}");
}
