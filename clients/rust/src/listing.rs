//! Lists that come in pages, read one entry after the other.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::stream::{BoxStream, Stream, StreamExt, TryStreamExt, try_unfold};

use crate::error::Result;

/// A list that fetches its pages as it is read. Entries that change meanwhile are shown once at most, as they then stand.
///
/// ```no_run
/// # async fn example(client: sluicegate_client::Client) -> sluicegate_client::Result<()> {
/// let mut budgets = client.list_budgets();
/// while let Some(budget) = budgets.next().await {
///     println!("{}", budget?.key);
/// }
/// # Ok(())
/// # }
/// ```
///
/// It is a [`Stream`] as well.
pub struct Listing<T> {
    entries: BoxStream<'static, Result<T>>,
}

/// One page: its entries, and the token of the next; empty on the last one.
pub(crate) type Page<T> = (Vec<T>, String);

/// What has been read and not been handed out, and how to go on.
struct Reader<T, F> {
    fetch: F,
    entries: VecDeque<T>,
    /// `None` once the last page was read.
    next_page: Option<String>,
}

impl<T: Send + 'static> Listing<T> {
    /// Reads pages by `fetch`, which gets the token of the page: empty for the first.
    pub(crate) fn new<F, Fut>(fetch: F) -> Self
    where
        F: FnMut(String) -> Fut + Send + 'static,
        Fut: Future<Output = Result<Page<T>>> + Send + 'static,
    {
        let reader = Reader { fetch, entries: VecDeque::new(), next_page: Some(String::new()) };
        let entries = try_unfold(reader, |mut reader| async move {
            loop {
                if let Some(entry) = reader.entries.pop_front() {
                    return Ok(Some((entry, reader)));
                }
                let Some(token) = reader.next_page.take() else { return Ok(None) };
                let (entries, next) = (reader.fetch)(token).await?;
                reader.entries = entries.into();
                reader.next_page = (!next.is_empty()).then_some(next);
            }
        });
        Self { entries: entries.boxed() }
    }

    /// The next entry; none at the end, and after an error.
    pub async fn next(&mut self) -> Option<Result<T>> {
        self.entries.next().await
    }

    /// All entries that are left.
    pub async fn all(self) -> Result<Vec<T>> {
        self.entries.try_collect().await
    }
}

impl<T> Stream for Listing<T> {
    type Item = Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        self.entries.poll_next_unpin(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    /// Pages of two, empty ones in between, up to 5.
    async fn page(token: String) -> Result<Page<u8>> {
        Ok(match token.as_str() {
            "" => (vec![1, 2], "a".into()),
            "a" => (vec![], "b".into()),
            "b" => (vec![3, 4], "c".into()),
            "c" => (vec![5], String::new()),
            other => panic!("nobody handed out `{other}`"),
        })
    }

    #[tokio::test]
    async fn all_pages_are_read_in_order_and_the_last_one_ends_it() {
        assert_eq!(Listing::new(page).all().await.expect("no page fails"), [1, 2, 3, 4, 5]);
    }

    #[tokio::test]
    async fn an_error_comes_after_what_was_read_and_ends_it() {
        let mut listing = Listing::new(|token: String| async move {
            if token.is_empty() { Ok((vec![1], "x".into())) } else { Err(Error::Draining { retry_after: None }) }
        });
        assert!(matches!(listing.next().await, Some(Ok(1))));
        assert!(matches!(listing.next().await, Some(Err(Error::Draining { .. }))));
        assert!(listing.next().await.is_none());
    }
}
