//! The steps of a case, one after the other.

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::failure::{Failure, LOOK_EVERY, Outcome, PATIENCE};
use crate::matching::mismatch;
use crate::runner::Answer;
use crate::script::{Await, Call, Check, Count, ProxyAction, ProxyStep, Save, ServerAction, Step, WaitFor};
use crate::stage::{Background, MAIN, Stage};
use crate::value::{Saved, part};

/// Goes through steps, to the end or the first that fails.
pub(crate) async fn run(stage: &mut Stage, steps: &[Step]) -> Outcome<()> {
    for (at, step) in steps.iter().enumerate() {
        let number = at + 1;
        match step {
            Step::Call(call) => {
                stage.call(call).await.map_err(|it| it.of(format_args!("step {number}, {}", call.r#do)))
            }
            Step::Await(it) => {
                stage.answer_of(it).await.map_err(|f| f.of(format_args!("step {number}, {}", it.r#await)))
            }
            Step::WaitFor(wait) => stage.wait_for(wait).await.map_err(|it| it.of(format_args!("step {number}"))),
            Step::Count(count) => stage.count(count).map_err(|it| it.of(format_args!("step {number}, count"))),
            Step::Server(step) => {
                stage.server(step.server).await.map_err(|it| it.of(format_args!("step {number}, server")))
            }
            Step::Proxy(step) => stage.proxy(step).await.map_err(|it| it.of(format_args!("step {number}, proxy"))),
            Step::Check(check) => stage.check(check).map_err(|it| it.of(format_args!("step {number}, check"))),
            Step::Repeat(repeat) => {
                for turn in 1..=repeat.repeat {
                    stage.saved.save("turn", json!(turn));
                    let again = Box::pin(run(stage, &repeat.steps)).await;
                    again.map_err(|it| it.of(format_args!("step {number}, turn {turn}")))?;
                }
                Ok(())
            }
        }?;
    }
    Ok(())
}

impl Stage {
    async fn call(&mut self, call: &Call) -> Outcome<()> {
        if let Some(name) = &call.background {
            let args = self.arguments(call)?;
            let runner = self.runner(call.on.as_deref())?;
            let answer = runner.send(&call.r#do, args).await?;
            let runner = call.on.clone().unwrap_or_else(|| MAIN.to_owned());
            self.background.insert(name.clone(), Background { runner, command: call.r#do.clone(), answer });
            return Ok(());
        }
        let deadline = Instant::now() + PATIENCE;
        let answer = loop {
            let answer = self.runner(call.on.as_deref())?.call(&call.r#do, self.arguments(call)?).await?;
            let Some(why) = self.unready(call, &answer)? else { break answer };
            if Instant::now() >= deadline {
                return Err(why.of(format_args!("never within {PATIENCE:?}")));
            }
            sleep(LOOK_EVERY).await;
        };
        self.take(
            answer,
            call.expect.as_ref(),
            call.expect_error.as_ref(),
            call.save.as_ref(),
            call.until_error.is_some(),
        )
    }

    /// Why a command is to be done again, if it is.
    fn unready(&self, call: &Call, answer: &Answer) -> Outcome<Option<Failure>> {
        let may_pass = |error: &Value| error["retryable"] == Value::Bool(true);
        match (answer, &call.until, &call.until_error) {
            (Ok(found), Some(until), _) => Ok(differs(&self.saved.resolve(until)?, found)),
            (Err(error), Some(_), _) if may_pass(error) => Ok(Some(refused(error))),
            (Err(error), _, Some(until)) => Ok(differs(&self.saved.resolve(until)?, error)),
            (Ok(found), _, Some(until)) => Ok(Some(accepted(until, found))),
            (Err(error), None, None) if call.retry && may_pass(error) => Ok(Some(refused(error))),
            _ => Ok(None),
        }
    }

    fn arguments(&self, call: &Call) -> Outcome<serde_json::Map<String, Value>> {
        call.args.iter().map(|(name, value)| Ok((name.clone(), self.saved.resolve(value)?))).collect()
    }

    /// Compares an answer with what was expected, and saves what is wanted of it.
    fn take(
        &mut self,
        answer: Answer,
        expect: Option<&Value>,
        expect_error: Option<&Value>,
        save: Option<&Save>,
        may_fail: bool,
    ) -> Outcome<()> {
        let found = match (answer, expect_error) {
            (Ok(found), Some(expected)) => return Err(accepted(expected, &found)),
            (Err(error), None) if !may_fail => return Err(refused(&error)),
            (Err(error), None) => error,
            (Err(error), Some(expected)) => match differs(&self.saved.resolve(expected)?, &error) {
                Some(why) => return Err(why),
                None => error,
            },
            (Ok(found), None) => match expect {
                Some(expected) => match differs(&self.saved.resolve(expected)?, &found) {
                    Some(why) => return Err(why),
                    None => found,
                },
                None => found,
            },
        };
        save_parts(&mut self.saved, save, &found)
    }

    async fn answer_of(&mut self, step: &Await) -> Outcome<()> {
        let name = &step.r#await;
        let sent = self.background.remove(name);
        let Background { runner, command, answer } =
            sent.ok_or_else(|| Failure::from(format!("nothing was left in the background as `{name}`")))?;
        let answer = self.runner(Some(&runner))?.answered(&command, answer).await?;
        self.take(answer, step.expect.as_ref(), step.expect_error.as_ref(), step.save.as_ref(), false)
    }

    async fn wait_for(&mut self, step: &WaitFor) -> Outcome<()> {
        let expected = self.saved.resolve(&step.wait_for)?;
        let runner = self.runner(step.on.as_deref())?;
        let event = runner.events.wait_for(&expected).await.map_err(|failure| failure.with(runner.log_end()))?;
        save_parts(&mut self.saved, step.save.as_ref(), &event)
    }

    fn count(&self, step: &Count) -> Outcome<()> {
        let events = &self.runner(step.on.as_deref())?.events;
        let found = events.count(&self.saved.resolve(&step.count)?);
        differs(&self.saved.resolve(&step.is)?, &json!(found)).map_or(Ok(()), Err)
    }

    async fn server(&mut self, action: ServerAction) -> Outcome<()> {
        match action {
            ServerAction::Start => self.server.start_again().await,
            ServerAction::Kill => self.server.kill().await,
            ServerAction::Terminate => self.server.terminate(),
            ServerAction::Ended => self.server.ended().await,
            ServerAction::Restart => {
                self.server.kill().await?;
                self.server.start_again().await
            }
            ServerAction::BreakEventLog => self.server.break_event_log(),
            ServerAction::MendEventLog => self.server.mend_event_log(),
        }
    }

    async fn proxy(&self, step: &ProxyStep) -> Outcome<()> {
        match step.proxy {
            ProxyAction::Cut => self.link()?.cut(),
            ProxyAction::Mute => self.link()?.mute(),
            ProxyAction::Refuse => self.link()?.refuse(true),
            ProxyAction::Pass => self.link()?.refuse(false),
            ProxyAction::EndStreams => self.gateway()?.end_streams(step.code),
            ProxyAction::Answer => self.gateway()?.answer(method(step)?, step.refusal.clone()),
            ProxyAction::Answered => self.gateway()?.until_answered(method(step)?).await?,
        }
        Ok(())
    }

    fn check(&self, step: &Check) -> Outcome<()> {
        let (found, expected) = (self.saved.resolve(&step.check)?, self.saved.resolve(&step.expect)?);
        differs(&expected, &found).map_or(Ok(()), Err)
    }
}

fn method(step: &ProxyStep) -> Outcome<&str> {
    step.method.as_deref().ok_or_else(|| "a step about answers names a method".into())
}

fn save_parts(saved: &mut Saved, save: Option<&Save>, found: &Value) -> Outcome<()> {
    match save {
        None => {}
        Some(Save::Whole(name)) => saved.save(name, found.clone()),
        Some(Save::Parts(parts)) => {
            for (name, path) in parts {
                saved.save(name, part(found, path)?);
            }
        }
    }
    Ok(())
}

fn differs(expected: &Value, found: &Value) -> Option<Failure> {
    mismatch(expected, found).map(|why| Failure::from(why).with(format_args!("all that was found: {found}")))
}

fn refused(error: &Value) -> Failure {
    format!("expected an answer, found the error {error}").into()
}

fn accepted(expected: &Value, found: &Value) -> Failure {
    format!("expected the error {expected}, found the answer {found}").into()
}
