//! Native kernels that the program created, and their arguments.
//!
//! The arguments are laid out consecutively like a functor, with matching launch rows, so that a
//! native kernel is launched like any other kernel.

use std::sync::{Arc, Mutex};

use scythe_abi::capi::NativeArg;
use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_hal as hal;

use crate::context::Context;
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

/// A native kernel.
pub struct NativeKernel {
    context: Arc<Context>,
    raw: hal::Native,
    /// The kernels for each combination of device, shape and argument kinds. They share the native
    /// kernel and hold references to it.
    made: Mutex<Vec<Made>>,
}

struct Made {
    device: u32,
    shape: Shape,
    params: Vec<Param>,
    kernel: Arc<ReadyKernel>,
}

// SAFETY: any thread may use a driver's kernel; the backend serialises the setting of arguments.
unsafe impl Send for NativeKernel {}
// SAFETY: several threads may use the kernel at once, as stated for `Send`.
unsafe impl Sync for NativeKernel {}

impl NativeKernel {
    /// Wraps `raw` and retains it.
    ///
    /// # Safety
    /// `raw` must be a live kernel of the driver of the context.
    pub unsafe fn new(context: Arc<Context>, raw: hal::Native) -> Result<Self> {
        let kernel = Self { context, raw, made: Mutex::default() };
        let nothing = Arguments { functor: Vec::new(), params: Vec::new() };
        // The caller guarantees that `raw` is live. From here on, the wrapper in `made` holds a
        // reference that keeps it alive.
        kernel.with_arguments(kernel.context.first(), Shape::SingleTask, &nothing)?;
        Ok(kernel)
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
        // SAFETY: the kernel is live. The caller of `new` guarantees this until the first wrapper
        // holds a reference.
        let inner = unsafe { device.interop()?.kernel_from_native(self.raw, &launch) }?;
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
        let made = lock(&self.made);
        made.first()
            .map(|made| made.kernel.clone())
            .ok_or_else(|| invalid("the native kernel does not exist"))
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
