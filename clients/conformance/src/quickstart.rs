//! Each client's quickstart, done as its README says: in an empty folder, its very words. At its end the producer's jobs must be
//! done, by the worker, and what the README shows must be the examples beside it.
//!
//! Of the section `## Quickstart`: a block of code after a line that ends with a file's name in backquotes and a colon is that
//! file; a block of `sh` is done where it stands. The last line of the last one starts the worker, which is told to end once the
//! jobs are done. `SLUICEGATE` is the checkout, `SLUICEGATE_SERVER` the server's address.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use sluicegate_client::{Client, JobFilter};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::failure::{At, Failure, LOOK_EVERY, Outcome, within};
use crate::languages::Language;
use crate::server::Server;

/// The queue of every quickstart.
const QUEUE: &str = "emails";
/// What a quickstart's worker says of its job, and to whom.
const SAYS: [&str; 2] = ["welcome, ", "ada@example.com"];
/// How long one step may take: an installation, or a build of all that a client needs.
const STEP_WITHIN: std::time::Duration = std::time::Duration::from_mins(10);

/// Whether all quickstarts work.
pub(crate) async fn run(languages: &[Language]) -> bool {
    let mut all_work = true;
    for language in languages {
        match follow(language).await {
            Ok(()) => println!("quickstart in {}: ok", language.name),
            Err(failure) => {
                println!("quickstart in {}: FAILED: {failure}", language.name);
                all_work = false;
            }
        }
    }
    all_work
}

async fn follow(language: &Language) -> Outcome<()> {
    let client_folder = language.client_folder()?;
    let readme = client_folder.join("README.md");
    let steps = steps(&fs::read_to_string(&readme).at(readme.display())?)?;
    let dir = tempfile::Builder::new().prefix("quickstart-").tempdir().at("a temporary folder")?;
    let project = dir.path().join("project");
    fs::create_dir(&project).at("the project's folder")?;
    let server = Server::start(dir.path(), &[]).await?;
    let client = Client::connect_lazy(format!("http://{}", server.address())).at("the server's address")?;
    let place = Place { project, server: server.address().to_string(), log: dir.path().join("steps.log") };
    let done = place.follow(&steps, &client_folder, language, &client).await;
    done.map_err(|failure| failure.with(fs::read_to_string(&place.log).unwrap_or_default()))
}

/// One thing that a quickstart says to do.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    File {
        name: String,
        text: String,
    },
    Commands(String),
    /// Started, and told to end at the end.
    Worker(String),
}

/// The steps of a README's quickstart.
fn steps(readme: &str) -> Outcome<Vec<Step>> {
    let section = readme.split("\n## ").find(|section| section.starts_with("Quickstart\n"));
    let section = section.ok_or("the README has no section `## Quickstart`")?;
    let mut steps = Vec::new();
    let mut lines = section.lines();
    let mut name = None;
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else {
            if !line.is_empty() {
                name = line.strip_suffix("`:").and_then(|line| line.rsplit_once('`')).map(|(_, name)| name.to_owned());
            }
            continue;
        };
        let block: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
        let text = block.join("\n") + "\n";
        match (name.take(), kind) {
            (Some(name), _) => steps.push(Step::File { name, text }),
            (None, "sh") => steps.push(Step::Commands(text)),
            (None, _) => {
                return Err(format!("a block of `{kind}` in the quickstart has no file's name before it").into());
            }
        }
    }
    let Some(Step::Commands(last)) = steps.pop() else {
        return Err("the quickstart's last block isn't `sh`".into());
    };
    let (before, worker) = last.trim_end().rsplit_once('\n').unwrap_or(("", last.trim_end()));
    steps.extend([Step::Commands(before.to_owned()), Step::Worker(worker.to_owned())]);
    Ok(steps)
}

/// Where a quickstart is followed.
struct Place {
    project: PathBuf,
    server: String,
    log: PathBuf,
}

