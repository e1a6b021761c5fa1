//! Formats a timeline as one web page that needs no other files and no network. The timeline is in
//! the Trace Event Format, as `SCYTHE_TRACE=FILE.json` and `-ftime-trace` write it. Its end may be
//! missing.
//!
//! The page contains the slices, their rows and the arrows between them, with times in nanoseconds
//! from the first event on. `timeline.js` draws them.

use crate::Failure;
use crate::errors::NotATimeline;
use crate::files::file_error;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

const STYLE: &str = include_str!("timeline.css");
const SCRIPT: &str = include_str!("timeline.js");

/// The row of a slice: a process or a device, and a thread or a lane in it.
type Row = (u64, u64);

struct Slice {
    row: Row,
    start: u64,
    end: u64,
    name: String,
    kind: String,
    details: Map<String, Value>,
}

/// One end of an arrow.
struct End {
    row: Row,
    time: u64,
}

#[derive(Default)]
struct Timeline {
    slices: Vec<Slice>,
    /// The names and places of processes and devices, and of their threads and lanes.
    groups: BTreeMap<u64, (Option<u64>, String)>,
    rows: BTreeMap<Row, (Option<u64>, String)>,
    /// The ends of arrows with the same kind and number.
    starts: HashMap<(String, String), End>,
    finishes: Vec<((String, String), End)>,
    is_complete: bool,
}

/// Returns the page for the contents of a file.
pub fn render(path: &str, bytes: &[u8]) -> Result<String, Failure> {
    let refuse = |reason: &str| file_error(path, &NotATimeline { reason: reason.to_owned() });
    let text = std::str::from_utf8(bytes).map_err(|_| refuse("it is not text"))?;
    let events = events(text).ok_or_else(|| refuse("it is not an array of events in JSON"))?;
    let timeline = Timeline::read(events).map_err(|reason| refuse(&reason))?;
    Ok(page(path, &timeline.data(path)))
}

/// Parses the events. Without the end of the array, the events that are whole count.
fn events(text: &str) -> Option<Vec<Value>> {
    let array = |value: Value| match value {
        Value::Array(events) => Some(events),
        Value::Object(mut object) => match object.remove("traceEvents") {
            Some(Value::Array(events)) => Some(events),
            _ => None,
        },
        _ => None,
    };
    if let Ok(value) = serde_json::from_str(text) {
        return array(value);
    }
    // Each event has a line, and a comma before the next one.
    let text = text.trim_end();
    let last_line = text.rfind(",\n").map_or("", |end| &text[..end]);
    [text.trim_end_matches(','), last_line]
        .into_iter()
        .find_map(|whole| serde_json::from_str(&format!("{whole}]")).ok())
        .and_then(array)
}

impl Timeline {
    fn read(events: Vec<Value>) -> Result<Self, String> {
        let mut timeline = Self::default();
        for (index, event) in events.into_iter().enumerate() {
            let Value::Object(event) = event else {
                return Err(format!("event {index} is not an object"));
            };
            timeline
                .add(event)
                .map_err(|field| format!("event {index} has no valid field '{field}'"))?;
        }
        Ok(timeline)
    }

