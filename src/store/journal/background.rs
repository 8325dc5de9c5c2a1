//! Where a flush is done, so that commits go on meanwhile.

use std::io;
use std::thread::{Builder, JoinHandle};

/// What is to be done. It tells by itself how it ended.
pub type Work = Box<dyn FnOnce() + Send>;

/// Does one piece of work at a time, beside whoever began it. Dropping it waits for the work, or gives it up.
pub trait Background: Send {
    /// Begins work; what was begun before has ended.
    ///
    /// # Errors
    /// There is nowhere to do it.
    fn start(&mut self, work: Work) -> io::Result<()>;

    /// Waits until the work that was begun has ended.
    fn finish(&mut self);
}

/// Does work while whoever began it waits.
#[derive(Clone, Copy, Debug, Default)]
pub struct AtOnce;

impl Background for AtOnce {
    fn start(&mut self, work: Work) -> io::Result<()> {
        work();
        Ok(())
    }

    fn finish(&mut self) {}
}

/// A thread for each piece of work.
#[derive(Debug, Default)]
pub(in crate::store) struct OwnThread(Option<JoinHandle<()>>);

impl Background for OwnThread {
    fn start(&mut self, work: Work) -> io::Result<()> {
        self.finish();
        self.0 = Some(Builder::new().name("store-flush".to_owned()).spawn(work)?);
        Ok(())
    }

    fn finish(&mut self) {
        if let Some(thread) = self.0.take() {
            // A panic of the work's is known by the outcome it didn't tell.
            drop(thread.join());
        }
    }
}

impl Drop for OwnThread {
    fn drop(&mut self) {
        self.finish();
    }
}
