//! The errors of the device link. `docs/diagnostics.md` has a paragraph for each code.

use scythe_diag::errors;

errors! {
    /// Two different kernels have the same name.
    201 KernelNameConflict { kernel: String }:
        "kernel name '{kernel}' is used by two different kernels";
    /// Device code uses a symbol that no input defines.
    202 UndefinedDeviceSymbol { symbol: String, user: String }:
        "undefined device symbol '{symbol}', needed by {user}";
    /// Two device modules define the same function or variable.
    203 DuplicateDefinition { symbol: String, other: String }:
        "device symbol '{symbol}' is defined twice: the other definition is in '{other}'. Remove \
         one of them, or make the function 'inline'";
    /// The launch rows of a device module are damaged.
    204 DamagedLaunchRows { reason: String }:
        "cannot read the descriptions of the kernels' parameters: {reason}. Compile the source \
         again";
    /// Kernels in several images use a variable with the property `device_image_scope`.
    205 ImageScope { variable: String, images: usize, advice: String }:
        "device_global '{variable}' has the property 'device_image_scope', but the kernels that \
         use it are in {images} device images: {advice}";
    /// A device module is for another target than the link.
    206 OtherTarget { seen: String, expected: String }:
        "the device code is for '{seen}', expected '{expected}'. Compile it with the \
         '-fsycl-targets=' of this link";
    /// A device module has an indirect function.
    207 IndirectFunction:
        "device code cannot contain indirect functions (ifunc): devices have no dynamic linker. \
         Call the function directly";
    /// LLVM's verifier rejects a device module.
    208 InvalidModule { reason: String }:
        "the device code is not valid: {reason}. Compile the source again";
    /// LLVM cannot link a device module with the modules before it.
    209 IncompatibleModules { reason: String }:
        "{reason}. Compile all inputs with the same version of Scythe";
    /// A kernel has no launch row.
    210 NoLaunchRow { kernel: String }:
        "kernel '{kernel}' has no description of its parameters. Compile its source with 'scythe \
         -fsycl'";
    /// The launch row of a kernel does not fit the kernel.
    211 LaunchRowMismatch { kernel: String, parameters: usize, described: usize }:
        "kernel '{kernel}' has {parameters} parameters, but its description has {described}. \
         Compile its source again";
}

#[cfg(test)]
mod tests {
    use scythe_diag::documentation::differences;

    #[test]
    fn each_error_has_a_paragraph() {
        let document = include_str!("../../../docs/diagnostics.md");
        assert_eq!(differences(document, super::CODES, 200..=299), [""; 0]);
    }
}
