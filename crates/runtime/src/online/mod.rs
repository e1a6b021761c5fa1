//! Programs that are compiled from source text while the process runs: the bundles of
//! `sycl_ext_oneapi_kernel_compiler`.
//!
//! * `source`: the text and everything that determines its result.
//! * `options`: the options that a program may pass, and those that make no sense here.
//! * `tools`: the installed compiler, found relative to this library.
//! * `compile`: runs the compiler in a private folder, or takes its result from the cache.
//! * `scratch`: that folder.
//! * `cached`: the results on disk, and the files that they depend on.
//! * `driver`: programs in languages that drivers compile.
//! * `names`: the names of kernels that other implementations use.
//! * `arguments`: the arguments of a kernel that has no function object.
//!
//! A program has its own images and its own variables: two programs may contain kernels and
//! variables with the same names. Kernels keep their program alive.

pub mod arguments;
mod cached;
mod compile;
pub mod driver;
mod names;
mod options;
mod scratch;
mod source;
mod tools;

use std::collections::BTreeSet;
use std::ffi::{CString, c_void};
use std::sync::Arc;

use scythe_abi::launch::{FreeFunction, KernelLaunch, Shape};

use crate::context::Context;
use crate::demangle::symbol_name;
use crate::launch::Ranges;
use crate::native_kernel::NativeKernel;
use crate::platform::Device;
use crate::registry::{DeviceInContext, PrivateImages, ReadyKernel, divide};
use crate::{Errc, Error, Result, invalid};

pub use source::{Language, Source};

/// Checks options of a program. Tests give it options of any kind.
#[doc(hidden)]
pub fn check_options(given: &[&str], current: &std::path::Path) -> Result<()> {
    options::read(given, current).map(|_| ())
}

/// A program that was compiled from source text, for some devices of a context.
pub struct Program {
    context: Arc<Context>,
    devices: Vec<&'static Device>,
    /// The images as the compiler wrote them.
    files: Vec<Arc<[u8]>>,
    images: PrivateImages,
    /// The program of the driver for each device, if the driver compiled the source.
    driver: Option<driver::Programs>,
}

impl Program {
    /// Compiles a source and, unless it may still be linked with others, builds it for the devices.
    /// Returns the program and the messages of the compiler.
    pub fn compile(
        context: Arc<Context>,
        devices: Vec<&'static Device>,
        source: &Source<'_>,
        linked: bool,
    ) -> Result<(Self, String)> {
        for device in &devices {
            supports(device, source.language)?;
        }
        if source.language != Language::Sycl {
            let (programs, log) = driver::compile(&context, &devices, source)?;
            let images = PrivateImages::default();
            let driver = Some(programs);
            return Ok((Self { context, devices, files: Vec::new(), images, driver }, log));
        }
        let compiled = compile::compile(source)?;
        let files = divide(&compiled.images)?;
        let images = PrivateImages::read(&files, "a program compiled from source text")?;
        let program = Self { context, devices, files, images, driver: None };
        if linked {
            program.build()?;
        }
        Ok((program, compiled.log))
    }

    /// Links programs with each other, for devices that all of them are for.
    pub fn link(
        context: Arc<Context>,
        devices: Vec<&'static Device>,
        programs: &[Arc<Program>],
    ) -> Result<Self> {
        if programs.iter().any(|program| program.context.id != context.id) {
            return Err(invalid("link: all kernel bundles must belong to the same context"));
        }
        let mut known = BTreeSet::new();
        let kernels = programs.iter().flat_map(|program| program.images.kernels());
        let exports = programs.iter().flat_map(|program| program.images.exports());
        for symbol in kernels.chain(exports) {
            if !known.insert(symbol) {
                let message =
                    format!("link: two of the kernel bundles define '{}'", symbol_name(symbol));
                return Err(Error::new(Errc::Build, message));
            }
        }
        let files: Vec<_> = programs.iter().flat_map(|p| p.files.iter().cloned()).collect();
        let images = PrivateImages::read(&files, "a program linked from source text")?;
        let program = Self { context, devices, files, images, driver: None };
        program.build()?;
        Ok(program)
    }

    fn build(&self) -> Result<()> {
        for device in &self.devices {
            self.images.build(self.place(device)?).map_err(|error| match error.code {
                // Code that a device cannot compile is an error of the build.
                Errc::Kernel => Error::new(Errc::Build, error.message),
                _ => error,
            })?;
        }
        Ok(())
    }

    fn place(&self, device: &'static Device) -> Result<DeviceInContext> {
        let actual = self.context.actual(device).ok_or_else(|| {
            invalid(format!("device '{}' is not in the kernel bundle's context", device.name()))
        })?;
        Ok(DeviceInContext { device: actual, context: self.context.id })
    }

    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Returns the number of device images.
    pub fn image_count(&self) -> usize {
        self.images.count() + usize::from(self.driver.is_some())
    }

    /// Returns the symbol of the kernel in SYCL that the program calls `name`: a name that it
    /// registered, the symbol of the function, or its compiler-generated name.
    fn kernel_symbol(&self, name: &str) -> Option<&str> {
        let function = |symbol: &str| self.images.launch(symbol)?.function.as_ref();
        let is = |test: &dyn Fn(&FreeFunction) -> bool| {
            self.images.kernels().find(|symbol| function(symbol).is_some_and(test))
        };
        is(&|function| function.registered.iter().any(|registered| registered == name))
            .or_else(|| is(&|function| function.symbol == name))
            .or_else(|| is(&|function| names::kernel(&function.symbol) == name))
    }

