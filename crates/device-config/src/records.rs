//! Reads TableGen records from the JSON that stock `llvm-tblgen` dumps.
//!
//! The build script reads the default configuration with this file. The tool that writes C++ tables
//! reads other files with it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable with the prefix of LLVM, as for the crates that link LLVM.
pub const PREFIX_VARIABLE: &str = "LLVM_SYS_221_PREFIX";

/// Returns the paths of `llvm-tblgen`, in the order of the search.
fn candidates() -> Vec<PathBuf> {
    let prefix =
        std::env::var_os(PREFIX_VARIABLE).map(|prefix| Path::new(&prefix).join("bin/llvm-tblgen"));
    prefix
        .into_iter()
        .chain(["llvm-tblgen-22".into(), "/usr/lib/llvm-22/bin/llvm-tblgen".into()])
        .collect()
}

/// The reason why there is no dump of a file.
pub enum DumpError {
    /// `llvm-tblgen` cannot be run.
    NoTableGen(String),
    /// `llvm-tblgen` rejects the file and prints this text.
    Rejected(String),
}

/// The text for the build script.
impl From<DumpError> for String {
    fn from(error: DumpError) -> Self {
        match error {
            DumpError::NoTableGen(text) | DumpError::Rejected(text) => text,
        }
    }
}

/// Runs `llvm-tblgen -dump-json` on a file.
pub fn dump(input: &Path, include: &[PathBuf]) -> Result<String, DumpError> {
    let tools = candidates();
    for tool in &tools {
        let mut command = Command::new(tool);
        command.arg("-dump-json").arg(input);
        for folder in include {
            command.arg("-I").arg(folder);
        }
        let output = match command.output() {
            Ok(output) => output,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                let reason = format!("cannot run '{}': {error}", tool.display());
                return Err(DumpError::NoTableGen(reason));
            }
        };
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(DumpError::Rejected(text));
        }
        return String::from_utf8(output.stdout).map_err(|error| {
            let reason = format!("the output of '{}' is not UTF-8 text: {error}", tool.display());
            DumpError::NoTableGen(reason)
        });
    }
    let tried: Vec<String> = tools.iter().map(|tool| tool.display().to_string()).collect();
    Err(DumpError::NoTableGen(format!(
        "llvm-tblgen of LLVM 22 was not found; tried {}. Set {PREFIX_VARIABLE} to the prefix of \
         LLVM 22",
        tried.join(", ")
    )))
}

/// All records of a file.
pub struct Records(Value);

/// A record.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    name: &'a str,
    fields: &'a Value,
}

impl Records {
    pub fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text)
            .map(Self)
            .map_err(|error| format!("the dump of the records is not JSON: {error}"))
    }

    pub fn get<'a>(&'a self, name: &'a str) -> Result<Record<'a>, String> {
        match self.0.get(name) {
            Some(fields) => Ok(Record { name, fields }),
            None => Err(format!("there is no record '{name}'")),
        }
    }

    /// Returns the records that derive from a class.
    pub fn instances<'a>(&'a self, class: &str) -> Result<Vec<Record<'a>>, String> {
        let names = self
            .0
            .get("!instanceof")
            .and_then(|classes| classes.get(class))
            .and_then(Value::as_array);
        let names = names.ok_or_else(|| format!("there is no class '{class}'"))?;
        names.iter().filter_map(Value::as_str).map(|name| self.get(name)).collect()
    }
}

impl<'a> Record<'a> {
    pub fn name(self) -> &'a str {
        self.name
    }

    pub fn field(self, field: &str) -> Result<&'a Value, String> {
        self.fields
            .get(field)
            .ok_or_else(|| format!("record '{}' has no field '{field}'", self.name))
    }

    pub fn string(self, field: &str) -> Result<&'a str, String> {
        self.field(field)?.as_str().ok_or_else(|| self.unfit(field, "a string"))
    }

    /// Returns a number, a bit, or a single element of several bits. The dump does not distinguish
    /// longer bits from a list.
    pub fn integer(self, field: &str) -> Result<i64, String> {
        let value = self.field(field)?;
        let alone = value.as_array().is_none_or(|bits| bits.len() == 1);
        integer(value).filter(|_| alone).ok_or_else(|| self.unfit(field, "a number"))
    }

    pub fn integers(self, field: &str) -> Result<Vec<i64>, String> {
        self.list(field, integer, "a list of numbers")
    }

    pub fn strings(self, field: &str) -> Result<Vec<&'a str>, String> {
        self.list(field, Value::as_str, "a list of strings")
    }

    /// Returns the names of the records in a list.
    pub fn definitions(self, field: &str) -> Result<Vec<&'a str>, String> {
        self.list(field, |item| item.get("def")?.as_str(), "a list of records")
    }

    fn list<T>(
        self,
        field: &str,
        item: impl Fn(&'a Value) -> Option<T>,
        expected: &str,
    ) -> Result<Vec<T>, String> {
        let items = self.field(field)?.as_array().ok_or_else(|| self.unfit(field, expected))?;
        items.iter().map(|value| item(value).ok_or_else(|| self.unfit(field, expected))).collect()
    }

    pub fn unfit(self, field: &str, expected: &str) -> String {
        format!("field '{field}' of record '{}' is not {expected}", self.name)
    }
}

/// Converts a number, a bit, or several bits. The dump has the lowest bit first.
pub fn integer(value: &Value) -> Option<i64> {
    let Value::Array(bits) = value else { return value.as_i64() };
    if bits.is_empty() || bits.len() > 64 {
        return None;
    }
    let bit = |number: &Value| number.as_u64().filter(|bit| *bit <= 1);
    let place = |number: u64, (at, value): (usize, &Value)| Some(number | bit(value)? << at);
    bits.iter().enumerate().try_fold(0, place).map(u64::cast_signed)
}