    /// Adds an event. Returns the name of a field that is missing or invalid.
    fn add(&mut self, mut event: Map<String, Value>) -> Result<(), &'static str> {
        let Some(phase) = event.get("ph").and_then(Value::as_str).map(str::to_owned) else {
            return Err("ph");
        };
        if !["M", "X", "s", "f", "i"].contains(&phase.as_str()) {
            // Other programs write other kinds of events.
            return Ok(());
        }
        let number = |name: &str| event.get(name).and_then(Value::as_u64);
        let text = |name: &str| event.get(name).and_then(Value::as_str).map(str::to_owned);
        let row = (number("pid").ok_or("pid")?, number("tid").unwrap_or_default());
        let name = text("name").unwrap_or_default();
        let kind = text("cat").unwrap_or_default();
        // Times are microseconds. Numbers of up to 2^53 nanoseconds are exact: more than a month.
        let time = |field: &'static str| {
            let time = event.get(field).and_then(Value::as_f64).map(|time| time * 1e3);
            let is_valid = |time: &f64| (0.0..=9e15).contains(time);
            time.filter(is_valid).map(|time| time.round() as u64).ok_or(field)
        };
        match phase.as_str() {
            "M" => {
                let details = event.get("args");
                let value = |name: &str| details.and_then(|all| all.get(name));
                let shown = value("name").and_then(Value::as_str).map(str::to_owned);
                let place = value("sort_index").and_then(Value::as_u64);
                let entry = match name.as_str() {
                    "process_name" | "process_sort_index" => self.groups.entry(row.0).or_default(),
                    "thread_name" | "thread_sort_index" => self.rows.entry(row).or_default(),
                    _ => return Ok(()),
                };
                entry.0 = place.or(entry.0);
                if let Some(shown) = shown {
                    entry.1 = shown;
                }
            }
            "X" => {
                let (start, length) = (time("ts")?, time("dur")?);
                let details = match event.remove("args") {
                    Some(Value::Object(details)) => details,
                    _ => Map::new(),
                };
                let end = start + length;
                self.slices.push(Slice { row, start, end, name, kind, details });
            }
            "i" => self.is_complete |= name == "end of the timeline",
            _ => {
                let end = End { row, time: time("ts")? };
                let id = event.get("id").map(Value::to_string).ok_or("id")?;
                match phase.as_str() {
                    "s" => drop(self.starts.insert((kind, id), end)),
                    _ => self.finishes.push(((kind, id), end)),
                }
            }
        }
        Ok(())
    }

    /// Returns what the script draws.
    fn data(mut self, path: &str) -> Value {
        let first = self.slices.iter().map(|slice| slice.start).min().unwrap_or_default();
        let last = self.slices.iter().map(|slice| slice.end).max().unwrap_or_default();
        // A slice is inside of those before it, or behind them.
        self.slices.sort_by_key(|slice| (slice.row, slice.start, u64::MAX - slice.end));
        let mut ranges: BTreeMap<Row, std::ops::Range<usize>> = BTreeMap::new();
        for (index, slice) in self.slices.iter().enumerate() {
            ranges.entry(slice.row).or_insert(index..index).end = index + 1;
        }
        let nesting = self.nesting();
        let mut kinds = Numbers::default();
        let mut names = Numbers::default();
        let mut rows: Vec<_> = ranges.into_iter().collect();
        // The main thread of a process has its number.
        rows.sort_by_key(|(row, range)| {
            let place = |entry: Option<&(Option<u64>, String)>| entry.and_then(|(place, _)| *place);
            let group = place(self.groups.get(&row.0)).unwrap_or(row.0);
            let thread = place(self.rows.get(row)).unwrap_or_default();
            (group, row.0, thread, row.0 != row.1, range.start)
        });
        // The slices get numbers in the order of the rows on the page.
        let mut numbers = vec![0; self.slices.len()];
        let mut slices = Vec::with_capacity(self.slices.len());
        let mut shown_rows = Vec::new();
        for (row, range) in rows {
            let depth = nesting[range.clone()].iter().map(|(depth, _)| depth + 1).max();
            let group = self.groups.get(&row.0).map(|(_, name)| name.as_str());
            let name = self.rows.get(&row).map(|(_, name)| name.as_str());
            shown_rows.push(json!({
                "group": group.filter(|name| !name.is_empty()).unwrap_or("?"),
                "id": row.0,
                "name": name.map_or_else(|| row.1.to_string(), str::to_owned),
                "depth": depth.unwrap_or(1),
                "first": slices.len(),
                "count": range.len(),
            }));
            for index in range {
                numbers[index] = slices.len();
                let slice = &mut self.slices[index];
                let details = std::mem::take(&mut slice.details);
                let (depth, _) = nesting[index];
                let (kind, name) = (kinds.of(&slice.kind), names.of(&slice.name));
                let (start, length) = (slice.start - first, slice.end - slice.start);
                slices.push(match details.is_empty() {
                    true => json!([start, length, depth, kind, name]),
                    false => json!([start, length, depth, kind, name, details]),
                });
            }
        }
        let mut arrows = Vec::new();
        for (key, finish) in &self.finishes {
            let Some(start) = self.starts.get(key) else { continue };
            let from = self.slice_at(start, &nesting);
            if let (Some(from), Some(to)) = (from, self.slice_at(finish, &nesting)) {
                arrows.push(json!([numbers[from], numbers[to], kinds.of(&key.0)]));
            }
        }
        json!({
            "file": path,
            "complete": self.is_complete,
            "length": last.saturating_sub(first).max(1),
            "kinds": kinds.texts,
            "names": names.texts,
            "rows": shown_rows,
            "slices": slices,
            "arrows": arrows,
        })
    }

    /// Returns the depth of each slice in its row, and the slice around it.
    fn nesting(&self) -> Vec<(usize, Option<usize>)> {
        let mut found = Vec::with_capacity(self.slices.len());
        let mut open: Vec<usize> = Vec::new();
        for (index, slice) in self.slices.iter().enumerate() {
            let is_around = |&outer: &usize| {
                let outer = &self.slices[outer];
                outer.row == slice.row && slice.start < outer.end
            };
            while open.last().is_some_and(|outer| !is_around(outer)) {
                open.pop();
            }
            found.push((open.len(), open.last().copied()));
            open.push(index);
        }
        found
    }

    /// Returns the innermost slice that contains the end of an arrow.
    fn slice_at(&self, end: &End, nesting: &[(usize, Option<usize>)]) -> Option<usize> {
        let key = (end.row, end.time);
        let behind = self.slices.partition_point(|slice| (slice.row, slice.start) <= key);
        let mut at = behind.checked_sub(1)?;
        while self.slices[at].row == end.row {
            if end.time <= self.slices[at].end {
                return Some(at);
            }
            at = nesting[at].1?;
        }
        None
    }
}

