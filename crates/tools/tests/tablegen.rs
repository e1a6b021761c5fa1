//! `dynamic-tblgen` writes tables that a C++ compiler accepts, and that say what the compiler
//! itself knows.

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
    let output = tool(
        folder.path(),
        &["-gen-dynamic-tables", "-I", ".", "DeviceConfig.td", "-o", "device_config_file.inc"],
    );
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
    let mut seen: Vec<String> =
        String::from_utf8_lossy(&dumped.stdout).lines().map(str::to_owned).collect();
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

/// Numbers as keys, bits, and lists of lists.
const NUMBERS: &str = r#"
include "llvm/TableGen/DynamicTable.td"

class Device<int number, bits<4> mask, list<list<int>> groups> {
  int Number = number;
  string Name = "device";
  bits<4> Mask = mask;
  bits<40> Wide = 0;
  list<list<int>> Groups = groups;
  list<bits<3>> Sets = [0b110, 0b001];
  list<list<Device>> Others = [];
}
def First : Device<-3, 0b1010, [[1, 2], [], [3]]> { let Wide{39} = 1; }
def : Device<2000000000, 15, []> { let Others = [[First], [First, First]]; }

def DeviceTable : DynamicTable {
  let FilterClass = "Device";
  let Fields = ["Number", "Mask", "Wide", "Groups", "Sets", "Others"];
  string TypeOf_Mask = "bits<4>";
  string TypeOf_Wide = "bits<40>";
  string TypeOf_Groups = "list<list<int>>";
  string TypeOf_Sets = "list<bits<3>>";
  string TypeOf_Others = "list<list<Device>>";
}
def ByMask : DynamicTable {
  let FilterClass = "Device";
  let Fields = ["Mask", "Name"];
  string TypeOf_Mask = "bits<4>";
}
"#;

#[test]
fn keys_may_be_numbers_and_values_bits_and_nested_lists() {
    let folder = folder();
    std::fs::write(folder.path().join("input.td"), NUMBERS).unwrap();
    let output = tool(folder.path(), &["-gen-dynamic-tables", "input.td", "-o", "table.inc"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(
        std::fs::read_to_string(folder.path().join("table.inc")).unwrap(),
        r#"// Made by -gen-dynamic-tables. Changes will be lost.

#ifdef GET_ByMask_IMPL
inline std::map<int, Device> ByMask = {
    {10,
     {"device"}},
    {15,
     {"device"}},
};
#endif

#ifdef GET_DeviceTable_IMPL
inline std::map<int, Device> DeviceTable = {
    {-3,
     {10, 549755813888LL, {{1, 2}, {}, {3}}, {6, 1}, {}}},
    {2000000000,
     {15, 0, {}, {6, 1}, {{"device"}, {"device", "device"}}}},
};
#endif
"#
    );
    let program = "#include <map>\n#include <string>\n#include <vector>\nstruct Device { unsigned \
        mask; long long wide; \
                   std::vector<std::vector<int>> groups; std::vector<unsigned> sets; \
                   std::vector<std::vector<std::string>> others; };\n#define \
                   GET_DeviceTable_IMPL\n#include \"table.inc\"\n\
                   int main() { return DeviceTable.at(-3).groups.at(0).at(1) - 2 + \
                   (DeviceTable.at(2000000000).others.at(1).size() != 2); }\n";
    std::fs::write(folder.path().join("main.cpp"), program).unwrap();
    let compiled = Command::new("g++")
        .args(["-std=c++17", "main.cpp", "-o", "main"])
        .current_dir(folder.path())
        .output();
    let compiled = compiled.expect("g++ starts");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    assert!(
        Command::new(folder.path().join("main")).status().expect("the program starts").success()
    );
}

#[test]
fn mistakes_are_named_and_leave_nothing_behind() {
    let folder = folder();
    let table = |fields: &str| {
        format!(
            "include \"llvm/TableGen/DynamicTable.td\"\nclass C<string n> {{ string Name = n; \
             list<int> l = [1]; }}\n\
             def T : DynamicTable {{ let FilterClass = \"C\"; let Fields = {fields}; }}\ndef : \
             C<\"a\">;\ndef : C<\"a\">;\n"
        )
    };
    let cases = [
        ("class X {", "error"),
        (
            "class X;\n",
            "input.td: error: no record of class 'DynamicTable': expected one for each table",
        ),
        ("include \"nowhere.td\"\n", "nowhere.td"),
        (&table("[]"), "input.td: error: table 'T' has no fields: expected a key first"),
        (&table("[\"Name\"]"), "input.td: error: table 'T' has two entries with the key \"a\""),
        (&table("[\"Name\", \"x\"]"), "has no field 'x'"),
        (&table("[\"Name\", \"l\", \"l\"]"), "table 'T' has two entries with the key \"a\""),
        (&table("[\"l\"]"), "two entries with the key 1"),
        (
            &NUMBERS.replace("bits<4>\";\n  string TypeOf_W", "list<string>\";\n  string TypeOf_W"),
            "is not what table 'DeviceTable' says: 'string'",
        ),
        (
            &NUMBERS.replace("\"list<list<int>>\"", "\"list<list<int>\""),
            "says that 'Groups' is 'list<list<int>': expected a type",
        ),
        (
            &NUMBERS.replace("  string TypeOf_Wide = \"bits<40>\";\n", ""),
            "lists and bits<N> need 'TypeOf_Wide' in table 'DeviceTable'",
        ),
        (
            &NUMBERS.replace("bits<40> Wide = 0", "bits<40> Wide = ?"),
            "is not what table 'DeviceTable' says: 'bits<40>'",
        ),
    ];
    for (text, expected) in cases {
        std::fs::write(folder.path().join("input.td"), text).unwrap();
        let output = tool(folder.path(), &["-gen-dynamic-tables", "input.td", "-o", "out.inc"]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && stderr.contains(expected),
            "{text}\nexpected {expected}\nseen {stderr}"
        );
        assert!(!folder.path().join("out.inc").exists());
    }
    let mut failures = String::new();
    for (args, expected) in [
        (
            &["input.td"][..],
            "dynamic-tblgen: error: option '--gen-dynamic-tables' is missing [scythe-E0306]\n",
        ),
        (
            &["-gen-dynamic-tables", "none.td"],
            "none.td: error: cannot read: No such file or directory [scythe-E0331]\n",
        ),
    ] {
        let stderr = tool(folder.path(), args).stderr;
        if stderr != expected.as_bytes() {
            writeln!(failures, "{args:?}: {}", String::from_utf8_lossy(&stderr)).unwrap();
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
