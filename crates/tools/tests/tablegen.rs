//! `dynamic-tblgen` writes tables that a C++ compiler accepts, and that say what the compiler itself knows.

use scythe_device_config::Table;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn tool(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scythe-tools"));
    command.arg("dynamic-tblgen").args(args).current_dir(folder).output().expect("the tool starts")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

/// Every target and alias of the default table, one line each.
fn expected_dump() -> Vec<String> {
    let table = Table::embedded();
    let mut lines = Vec::new();
    for target in table.targets() {
        let aliases = Table::aliases(&target.name).map(str::to_owned);
        let names = std::iter::once(target.name.to_string()).chain(aliases);
        // The .td file lists aspects in an order of its own: here, by name.
        let mut aspects: Vec<_> = target.aspects.iter().map(|aspect| aspect.as_str()).collect();
        aspects.sort();
        let sizes: Vec<String> = target.sub_group_sizes.iter().map(u32::to_string).collect();
        for name in names {
            lines.push(format!(
                "{name}|{}|{}|{}|{}|{}",
                aspects.join(","),
                u8::from(target.may_support_other_aspects),
                sizes.join(","),
                target.aot_toolchain,
                target.aot_toolchain_options
            ));
        }
    }
    lines.sort();
    lines
}

#[test]
fn the_default_configuration_compiles_with_gcc_and_gives_the_same_table() {
    let folder = folder();
    let output =
        tool(folder.path(), &["-gen-dynamic-tables", "-I", ".", "DeviceConfig.td", "-o", "device_config_file.inc"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../device-config/include");
    let program = "
#include \"DeviceConfigFile.hpp\"
#include <algorithm>
#include <iostream>
int main() {
  for (auto &[name, info] : DeviceConfigFile::TargetTable) {
    std::cout << name << '|';
    auto aspects = info.aspects;
    std::sort(aspects.begin(), aspects.end());
    for (size_t i = 0; i < aspects.size(); ++i)
      std::cout << (i ? \",\" : \"\") << aspects[i];
    std::cout << '|' << info.maySupportOtherAspects << '|';
    for (size_t i = 0; i < info.subGroupSizes.size(); ++i)
      std::cout << (i ? \",\" : \"\") << info.subGroupSizes[i];
    std::cout << '|' << info.aotToolchain << '|' << info.aotToolchainOptions << '\\n';
  }
  DeviceConfigFile::TargetTable[\"mine\"] = {{\"gpu\"}, true, {8}, \"tool\", \"-x\"};
  return DeviceConfigFile::TargetTable.count(\"mine\") - 1;
}
";
    std::fs::write(folder.path().join("main.cpp"), program).unwrap();
    let compiled = Command::new("g++")
        .args(["-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(&header)
        .args(["-I.", "main.cpp", "-o", "dump"])
        .current_dir(folder.path())
        .output()
        .expect("g++ starts");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let dumped = Command::new(folder.path().join("dump")).output().expect("the program starts");
    assert!(dumped.status.success());
    let mut seen: Vec<String> = String::from_utf8_lossy(&dumped.stdout).lines().map(str::to_owned).collect();
    seen.sort();
    let expected = expected_dump();
    assert_eq!(seen.len(), expected.len());
    for (seen, expected) in seen.iter().zip(&expected) {
        assert_eq!(seen, expected);
    }
}

/// The example of the design document, with its missing semicolon and its missing member.
const EXAMPLE: &str = r#"
include "llvm/TableGen/DynamicTable.td"

class Aspect<string name> { string Name = name; }
def AspectCpu : Aspect<"cpu">;
def AspectAtomic64 : Aspect<"atomic64">;
def AspectGpu : Aspect<"gpu">;
def AspectFp16 : Aspect<"fp16">;
def AspectEmulated : Aspect<"emulated">;
def AspectImage : Aspect<"image">;

def TargetTable : DynamicTable {
    let FilterClass = "TargetInfo";
    let Fields = ["TargetName", "aspects", "maySupportOtherAspects",
                  "subGroupSizes", "aotToolchain", "aotToolchainOptions"];
    string TypeOf_aspects = "list<Aspect>";
    string TypeOf_subGroupSizes = "list<int>";
}

class TargetInfo <string tgtName, list<Aspect> aspectList, bit otherAspects,
                  list<int> listSubGroupSizes, string toolchain, string options>
{
    string TargetName = tgtName;
    list<Aspect> aspects = aspectList;
    bits<1> maySupportOtherAspects = otherAspects;
    list<int> subGroupSizes = listSubGroupSizes;
    string aotToolchain = toolchain;
    string aotToolchainOptions = options;
}

def : TargetInfo<"TargetC", [AspectEmulated, AspectImage], 0, [8, 32], "ocloc", "-device tgtC, -option2 val">;
def : TargetInfo<"TargetA", [AspectCpu, AspectAtomic64], 0, [8, 16], "ocloc", "-device tgtA">;
def : TargetInfo<"TargetB", [AspectGpu, AspectFp16], 1, [], "a \"b\" \\", "">;
"#;

#[test]
fn the_documents_example_gives_the_documents_table() {
    let folder = folder();
    std::fs::write(folder.path().join("input.td"), EXAMPLE).unwrap();
    let output = tool(folder.path(), &["-gen-dynamic-tables", "input.td"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        r#"// Made by -gen-dynamic-tables. Changes will be lost.

#ifdef GET_TargetTable_IMPL
inline std::map<std::string, TargetInfo> TargetTable = {
    {"TargetA",
     {{"cpu", "atomic64"}, 0, {8, 16}, "ocloc", "-device tgtA"}},
    {"TargetB",
     {{"gpu", "fp16"}, 1, {}, "a \"b\" \\", ""}},
    {"TargetC",
     {{"emulated", "image"}, 0, {8, 32}, "ocloc", "-device tgtC, -option2 val"}},
};
#endif
"#
    );
}

#[test]
fn mistakes_are_named_and_leave_nothing_behind() {
    let folder = folder();
    let table = |fields: &str| {
        format!(
            "include \"llvm/TableGen/DynamicTable.td\"\nclass C<string n> {{ string Name = n; list<int> l = [1]; }}\n\
             def T : DynamicTable {{ let FilterClass = \"C\"; let Fields = {fields}; }}\ndef : C<\"a\">;\ndef : C<\"a\">;\n"
        )
    };
    let cases = [
        ("class X {", "error"),
        ("class X;\n", "input.td: error: no record of class 'DynamicTable': expected one for each table"),
        ("include \"nowhere.td\"\n", "nowhere.td"),
        (&table("[]"), "input.td: error: table 'T' has no fields: expected a key first"),
        (&table("[\"Name\"]"), "input.td: error: table 'T' has two entries 'a'"),
        (&table("[\"Name\", \"x\"]"), "has no field 'x'"),
        (&table("[\"Name\", \"l\", \"l\"]"), "table 'T' has two entries 'a'"),
        (&table("[\"l\"]"), "is not a string"),
    ];
    for (text, expected) in cases {
        std::fs::write(folder.path().join("input.td"), text).unwrap();
        let output = tool(folder.path(), &["-gen-dynamic-tables", "input.td", "-o", "out.inc"]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && stderr.contains(expected), "{text}\nexpected {expected}\nseen {stderr}");
        assert!(!folder.path().join("out.inc").exists());
    }
    let mut failures = String::new();
    for (args, expected) in [
        (&["input.td"][..], "dynamic-tblgen: error: nothing to do: expected --gen-dynamic-tables\n"),
        (&["-gen-dynamic-tables", "none.td"], "none.td: error: cannot read: No such file or directory\n"),
    ] {
        let stderr = tool(folder.path(), args).stderr;
        if stderr != expected.as_bytes() {
            writeln!(failures, "{args:?}: {}", String::from_utf8_lossy(&stderr)).unwrap();
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
