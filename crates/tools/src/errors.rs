//! The errors of device-link, of ahead-of-time compilation and of the small tools.
//! `docs/diagnostics.md` has a paragraph for each code.

use scythe_diag::errors;

errors! {
    // Command lines.

    /// No tool has this name.
    301 UnknownTool { name: String }: "unknown tool '{name}' (see --help)";
    /// The command line names no tool.
    302 NoTool: "no tool named (see --help)";
    /// A tool has no option of this name.
    303 UnknownOption { option: String, tool: &'static str }:
        "unknown option '{option}' (see {tool} --help)";
    /// An option that takes no value has a value.
    304 UnexpectedValue { option: String, value: String }:
        "option '--{option}' takes no value, found '{value}'";
    /// An option has no value.
    305 MissingValue { option: String, expected: &'static str }:
        "option '{option}' needs a value: {expected}";
    /// A tool needs an option.
    306 MissingOption { option: String }: "option {option} is missing";
    /// An option has a value that does not fit.
    307 BadValue { option: &'static str, value: String, expected: String }:
        "'--{option}={value}': expected {expected}";
    /// An option has a value that is not known.
    308 UnknownValue { what: &'static str, value: String, expected: String }:
        "unknown {what} '{value}': expected {expected}";
    /// An option has a value that Scythe does not support.
    309 UnsupportedValue { what: &'static str, value: String, expected: String }:
        "{what} '{value}' is not supported: expected {expected}";
    /// The command line names no input.
    310 NoInput { expected: &'static str }: "no input: expected {expected}";
    /// The command line names several inputs.
    311 SeveralInputs { first: String, second: String }:
        "more than one input ('{first}', '{second}', …): expected one";
    /// A tool takes no inputs.
    312 UnexpectedInput { tool: &'static str, input: String }:
        "'{tool}' takes no inputs, got '{input}'";
    /// The command line names too few or too many files.
    313 FileCount { found: usize, what: &'static str, expected: String }:
        "found {found} {what}, expected {expected}";
    /// Two options exclude each other.
    314 ConflictingOptions { first: &'static str, second: &'static str }:
        "both {first} and {second}: expected one";
    /// A bundle has two inputs for one target.
    315 RepeatedTarget { target: String }:
        "target '{target}' appears twice, expected one input for each";
    /// A bundle has no host target, or several.
    316 HostTargets { found: &'static str }:
        "{found} host target, expected one such as 'host-x86_64-unknown-linux-gnu'";
    /// An archive cannot be bundled.
    317 BundledArchive: "type 'a' cannot be bundled: bundle its objects";
    /// The machine cannot be the host of the output.
    318 UnsupportedMachine: "this machine is not supported as a host: use --host";
    /// An option needs one more table.
    319 MissingTable { option: &'static str, value: String }:
        "no table left for '--{option}={value}': expected one more input";
    /// No option uses a table.
    320 UnusedTable { table: String }: "no --replace uses the table '{table}'";

    // Files.

    /// A file cannot be read.
    331 Unreadable { reason: String }: "cannot read: {reason}";
    /// A file is not UTF-8.
    332 NotText { offset: usize }: "not UTF-8 text: bad byte at offset {offset}";
    /// A file cannot be written.
    333 Unwritable { reason: String }: "cannot write: {reason}";
    /// A folder cannot be made.
    334 NoFolder { reason: String }: "cannot make the folder: {reason}";
    /// A file is damaged or has another format.
    335 DamagedFile { reason: String }: "{reason}";
    /// A file has no device code.
    336 NoDeviceCode: "no device image, and no bundle of device code";
    /// A library has no device images.
    337 NoDeviceImages: "no device image: expected a library that was linked with device code";
    /// A bundle has no part for a target.
    338 MissingBundle { target: String, found: String }:
        "no bundle for '{target}': there are {found}";
    /// The format of an image is not known.
    339 UnknownFormat: "cannot tell the format by content: expected an option --format before it";
    /// The target of an image is not known.
    340 NoImageTarget: "no target: expected an option --target before it";
    /// A file table cannot be transformed.
    341 TableTransformation { option: String, value: String, reason: String }:
        "--{option}={value}: {reason}";
    /// LLVM cannot read a device module.
    342 UnreadableModule { reason: String }: "{reason}";
    /// A tool cannot find its installation.
    343 NoInstallation { reason: String }:
        "cannot find the folder of this program, which holds the device library: {reason}";
    /// A temporary folder cannot be made.
    344 NoTemporaryFolder { folder: String, reason: String }:
        "cannot make a temporary folder in '{folder}': {reason}. Free some space there, or write \
         the output to another folder";
    /// The runtime cannot list devices.
    345 NoDevices { reason: String }: "cannot list the devices: {reason}";
    /// A tool cannot read this kind of file.
    346 NotRegular { what: &'static str }: "it is {what}, expected a file with device code";
    /// A file has too many bytes.
    347 TooLarge { limit: u64 }: "it is larger than {limit} GiB, the limit of this tool";
    /// A folder is not a cache.
    348 NotACache:
        "it is a folder without entries of the cache: expected a file with device code, or the \
         folder of a cache";
    /// A file is not a timeline.
    349 NotATimeline { reason: String }:
        "not a timeline, as SCYTHE_TRACE=FILE.json or -ftime-trace write it: {reason}";

    // Device link and ahead-of-time compilation.

    /// Images cannot be wrapped into a host object.
    361 CannotWrap { reason: String }: "cannot write the device images to an object: {reason}";
    /// Compile-time properties of device code cannot become SPIR-V.
    362 Properties { reason: String }: "cannot write the properties of the device code: {reason}";
    /// A compiler that is part of Scythe cannot compile device code.
    363 CannotCompile { target: String, reason: String }:
        "cannot compile device code for '{target}': {reason}";
    /// A compiler that is a separate program cannot be started.
    364 CompilerNotStarted { target: String, compiler: String, program: String, reason: String }:
        "cannot compile device code for '{target}': cannot start {compiler} ('{program}'): \
         {reason}";
    /// A compiler that is a separate program fails.
    365 CompilerFailed { target: String, compiler: String, status: String }:
        "cannot compile device code for '{target}': {compiler} ended with {status}";
    /// A compiler that is a separate program writes no code.
    366 NoCompilerOutput { target: String, compiler: String, reason: String }:
        "cannot compile device code for '{target}': {compiler} {reason}";
    /// The input of a compiler cannot be written.
    367 CompilerInput { target: String, file: String, reason: String }:
        "cannot compile device code for '{target}': cannot write '{file}': {reason}";
    /// ocloc is not installed.
    368 NoOcloc { target: String, name: String, package: &'static str }:
        "code for '{target}' is compiled by {name}, which is not in PATH. Install the package \
         {package}, or use the target 'spir64'";
    /// ocloc does not know a device.
    369 UnknownDevice {
        compiler: String, device: String, target: String, package: &'static str
    }:
        "{compiler} does not know the device '{device}' of target '{target}'. Install a later \
         version of the package {package}, or correct the name";
    /// A folder has no CUDA.
    370 NoCuda { path: String, target: String }:
        "'--cuda-path={path}' for '{target}' has no CUDA: expected 'bin/ptxas' or \
         'nvvm/libdevice' in it";
    /// The device configuration gives no architecture of NVIDIA GPUs for a target.
    371 NoArchitecture { target: String }:
        "the device configuration names no architecture for the target '{target}': expected \
         '-arch=sm_NN' in its 'aot-toolchain-options'";
    /// The device configuration gives no device of ocloc for a target.
    372 NoConfiguredDevice { target: String }:
        "the device configuration names no device for the target '{target}': expected '-device \
         NAME' in its 'aot-toolchain-options'";
    /// The user names no device of ocloc.
    373 NoDevice { target: String }:
        "code for '{target}' needs the option '-device NAME[,NAME…]' for its compiler: use \
         '-Xsycl-target-backend={target} \"-device skl\"', or a target such as 'intel_gpu_skl'";
    /// The user gives an option that device-link passes to ocloc.
    374 ReservedOption { option: String, target: String }:
        "option '{option}' for '{target}': device-link passes this option to ocloc. Remove it";
    /// The user gives a device for a target that already selects one.
    375 DeviceGiven { target: String }:
        "option '-device' for '{target}': the target already selects the device. Remove the \
         option, or use the target 'spir64_gen'";
    /// The user gives a level for a target that already selects one.
    376 LevelGiven { options: String, target: String }:
        "'{options}' for '{target}': the target already selects the instruction-set level. Remove \
         '-march=', or use the target 'spir64_x86_64'";
    /// The compiler of a target has no such option.
    377 UnknownCompilerOption { option: String, target: String, expected: &'static str }:
        "unknown option '{option}' for '{target}': expected {expected}";
    /// An instruction-set level is not known.
    378 UnknownLevel { name: String, list: String, target: String, expected: &'static str }:
        "unknown instruction-set level '{name}' in '-march={list}' for '{target}': expected \
         {expected}";
    /// An option for ptxas is missing.
    379 NoPtxasOption { option: String, target: String }:
        "'{option}' for '{target}': expected an option for ptxas after it";
    /// Device code cannot become SPIR-V.
    380 CannotTranslate { reason: String }: "cannot translate the device code to SPIR-V: {reason}";
    /// An argument is not UTF-8.
    381 NotUtf8 { position: usize, lossy: String }: "argument {position} is not UTF-8: '{lossy}'";
    /// Other users may have written the link cache.
    382 NotOwnFolder { reason: String }:
        "cannot use the folder for the link cache: {reason}; use a folder that only you can write \
         to";
}

#[cfg(test)]
mod tests {
    use scythe_diag::documentation::differences;

    #[test]
    fn each_error_has_a_paragraph() {
        let document = include_str!("../../../docs/diagnostics.md");
        assert_eq!(differences(document, super::CODES, 300..=399), [""; 0]);
    }
}
