//! What the commands about jobs teach: examples, and what their answers mean.

pub(in crate::cli) const AFTER_HELP: &str = "\
Examples:
  sluicegate job list --where 'queue=emails state=dead'
  sluicegate job get JOB
  sluicegate job explain JOB                 why it isn't being dispatched, and until when
  sluicegate job count --where 'budget=smtp state=ready'
  sluicegate job cancel JOB JOB
  sluicegate job retry --where 'state=dead created>=-1d'
  sluicegate job update --where queue=emails --set priority=5
  sluicegate job rebind smtp=2 --where 'queue=emails state=scheduled,ready'

Commands that change jobs take ids, or --where, which shows what would change and asks. `sluicegate job list --help` has \
all of --where.

With --output json each job is one line: `Job` of the contract in protobuf's JSON mapping, and for explain \
`JobExplanation`.";

/// How a command that changes jobs is written. Said here, since clap puts what is required last or first, not in its order.
macro_rules! usage {
    ($command:literal) => {
        concat!("sluicegate job ", $command, " <JOB…|--where CONDITIONS> [OPTIONS]")
    };
}
pub(super) use usage;

/// The help of a command that changes jobs: examples, what its answer means, and what they all have in common.
macro_rules! changing {
    ($examples:literal, $answer:literal) => {
        concat!(
            "Examples:\n",
            $examples,
            "\n\n",
            $answer,
            "\n\nJobs that are named by their ids are changed without a question. With --where it says how many jobs would \
             change, and asks. --yes doesn't ask; where there is no terminal, --yes or --dry-run is needed.\n\nUp to 10,000 \
             jobs are changed in one commit; more, once all were found valid, in steps: a command that is interrupted is \
             finished by the same command.\n\nExit codes: 0 done, or nothing to do; 1 refused, blocked in part, answered \
             with no, or a job doesn't exist; 2 the command line is wrong, and nothing was done. --dry-run exits as the change \
             would."
        )
    };
}

/// The same for commands that change bindings.
macro_rules! binding {
    ($examples:literal) => {
        changing!(
            $examples,
            "Jobs that are named by their ids are changed one by one and shown as they then are (--output json: a `Job` a \
             line); what can't be done to one doesn't keep the others from it. With --where all are changed or none: it prints \
             `changed N`, and `blocked N: JOB…` for those in flight, whose bindings never change: a list to try again \
             (--output json: `changed`, `blocked`, `blockedCount`). A changed job is tried again at once, at its old rank."
        )
    };
}

pub(super) const GET: &str = "\
Examples:
  sluicegate job get JOB
  sluicegate job get JOB --output json | jq -r .spec.json";

pub(super) const LIST: &str = "\
Examples:
  sluicegate job list --where 'queue=emails state=dead'
  sluicegate job list --where 'state=scheduled ready<+1h' --limit 0
  sluicegate job list --where 'priority<100 created>=-1d' --output json | jq -r .id";

pub(super) const COUNT: &str = "\
Examples:
  sluicegate job count
  sluicegate job count --where 'budget=smtp state=ready'";

pub(super) const EXPLAIN: &str = "\
Examples:
  sluicegate job explain JOB
  sluicegate job explain JOB --output json | jq -r .notBefore

Each line that begins with `waits:` has to pass before it is dispatched. `not before` is there where the clock alone \
decides: the earliest instant at which every budget could pay for it after every waiter ahead of it. Smaller jobs may pass \
it, and delay it, until it is protected. Below it are its last 10 failed attempts.

With --output json: `JobExplanation` of the contract; the failed attempts are in `job get`.";

pub(super) const CANCEL: &str = changing!(
    "  sluicegate job cancel JOB
  sluicegate job cancel --where 'queue=emails state=scheduled,ready'
  sluicegate job cancel --where 'queue=emails' --force --yes",
    "Prints `changed N`: jobs that were cancelled, and jobs in flight whose workers were asked to end; and `blocked N: JOB…` \
     for those that were asked and are still in flight. They keep what they hold until the worker settles, or the lease \
     expires: success still completes them, anything else cancels them. The same command again says whether they have ended. \
     --output json: `changed`, `blocked`, `blockedCount`."
);

pub(super) const RETRY: &str = changing!(
    "  sluicegate job retry JOB JOB
  sluicegate job retry --where 'queue=emails state=dead created>=-1d'
  sluicegate job retry --where all --yes",
    "Prints `changed N`, and `blocked N: JOB…` for finished jobs whose unique key another job holds by now. Finished jobs need \
     their budgets as an enqueue does. Jobs that wait for their backoff are made ready, and keep their attempts; others are \
     left as they are. --output json: `changed`, `blocked`, `blockedCount`."
);

pub(super) const DELETE: &str = changing!(
    "  sluicegate job delete JOB
  sluicegate job delete --where 'state=dead,cancelled created<-7d' --dry-run
  sluicegate job delete --where 'state=dead,cancelled created<-7d' --yes",
    "Prints `changed N`, and `blocked N: JOB…` for those in flight, which aren't deleted: a list to try again. --output json: \
     `changed`, `blocked`, `blockedCount`."
);

pub(super) const UPDATE: &str = changing!(
    "  sluicegate job update JOB --set priority=5
  sluicegate job update JOB --set run-time=+5m
  sluicegate job update --where 'queue=emails type=news' --set queue=bulk --set priority=default
  sluicegate job update --where queue=emails --set backoff=30s --set max-attempts=5",
    "Prints `changed N`, those that have the values already not counted, and `blocked N: JOB…` for those in flight, which are \
     left as they are: a list to try again. Finished jobs are left as they are too. --output json: `changed`, `blocked`, \
     `blockedCount`."
);

pub(super) const BIND: &str = binding!(
    "  sluicegate job bind smtp JOB                       at a cost of 1
  sluicegate job bind smtp=2 --where 'queue=emails state=scheduled,ready'
  sluicegate job bind tenant/7 JOB --create-budget tenant/7=100/1m"
);

pub(super) const REBIND: &str = binding!(
    "  sluicegate job rebind smtp=2 JOB
  sluicegate job rebind smtp --where 'budget=smtp state=ready'"
);

pub(super) const COST: &str = binding!(
    "  sluicegate job cost smtp=3 JOB
  sluicegate job cost llm/tokens=900 --where 'budget=llm/tokens type=summary'"
);

pub(super) const UNBIND: &str = binding!(
    "  sluicegate job unbind smtp JOB
  sluicegate job unbind smtp --where budget=smtp"
);

pub(super) const UNBIND_ALL: &str = binding!(
    "  sluicegate job unbind-all JOB
  sluicegate job unbind-all --where 'queue=emails state=ready'"
);

pub(super) const REPLACE_BINDINGS: &str = binding!(
    "  sluicegate job replace-bindings smtp=2,db JOB
  sluicegate job replace-bindings api/v2 --where budget=api/v1
  sluicegate job replace-bindings tenant/7,db JOB --create-budget tenant/7=100/1m"
);
