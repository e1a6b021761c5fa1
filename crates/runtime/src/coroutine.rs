//! Work-groups in host mode. Their work-items are plain C++ calls that may wait for each other.
//!
//! All work-items of a group run on one thread. They start one after another in one coroutine. A
//! work-item that waits keeps the stack of that coroutine, and the remaining work-items run in
//! another coroutine. A kernel without barriers therefore uses one coroutine per work-group, and a
//! kernel with barriers uses as many as there are work-items waiting at once. Stacks are reused for
//! later groups.
//!
//! Work-items wait for each other in sets of neighbours (`first`, `count`): the whole group, or a
//! sub-group. The last work-item to arrive continues immediately and makes the others ready. The
//! scheduling order depends only on the order of arrival, so it is reproducible.

use std::alloc::Layout;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use scythe_abi::capi::HostItems;

use crate::{Errc, Error, Result, lock};

/// The size of each stack. Pages are allocated when they are first accessed, and an overflow hits a
/// guard page.
const STACK_BYTES: usize = 256 << 10;

/// The number of stacks that each thread keeps for its next group, without a lock.
const KEPT_BY_THREAD: usize = 64;

/// The number of stacks that all threads share: enough for a few groups of the largest size.
/// Creating their stacks would take longer than running their work-items.
const KEPT_BY_ALL: usize = 4 * 8192;

static SHARED_STACKS: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

thread_local! {
    static CURRENT: Cell<*const Group> = const { Cell::new(ptr::null()) };
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
    /// The value of a work-item that runs outside of a group.
    static ALONE: Cell<*mut c_void> = const { Cell::new(ptr::null_mut()) };
}

/// The state that the work-items of a group share. Only one of them runs at a time.
struct Group {
    count: u64,
    next: Cell<u64>,
    /// The index of the running coroutine.
    running: Cell<usize>,
    yielders: RefCell<Vec<*const Yielder<(), ()>>>,
    meetings: RefCell<HashMap<(u64, u64), Vec<usize>>>,
    ready: RefCell<VecDeque<usize>>,
    slots: RefCell<Box<[*mut c_void]>>,
    memory: RefCell<GroupMemory>,
}

/// The allocations of a group, and the number of allocations that each work-item has requested.
#[derive(Default)]
struct GroupMemory {
    blocks: Vec<(*mut u8, Layout)>,
    asked: Vec<usize>,
}

impl Drop for GroupMemory {
    fn drop(&mut self) {
        for &(address, layout) in &self.blocks {
            // SAFETY: `memory` allocated the block with this layout, and nothing else frees it.
            unsafe { std::alloc::dealloc(address, layout) }
        }
    }
}

type Lane = Coroutine<(), (), (), DefaultStack>;

/// Runs the work-items `0..count` of one group.
///
/// # Safety
/// `items` must be callable with `ctx` and a valid `next`, several times and on stacks of
/// [`STACK_BYTES`], and must not unwind.
pub unsafe fn run(items: HostItems, ctx: *mut c_void, count: u64) -> Result<()> {
    if usize::try_from(count).is_err() {
        return Err(crate::invalid(format!(
            "a work-group of {count} work-items exceeds the address space of this machine"
        )));
    }
    let group = Group {
        count,
        next: Cell::new(0),
        running: Cell::new(0),
        yielders: RefCell::default(),
        meetings: RefCell::default(),
        ready: RefCell::default(),
        slots: RefCell::default(),
        memory: RefCell::default(),
    };
    let outer = CURRENT.replace(&raw const group);
    // SAFETY: this function has the same contract as `schedule`.
    let result = unsafe { schedule(&group, items, ctx) };
    CURRENT.set(outer);
    result
}

/// Resumes ready coroutines, or starts the next work-items if none is ready, until all work-items
/// have finished.
///
/// # Safety
/// The contract is that of [`run`].
unsafe fn schedule(group: &Group, items: HostItems, ctx: *mut c_void) -> Result<()> {
    let mut lanes: Vec<Option<Lane>> = Vec::new();
    let mut waiting = 0usize;
    loop {
        let ready = group.ready.borrow_mut().pop_front();
        let lane = match ready {
            Some(lane) => {
                waiting -= 1;
                lane
            }
            None if group.next.get() < group.count => {
                let stack = match take() {
                    Ok(stack) => stack,
                    Err(error) => {
                        abandon(&mut lanes);
                        let message = format!(
                            "cannot allocate a stack for work-item {} of a work-group of {}: \
                             {error}",
                            group.next.get(),
                            group.count
                        );
                        return Err(Error::new(Errc::MemoryAllocation, message));
                    }
                };
                // SAFETY: the caller satisfies the contract of `run`, and the group outlives its
                // coroutines.
                lanes.push(Some(unsafe { start(group, lanes.len(), stack, items, ctx) }));
                group.yielders.borrow_mut().push(ptr::null());
                lanes.len() - 1
            }
            None if waiting == 0 => return Ok(()),
            None => {
                abandon(&mut lanes);
                let message = format!(
                    "work-items of one work-group reached different barriers: {waiting} of {} wait \
                     at a barrier that the others never reach. All work-items must reach the same \
                     barriers",
                    group.count
                );
                return Err(Error::new(Errc::Kernel, message));
            }
        };
        let Some(mut coroutine) = lanes[lane].take() else { continue };
        group.running.set(lane);
        match coroutine.resume(()) {
            CoroutineResult::Yield(()) => {
                waiting += 1;
                lanes[lane] = Some(coroutine);
            }
            CoroutineResult::Return(()) => keep(coroutine.into_stack()),
        }
    }
}

