//! Events as the runtime sees them.
//!
//! A [`Node`] is an event together with the backend it came from. The runtime has events of its own
//! ([`OwnEvent`]): for accesses by the host, which the program ends when it likes, and for commands
//! that a backend cannot have yet because they wait for such an access or for another backend.
//! [`when_all`] is how they meet: it calls a function once several events of any origin have
//! completed.

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use scythe_hal::{self as hal, Status, Times};

use crate::{Result, lock};

/// Tells backends apart. Events of the runtime itself have [`Origin::OWN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin(pub u32);

impl Origin {
    pub const OWN: Self = Self(0);
}

/// An event and where it came from.
#[derive(Clone)]
pub struct Node {
    pub event: Arc<dyn hal::Event>,
    pub origin: Origin,
}

impl Node {
    pub fn is_complete(&self) -> bool {
        self.event.status() == Status::Complete
    }

    /// How the command ended; `None` before.
    pub fn outcome(&self) -> Option<Result<()>> {
        self.is_complete().then(|| self.event.wait())
    }

    pub fn is_same(&self, other: &Self) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.event), Arc::as_ptr(&other.event))
    }

    /// The backend's event behind one of the runtime's, as soon as there is one: whoever depends on
    /// it can then leave the order to the backend.
    pub fn resolve(self) -> Self {
        match self.event.as_any().downcast_ref::<OwnEvent>().and_then(OwnEvent::inner) {
            Some(inner) => inner,
            None => self,
        }
    }
}

type Callback = Box<dyn FnOnce(Result<()>) + Send>;

/// An event that the runtime completes.
pub struct OwnEvent {
    /// Set after `state.result`: the quick answer to "complete?".
    done: AtomicBool,
    state: Mutex<OwnState>,
    changed: Condvar,
}

#[derive(Default)]
struct OwnState {
    result: Option<Result<()>>,
    /// The backend's event, once the command that this event stands for was handed to a backend.
    inner: Option<Node>,
    callbacks: Vec<Callback>,
}

impl OwnEvent {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            done: AtomicBool::new(false),
            state: Mutex::new(OwnState::default()),
            changed: Condvar::new(),
        })
    }

    pub fn node(self: &Arc<Self>) -> Node {
        Node { event: self.clone(), origin: Origin::OWN }
    }

    /// Completes the event; the first call counts. Callbacks run on this thread, after the caller's
    /// own callbacks if it is one.
    pub fn complete(&self, result: Result<()>) {
        let callbacks = {
            let mut state = lock(&self.state);
            if state.result.is_some() {
                return;
            }
            state.result = Some(result.clone());
            self.done.store(true, Ordering::Release);
            std::mem::take(&mut state.callbacks)
        };
        self.changed.notify_all();
        for callback in callbacks {
            let result = result.clone();
            run_flat(Box::new(move || callback(result)));
        }
    }

    /// Remembers the backend's event that this one follows.
    pub fn set_inner(&self, node: Node) {
        lock(&self.state).inner = Some(node);
    }

    fn inner(&self) -> Option<Node> {
        lock(&self.state).inner.clone()
    }
}

impl hal::Event for OwnEvent {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn status(&self) -> Status {
        if self.done.load(Ordering::Acquire) {
            return Status::Complete;
        }
        match self.inner().map(|inner| inner.event.status()) {
            None | Some(Status::Submitted) => Status::Submitted,
            Some(Status::Running | Status::Complete) => Status::Running,
        }
    }

    fn wait(&self) -> Result<()> {
        let state = lock(&self.state);
        let state = self
            .changed
            .wait_while(state, |s| s.result.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        state.result.clone().unwrap_or(Ok(()))
    }

    fn on_complete(&self, f: Callback) {
        let mut state = lock(&self.state);
        match state.result.clone() {
            Some(result) => {
                drop(state);
                run_flat(Box::new(move || f(result)));
            }
            None => state.callbacks.push(f),
        }
    }

    fn times(&self) -> Option<Times> {
        self.inner()?.event.times()
    }
}

/// Calls `f` once all of `nodes` have completed: with the first error among them, on whichever
/// thread completes the last; at once when all have.
pub fn when_all(nodes: &[Node], f: impl FnOnce(Result<()>) + Send + 'static) {
    struct Join {
        // One more than the events, so that `f` does not run before all callbacks are in place.
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
    /// What [`run_flat`] still has to run on this thread; `None` when it runs nothing.
    static PENDING: RefCell<Option<VecDeque<Task>>> = const { RefCell::new(None) };
}

/// Runs `task` now, or after the task that is calling: completing a chain of ten thousand commands
/// must not nest ten thousand calls.
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
    // Without thread-local storage the thread is ending; what remains has nobody to serve.
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