/// Texts that occur often, as numbers.
#[derive(Default)]
struct Numbers {
    known: HashMap<String, usize>,
    texts: Vec<String>,
}

impl Numbers {
    fn of(&mut self, text: &str) -> usize {
        if let Some(&number) = self.known.get(text) {
            return number;
        }
        let number = self.texts.len();
        self.known.insert(text.to_owned(), number);
        self.texts.push(text.to_owned());
        number
    }
}

fn page(path: &str, data: &Value) -> String {
    let title = super::html::escaped(path);
    // A script ends at the first `</`.
    let data = data.to_string().replace('<', "\\u003c");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} – timeline</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{title}</h1><p id=\"about\"></p><input id=\"search\" type=\"search\" \
         placeholder=\"Part of a name\" aria-label=\"Part of a name\"><p id=\"help\">Wheel or W, \
         S: zoom. Drag or A, D: move. Click: arrows of a slice. 0: everything.</p></header>\n\
         <main><canvas id=\"rows\" tabindex=\"0\"></canvas><div id=\"tip\" hidden></div></main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: &str = r#"[
{"ph":"M","pid":7,"tid":7,"name":"process_name","args":{"name":"app"}},
{"ph":"M","pid":7,"tid":7,"name":"thread_name","args":{"name":"main"}},
{"ph":"X","pid":7,"tid":7,"cat":"wait","name":"queue::wait","ts":10.500,"dur":4.000},
{"ph":"X","pid":7,"tid":7,"cat":"kernel","name":"</script>","ts":11.000,"dur":2.000,"args":{"a":1}},
{"ph":"X","pid":9,"tid":1,"cat":"kernel","name":"K","ts":12.000,"dur":1.000},
{"ph":"s","pid":7,"tid":7,"cat":"dependency","name":"dependency","ts":12.999,"id":1},
{"ph":"f","pid":9,"tid":1,"cat":"dependency","name":"dependency","ts":12.999,"id":1,"bp":"e"},
{"ph":"i","pid":7,"tid":7,"name":"end of the timeline","ts":20.000,"s":"g"}
]
"#;

    fn data(text: &str) -> Value {
        let events = events(text).expect("events");
        Timeline::read(events).expect("a timeline").data("t.json")
    }

    #[test]
    fn slices_are_nested_and_arrows_lead_from_slice_to_slice() {
        let data = data(EVENTS);
        assert_eq!(data["rows"][0]["group"], "app");
        assert_eq!((&data["rows"][0]["depth"], &data["rows"][1]["name"]), (&2.into(), &"1".into()));
        assert_eq!(data["slices"][0], json!([0, 4000, 0, 0, 0]));
        assert_eq!(data["slices"][1], json!([500, 2000, 1, 1, 1, {"a": 1}]));
        assert_eq!(data["arrows"], json!([[1, 2, 2]]));
        assert_eq!((&data["complete"], &data["length"]), (&true.into(), &4000.into()));
    }

    #[test]
    fn a_cut_timeline_shows_its_whole_events() {
        let end = EVENTS.find(",\n{\"ph\":\"i\"").expect("the last event");
        for cut in [&EVENTS[..end], &EVENTS[..=end], &EVENTS[..end + 20]] {
            let data = data(cut);
            assert_eq!(data["slices"].as_array().map(Vec::len), Some(3));
            assert_eq!(data["complete"], false);
        }
        assert_eq!(data("[\n")["rows"], json!([]));
        assert_eq!(data(r#"{"traceEvents": []}"#)["slices"], json!([]));
    }

    #[test]
    fn other_files_are_refused() {
        for text in ["", "{}", "3", "[1]", "[{}]", "\u{7f}ELF", r#"[{"ph":"X","pid":1,"ts":-3}]"#] {
            let refused = render("t.json", text.as_bytes()).expect_err("refused").to_string();
            assert!(refused.starts_with("t.json: error: "), "{refused}");
        }
        assert!(render("t.json", &[0xff, 0]).is_err());
    }

    #[test]
    fn no_name_ends_the_script() {
        let page = render("<b>.json", EVENTS.as_bytes()).expect("a page");
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(page.contains("<title>&lt;b&gt;.json"));
    }
}
