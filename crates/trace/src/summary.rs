//! The table of a process: the time of each kernel, of copies, of waiting and of compiling.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::{Category, Command, Name, Slice, now};

#[derive(Clone, Copy, Default)]
struct Total {
    count: u64,
    ns: u64,
    least: u64,
    most: u64,
    bytes: u64,
}

impl Total {
    fn add(&mut self, ns: u64, bytes: u64) {
        self.least = if self.count == 0 { ns } else { self.least.min(ns) };
        self.most = self.most.max(ns);
        self.count += 1;
        self.ns += ns;
        self.bytes += bytes;
    }
}

/// What a row of the table is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    category: Category,
    name: Option<Name>,
    device: Option<u32>,
}

pub(crate) struct Summary {
    program: String,
    start: u64,
    totals: BTreeMap<Key, Total>,
}

impl Summary {
    pub(crate) fn new(program: String) -> Self {
        Self { program, start: now(), totals: BTreeMap::new() }
    }

    pub(crate) fn slice(&mut self, slice: &Slice) {
        // The parts of kernels and host tasks count as commands.
        if !slice.category.is_of_thread() {
            return;
        }
        let name = (slice.category == Category::Wait).then_some(slice.name);
        let key = Key { category: slice.category, name, device: None };
        self.totals.entry(key).or_default().add(slice.end.saturating_sub(slice.start), 0);
    }

    pub(crate) fn command(&mut self, command: &Command, ns: u64) {
        let Command { category, name, device, bytes, .. } = *command;
        let key = Key { category, name: Some(name), device: Some(device) };
        self.totals.entry(key).or_default().add(ns, bytes);
    }

    /// Returns the table. Rows of a category are in the order of their times.
    pub(crate) fn table(
        &self,
        show: &dyn Fn(Name) -> String,
        devices: &BTreeMap<u32, String>,
    ) -> String {
        let mut text = format!(
            "scythe: profile of {}, process {}, {:.3} s\n",
            self.program,
            std::process::id(),
            now().saturating_sub(self.start) as f64 / 1e9
        );
        let mut rows: Vec<(&Key, &Total)> = self.totals.iter().collect();
        rows.sort_by(|(a, x), (b, y)| (a.category, y.ns, a).cmp(&(b.category, x.ns, b)));
        let head = ["kind", "count", "total ms", "mean us", "min us", "max us", "GB/s", "name"];
        let mut cells = vec![head.map(str::to_owned)];
        for (key, total) in rows {
            let us = |ns: u64| format!("{:.1}", ns as f64 / 1e3);
            let rate = total.bytes as f64 / total.ns.max(1) as f64;
            let mut name = key.name.map_or_else(String::new, show);
            if let Some(device) = key.device.and_then(|device| devices.get(&device))
                && devices.len() > 1
            {
                let _ = write!(name, " on {device}");
            }
            cells.push([
                key.category.as_str().to_owned(),
                total.count.to_string(),
                format!("{:.3}", total.ns as f64 / 1e6),
                us(total.ns / total.count.max(1)),
                us(total.least),
                us(total.most),
                if total.bytes > 0 { format!("{rate:.2}") } else { String::new() },
                name,
            ]);
        }
        let width = |column: usize| cells.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        for row in &cells {
            let mut line = format!("  {:1$}", row[0], widths[0]);
            for column in 1..head.len() - 1 {
                let _ = write!(line, "  {:>1$}", row[column], widths[column]);
            }
            let _ = write!(line, "  {}", row[head.len() - 1]);
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_ordered_by_kind_and_time() {
        let mut summary = Summary::new("app".to_owned());
        for (name, category, ns, bytes) in [
            ("copy", Category::Copy, 1000, 4000),
            ("short", Category::Kernel, 2000, 0),
            ("long", Category::Kernel, 9000, 0),
            ("short", Category::Kernel, 4000, 0),
        ] {
            let command = Command {
                id: 1,
                category,
                name: Name::of(name),
                device: 0,
                times: None,
                submitted: (0, 0),
                after: Vec::new(),
                bytes,
                args: Vec::new(),
            };
            summary.command(&command, ns);
        }
        let wait = Name::of("queue::wait");
        summary.slice(&Slice {
            category: Category::Wait,
            name: wait,
            start: 5,
            end: 2_005,
            args: Vec::new(),
        });
        let text = summary.table(&|name| name.text().to_owned(), &BTreeMap::new());
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "  kind    count  total ms  mean us  min us  max us  GB/s  name",
                "  kernel      1     0.009      9.0     9.0     9.0        long",
                "  kernel      2     0.006      3.0     2.0     4.0        short",
                "  copy        1     0.001      1.0     1.0     1.0  4.00  copy",
                "  wait        1     0.002      2.0     2.0     2.0        queue::wait",
            ]
        );
    }
}
