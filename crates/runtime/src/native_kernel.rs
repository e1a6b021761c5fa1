//! Kernels that are launched with arguments instead of a functor: native kernels that the program
//! created, and kernels of programs that were compiled from source text.
//!
//! The arguments of a native kernel are laid out consecutively like a functor, with matching launch
//! rows, so that it is launched like any other kernel. The other kernels have launch rows already.

use std::ffi::CString;
use std::sync::{Arc, Mutex};

use scythe_abi::capi::NativeArg;
use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_hal as hal;

use crate::context::Context;
use crate::launch::Ranges;
use crate::online::{self, Program};
use crate::platform::Device;
use crate::registry::ReadyKernel;
use crate::{Errc, Error, Result, invalid, lock};

/// The alignment of each argument in the functor.
const ALIGNMENT: usize = 16;
/// The size of the two words of an accessor or a local accessor.
const HEAD: usize = 16;

/// The arguments that the program passed to a kernel.
pub struct Arguments {
    pub functor: Vec<u8>,
    params: Vec<Param>,
}

impl Arguments {
    /// Copies the arguments.
    ///
    /// # Safety
    /// The address of each argument must be null, or valid for reads of the size that its kind
    /// implies.
    pub unsafe fn read(args: &[NativeArg]) -> Result<Self> {
        let (mut functor, mut params) = (Vec::new(), Vec::new());
        for (index, arg) in args.iter().enumerate() {
            let kind = ParamKind::from_u32(arg.kind).filter(|kind| *kind != ParamKind::Sampler);
            let wrong =
                |what: &str| Error::new(Errc::KernelArgument, format!("argument {index}: {what}"));
            let kind = kind.ok_or_else(|| {
                wrong(&format!("kind {} is unknown, expected 0, 1, 3 or 4", arg.kind))
            })?;
            let size = usize::try_from(arg.size).unwrap_or(usize::MAX);
            let (copied, size) = match kind {
                ParamKind::Accessor | ParamKind::Local => (HEAD, 8),
                ParamKind::Pointer => (8, 8),
                ParamKind::StdLayout | ParamKind::Sampler => (size, size),
            };
            if arg.data.is_null() || copied == 0 || copied > 1 << 20 {
                return Err(wrong(&format!(
                    "expected 1 byte to 1 MiB at a valid address, found {copied} bytes at {:p}",
                    arg.data
                )));
            }
            functor.resize(functor.len().next_multiple_of(ALIGNMENT), 0);
            params.push(Param::unlowered(kind, size as u64, functor.len() as u64));
            // SAFETY: the address is not null, and the caller guarantees that it is valid for
            // `copied` bytes.
            functor.extend_from_slice(unsafe {
                std::slice::from_raw_parts(arg.data.cast::<u8>(), copied)
            });
        }
        Ok(Self { functor, params })
    }
}

/// A kernel that is launched with arguments.
pub enum NativeKernel {
    Driver(DriverKernel),
    /// A kernel of a program that was compiled from source text, by its name in device code.
    Online {
        program: Arc<Program>,
        symbol: String,
        /// The compiler-generated name.
        name: CString,
    },
}

impl NativeKernel {
    /// Returns the kernel and its functor for a launch with these arguments on a device of its
    /// context.
    ///
    /// # Safety
    /// The address of each argument must be null, or valid for reads of the size that its kind
    /// implies.
    pub unsafe fn bind(
        &self,
        device: &'static Device,
        ranges: &Ranges,
        args: &[NativeArg],
    ) -> Result<(Arc<ReadyKernel>, Vec<u8>)> {
        match self {
            Self::Driver(kernel) => {
                // SAFETY: the caller guarantees that the address of each argument is null or valid.
                let arguments = unsafe { Arguments::read(args) }?;
                let ready = kernel.with_arguments(device, ranges.shape, &arguments)?;
                Ok((ready, arguments.functor))
            }
            Self::Online { program, symbol, .. } => {
                let launch = program.launch(symbol)?;
                online::check_shape(launch, ranges)?;
                // SAFETY: the caller guarantees that the address of each argument is null or valid.
                let functor = unsafe { online::arguments::functor(launch, args) }?;
                let ready = program.kernel(symbol, device)?;
                if let Some(required) = ready.work_group_size() {
                    ranges.check_required(required)?;
                }
                Ok((ready, functor))
            }
        }
    }

    /// Returns a kernel that provides access to the native objects.
    pub fn any(&self) -> Result<Arc<ReadyKernel>> {
        match self {
            Self::Driver(kernel) => kernel.any(),
            Self::Online { program, symbol, .. } => {
                program.kernel(symbol, program.context().first())
            }
        }
    }
}

/// A kernel of the driver: a native kernel of the program, or a kernel of a program that the driver
/// compiled.
pub struct DriverKernel {
    context: Arc<Context>,
    source: KernelSource,
    pub name: CString,
    /// The number of arguments, if it is known.
    pub arg_count: Option<u32>,
    /// The kernels for each combination of device, shape and argument kinds. They hold references
    /// to the native kernel or to their program.
    made: Mutex<Vec<Made>>,
}

