//! The errors of the front end. `docs/diagnostics.md` has a paragraph for each code.
//!
//! Each topic has a range of codes. [`parts`] has the types of the fields.

pub mod parts;

use scythe_diag::errors;

use crate::captures::Difference;
use parts::{
    Arity, ArrayLength, AttributeTargets, CaptureAdvice, Contradiction, DeviceGlobalMisuse,
    EntryPointFault, Expected, FunctionFault, FunctorPart, GetFault, GlobalUse, InternalFault,
    KernelSize, NamedKernel, Output, PluginArgument, ReferenceMember, VariadicUse,
};

errors! {
    // Device code: 101 to 119.
    /// A device function throws or catches, or calls a library function that throws.
    101 Exceptions: "SYCL kernel cannot use exceptions";
    /// A device function calls a virtual function whose overrider is not known.
    102 VirtualCall: "SYCL kernel cannot call a virtual function";
    /// A device function calls through a pointer to a function or to a member function.
    103 IndirectCall: "SYCL kernel cannot call through a function pointer";
    /// A device function calls itself, directly or through other functions.
    104 RecursiveCall: "SYCL kernel cannot call a recursive function";
    /// A device function calls a function that the translation unit only declares.
    105 UndefinedFunction:
        "SYCL kernel cannot call an undefined function without SYCL_EXTERNAL attribute";
    /// A device function calls a variadic function or reads variadic arguments.
    106 Variadic { variadic: VariadicUse }: "SYCL kernel cannot {variadic}";
    /// A device function allocates or frees memory.
    107 Allocation: "SYCL kernel cannot allocate storage";
    /// A device function uses `typeid` or `dynamic_cast`.
    108 RunTimeTypes: "SYCL kernel cannot use rtti";
    /// A device function uses a variable with static storage that devices do not have.
    109 GlobalVariable { variable: GlobalUse }: "SYCL kernel cannot use {variable}";
    /// A device function declares an array whose length devices do not support.
    110 Array { length: ArrayLength, name: String }:
        "SYCL kernel cannot use a {length} array ('{name}')";
    /// A device function uses the type `long double`.
    111 LongDouble:
        "SYCL kernel cannot use 'long double', which devices do not support: use 'double' or \
         'float'";
    /// A device function contains inline assembly.
    112 InlineAssembly: "SYCL kernel cannot use inline assembly";
    /// A device function calls a function that a header forbids in device code. The header gives
    /// the reason.
    113 ForbiddenFunction { reason: String }: "{reason}";

    // Kernels and their functors: 120 to 129.
    /// A kernel captures `this`.
    120 CapturedThis:
        "kernel captures 'this', which points to host memory: capture '*this', or copy the members \
         that the kernel uses to local variables";
    /// A functor contains a reference.
    121 CapturedReference { member: ReferenceMember }: "{member}";
    /// A functor contains an object that cannot be copied to a device.
    122 NotDeviceCopyable { part: FunctorPart }:
        "{part} is not device copyable: pass data that can be copied byte by byte, or specialise \
         'sycl::is_device_copyable'";
    /// A functor contains a `long double`.
    123 LongDoubleInFunctor { part: FunctorPart }:
        "{part} uses 'long double', which devices do not support: use 'double' or 'float'";
    /// The member function that returns the properties of a kernel cannot be called.
    124 UnusableGet { fault: GetFault }:
        "'get(properties_tag)' of the kernel's functor {fault}";
    /// Two different kernels have the same name.
    125 KernelNameConflict { kernel: NamedKernel }: "{kernel} is used by two different kernels";
    /// A function with the attribute `sycl_kernel_entry_point` is not a valid entry point.
    126 EntryPoint { fault: EntryPointFault }: "kernel entry point must {fault}";
    /// Compilers differ in the implicit captures of a lambda, and a foreign compiler compiles the
    /// host code. The integration header reports the error.
    127 CaptureOrder { kernel: String, why: Difference, advice: CaptureAdvice }:
        "kernel '{kernel}': compilers differ in what this lambda captures implicitly or in the \
         order of the captures, because {why}: {advice}, or compile the host code with clang";
    /// A kernel uses the scratch memory of its work-group, but its launch does not provide any.
    128 NoScratchMemory { kernel: String }:
        "kernel '{kernel}' calls 'get_work_group_scratch_memory', but its launch does not have the \
         property 'work_group_scratch_size'";
    /// The declaration of a free function kernel breaks a rule.
    129 FreeFunctionDeclaration { function: String, fault: FunctionFault }:
        "'{function}' cannot be a kernel: {fault}";

    // Variables: 130 to 139.
    /// An object of class `device_global` is not at namespace scope.
    130 DeviceGlobal { misuse: DeviceGlobalMisuse }:
        "a 'device_global' must be a variable at namespace scope or a public static member, but \
         {misuse}";

    // Attributes: 140 to 149.
    /// An attribute is on a declaration or statement that cannot have it.
    140 AttributePlace { attribute: String, targets: AttributeTargets }:
        "'{attribute}' attribute only applies to {targets}";
    /// `SYCL_EXTERNAL` is on a declaration that cannot have it.
    141 ExternalPlace:
        "'SYCL_EXTERNAL' only applies to functions and to variables of class 'device_global'";
    /// An attribute has too few or too many arguments.
    142 ArgumentCount { attribute: String, expected: Arity, count: usize }:
        "'{attribute}' attribute takes {expected}, not {count}";
    /// An argument of an attribute has the wrong type or value.
    143 ArgumentValue { attribute: String, argument: u32, expected: Expected }:
        "argument {argument} of '{attribute}' must be {expected}";
    /// Two attributes of one function exclude each other.
    144 Contradictory { attributes: Contradiction }: "{attributes}: keep one of them";
    /// A function requires a size that the kernel which calls it does not have.
    145 SizeMismatch { function: String, required: String, kernel: String, has: KernelSize }:
        "'{function}' requires '{required}', but kernel '{kernel}', which calls it, {has}";
    /// A `SYCL_EXTERNAL` function has the attribute `reqd_work_group_size`.
    146 ExternalWorkGroupSize { attribute: &'static str, function: String }:
        "'{attribute}' attribute cannot apply to the SYCL_EXTERNAL function '{function}': move the \
         attribute to the kernel";
    /// An attribute does not exist, but its name is similar to the name of a SYCL attribute.
    147 UnknownAttribute { attribute: String, meant: String }:
        "unknown attribute '{attribute}'; did you mean '{meant}'?";
    /// An attribute of another compiler that Scythe can neither honour nor ignore.
    148 UnsupportedAttribute { attribute: String }:
        "attribute '{attribute}' is not supported, and a kernel may be wrong without it: remove \
         the attribute";

    // Compile-time properties: 150 to 159.
    /// An attribute that lists properties does not have as many values as names.
    150 PropertyCount { attribute: String, count: usize }:
        "'{attribute}' takes the names of properties and then as many values, but has an odd \
         number of arguments ({count})";
    /// The name of a property is not a string.
    151 PropertyName { attribute: String, argument: usize }:
        "argument {argument} of '{attribute}' must be a string, the name of a property";
    /// The value of a property has a type that device code cannot carry.
    152 PropertyValue { property: String, type_name: String }:
        "the value of property '{property}' has type '{type_name}', which properties do not \
         support: use a string, a number, a boolean, a character, an enumeration, or a tuple of \
         these";
    /// One attribute lists a property twice.
    153 PropertyRepeated { property: String }:
        "property '{property}' occurs twice in one list: remove one of them";
    /// The value of a property is not known at compile time.
    154 PropertyNotConstant: "the value of a property must be a constant expression";

    // Options of the plug-in: 160 to 169.
    /// The driver and the plug-in do not agree on the arguments of the plug-in.
    160 Plugin { argument: PluginArgument }: "scythe plug-in: {argument}";
    /// `-fsycl-fixed-targets=` names a target that does not exist.
    161 FixedTarget { list: String, target: String }:
        "'-fsycl-fixed-targets={list}': unknown target '{target}': '-fsycl-help' lists the targets";

    // Output: 170 to 179.
    /// A file that the front end writes beside its main output cannot be written.
    170 Unwritable { output: Output, path: String, reason: String }:
        "cannot write {output} '{path}': {reason}";

    // IR passes and internal errors: 180 to 199.
    /// An IR pass rejects the device code of the translation unit.
    180 Pass { error: scythe_passes::Error }: "{error}";
    /// The front end broke one of its own rules.
    199 Internal { fault: InternalFault }:
        "internal error of the SYCL front end: {fault}: this is a bug in Scythe, please report it";
}

#[cfg(test)]
mod tests {
    use scythe_diag::Code;
    use scythe_diag::documentation::differences;
    use std::path::Path;

    /// Codes that the device pass of a source file does not report. Unit tests and the tests of the
    /// integration header cover them.
    const WITHOUT_FILE_TEST: [u16; 5] = [127, 160, 161, 170, 199];

    #[test]
    fn each_error_has_a_paragraph() {
        let document = include_str!("../../../docs/diagnostics.md");
        assert_eq!(differences(document, super::CODES, 100..=199), [""; 0]);
    }

    #[test]
    fn each_error_has_a_test() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/diag");
        let mut tests = String::new();
        for entry in std::fs::read_dir(folder).expect("tests/diag exists") {
            let path = entry.expect("the folder can be read").path();
            tests += &std::fs::read_to_string(path).expect("a test is text");
        }
        for code in super::CODES {
            let exempt = WITHOUT_FILE_TEST.iter().any(|&number| *code == Code::Error(number));
            assert_ne!(tests.contains(&format!("[{code}]")), exempt, "{code}");
        }
    }
}
