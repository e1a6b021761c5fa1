//! Rows for commands of one device that overlap in time. The slices of a row must not overlap.

#[derive(Default)]
pub(crate) struct Lanes {
    /// The end of the last slice in each row.
    ends: Vec<u64>,
}

impl Lanes {
    /// Returns the first row that is free at `start`, and occupies it until `end`. The result is a
    /// new row if none is free.
    pub(crate) fn place(&mut self, start: u64, end: u64) -> usize {
        let free = self.ends.iter().position(|&last| last <= start);
        let lane = free.unwrap_or(self.ends.len());
        match free {
            Some(lane) => self.ends[lane] = end,
            None => self.ends.push(end),
        }
        lane
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_of_a_row_do_not_overlap() {
        let mut lanes = Lanes::default();
        let placed = [(0, 10), (10, 20), (15, 18), (17, 30), (18, 19), (20, 25)];
        let rows = placed.map(|(start, end)| lanes.place(start, end));
        assert_eq!(rows, [0, 0, 1, 2, 1, 0]);
        assert_eq!(lanes.len(), 3);
        // A slice that is reported late gets a row of its own.
        assert_eq!(lanes.place(0, 5), 3);
    }
}
