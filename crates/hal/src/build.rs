//! The parameters of [`crate::Device::build`].

use scythe_image::Format;

use crate::Global;

/// The code of one image, and how to build it for a device.
#[derive(Clone, Copy, Debug)]
pub struct BuildRequest<'a> {
    /// The code of the image. The program only needs to provide kernels of this code.
    pub code: &'a [u8],
    pub format: Format,
    /// The number of kernels in the code.
    pub kernel_count: usize,
    /// The code of other images of the same format and target. Together with `code`, they define
    /// all symbols that `code` and the libraries import.
    pub libraries: &'a [&'a [u8]],
    pub options: BuildOptions,
    /// The aspects that answer the aspect queries of the code. Empty if the code does not query
    /// aspects: the code is then the same for all devices, and caches share it between them.
    pub aspects: &'a [u32],
    /// The memory of the `device_global` variables that the code uses; see [`crate::globals`]. Each
    /// symbol occurs once. Variables with `device_image_scope` are included only if
    /// [`crate::Device::binds_globals`] returns true.
    pub globals: &'a [Global<'a>],
}

impl<'a> BuildRequest<'a> {
    /// Builds `code` with one kernel alone, with default options.
    pub fn new(code: &'a [u8], format: Format) -> Self {
        Self {
            code,
            format,
            kernel_count: 1,
            libraries: &[],
            options: BuildOptions::default(),
            aspects: &[],
            globals: &[],
        }
    }
}

/// Options for compiling device code at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildOptions {
    /// The optimisation level, 0 to 3.
    pub opt_level: u32,
    /// Whether to compile for one work-item at a time instead of for vector lanes. Only the CPU
    /// device supports both forms.
    pub scalar: bool,
}

impl Default for BuildOptions {
    /// Returns options with the highest optimisation level.
    fn default() -> Self {
        Self { opt_level: 3, scalar: false }
    }
}

impl BuildOptions {
    /// Parses the options that an image carries from the compiler's command line. The last `-O`
    /// option takes precedence, as on a command line. Options for other compilers are ignored.
    pub fn from_command_line(text: &str) -> Self {
        let mut options = Self::default();
        for word in text.split_whitespace() {
            match word {
                "-O0" => options.opt_level = 0,
                "-O1" | "-O" => options.opt_level = 1,
                "-O2" | "-Os" | "-Oz" => options.opt_level = 2,
                "-O3" | "-Ofast" => options.opt_level = 3,
                scythe_abi::jit::SCALAR_OPTION => options.scalar = true,
                _ => {}
            }
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_optimisation_option_counts() {
        let level = |text| BuildOptions::from_command_line(text).opt_level;
        assert_eq!(level(""), 3);
        assert_eq!(level("-g -O2 -O0"), 0);
        assert_eq!(level("-Ofoo -O1"), 1);
    }

    #[test]
    fn the_scalar_form_is_an_option_like_others() {
        assert_eq!(
            BuildOptions::from_command_line("-O2 -mscalar"),
            BuildOptions { opt_level: 2, scalar: true }
        );
    }
}
