//! Programs in OpenCL C and SPIR-V, which the driver of the devices compiles, and what the driver
//! says about OpenCL C.

use std::ffi::CString;
use std::sync::Arc;

use scythe_hal::{self as hal, DriverSource, OpenClC};

use super::source::{Language, Source};
use crate::context::Context;
use crate::native_kernel::DriverKernel;
use crate::platform::Device;
use crate::{Errc, Error, Result, invalid};

/// The program for each device. All have the same kernels.
pub struct Programs {
    /// By the identifiers of devices.
    of_device: Vec<(u32, Arc<dyn hal::Program>)>,
    /// The kernels with the numbers of their arguments.
    kernels: Vec<(String, u32)>,
}

/// Compiles a source for the devices. Returns the messages of the driver, too.
pub fn compile(
    context: &Context,
    devices: &[&'static Device],
    source: &Source<'_>,
) -> Result<(Programs, String)> {
    let language = source.language;
    if !source.names.is_empty() || !source.includes.is_empty() {
        return Err(invalid(format!(
            "kernel bundles in {} have no registered names and no include files",
            language.name()
        )));
    }
    let text;
    let from = match language {
        Language::SpirV => DriverSource::SpirV(source.text),
        _ => {
            text = std::str::from_utf8(source.text)
                .map_err(|_| Error::new(Errc::Build, "the source is not UTF-8"))?;
            DriverSource::OpenCl(text)
        }
    };
    let options = source.options.join(" ");
    let mut programs = Programs { of_device: Vec::new(), kernels: Vec::new() };
    let mut log = String::new();
    for device in devices {
        let actual = context.actual(device).ok_or_else(|| {
            invalid(format!("device '{}' is not in the kernel bundle's context", device.name()))
        })?;
        let built = actual.interop()?.build_source(from, &options)?;
        programs.of_device.push((actual.id, built.program));
        programs.kernels = built.kernels;
        log += &built.log;
    }
    Ok((programs, log))
}

impl Programs {
    /// Returns the number of arguments of a kernel, if the program contains it.
    pub fn arg_count(&self, name: &str) -> Option<u32> {
        self.kernels.iter().find(|(known, _)| known == name).map(|(_, count)| *count)
    }

    pub fn kernel(&self, context: &Arc<Context>, name: &str) -> Option<DriverKernel> {
        let (count, symbol) = (self.arg_count(name)?, CString::new(name).ok()?);
        Some(DriverKernel::of_programs(context.clone(), self.of_device.clone(), symbol, count))
    }
}

/// Returns what the driver of a device says about OpenCL C, or `None` if it does not compile it.
pub fn opencl_c(device: &Device) -> Option<OpenClC> {
    device.hal.interop()?.opencl_c()
}
