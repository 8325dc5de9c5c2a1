//! Asking before much is changed, and showing that something takes its time. On a terminal only: whoever isn't there can't
//! answer.

use std::io::{self, IsTerminal, Write};
use std::pin::pin;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::timeout;

use super::output::printable;

/// Nobody wonders before this.
const SILENCE: Duration = Duration::from_millis(300);
/// How often the sign of life moves.
const TICK: Duration = Duration::from_millis(100);

/// Whether somebody can read a question and answer it.
pub(super) fn somebody_is_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks on standard error, and reads the answer from standard input. No answer is a no.
pub(super) async fn ask(question: &str) -> io::Result<bool> {
    eprint!("{} [y/N] ", printable(question));
    io::stderr().flush()?;
    // Read beside the runtime: the connection stays alive meanwhile.
    let mut answer = String::new();
    let bytes = BufReader::new(tokio::io::stdin()).read_line(&mut answer).await?;
    if bytes == 0 {
        eprintln!();
    }
    Ok(is_yes(&answer))
}

fn is_yes(answer: &str) -> bool {
    let answer = answer.trim();
    answer.eq_ignore_ascii_case("y") || answer.eq_ignore_ascii_case("yes")
}

/// Waits for `work`; where that takes long, with a sign of life and the time that has passed. A call says nothing of how far
/// it is.
pub(super) async fn patiently<T>(what: &'static str, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    if let Ok(outcome) = timeout(SILENCE, &mut work).await {
        return outcome;
    }
    let style =
        ProgressStyle::with_template("{spinner} {msg}  {elapsed_precise}").expect("the template is well-formed");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style).with_elapsed(SILENCE);
    bar.set_message(what);
    bar.enable_steady_tick(TICK);
    let outcome = work.await;
    bar.finish_and_clear();
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_a_yes() {
        for yes in ["y\n", "Y\n", "yes\r\n", " YES "] {
            assert!(is_yes(yes), "{yes:?}");
        }
        for no in ["", "\n", "n\n", "yep\n", "yes please\n"] {
            assert!(!is_yes(no), "{no:?}");
        }
    }
}
