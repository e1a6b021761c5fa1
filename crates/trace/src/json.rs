//! The Trace Event Format: a JSON array with one event per line, which Perfetto and Chrome open.
//! Times in the file are microseconds with three decimals.
//!
//! The array may lack its end, so that a file is readable after the process was killed. Each event
//! is therefore preceded by its separator, never followed by one.

use std::fmt::Write;

/// The value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Integer(u64),
    Real(f64),
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Integer(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// The row of a slice: a process or a device, and a thread or a lane in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub process: u64,
    pub thread: u64,
}

/// The two ends of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Start,
    Finish,
}

/// Events as text.
#[derive(Default)]
pub struct Events {
    text: String,
    /// Whether an event precedes the next one in the file.
    follows: bool,
}

impl Events {
    /// Begins the array.
    pub fn begin() -> Self {
        Self { text: "[".to_owned(), follows: false }
    }

    /// Takes the text since the last call. The events follow each other in the file.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Returns whether there is text to take.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Ends the array.
    pub fn end(&mut self) {
        self.text.push_str("\n]\n");
    }

    fn open(&mut self, phase: &str, row: Row) {
        self.text.push_str(if std::mem::replace(&mut self.follows, true) { ",\n" } else { "\n" });
        self.text.push_str(r#"{"ph":""#);
        self.text.push_str(phase);
        self.text.push_str(r#"","pid":"#);
        push_number(&mut self.text, row.process);
        self.text.push_str(r#","tid":"#);
        push_number(&mut self.text, row.thread);
    }

    fn field(&mut self, name: &str, value: &str) {
        self.name(name);
        push_text(&mut self.text, value);
    }

    fn time(&mut self, name: &str, ns: u64) {
        self.name(name);
        push_number(&mut self.text, ns / 1000);
        let rest = ns % 1000;
        self.text.push('.');
        for digit in [rest / 100, rest / 10 % 10, rest % 10] {
            self.text.push((b'0' + digit as u8) as char);
        }
    }

    fn name(&mut self, name: &str) {
        self.text.push_str(",\"");
        self.text.push_str(name);
        self.text.push_str("\":");
    }

    fn args(&mut self, args: &[(&str, Value)]) {
        if args.is_empty() {
            return;
        }
        self.text.push_str(r#","args":{"#);
        for (i, (name, value)) in args.iter().enumerate() {
            self.text.push_str(if i == 0 { "" } else { "," });
            push_text(&mut self.text, name);
            self.text.push(':');
            match value {
                Value::Text(text) => push_text(&mut self.text, text),
                Value::Integer(number) => push_number(&mut self.text, *number),
                Value::Real(number) if number.is_finite() => {
                    let _ = write!(self.text, "{number:.3}");
                }
                Value::Real(_) => self.text.push_str("null"),
            }
        }
        self.text.push('}');
    }

    /// Names the process, or the thread, of a row.
    pub fn name_row(&mut self, what: RowName, row: Row, name: &str) {
        self.open("M", row);
        self.field("name", what.event());
        self.args(&[("name", Value::from(name))]);
        self.text.push('}');
    }

    /// Sets the place of a row among the processes, or among the threads of its process.
    pub fn sort_row(&mut self, what: RowName, row: Row, index: u64) {
        self.open("M", row);
        let event = match what {
            RowName::Process => "process_sort_index",
            RowName::Thread => "thread_sort_index",
        };
        self.field("name", event);
        self.args(&[("sort_index", Value::from(index))]);
        self.text.push('}');
    }

    /// Adds a slice.
    pub fn slice(
        &mut self,
        row: Row,
        (category, name): (&str, &str),
        (start, end): (u64, u64),
        args: &[(&str, Value)],
    ) {
        self.open("X", row);
        self.field("cat", category);
        self.field("name", name);
        self.time("ts", start);
        self.time("dur", end.saturating_sub(start));
        self.args(args);
        self.text.push('}');
    }

    /// Adds one end of an arrow between two slices. It is attached to the slice that contains its
    /// time.
    pub fn arrow(&mut self, end: End, row: Row, category: &str, id: u64, time: u64) {
        self.open(if end == End::Start { "s" } else { "f" }, row);
        self.field("cat", category);
        self.field("name", category);
        self.time("ts", time);
        self.name("id");
        push_number(&mut self.text, id);
        if end == End::Finish {
            // The arrow ends at the slice that contains its time, not at the next one.
            self.field("bp", "e");
        }
        self.text.push('}');
    }

    /// Adds a remark about the whole timeline.
    pub fn remark(&mut self, row: Row, name: &str, time: u64, args: &[(&str, Value)]) {
        self.open("i", row);
        self.field("name", name);
        self.time("ts", time);
        self.field("s", "g");
        self.args(args);
        self.text.push('}');
    }

    /// Adds an event of another writer, without its separator.
    pub fn raw(&mut self, event: &str) {
        self.text.push_str(if std::mem::replace(&mut self.follows, true) { ",\n" } else { "\n" });
        self.text.push_str(event);
    }
}

/// What a name is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowName {
    Process,
    Thread,
}

impl RowName {
    fn event(self) -> &'static str {
        match self {
            Self::Process => "process_name",
            Self::Thread => "thread_name",
        }
    }
}

/// Adds a number. Most of the text of a timeline are numbers, so this is faster than `write!`.
fn push_number(out: &mut String, mut number: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}

/// Adds a text in quotation marks.
fn push_text(out: &mut String, text: &str) {
    out.push('"');
    if !text.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        out.push_str(text);
        return out.push('"');
    }
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Row = Row { process: 7, thread: 8 };

    #[test]
    fn events_are_json_with_or_without_the_end() {
        let mut events = Events::begin();
        events.name_row(RowName::Thread, ROW, "a \"name\"\n\\");
        let args = [("range", Value::from("{4, 2}")), ("rate", Value::from(f64::NAN))];
        events.slice(ROW, ("kernel", "f<int>"), (1_002_003, 1_002_103), &args);
        events.arrow(End::Start, ROW, "dependency", 3, 1_002_102);
        events.arrow(End::Finish, ROW, "dependency", 3, 1_002_200);
        let cut = events.take();
        let parsed: serde_json::Value = serde_json::from_str(&format!("{cut}]")).expect("JSON");
        assert_eq!(parsed[0]["args"]["name"], "a \"name\"\n\\");
        assert_eq!((&parsed[1]["ts"], &parsed[1]["dur"]), (&1002.003.into(), &0.1.into()));
        assert!(parsed[1]["args"]["rate"].is_null());
        assert_eq!((&parsed[3]["bp"], &parsed[3]["id"]), (&"e".into(), &3.into()));
        events.remark(ROW, "the end", 5, &[]);
        events.end();
        let whole = cut + &events.take();
        let parsed: serde_json::Value = serde_json::from_str(&whole).expect("JSON");
        assert_eq!(parsed.as_array().map(Vec::len), Some(5));
    }
}