    /// Returns the compiler-generated name of the kernel that the program calls `name`.
    pub fn raw_name(&self, name: &str) -> Option<String> {
        if let Some(driver) = &self.driver {
            return driver.arg_count(name).map(|_| name.to_owned());
        }
        let launch = self.images.launch(self.kernel_symbol(name)?)?;
        Some(names::kernel(&launch.function.as_ref()?.symbol))
    }

    /// Returns the launch description of a kernel with this name in device code.
    pub fn launch(&self, symbol: &str) -> Result<&Arc<KernelLaunch>> {
        self.images.launch(symbol).ok_or_else(|| {
            invalid(format!("the kernel bundle does not contain kernel '{}'", symbol_name(symbol)))
        })
    }

    /// Returns the attributes and properties of a kernel, as text.
    pub fn attributes(&self, symbol: &str) -> &str {
        self.images.attributes(symbol).map_or("", |text| text)
    }

    /// Returns the sizes of work-groups and sub-groups that a kernel requires, fastest dimension
    /// first, or 0.
    pub fn required_sizes(&self, symbol: &str) -> ([u64; 3], u32) {
        let (group, sub_group) = self.images.required_sizes(symbol);
        let mut sizes = [0; 3];
        if let Some(size) = group {
            sizes = [1; 3];
            sizes.iter_mut().zip(size.iter().rev()).for_each(|(to, &from)| *to = from.into());
        }
        (sizes, sub_group.unwrap_or(0))
    }

    /// Returns whether the device can run the kernel that the program calls `name`.
    pub fn is_compatible(&self, name: &str, device: &'static Device) -> bool {
        let runs = || match &self.driver {
            Some(driver) => driver.arg_count(name).is_some(),
            None => self
                .kernel_symbol(name)
                .is_some_and(|symbol| self.images.is_compatible(symbol, device)),
        };
        self.devices.iter().any(|known| known.id == device.id) && runs()
    }

    /// Returns a kernel for a queue of `device`.
    pub fn kernel(&self, symbol: &str, device: &'static Device) -> Result<Arc<ReadyKernel>> {
        let place = self.place(device)?;
        let known = |known: &&&'static Device| {
            self.context.actual(known).is_some_and(|actual| actual.id == place.device.id)
                || device.is_within(known)
        };
        if !self.devices.iter().any(|device| known(&device)) {
            return Err(invalid(format!(
                "kernel '{}' was not built for device '{}'",
                symbol_name(symbol),
                device.name()
            )));
        }
        self.images.kernel(symbol, place)
    }

    /// Returns the name in device code and the size of a variable, which the program calls by that
    /// name or by its name in the source.
    pub fn variable(&self, name: &str) -> Option<(&str, u64)> {
        self.images.variable(name).map(|variable| (&*variable.symbol, variable.size as u64))
    }

    /// Returns the address of a variable on a device.
    pub fn variable_address(&self, name: &str, device: &'static Device) -> Result<*mut c_void> {
        let variable = self.images.variable(name).ok_or_else(|| {
            invalid(format!("the kernel bundle does not contain device_global '{name}'"))
        })?;
        if variable.image_scope {
            return Err(invalid(format!(
                "Cannot query USM pointer for device global with 'device_image_scope' property: \
                 '{name}' has separate memory in each device image"
            )));
        }
        if !self.devices.iter().any(|known| known.id == device.id) {
            let device = device.name();
            return Err(invalid(format!("the kernel bundle was not built for device '{device}'")));
        }
        self.images.address(variable, self.place(device)?)
    }
}

/// Checks that a kernel is launched as the source declares it.
pub fn check_shape(launch: &KernelLaunch, ranges: &Ranges) -> Result<()> {
    let Some(function) = &launch.function else { return Ok(()) };
    let dimensions = match ranges.shape {
        Shape::NdRange => ranges.dims,
        _ => 0,
    };
    if launch.shape == ranges.shape && function.dimensions == dimensions {
        return Ok(());
    }
    let declared = match function.dimensions {
        0 => "a single_task_kernel".to_owned(),
        dimensions => format!("an nd_range_kernel<{dimensions}>"),
    };
    Err(invalid(format!(
        "kernel '{}' is {declared}, but it is launched as {} with {} dimension(s)",
        function.name,
        ranges.shape.as_str(),
        ranges.dims
    )))
}

/// Returns the kernel that a program calls `name`.
pub fn kernel(program: &Arc<Program>, name: &str) -> Option<NativeKernel> {
    if let Some(driver) = &program.driver {
        return driver.kernel(&program.context, name).map(NativeKernel::Driver);
    }
    let symbol = program.kernel_symbol(name)?.to_owned();
    let name = CString::new(program.raw_name(name)?).ok()?;
    Some(NativeKernel::Online { program: program.clone(), symbol, name })
}

/// Returns an error unless programs in this language can be compiled for the device.
pub fn supports(device: &Device, language: Language) -> Result<()> {
    let interop = || device.hal.interop();
    let has_compiler = match language {
        Language::Sycl => return tools::find().map(|_| ()),
        Language::OpenCl => interop().is_some_and(|interop| interop.opencl_c().is_some()),
        Language::SpirV => interop().is_some_and(|interop| interop.takes_spirv()),
    };
    if has_compiler {
        return Ok(());
    }
    let (device, extension) = (device.name(), language.extension());
    let message = format!(
        "device '{device}' cannot build kernel bundles from {} ({extension}): its backend has no \
         compiler for that language",
        language.name()
    );
    Err(Error::new(Errc::FeatureNotSupported, message))
}
