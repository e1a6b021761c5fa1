//! The state of a thread that runs work-groups of a checked kernel.

use std::cell::RefCell;

use scythe_abi::checks::{Checks, TRUSTED};
use scythe_abi::launch::Shape;
use scythe_hal::KernelWork;

use super::meetings::Meetings;
use super::races::Races;
use super::report::{self, Position};
use super::{address, races};
use crate::stack;

/// The scope of barriers of a work-group, in SPIR-V's numbers.
const WORK_GROUP: u32 = 2;

/// A launch that a thread works on.
pub(super) struct Run {
    pub kernel: String,
    pub checks: Checks,
    has_groups: bool,
    offset: [u64; 3],
    local_size: [u64; 3],
    global_size: [u64; 3],
    /// The global id of the current work-item.
    pub item: [u64; 3],
    /// The first global id of the current group, or `None` before the first work-item.
    group: Option<[u64; 3]>,
    meetings: Meetings,
    races: Races,
    /// Variables in local memory: the first address and the number of bytes, with their zones.
    local_variables: Vec<(usize, u64)>,
}

thread_local! {
    static RUN: RefCell<Option<Box<Run>>> = const { RefCell::new(None) };
}

/// Calls `f` with the state of this thread, if it runs a checked kernel.
pub(super) fn with_run(f: impl FnOnce(&mut Run)) {
    let _ = RUN.try_with(|run| {
        if let Ok(mut run) = run.try_borrow_mut()
            && let Some(run) = run.as_deref_mut()
        {
            f(run);
        }
    });
}

/// Whether one thread must run the whole launch: the check of races compares all work-items of a
/// kernel over a range.
pub(crate) fn is_alone(checks: Checks, shape: Shape) -> bool {
    checks.contains(Checks::RACES) && shape != Shape::NdRange
}

/// Runs a part of a launch of a checked kernel by `f`.
pub(crate) fn enter(
    kernel: &str,
    checks: Checks,
    shape: Shape,
    work: &KernelWork,
    f: impl FnOnce(),
) {
    let run = Run {
        kernel: report::kernel_name(kernel),
        checks,
        has_groups: shape == Shape::NdRange,
        offset: work.global_offset,
        local_size: work.local_size.map(|extent| extent.max(1)),
        global_size: work.global_size,
        item: [0; 3],
        group: None,
        meetings: Meetings::default(),
        races: Races::default(),
        local_variables: Vec::new(),
    };
    let swap = |with: Option<Box<Run>>| {
        RUN.try_with(|run| {
            run.try_borrow_mut().ok().and_then(|mut run| std::mem::replace(&mut *run, with))
        })
        .ok()
        .flatten()
    };
    // A kernel can call the host, which may run another kernel on this thread.
    let before = swap(Some(Box::new(run)));
    f();
    if let Some(run) = swap(before) {
        for (first, bytes) in run.local_variables {
            address::allow(first, bytes);
        }
    }
}

impl Run {
    /// Makes a work-item the current one.
    pub fn turn_to(&mut self, item: [u64; 3]) {
        self.item = item;
        if !self.has_groups {
            self.group.get_or_insert(self.offset);
            return;
        }
        let inside = |first: [u64; 3]| {
            (0..3).all(|d| item[d] >= first[d] && item[d] - first[d] < self.local_size[d])
        };
        if self.group.is_none_or(|first| !inside(first)) {
            self.group = Some(std::array::from_fn(|d| item[d] - self.local_id()[d]));
            self.meetings = Meetings::default();
            self.races.start_group();
        }
    }

    /// Returns the local id of the current work-item.
    fn local_id(&self) -> [u64; 3] {
        if !self.has_groups {
            return [0; 3];
        }
        std::array::from_fn(|d| self.item[d].saturating_sub(self.offset[d]) % self.local_size[d])
    }

    /// Returns the number of the current work-item in its group or, without groups, in the launch.
    fn number(&self) -> u64 {
        let (id, size) = match self.has_groups {
            true => (self.local_id(), self.local_size),
            false => (
                std::array::from_fn(|d| self.item[d].saturating_sub(self.offset[d])),
                self.global_size,
            ),
        };
        (id[2] * size[1] + id[1]) * size[0] + id[0]
    }

    /// Describes the work-item with this number.
    pub fn describe(&self, number: u64) -> String {
        let size = if self.has_groups { self.local_size } else { self.global_size };
        let (x, y) = (size[0].max(1), size[1].max(1));
        let id = [number % x, number / x % y, number / x / y];
        let first = self.group.unwrap_or(self.offset);
        let text = |id: [u64; 3]| format!("[{},{},{}]", id[0], id[1], id[2]);
        let global = text(std::array::from_fn(|d| first[d] + id[d]));
        match self.has_groups {
            true => format!("global id: {global}, local id: {}", text(id)),
            false => format!("global id: {global}"),
        }
    }

    /// Describes the current work-item.
    pub fn describe_item(&self) -> String {
        self.describe(self.number())
    }

    pub fn access(&mut self, at: usize, bytes: u64, kind: u32, position: Position) {
        if bytes == 0 {
            return;
        }
        if self.checks.contains(Checks::ADDRESS) {
            address::check(self, at, bytes, kind, position);
        }
        let races = self.checks.contains(Checks::RACES) && kind & TRUSTED == 0;
        if races && !self.is_private(at) {
            let (item, interval) = (self.number(), self.meetings.interval(self.number()));
            let access = races::Access::new(item, interval, kind, position);
            if let Some(other) = self.races.add(at, bytes, access) {
                let memory = self.memory(at);
                report::race(self, memory, (at, bytes), &access, &other);
            }
        }
    }

    pub fn barrier(&mut self, scope: u32, position: Position) {
        let number = self.number();
        let found = match scope {
            WORK_GROUP if self.has_groups => self.meetings.arrive(number, position),
            _ => {
                self.meetings.meet_in_sub_group(number);
                None
            }
        };
        if let (Some(other), true) = (found, self.checks.contains(Checks::BARRIERS)) {
            report::divergence(self, number, Some(position), &other);
        }
    }

    pub fn end(&mut self) {
        let number = self.number();
        let found = self.meetings.end(number);
        if let (Some(other), true) = (found, self.checks.contains(Checks::BARRIERS)) {
            report::divergence(self, number, None, &other);
        }
    }

    pub fn local_variable(&mut self, first: usize, before: u64, bytes: u64, after: u64) {
        let whole = (first, before + bytes + after);
        if !self.local_variables.contains(&whole) {
            self.local_variables.push(whole);
            if self.checks.contains(Checks::ADDRESS) {
                address::forbid_zones(first, before, bytes, after);
            }
        }
    }

    /// Whether the address is in a variable in local memory.
    fn is_local(&self, at: usize) -> bool {
        let inside = |&(first, bytes): &(usize, u64)| {
            at.checked_sub(first).is_some_and(|n| (n as u64) < bytes)
        };
        self.local_variables.iter().any(inside) || address::is_local_accessor(at)
    }

    /// Whether the address is in the memory of one work-item.
    fn is_private(&self, at: usize) -> bool {
        stack::contains(at) && !self.is_local(at)
    }

    /// Names the kind of memory at an address.
    pub fn memory(&self, at: usize) -> &'static str {
        match () {
            () if self.is_local(at) => "local",
            () if stack::contains(at) => "private",
            () => "global",
        }
    }
}
