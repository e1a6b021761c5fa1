//! The TableGen back end `-gen-dynamic-tables`, which writes records of class `DynamicTable` as
//! `std::map`s in C++.
//!
//! Stock `llvm-tblgen` reads the records. `td/DynamicTable.td` describes the contents of a table.
//! The output depends only on the input, and is ordered by key.

use crate::Error;
use crate::errors::{BadRecord, NoTableGen, RejectedByTableGen};
use crate::records::{self, DumpError, Record, Records, integer};
use scythe_diag::Report;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Files that every `.td` file can include: the class of tables, and the default configuration.
/// Each has a path below the include folder, and its text.
pub const BUILT_IN: [(&str, &str); 3] = [
    ("llvm/TableGen/DynamicTable.td", include_str!("../td/llvm/TableGen/DynamicTable.td")),
    ("Aspects.td", include_str!("../td/Aspects.td")),
    ("DeviceConfig.td", include_str!("../td/DeviceConfig.td")),
];

/// Returns the C++ code of every dynamic table in a `.td` file.
pub fn dynamic_tables(input: &Path, include: &[PathBuf]) -> Result<String, Error> {
    let json = records::dump(input, include).map_err(|error| match error {
        DumpError::NoTableGen(reason) => NoTableGen { reason }.report(),
        DumpError::Rejected(text) => RejectedByTableGen.report().note(text),
    })?;
    tables_of(&json).map_err(|reason| BadRecord { reason }.report())
}

/// Returns the C++ code of the tables in a dump of records.
fn tables_of(json: &str) -> Result<String, String> {
    let records = Records::from_json(json)?;
    let mut tables: Vec<_> = records.instances("DynamicTable").unwrap_or_default();
    if tables.is_empty() {
        return Err("no record of class 'DynamicTable': expected one for each table".into());
    }
    tables.sort_by_key(|table| table.name());
    let mut code = String::from("// Made by -gen-dynamic-tables. Changes will be lost.\n");
    for table in tables {
        code.push_str(&dynamic_table(&records, table)?);
    }
    Ok(code)
}

/// The key of an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number(i64),
    Text(String),
}

impl Key {
    fn of(table: Record<'_>, record: Record<'_>, field: &str) -> Result<Self, String> {
        if let Ok(text) = record.string(field) {
            return Ok(Self::Text(text.to_owned()));
        }
        let bits =
            table.string(&format!("TypeOf_{field}")).is_ok_and(|kind| kind.starts_with("bits"));
        let number = if bits { integer(record.field(field)?) } else { record.integer(field).ok() };
        number
            .map(Self::Number)
            .ok_or_else(|| record.unfit(field, "a string or a number, as keys are"))
    }

    fn literal(&self) -> String {
        match self {
            Self::Number(number) => literal(*number),
            Self::Text(text) => quoted(text),
        }
    }
}

fn dynamic_table(records: &Records, table: Record<'_>) -> Result<String, String> {
    let name = table.name();
    let class = table.string("FilterClass")?;
    let cpp_type = table.string("CppTypeName")?;
    let fields = table.strings("Fields")?;
    let (key, fields) = fields
        .split_first()
        .ok_or_else(|| format!("table '{name}' has no fields: expected a key first"))?;
    let mut entries = BTreeMap::new();
    for record in records.instances(class)? {
        let key = Key::of(table, record, key)?;
        let values = fields.iter().map(|field| initialiser(records, table, record, field));
        let value = values.collect::<Result<Vec<_>, _>>()?.join(", ");
        if entries.insert(key.clone(), value).is_some() {
            return Err(format!("table '{name}' has two entries with the key {}", key.literal()));
        }
    }
    let fits = |key: &Key| matches!(key, Key::Number(number) if i32::try_from(*number).is_ok());
    let key_type = match entries.keys().next() {
        Some(Key::Number(_)) if entries.keys().all(fits) => "int",
        Some(Key::Number(_)) => "long long",
        _ => "std::string",
    };
    let mut code =
        format!("\n#ifdef GET_{name}_IMPL\ninline std::map<{key_type}, {cpp_type}> {name} = {{\n");
    for (key, value) in entries {
        writeln!(code, "    {{{},\n     {{{value}}}}},", key.literal())
            .expect("a string takes all that is written");
    }
    Ok(code + "};\n#endif\n")
}

/// Returns the C++ initialiser of one member.
fn initialiser(
    records: &Records,
    table: Record<'_>,
    record: Record<'_>,
    field: &str,
) -> Result<String, String> {
    let value = record.field(field)?;
    if let Ok(kind) = table.string(&format!("TypeOf_{field}")) {
        return of_kind(records, kind, value).map_err(|fault| match fault {
            Fault::Kind => {
                format!("table '{}' says that '{field}' is '{kind}': expected a type", table.name())
            }
            Fault::Value(kind) => {
                record.unfit(field, &format!("what table '{}' says: '{kind}'", table.name()))
            }
            Fault::Record(message) => message,
        });
    }
    match record.string(field) {
        Ok(text) => Ok(quoted(text)),
        Err(_) => Ok(literal(record.integer(field).map_err(|_| {
            let expected = format!(
                "a string or a number: lists and bits<N> need 'TypeOf_{field}' in table '{}'",
                table.name()
            );
            record.unfit(field, &expected)
        })?)),
    }
}

/// The reason why a value has no initialiser.
enum Fault {
    /// The type is unknown.
    Kind,
    /// The value does not have this type.
    Value(String),
    Record(String),
}

/// Returns the initialiser of a value of type `kind`: `int`, `bit`, `bits<N>`, `string`,
/// `list<KIND>`, or a class. For a record of a class, it is the record's member `Name`.
fn of_kind(records: &Records, kind: &str, value: &Value) -> Result<String, Fault> {
    let kind = kind.trim();
    let of = |start: &str| kind.strip_prefix(start)?.trim().strip_prefix('<')?.strip_suffix('>');
    let other = || Fault::Value(kind.to_owned());
    if let Some(items) = of("list") {
        let list = value.as_array().ok_or_else(other)?;
        let list =
            list.iter().map(|item| of_kind(records, items, item)).collect::<Result<Vec<_>, _>>()?;
        return Ok(format!("{{{}}}", list.join(", ")));
    }
    if let Some(width) = of("bits") {
        let width: usize = width.trim().parse().map_err(|_| Fault::Kind)?;
        let fits = value.as_array().is_some_and(|bits| bits.len() == width);
        return integer(value).filter(|_| fits).map(literal).ok_or_else(other);
    }
    match kind {
        "int" | "bit" => value.as_i64().map(literal).ok_or_else(other),
        "string" | "code" => value.as_str().map(quoted).ok_or_else(other),
        _ if !kind.is_empty()
            && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') =>
        {
            let name = value.get("def").and_then(Value::as_str).ok_or_else(other)?;
            records
                .get(name)
                .and_then(|record| record.string("Name"))
                .map(quoted)
                .map_err(Fault::Record)
        }
        _ => Err(Fault::Kind),
    }
}

/// Formats a number as a literal of a type that can represent it.
fn literal(number: i64) -> String {
    match number {
        // C++ has no literal for this number, because the sign is an operator.
        i64::MIN => "(-9223372036854775807LL - 1)".to_owned(),
        _ if i32::try_from(number).is_ok() => number.to_string(),
        _ => format!("{number}LL"),
    }
}

/// Formats a string literal.
fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => literal.extend(['\\', byte.into()]),
            b' '..=b'~' => literal.push(byte.into()),
            _ => write!(literal, "\\{byte:03o}").expect("a string takes all that is written"),
        }
    }
    literal + "\""
}
