//! The records of each thread. A thread adds to its own list; the writer takes the lists of all
//! threads. A list has a lock, which only the writer contends for.

use std::cell::{Cell, OnceCell};
use std::ffi::CStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Slice, is_on, recorder};

/// The number of records after which a thread wakes the writer.
const MANY: usize = 4096;

struct List {
    thread: u32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    slices: Vec<Slice>,
    /// The name of the thread, until the writer has taken it.
    name: Option<String>,
}

static LISTS: Mutex<Vec<Arc<List>>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: OnceCell<Arc<List>> = const { OnceCell::new() };
    static WAITS: Cell<bool> = const { Cell::new(false) };
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl List {
    /// Adds the list of this thread.
    fn add() -> Arc<Self> {
        let state = State { name: Some(system_name()), ..State::default() };
        let list = Arc::new(Self { thread: system_id(), state: Mutex::new(state) });
        lock(&LISTS).push(list.clone());
        list
    }

    /// Returns the list of this thread, which is ending.
    fn of_ending_thread() -> Arc<Self> {
        let id = system_id();
        let found = lock(&LISTS).iter().find(|list| list.thread == id).cloned();
        found.unwrap_or_else(Self::add)
    }
}

/// Calls `f` with the list of this thread.
fn with_own<T>(f: impl Fn(&List) -> T) -> T {
    // The functions of `atexit` run after the end of thread-local storage.
    OWN.try_with(|own| f(own.get_or_init(List::add)))
        .unwrap_or_else(|_| f(&List::of_ending_thread()))
}

/// Records an activity of this thread.
pub fn record(slice: Slice) {
    if !is_on() {
        return;
    }
    let slice = Cell::new(Some(slice));
    let count = with_own(|list| {
        let mut state = lock(&list.state);
        state.slices.extend(slice.take());
        state.slices.len()
    });
    if count.is_multiple_of(MANY) {
        recorder::wake();
    }
}

/// Sets the name of this thread in the timeline.
pub fn name_thread(name: String) {
    if is_on() {
        with_own(|list| lock(&list.state).name = Some(name.clone()));
    }
}

/// Returns the number of this thread in the timeline.
pub fn thread_id() -> u32 {
    with_own(|list| list.thread)
}

fn system_id() -> u32 {
    // SAFETY: the call has no preconditions.
    unsafe { libc::gettid() as u32 }
}

fn system_name() -> String {
    if system_id() == std::process::id() {
        return "main".to_owned();
    }
    let mut name = [0u8; 16];
    // SAFETY: the kernel writes at most 16 bytes.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Returns whether this thread begins to wait, and did not wait before.
pub(crate) fn begin_wait() -> bool {
    WAITS.try_with(|waits| !waits.replace(true)).unwrap_or(false)
}

pub(crate) fn end_wait() {
    let _ = WAITS.try_with(|waits| waits.set(false));
}

/// What a thread has recorded since the last call of [`take`].
pub(crate) struct Taken {
    pub thread: u32,
    pub name: Option<String>,
    pub slices: Vec<Slice>,
}

/// Takes the records of all threads, and forgets the threads that have ended.
pub(crate) fn take() -> Vec<Taken> {
    let mut taken = Vec::new();
    lock(&LISTS).retain(|list| {
        let ended = Arc::strong_count(list) == 1;
        let mut state = lock(&list.state);
        let (name, slices) = (state.name.take(), std::mem::take(&mut state.slices));
        if name.is_some() || !slices.is_empty() {
            taken.push(Taken { thread: list.thread, name, slices });
        }
        !ended
    });
    taken
}