enum KernelSource {
    Native(hal::Native),
    /// The program for each device, by the identifiers of devices.
    Programs(Vec<(u32, Arc<dyn hal::Program>)>),
}

struct Made {
    device: u32,
    shape: Shape,
    params: Vec<Param>,
    kernel: Arc<ReadyKernel>,
}

// SAFETY: any thread may use a driver's kernel; the backend serialises the setting of arguments.
unsafe impl Send for DriverKernel {}
// SAFETY: several threads may use the kernel at once, as stated for `Send`.
unsafe impl Sync for DriverKernel {}

impl DriverKernel {
    /// Wraps `raw` and retains it.
    ///
    /// # Safety
    /// `raw` must be a live kernel of the driver of the context.
    pub unsafe fn new(context: Arc<Context>, raw: hal::Native) -> Result<Self> {
        let kernel = Self {
            context,
            source: KernelSource::Native(raw),
            name: c"native kernel".to_owned(),
            arg_count: None,
            made: Mutex::default(),
        };
        let nothing = Arguments { functor: Vec::new(), params: Vec::new() };
        // The caller guarantees that `raw` is live. From here on, the wrapper in `made` holds a
        // reference that keeps it alive.
        kernel.with_arguments(kernel.context.first(), Shape::SingleTask, &nothing)?;
        Ok(kernel)
    }

    /// Returns a kernel of programs that the driver compiled, one for each device.
    pub fn of_programs(
        context: Arc<Context>,
        programs: Vec<(u32, Arc<dyn hal::Program>)>,
        name: CString,
        arg_count: u32,
    ) -> Self {
        let (source, arg_count) = (KernelSource::Programs(programs), Some(arg_count));
        Self { context, source, name, arg_count, made: Mutex::default() }
    }

    /// Returns the kernel for a launch with these kinds of arguments on a device of its context.
    pub fn with_arguments(
        &self,
        device: &'static Device,
        shape: Shape,
        arguments: &Arguments,
    ) -> Result<Arc<ReadyKernel>> {
        if self.context.actual(device).is_none_or(|actual| actual.id != device.id) {
            return Err(invalid("a native kernel cannot run on a queue of another context"));
        }
        let mut made = lock(&self.made);
        let known =
            |m: &&Made| m.device == device.id && m.shape == shape && m.params == arguments.params;
        if let Some(made) = made.iter().find(known) {
            return Ok(made.kernel.clone());
        }
        let launch = KernelLaunch {
            shape,
            functor_size: arguments.functor.len() as u64,
            file: String::new(),
            line: 0,
            column: 0,
            identity: 0,
            params: arguments.params.clone(),
            function: None,
        };
        let inner = match &self.source {
            KernelSource::Native(raw) => {
                let interop = device.interop()?;
                // SAFETY: the kernel is live. The caller of `new` guarantees this until the first
                // wrapper holds a reference.
                unsafe { interop.kernel_from_native(*raw, &launch) }?
            }
            KernelSource::Programs(programs) => {
                let name = self.name.to_str().unwrap_or_default();
                let found = programs.iter().find(|(id, _)| *id == device.id);
                let (_, program) = found.ok_or_else(|| {
                    let device = device.name();
                    invalid(format!("kernel '{name}' was not built for device '{device}'"))
                })?;
                program.kernel(name, &launch)?
            }
        };
        let kernel = Arc::new(ReadyKernel::of_driver(inner, launch));
        made.push(Made {
            device: device.id,
            shape,
            params: arguments.params.clone(),
            kernel: kernel.clone(),
        });
        Ok(kernel)
    }

    /// Returns a kernel that provides access to the native objects.
    pub fn any(&self) -> Result<Arc<ReadyKernel>> {
        if let Some(made) = lock(&self.made).first() {
            return Ok(made.kernel.clone());
        }
        let nothing = Arguments { functor: Vec::new(), params: Vec::new() };
        self.with_arguments(self.context.first(), Shape::SingleTask, &nothing)
    }
}

/// A native program with the kernels of a bundle.
pub struct NativeProgram(pub Arc<dyn hal::Program>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_rows() {
        let (value, pointer) = (7u32, 0x1000usize);
        let args = [
            NativeArg { kind: 1, reserved: 0, size: 4, data: (&raw const value).cast() },
            NativeArg { kind: 3, reserved: 0, size: 8, data: (&raw const pointer).cast() },
        ];
        // SAFETY: the values above outlive the call.
        let read = unsafe { Arguments::read(&args) }.expect("good arguments");
        assert_eq!(read.params[1], Param::pointer(ParamKind::Pointer, 16));
        assert_eq!((&read.functor[..4], read.functor.len()), (&7u32.to_ne_bytes()[..], 24));
    }

    #[test]
    fn what_is_no_argument_is_named() {
        let wrong = [NativeArg { kind: 2, reserved: 0, size: 4, data: std::ptr::null() }];
        // SAFETY: a null address is valid for `read`.
        let error = unsafe { Arguments::read(&wrong) }.err().expect("a sampler");
        assert_eq!(
            (error.code, error.message.contains("argument 0: kind 2")),
            (Errc::KernelArgument, true)
        );
    }
}
