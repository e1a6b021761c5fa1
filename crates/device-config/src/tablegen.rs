//! The TableGen back end `-gen-dynamic-tables`: records of class `DynamicTable` become `std::map`s in C++.
//!
//! Records come from stock `llvm-tblgen`; see `td/DynamicTable.td` for what a table says. The output depends on the input
//! alone, and is ordered by key.

use crate::records::{self, Record, Records};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Files that a `.td` file may include without having them: the class of tables, and the default configuration. A path
/// below the include folder, and the text.
pub const BUILT_IN: [(&str, &str); 3] = [
    ("llvm/TableGen/DynamicTable.td", include_str!("../td/llvm/TableGen/DynamicTable.td")),
    ("Aspects.td", include_str!("../td/Aspects.td")),
    ("DeviceConfig.td", include_str!("../td/DeviceConfig.td")),
];

/// The C++ code of every dynamic table in a `.td` file.
pub fn dynamic_tables(input: &Path, include: &[PathBuf]) -> Result<String, String> {
    let records = Records::from_json(&records::dump(input, include)?)?;
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

fn dynamic_table(records: &Records, table: Record<'_>) -> Result<String, String> {
    let name = table.name();
    let class = table.string("FilterClass")?;
    let cpp_type = table.string("CppTypeName")?;
    let fields = table.strings("Fields")?;
    let (key, fields) =
        fields.split_first().ok_or_else(|| format!("table '{name}' has no fields: expected a key first"))?;
    let mut entries = BTreeMap::new();
    for record in records.instances(class)? {
        let key_text = record.string(key)?;
        let values = fields.iter().map(|field| initialiser(records, table, record, field));
        let value = values.collect::<Result<Vec<_>, _>>()?.join(", ");
        if entries.insert(key_text.to_owned(), value).is_some() {
            return Err(format!("table '{name}' has two entries '{key_text}'"));
        }
    }
    let mut code = format!("\n#ifdef GET_{name}_IMPL\ninline std::map<std::string, {cpp_type}> {name} = {{\n");
    for (key, value) in entries {
        writeln!(code, "    {{{},\n     {{{value}}}}},", quoted(&key)).expect("a string takes all that is written");
    }
    Ok(code + "};\n#endif\n")
}

/// The C++ initialiser of one member.
fn initialiser(records: &Records, table: Record<'_>, record: Record<'_>, field: &str) -> Result<String, String> {
    let list = |items: Vec<String>| format!("{{{}}}", items.join(", "));
    match table.string(&format!("TypeOf_{field}")) {
        Ok("list<int>") => Ok(list(record.integers(field)?.iter().map(i64::to_string).collect())),
        Ok("list<string>") => Ok(list(record.strings(field)?.into_iter().map(quoted).collect())),
        Ok(kind) if kind.starts_with("list<") && kind.ends_with('>') => {
            let definitions = record.definitions(field)?.into_iter();
            let names = definitions.map(|name| Ok(quoted(records.get(name)?.string("Name")?)));
            Ok(list(names.collect::<Result<_, String>>()?))
        }
        Ok(kind) => Err(format!("table '{}' says that '{field}' is '{kind}': expected a list<…>", table.name())),
        Err(_) => match record.string(field) {
            Ok(text) => Ok(quoted(text)),
            Err(_) => Ok(record.integer(field)?.to_string()),
        },
    }
}

/// A string literal.
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
