//! All cases with all languages, a few at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::failure::{Failure, Outcome};
use crate::languages::Language;
use crate::script::{Case, Script};
use crate::stage::Stage;
use crate::steps;

/// What became of each case, by language and title.
pub(crate) type Results = BTreeMap<(String, String), Outcome<()>>;

/// Runs all cases with all languages.
pub(crate) async fn run(script: &Script, languages: &[Language], at_a_time: usize) -> Results {
    let places = Arc::new(Semaphore::new(at_a_time));
    let mut cases = JoinSet::new();
    for case in &script.cases {
        for language in languages {
            let (case, language, places) = (case.clone(), language.clone(), Arc::clone(&places));
            cases.spawn(async move {
                let _place = places.acquire().await;
                let result = run_one(&case, &language).await;
                ((language.name, case.title()), result)
            });
        }
    }
    let count = cases.len();
    let mut results = Results::new();
    while let Some(ended) = cases.join_next().await {
        match ended {
            Ok((key, result)) => {
                let word = if result.is_ok() { "ok" } else { "FAILED" };
                eprintln!("[{}/{count}] {} {}: {word}", results.len() + 1, key.0, key.1);
                results.insert(key, result);
            }
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
    results
}

async fn run_one(case: &Case, language: &Language) -> Outcome<()> {
    let mut stage = Stage::start(case, language).await?;
    let result = match steps::run(&mut stage, &case.steps).await {
        Ok(()) => stage.end_runners().await,
        failed => failed,
    };
    result.map_err(|failure: Failure| {
        let kept = stage.keep();
        failure.with(format_args!("its files are kept in {}", kept.display()))
    })
}
