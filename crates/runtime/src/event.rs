//! The events of the runtime.
//!
//! A [`Node`] is an event together with its backend. The runtime also has its own events
//! ([`OwnEvent`]). They represent host accesses, which the program ends at any time, and commands
//! that a backend cannot receive yet because they wait for a host access or for a different
//! backend. [`when_all`] connects events: it calls a function after several events of any origin
//! have completed.

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use scythe_hal::{self as hal, Callback, Completion, Status, Times};

use crate::{Result, lock};

/// The identifier of a backend. Events of the runtime itself have [`Origin::OWN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin(pub u32);

impl Origin {
    pub const OWN: Self = Self(0);
}

/// An event and its origin.
#[derive(Clone)]
pub struct Node {
    pub event: Arc<dyn hal::Event>,
    pub origin: Origin,
}

impl Node {
    pub fn is_complete(&self) -> bool {
        self.event.status() == Status::Complete
    }

    /// Returns the result of the command, or `None` if it has not completed.
    pub fn outcome(&self) -> Option<Result<()>> {
        self.is_complete().then(|| self.event.wait())
    }

    pub fn is_same(&self, other: &Self) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.event), Arc::as_ptr(&other.event))
    }

    /// Returns the backend's event for an event of the runtime, if there is one. The backend can
    /// then order the commands that depend on it.
    pub fn resolve(self) -> Self {
        match self.event.as_any().downcast_ref::<OwnEvent>().and_then(OwnEvent::inner) {
            Some(inner) => inner,
            None => self,
        }
    }
}

/// An event that the runtime completes.
#[derive(Default)]
pub struct OwnEvent {
    completion: Completion,
    /// The backend's event, after a backend has received the command of this event.
    inner: Mutex<Option<Node>>,
    /// The commands whose times are those of this event, if there are several.
    parts: Vec<Node>,
}

impl OwnEvent {
    /// Returns an event that completes with `last` and whose times span those of `parts`.
    pub fn spanning(parts: Vec<Node>, last: Node) -> Node {
        let event = Arc::new(Self { parts, ..Self::default() });
        event.set_inner(last.clone());
        let done = event.clone();
        last.event.on_complete(Box::new(move |result| done.complete(result)));
        event.node()
    }

    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    pub fn node(self: &Arc<Self>) -> Node {
        Node { event: self.clone(), origin: Origin::OWN }
    }

    /// Completes the event; only the first call has an effect. Callbacks run on this thread. If the
    /// caller is itself a callback, they run after it has returned.
    pub fn complete(&self, result: Result<()>) {
        for callback in self.completion.complete(&result) {
            let result = result.clone();
            run_flat(Box::new(move || callback(result)));
        }
    }

    /// Sets the backend's event that this event follows.
    pub fn set_inner(&self, node: Node) {
        *lock(&self.inner) = Some(node);
    }

    fn inner(&self) -> Option<Node> {
        lock(&self.inner).clone()
    }
}

impl hal::Event for OwnEvent {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn status(&self) -> Status {
        if self.completion.is_complete() {
            return Status::Complete;
        }
        match self.inner().map(|inner| inner.event.status()) {
            None | Some(Status::Submitted) => Status::Submitted,
            Some(Status::Running | Status::Complete) => Status::Running,
        }
    }

    fn wait(&self) -> Result<()> {
        self.completion.wait()
    }

    fn on_complete(&self, f: Callback) {
        if let Some((f, result)) = self.completion.on_complete(f) {
            run_flat(Box::new(move || f(result)));
        }
    }

    fn times(&self) -> Option<Times> {
        let last = self.inner()?.event.times();
        let mut times = self.parts.iter().filter_map(|part| part.event.times());
        let Some(first) = times.next() else { return last };
        Some(times.chain(last).fold(first, |all, one| Times {
            submit: all.submit.min(one.submit),
            start: all.start.min(one.start),
            end: all.end.max(one.end),
        }))
    }
}