/// Creates a coroutine that runs work-items until none is left.
///
/// # Safety
/// The contract is that of [`run`]. In addition, the group must outlive the coroutine.
unsafe fn start(
    group: &Group,
    lane: usize,
    stack: DefaultStack,
    items: HostItems,
    ctx: *mut c_void,
) -> Lane {
    let group: *const Group = group;
    Coroutine::with_stack(stack, move |yielder: &Yielder<(), ()>, ()| {
        // SAFETY: the caller of `start` guarantees that the group outlives the coroutine.
        let group = unsafe { &*group };
        group.yielders.borrow_mut()[lane] = yielder;
        // SAFETY: the caller of `run` guarantees that `items` can be called with `ctx`; `next`
        // lives as long as the group.
        unsafe { items(ctx, group.next.as_ptr(), group.count) }
    })
}

/// Discards coroutines that can never continue. Objects on their stacks are not destroyed.
fn abandon(lanes: &mut [Option<Lane>]) {
    for mut coroutine in lanes.iter_mut().filter_map(Option::take) {
        // SAFETY: the coroutine is not resumed again. Its frames are C++ frames, which a Rust panic
        // must not unwind and which own no Rust objects.
        unsafe { coroutine.force_reset() };
        keep(coroutine.into_stack());
    }
}

/// Returns a stack that was kept, or a new one.
fn take() -> std::io::Result<DefaultStack> {
    let kept = STACKS.with_borrow_mut(Vec::pop).or_else(|| lock(&SHARED_STACKS).pop());
    kept.map_or_else(|| DefaultStack::new(STACK_BYTES), Ok)
}

fn keep(stack: DefaultStack) {
    let rest = STACKS.with_borrow_mut(|stacks| {
        if stacks.len() < KEPT_BY_THREAD {
            stacks.push(stack);
            return None;
        }
        Some(stack)
    });
    let Some(stack) = rest else { return };
    let mut shared = lock(&SHARED_STACKS);
    if shared.len() < KEPT_BY_ALL {
        shared.push(stack);
    }
}

/// Returns the group of the calling work-item.
fn current<'a>() -> Option<&'a Group> {
    let group = CURRENT.get();
    // SAFETY: the pointer is null, or points to the group of a call of `run` on this thread, which
    // keeps the group alive.
    unsafe { group.as_ref() }
}

/// Waits for the `count` work-items from `first`, or for the whole group if `count` is 0.
pub fn wait(first: u64, count: u64) {
    let Some(group) = current() else { return };
    let (first, count) = if count == 0 { (0, group.count) } else { (first, count) };
    if count <= 1 {
        return;
    }
    let lane = group.running.get();
    {
        let mut meetings = group.meetings.borrow_mut();
        let waiters = meetings.entry((first, count)).or_default();
        if waiters.len() as u64 + 1 >= count {
            group.ready.borrow_mut().extend(waiters.drain(..));
            return;
        }
        waiters.push(lane);
    }
    let yielder = group.yielders.borrow()[lane];
    // SAFETY: the running coroutine stored its own yielder there, which lives as long as the
    // coroutine.
    unsafe { (*yielder).suspend(()) };
    // Another coroutine may have run in the meantime: the scheduler has set `running` again.
}

/// Publishes the address of `value`, waits for the other work-items, and returns the addresses of
/// all their values.
pub fn exchange(item: u64, value: *mut c_void, first: u64, count: u64) -> *mut *mut c_void {
    let alone = || {
        ALONE.set(value);
        ALONE.with(Cell::as_ptr)
    };
    let Some(group) = current() else { return alone() };
    let (first, count) = if count == 0 { (0, group.count) } else { (first, count) };
    if item >= group.count || first >= group.count || count <= 1 {
        return alone();
    }
    {
        let mut slots = group.slots.borrow_mut();
        if slots.is_empty() {
            *slots = vec![ptr::null_mut(); group.count as usize].into_boxed_slice();
        }
        slots[item as usize] = value;
    }
    wait(first, count);
    // The slice is never replaced after its creation.
    let address = group.slots.borrow_mut().as_mut_ptr();
    // SAFETY: `first` is less than `group.count`, the length of the slice.
    unsafe { address.add(first as usize) }
}

/// Returns the next block of the group's memory for this work-item. Returns null outside of a
/// group, for a size that no allocation can have, and if the memory is exhausted.
pub fn memory(item: u64, bytes: u64, align: u64) -> *mut c_void {
    let Some(group) = current().filter(|group| item < group.count) else { return ptr::null_mut() };
    let (Ok(bytes), Ok(align)) = (usize::try_from(bytes.max(1)), usize::try_from(align)) else {
        return ptr::null_mut();
    };
    let Ok(layout) = Layout::from_size_align(bytes, align) else { return ptr::null_mut() };
    let mut memory = group.memory.borrow_mut();
    if memory.asked.is_empty() {
        memory.asked = vec![0; group.count as usize];
    }
    let number = memory.asked[item as usize];
    memory.asked[item as usize] += 1;
    if number == memory.blocks.len() {
        // SAFETY: the size of the layout is not 0.
        let address = unsafe { std::alloc::alloc(layout) };
        if address.is_null() {
            return ptr::null_mut();
        }
        memory.blocks.push((address, layout));
    }
    match memory.blocks.get(number) {
        Some(&(address, made))
            if made.size() >= layout.size() && made.align() >= layout.align() =>
        {
            address.cast()
        }
        _ => ptr::null_mut(),
    }
}

#[cfg(test)]
#[path = "coroutine_tests.rs"]
mod tests;
