//! Records which barriers the work-items of a work-group reach. All work-items must reach the same
//! barriers in the same order.

use std::collections::HashMap;

use super::report::Position;

/// The part of a work-group's run between two barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Interval {
    /// The number of barriers of the work-group that the work-item has passed.
    pub group: u32,
    /// The number of barriers of its sub-group since then.
    pub sub_group: u32,
}

/// What another work-item did in place of a meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Other {
    pub item: u64,
    /// The barrier that it reached, or `None` if it reached the end of the kernel.
    pub position: Option<Position>,
}

#[derive(Default)]
pub(super) struct Meetings {
    intervals: HashMap<u64, Interval>,
    /// The first work-item at each barrier, in the order of the barriers.
    arrivals: Vec<(u64, Position)>,
    /// The work-item that reached the end after the fewest barriers, and their number.
    end: Option<(u64, u32)>,
    /// Whether a difference was found. What follows it means nothing.
    diverged: bool,
}

impl Meetings {
    pub fn interval(&self, item: u64) -> Interval {
        self.intervals.get(&item).copied().unwrap_or_default()
    }

    /// Records that a work-item reaches a barrier. Returns another work-item that does not.
    pub fn arrive(&mut self, item: u64, position: Position) -> Option<Other> {
        let interval = self.intervals.entry(item).or_default();
        let count = interval.group;
        *interval = Interval { group: count + 1, sub_group: 0 };
        if self.diverged {
            return None;
        }
        let found = match (self.arrivals.get(count as usize), self.end) {
            (_, Some((other, passed))) if passed <= count => {
                Some(Other { item: other, position: None })
            }
            (Some(&(other, at)), _) => {
                (at != position).then_some(Other { item: other, position: Some(at) })
            }
            (None, _) => {
                self.arrivals.push((item, position));
                None
            }
        };
        self.diverged |= found.is_some();
        found
    }

    /// Records that a work-item reaches a barrier of its sub-group.
    pub fn meet_in_sub_group(&mut self, item: u64) {
        self.intervals.entry(item).or_default().sub_group += 1;
    }

    /// Records that a work-item reaches the end. Returns another work-item that waits.
    pub fn end(&mut self, item: u64) -> Option<Other> {
        let count = self.interval(item).group;
        if self.end.is_none_or(|(_, passed)| count < passed) {
            self.end = Some((item, count));
        }
        if self.diverged {
            return None;
        }
        let waiting = self.arrivals.get(count as usize);
        self.diverged |= waiting.is_some();
        waiting.map(|&(item, at)| Other { item, position: Some(at) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(text: &'static std::ffi::CStr) -> Position {
        // SAFETY: the text lives until the end of the process.
        unsafe { Position::new(text.as_ptr()) }
    }

    #[test]
    fn work_items_that_meet_are_silent() {
        let mut meetings = Meetings::default();
        for barrier in [c"a", c"b", c"a"].map(position) {
            assert!((0..4).all(|item| meetings.arrive(item, barrier).is_none()));
        }
        assert!((0..4).all(|item| meetings.end(item).is_none()));
        assert_eq!(meetings.interval(3), Interval { group: 3, sub_group: 0 });
    }

    #[test]
    fn another_barrier_is_found_once() {
        let (a, b) = (position(c"a"), position(c"b"));
        let mut meetings = Meetings::default();
        assert_eq!(meetings.arrive(0, a), None);
        assert_eq!(meetings.arrive(1, b), Some(Other { item: 0, position: Some(a) }));
        assert_eq!(meetings.arrive(2, b), None);
    }

    #[test]
    fn an_end_before_or_after_an_arrival_is_found() {
        let a = position(c"a");
        let mut meetings = Meetings::default();
        assert_eq!(meetings.end(0), None);
        assert_eq!(meetings.arrive(1, a), Some(Other { item: 0, position: None }));
        let mut meetings = Meetings::default();
        assert_eq!(meetings.arrive(0, a), None);
        assert_eq!(meetings.end(1), Some(Other { item: 0, position: Some(a) }));
    }
}