/// Calls `f` after all of `nodes` have completed, with the first error among them, on the thread
/// that completes the last node. If all nodes have completed already, it calls `f` immediately.
pub fn when_all(nodes: &[Node], f: impl FnOnce(Result<()>) + Send + 'static) {
    struct Join {
        // One more than the number of events, so that `f` does not run before all callbacks are
        // registered.
        left: AtomicUsize,
        error: Mutex<Result<()>>,
        f: Mutex<Option<Callback>>,
    }
    impl Join {
        fn arrive(&self, result: Result<()>) {
            if result.is_err() {
                let mut error = lock(&self.error);
                if error.is_ok() {
                    *error = result;
                }
            }
            if self.left.fetch_sub(1, Ordering::AcqRel) == 1
                && let Some(f) = lock(&self.f).take()
            {
                let result = lock(&self.error).clone();
                run_flat(Box::new(move || f(result)));
            }
        }
    }
    let join = Arc::new(Join {
        left: AtomicUsize::new(nodes.len() + 1),
        error: Mutex::new(Ok(())),
        f: Mutex::new(Some(Box::new(f))),
    });
    for node in nodes {
        let join = join.clone();
        node.event.on_complete(Box::new(move |result| join.arrive(result)));
    }
    join.arrive(Ok(()));
}

type Task = Box<dyn FnOnce()>;

thread_local! {
    /// The tasks that [`run_flat`] has yet to run on this thread; `None` if it is not running.
    static PENDING: RefCell<Option<VecDeque<Task>>> = const { RefCell::new(None) };
}

/// Runs `task` now, or after the task that is running on this thread. Completing a chain of ten
/// thousand commands must not nest ten thousand calls.
fn run_flat(task: Task) {
    let queued = PENDING.try_with(|pending| match &mut *pending.borrow_mut() {
        Some(queue) => {
            queue.push_back(task);
            None
        }
        none => {
            *none = Some(VecDeque::new());
            Some(task)
        }
    });
    // If the thread-local storage is gone, the thread is ending and nothing waits for the task.
    let Ok(Some(mut task)) = queued else { return };
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            let _ = PENDING.try_with(|pending| pending.borrow_mut().take());
        }
    }
    let reset = Reset;
    loop {
        task();
        let next =
            PENDING.try_with(|pending| pending.borrow_mut().as_mut().and_then(VecDeque::pop_front));
        match next {
            Ok(Some(next)) => task = next,
            _ => break,
        }
    }
    drop(reset);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Errc, Error};
    use scythe_hal::Event as _;

    #[test]
    fn when_all_waits_for_the_last_and_reports_the_first_error() {
        let events: Vec<_> = (0..3).map(|_| OwnEvent::new()).collect();
        let nodes: Vec<_> = events.iter().map(OwnEvent::node).collect();
        let (tx, rx) = std::sync::mpsc::channel();
        when_all(&nodes, move |result| tx.send(result).expect("the test listens"));
        events[2].complete(Ok(()));
        let error = Error::new(Errc::Runtime, "first");
        events[0].complete(Err(error.clone()));
        assert!(rx.try_recv().is_err());
        events[1].complete(Err(Error::new(Errc::Runtime, "second")));
        assert_eq!(rx.try_recv().expect("called"), Err(error));
    }

    #[test]
    fn when_all_of_nothing_calls_at_once() {
        let (tx, rx) = std::sync::mpsc::channel();
        when_all(&[], move |result| tx.send(result).expect("the test listens"));
        assert_eq!(rx.try_recv(), Ok(Ok(())));
    }

    #[test]
    fn a_long_chain_does_not_nest() {
        let first = OwnEvent::new();
        let mut last = first.clone();
        for _ in 0..200_000 {
            let next = OwnEvent::new();
            let complete = next.clone();
            last.on_complete(Box::new(move |result| complete.complete(result)));
            last = next;
        }
        first.complete(Ok(()));
        assert_eq!(last.status(), Status::Complete);
    }

    #[test]
    fn only_the_first_completion_counts() {
        let event = OwnEvent::new();
        event.complete(Ok(()));
        event.complete(Err(Error::new(Errc::Runtime, "late")));
        assert_eq!(event.wait(), Ok(()));
    }
}
