//! Where a flush is done, so that commits go on meanwhile.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
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

/// One thread for all work, which keeps its memory from one piece to the next.
#[derive(Debug, Default)]
pub(in crate::store) struct OwnThread(Option<Flusher>);

#[derive(Debug)]
struct Flusher {
    work: Sender<Work>,
    /// Hears of the end of each piece.
    ended: Receiver<()>,
    is_busy: bool,
    thread: JoinHandle<()>,
}

impl Background for OwnThread {
    fn start(&mut self, work: Work) -> io::Result<()> {
        self.finish();
        let mut flusher = match self.0.take() {
            Some(flusher) => flusher,
            None => Flusher::start()?,
        };
        flusher.is_busy = true;
        let sent = flusher.work.send(work);
        self.0 = Some(flusher);
        sent.map_err(|_| io::Error::other("its thread has panicked"))
    }

    fn finish(&mut self) {
        if let Some(flusher) = &mut self.0
            && std::mem::take(&mut flusher.is_busy)
        {
            // Where the work panicked, that is known by the outcome it didn't tell.
            let _ = flusher.ended.recv();
        }
    }
}

impl Flusher {
    fn start() -> io::Result<Self> {
        let (work, arriving) = channel::<Work>();
        let (end, ended) = channel();
        let serve = move || {
            for work in arriving {
                work();
                // Nobody waits for the last piece of a store that is dropped.
                let _ = end.send(());
            }
        };
        let thread = Builder::new().name("store-flush".to_owned()).spawn(serve)?;
        Ok(Self { work, ended, is_busy: false, thread })
    }
}

impl Drop for OwnThread {
    fn drop(&mut self) {
        if let Some(Flusher { work, thread, .. }) = self.0.take() {
            drop(work);
            drop(thread.join());
        }
    }
}
