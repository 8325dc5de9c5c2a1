//! Makes a failing run short, and its panic words: for tests that play random steps.

use std::any::Any;

/// Leaves out what isn't needed for a failure, large pieces first. A step finds in the state what it acts on, so the
/// others go on without it.
pub fn fewest(mut steps: Vec<u64>, fails: impl Fn(&[u64]) -> bool) -> Vec<u64> {
    let mut piece = steps.len().div_ceil(2);
    while piece > 0 {
        let mut from = 0;
        while from < steps.len() {
            let until = (from + piece).min(steps.len());
            let without = [&steps[..from], &steps[until..]].concat();
            if fails(&without) {
                steps = without;
            } else {
                from = until;
            }
        }
        piece /= 2;
    }
    steps
}

/// What a panic said.
pub fn words(panicked: &(dyn Any + Send)) -> String {
    let words = panicked.downcast_ref::<String>().cloned();
    words.or_else(|| panicked.downcast_ref::<&str>().map(|words| (*words).into())).unwrap_or_default()
}
