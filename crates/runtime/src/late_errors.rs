//! Reports the errors of commands that outlive their queue object.
//!
//! The destructor of a queue does not wait. The caller that destroys the queue provides a listener.
//! The listener receives each error of the pending commands once, and a notification after all of
//! them have completed. The end of the process waits for this notification, as far as it waits for
//! the commands.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};

use crate::event::Node;
use crate::exit::is_with_backend;
use crate::{Error, lock};

/// Receives errors, on any thread.
pub trait Listener: Send + Sync {
    fn error(&self, error: &Error);
    /// Called last, after all commands have completed.
    fn end(&self);
}

struct Watch {
    commands: Vec<Node>,
    listener: Box<dyn Listener>,
    /// The reported errors. An error that propagates from a command to the commands that wait for
    /// it is reported once.
    told: Mutex<Vec<Error>>,
    /// The number of commands that have not completed, plus one for [`listen`] itself.
    left: AtomicUsize,
}

static WATCHES: Mutex<Vec<Weak<Watch>>> = Mutex::new(Vec::new());

impl Watch {
    fn tell(&self, error: Error) {
        let mut told = lock(&self.told);
        if !told.contains(&error) {
            told.push(error.clone());
            drop(told);
            self.listener.error(&error);
        }
    }

    /// Counts one completion. The caller must keep the watch alive until this returns, so that
    /// [`is_busy`] sees it.
    fn one_less(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.listener.end();
        }
    }
}

/// Reports `errors` to `listener`, and the errors of `commands` as they complete.
pub fn listen(errors: Vec<Error>, commands: Vec<Node>, listener: Box<dyn Listener>) {
    let left = AtomicUsize::new(commands.len() + 1);
    let watch = Arc::new(Watch { commands, listener, told: Mutex::default(), left });
    errors.into_iter().for_each(|error| watch.tell(error));
    {
        let mut watches = lock(&WATCHES);
        watches.retain(|watch| watch.strong_count() > 0);
        watches.push(Arc::downgrade(&watch));
    }
    for command in &watch.commands {
        let watch = watch.clone();
        command.event.on_complete(Box::new(move |result| {
            if let Err(error) = result {
                watch.tell(error);
            }
            watch.one_less();
        }));
    }
    watch.one_less();
}

/// Returns whether a listener waits for commands that a backend has received, or is about to be
/// notified that all commands have completed.
pub fn is_busy() -> bool {
    let watches: Vec<_> = lock(&WATCHES).iter().filter_map(Weak::upgrade).collect();
    watches
        .iter()
        .any(|w| w.commands.iter().any(is_with_backend) || w.commands.iter().all(Node::is_complete))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Errc;
    use crate::event::OwnEvent;
    use std::sync::mpsc::{Sender, TryRecvError, channel};

    struct Teller(Sender<String>);

    impl Listener for Teller {
        fn error(&self, error: &Error) {
            drop(self.0.send(error.message.clone()));
        }
        fn end(&self) {
            drop(self.0.send("the end".to_owned()));
        }
    }

    #[test]
    fn each_error_is_told_once_and_the_end_is_told() {
        let events = [OwnEvent::new(), OwnEvent::new(), OwnEvent::new()];
        let (tx, heard) = channel();
        let error = |message: &str| Error::new(Errc::Runtime, message);
        listen(
            vec![error("before")],
            events.iter().map(OwnEvent::node).collect(),
            Box::new(Teller(tx)),
        );
        assert_eq!(heard.try_recv(), Ok("before".to_owned()));
        events[0].complete(Err(error("late")));
        events[1].complete(Err(error("late")));
        assert_eq!(heard.try_recv(), Ok("late".to_owned()));
        assert_eq!(heard.try_recv(), Err(TryRecvError::Empty));
        events[2].complete(Ok(()));
        assert_eq!(heard.try_recv(), Ok("the end".to_owned()));
        assert_eq!(heard.try_recv(), Err(TryRecvError::Disconnected));
    }

    #[test]
    fn without_commands_the_end_comes_at_once() {
        let (tx, heard) = channel();
        listen(Vec::new(), Vec::new(), Box::new(Teller(tx)));
        assert_eq!(heard.try_recv(), Ok("the end".to_owned()));
    }
}
