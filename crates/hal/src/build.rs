//! What [`crate::Device::build`] is asked for.

use scythe_image::Format;

use crate::Global;

/// The code of one image, and how to build it for a device.
#[derive(Clone, Copy, Debug)]
pub struct BuildRequest<'a> {
    /// The code of the image. Only kernels of this code are asked for.
    pub code: &'a [u8],
    pub format: Format,
    /// The code of other images of the same format and target. Together they define the symbols
    /// that `code` and they themselves import.
    pub libraries: &'a [&'a [u8]],
    pub options: BuildOptions,
    /// The aspects that the code sees when it asks for those of its device. Empty if the code does
    /// not ask: such code is the same for all devices, and caches use it for all of them.
    pub aspects: &'a [u32],
    /// The memory of the `device_global` variables that the code uses: see [`crate::globals`]. Each
    /// symbol occurs once. Variables with `device_image_scope` are among them only if
    /// [`crate::Device::binds_globals`] says so.
    pub globals: &'a [Global<'a>],
}

impl<'a> BuildRequest<'a> {
    /// Builds `code` alone, with default options.
    pub fn new(code: &'a [u8], format: Format) -> Self {
        Self {
            code,
            format,
            libraries: &[],
            options: BuildOptions::default(),
            aspects: &[],
            globals: &[],
        }
    }
}

/// How to compile device code at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildOptions {
    /// 0 to 3.
    pub opt_level: u32,
    /// Compile for one work-item at a time instead of for vector lanes. Only the CPU device has
    /// both forms.
    pub scalar: bool,
}

impl Default for BuildOptions {
    /// Kernels are optimised as far as possible.
    fn default() -> Self {
        Self { opt_level: 3, scalar: false }
    }
}

impl BuildOptions {
    /// Reads the options that an image carries from the compiler's command line. The last `-O`
    /// option counts, as for a compiler. Options for other compilers are ignored.
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
