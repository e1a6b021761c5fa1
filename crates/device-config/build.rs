//! Converts `td/DeviceConfig.td` to Rust. Stock `llvm-tblgen` dumps the records as JSON, and this
//! program writes `targets.rs` from them.
//!
//! `TARGETS` and `ALIASES` in that file are sorted slices of constants, so nothing is built when a
//! program starts.

// The tool uses the other functions.
#[allow(dead_code)]
#[path = "src/records.rs"]
mod records;

use records::{Record, Records};
use scythe_abi::aspect::Aspect;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=td");
    println!("cargo:rerun-if-changed=src/records.rs");
    println!("cargo:rerun-if-env-changed={}", records::PREFIX_VARIABLE);
    match generate() {
        Ok(code) => {
            let folder = std::env::var("OUT_DIR").expect("cargo names the output folder");
            let path = Path::new(&folder).join("targets.rs");
            std::fs::write(&path, code)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        Err(error) => panic!("td/DeviceConfig.td: {error}"),
    }
}

fn generate() -> Result<String, String> {
    let records =
        Records::from_json(&records::dump(Path::new("td/DeviceConfig.td"), &["td".into()])?)?;
    check_aspects(&records)?;
    let mut targets = BTreeMap::new();
    let mut aliases = BTreeMap::new();
    for record in records.instances("TargetInfo")? {
        let name = record.string("TargetName")?;
        let repeated = match record.string("AliasOf")? {
            "" => targets.insert(name.to_owned(), target(&records, record)?).is_some(),
            of => aliases.insert(name.to_owned(), of.to_owned()).is_some(),
        };
        if repeated {
            return Err(format!("the target '{name}' is defined twice"));
        }
    }
    if let Some((alias, of)) = aliases
        .iter()
        .find(|(alias, of)| targets.contains_key(*alias) || !targets.contains_key(*of))
    {
        return Err(format!("'{alias}' is an alias of '{of}': expected a new name and a target"));
    }
    let mut code = String::from("pub(crate) static TARGETS: &[Target] = &[\n");
    targets.values().for_each(|row| code.push_str(row));
    code.push_str("];\n\n/// Alias and target, in order of the aliases.\n");
    code.push_str("pub(crate) static ALIASES: &[(&str, &str)] = &[\n");
    for (alias, of) in &aliases {
        writeln!(code, "    ({alias:?}, {of:?}),").expect("a string takes all that is written");
    }
    Ok(code + "];\n")
}

/// Checks that the aspects of the `.td` file are those of `scythe_abi`, in the same order.
fn check_aspects(records: &Records) -> Result<(), String> {
    for record in records.instances("Aspect")? {
        aspect(record)?;
    }
    let defined = records.instances("Aspect")?.len();
    match Aspect::ALL.len() {
        known if known == defined => Ok(()),
        known => Err(format!(
            "{defined} aspects are defined: expected {known}, as in crates/abi/src/aspect.rs"
        )),
    }
}

fn aspect(record: Record<'_>) -> Result<Aspect, String> {
    let name = record.string("Name")?;
    Aspect::from_name(name).ok_or_else(|| {
        format!("unknown aspect '{name}': it has no number in crates/abi/src/aspect.rs")
    })
}

/// Formats a row of the table.
fn target(records: &Records, record: Record<'_>) -> Result<String, String> {
    let name = record.string("TargetName")?;
    let mut aspects = record
        .definitions("aspects")?
        .into_iter()
        .map(|def| aspect(records.get(def)?))
        .collect::<Result<Vec<_>, _>>()?;
    aspects.sort();
    aspects.dedup();
    let aspects: Vec<String> = aspects.iter().map(|aspect| format!("Aspect::{aspect:?}")).collect();
    let limit = |field| Ok::<_, String>(Some(record.integer(field)?).filter(|&limit| limit != 0));
    Ok(format!(
        "    Target {{\n        name: Cow::Borrowed({name:?}),\n        aspects: \
         Cow::Borrowed(&[{}]),\n        \
         may_support_other_aspects: {},\n        sub_group_sizes: Cow::Borrowed(&{:?}),\n        \
         aot_toolchain: Cow::Borrowed({:?}),\n        aot_toolchain_options: \
         Cow::Borrowed({:?}),\n        \
         max_work_group_size: {:?},\n        local_mem_size: {:?},\n        first_ptx: {:?},\n    \
         }},\n",
        aspects.join(", "),
        record.integer("maySupportOtherAspects")? != 0,
        record.integers("subGroupSizes")?,
        record.string("aotToolchain")?,
        record.string("aotToolchainOptions")?,
        limit("maxWorkGroupSize")?,
        limit("localMemSize")?,
        limit("ptxVersion")?,
    ))
}
