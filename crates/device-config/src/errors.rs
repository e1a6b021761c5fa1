//! The errors of the device configuration. `docs/diagnostics.md` has a paragraph for each code.

use scythe_diag::errors;

errors! {
    /// No target has this name.
    501 UnknownTarget { name: String, hint: String, expected: &'static str }:
        "unknown device target '{name}'{hint}: expected {expected}";
    /// The name of an AMD GPU.
    502 AmdGpu { name: String, expected: &'static str }:
        "the target '{name}' is an AMD GPU, which Scythe does not support: expected {expected}";
    /// The device configuration describes a target, but no compiler for it.
    503 NoCompiler { target: String, expected: String }:
        "the device configuration does not name a compiler for the target '{target}': expected \
         {expected} as its 'aot-toolchain'";
    /// The compiler of a target cannot compile for it.
    504 WrongCompiler { compiler: String, target: String, expected: String }:
        "the device configuration names the compiler '{compiler}' for the target '{target}', \
         expected {expected}";
    /// Code cannot have this name of a target.
    505 ImpossibleName { name: String }:
        "'{name}' cannot be the name of a target: rename it in the device configuration";

    /// The file cannot be read.
    511 Unreadable { reason: String }: "cannot read the device configuration: {reason}";
    /// The file is not UTF-8.
    512 NotText: "the device configuration is not UTF-8 text";
    /// The file is not YAML.
    513 NotYaml { reason: String }: "invalid YAML: {reason}";
    /// The file has a second document.
    514 SecondDocument: "found a second YAML document, expected one";
    /// The file uses a feature of YAML that a device configuration does not have.
    515 UnsupportedYaml { feature: &'static str }:
        "{feature} are not allowed in a device configuration";
    /// A part of the file is a list, mapping or value, but must be another of these.
    516 WrongStructure { seen: String, expected: String }: "found {seen}, expected {expected}";
    /// A key has no value.
    517 NoValue { expected: String }: "the value is missing: expected {expected}";
    /// The name of a target has characters that names cannot have.
    518 BadName { name: String, longest: usize }:
        "'{name}' is not a valid target name: expected at most {longest} letters, digits, '_', '-' \
         and '.'";
    /// A target has a key that is not known.
    519 UnknownKey { key: String, target: String, hint: String }:
        "unknown key '{key}' of target '{target}': {hint}";
    /// A target has a key twice.
    520 RepeatedKey { key: String, target: String }:
        "key '{key}' of target '{target}' appears twice";
    /// No aspect has this name.
    521 UnknownAspect { name: String, hint: String }: "unknown aspect '{name}': {hint}";
    /// No aspect has this number.
    522 UnknownAspectNumber { number: String }:
        "no aspect has the number {number}; see 'enum class aspect' for the numbers";
    /// A value is neither `true` nor `false`.
    523 NotBoolean { key: String, seen: String }: "'{key}' is {seen}, expected true or false";
    /// A value is not the name of a program.
    524 NotProgram { key: String, seen: String }:
        "'{key}' is '{seen}', expected only the name of a compiler; put its options into \
         'aot-toolchain-options'";
    /// A value is not a number in the range of its key.
    525 BadNumber { key: String, seen: String, most: u64 }:
        "'{key}' has {seen}, expected an integer from 1 to {most}";

    /// `llvm-tblgen` is not installed or cannot be run.
    541 NoTableGen { reason: String }: "{reason}";
    /// `llvm-tblgen` rejects the file.
    542 RejectedByTableGen: "llvm-tblgen rejects the file";
    /// A record does not fit its table.
    543 BadRecord { reason: String }: "{reason}";
}

#[cfg(test)]
mod tests {
    use scythe_diag::documentation::differences;

    #[test]
    fn each_error_has_a_paragraph() {
        let document = include_str!("../../../docs/diagnostics.md");
        assert_eq!(differences(document, super::CODES, 500..=599), [""; 0]);
    }
}