impl Place {
    async fn follow(&self, steps: &[Step], client: &Path, language: &Language, calls: &Client) -> Outcome<()> {
        for step in steps {
            match step {
                Step::File { name, text } => self.write(name, text, client)?,
                Step::Commands(commands) => {
                    let mut child = self.start(commands, language)?;
                    let ended = timeout(STEP_WITHIN, child.wait()).await;
                    let status = ended.map_err(|_| Failure::from(format!("not done in time: {commands}")))?;
                    let status = status.at(commands)?;
                    if !status.success() {
                        return Err(format!("{status}: {commands}").into());
                    }
                }
                Step::Worker(command) => {
                    let jobs = calls.count_jobs(JobFilter::new().queue(QUEUE)).await.at("the producer's jobs")?;
                    if jobs == 0 {
                        return Err("the producer has enqueued nothing".into());
                    }
                    let worker = self.start(command, language)?;
                    let done = timeout(STEP_WITHIN, self.done(calls)).await;
                    stop(worker, calls).await?;
                    done.map_err(|_| Failure::from("the jobs weren't done in time"))??;
                }
            }
        }
        Ok(())
    }

    /// Writes a file of the README, which must be one of the client's examples.
    fn write(&self, name: &str, text: &str, client: &Path) -> Outcome<()> {
        let examples = client.join("examples");
        let whole = examples.join(name);
        let example =
            if whole.is_file() { whole } else { examples.join(Path::new(name).file_name().unwrap_or_default()) };
        if fs::read_to_string(&example).at(example.display())? != text {
            return Err(format!("`{name}` in the README is another text than {}", example.display()).into());
        }
        let path = self.project.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&self.project)).at(name)?;
        fs::write(&path, text).at(name)
    }

    fn start(&self, commands: &str, language: &Language) -> Outcome<Child> {
        let log = fs::OpenOptions::new().create(true).append(true).open(&self.log).at("a log")?;
        let mut command = Command::from(language.shell(commands)?);
        command.current_dir(&self.project).env("SLUICEGATE_SERVER", &self.server).stdin(Stdio::null());
        command.stdout(log.try_clone().at("a log")?).stderr(log).process_group(0).kill_on_drop(true);
        command.spawn().at(commands)
    }

    /// Waits until no job is left and the worker has said so.
    async fn done(&self, calls: &Client) -> Outcome<()> {
        loop {
            let left = calls.count_jobs(JobFilter::new().queue(QUEUE)).await.at("a count")?;
            let said = fs::read_to_string(&self.log).at("a log")?;
            if left == 0 && said.lines().any(|line| SAYS.iter().all(|words| line.contains(words))) {
                return Ok(());
            }
            sleep(LOOK_EVERY).await;
        }
    }
}

/// Tells a worker, and whatever started it, to end; and waits until the server has none.
async fn stop(mut worker: Child, calls: &Client) -> Outcome<()> {
    if let Some(pid) = worker.id().and_then(|pid| i32::try_from(pid).ok()) {
        // One that has ended by itself says why in its log.
        let _ = killpg(Pid::from_raw(pid), Signal::SIGTERM);
    }
    within("the worker's end", worker.wait()).await?.at("the worker's end")?;
    let gone = async {
        loop {
            let queues = calls.list_queues().all().await.at("the queues")?;
            if queues.iter().all(|queue| queue.workers == 0) {
                return Ok(());
            }
            sleep(LOOK_EVERY).await;
        }
    };
    within("the worker's leaving", gone).await?
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = "# A client\n\n## Quickstart\n\nFirst:\n\n```sh\ninstall\n```\n\nA producer, `src/p.x`:\n\n```x\nput\n\n```\n\n\
                          Both:\n\n```sh\nproduce\nwork\n```\n\n## More\n\n```sh\nnever\n```\n";

    #[test]
    fn a_readme_is_read_as_its_steps() {
        let file = Step::File { name: "src/p.x".to_owned(), text: "put\n\n".to_owned() };
        let commands = |text: &str| Step::Commands(text.to_owned());
        let expected = [commands("install\n"), file, commands("produce"), Step::Worker("work".to_owned())];
        assert_eq!(steps(README).unwrap(), expected);
    }

    #[test]
    fn blocks_without_a_place_are_refused() {
        let unnamed = README.replace("A producer, `src/p.x`:", "A producer:");
        assert!(steps(&unnamed).unwrap_err().to_string().contains("`x`"));
        assert!(steps("# A client\n").is_err(), "no quickstart");
        assert!(steps(&README.replace("Both:", "Both, `b`:")).is_err(), "nothing starts the worker");
    }
}
