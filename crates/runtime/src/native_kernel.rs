//! Kernels of a driver's own that the program made itself, and the arguments that it gives them.
//!
//! Arguments are laid out as a functor, one after the other, with launch rows to match, so that
//! such a kernel is launched as any other.

use std::sync::{Arc, Mutex};

use scythe_abi::capi::NativeArg;
use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_hal as hal;

use crate::context::Context;
use crate::platform::Device;
use crate::registry::ReadyKernel;
use crate::{Errc, Error, Result, invalid, lock};

/// Where each argument begins: enough for the largest type of the headers.
const ALIGNMENT: usize = 16;
/// The two words of an accessor, or of a local one.
const HEAD: usize = 16;

/// What the program gave a kernel.
pub struct Arguments {
    pub functor: Vec<u8>,
    params: Vec<Param>,
}

impl Arguments {
    /// # Safety
    /// Each argument's address is null or valid for what its kind says.
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
            // SAFETY: the caller's contract.
            functor.extend_from_slice(unsafe {
                std::slice::from_raw_parts(arg.data.cast::<u8>(), copied)
            });
        }
        Ok(Self { functor, params })
    }
}

/// A kernel of the driver's.
pub struct NativeKernel {
    context: Arc<Context>,
    raw: hal::Native,
    /// Holds the count, and what launches with the same kinds of arguments share.
    made: Mutex<Vec<Made>>,
}

struct Made {
    device: u32,
    shape: Shape,
    params: Vec<Param>,
    kernel: Arc<ReadyKernel>,
}

// SAFETY: drivers' kernels may be used by any thread; the backend orders who sets arguments.
unsafe impl Send for NativeKernel {}
// SAFETY: as above.
unsafe impl Sync for NativeKernel {}

impl NativeKernel {
    /// Takes a count of `raw`.
    ///
    /// # Safety
    /// `raw` is a kernel of the context's driver, alive.
    pub unsafe fn new(context: Arc<Context>, raw: hal::Native) -> Result<Self> {
        let kernel = Self { context, raw, made: Mutex::default() };
        let nothing = Arguments { functor: Vec::new(), params: Vec::new() };
        // SAFETY: passed on; from now on the count of what was made keeps it alive.
        kernel.with_arguments(kernel.context.first(), Shape::SingleTask, &nothing)?;
        Ok(kernel)
    }

    /// The kernel for a launch with such arguments on a device of its context.
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
        };
        // SAFETY: the kernel is alive: `new`'s caller vouches for it until the first one of these
        // holds a count.
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

    /// What gives the driver's own objects.
    pub fn any(&self) -> Result<Arc<ReadyKernel>> {
        let made = lock(&self.made);
        made.first()
            .map(|made| made.kernel.clone())
            .ok_or_else(|| invalid("the native kernel does not exist"))
    }
}

/// A program of the driver's, with the kernels of a bundle.
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
        // SAFETY: null is fine.
        let error = unsafe { Arguments::read(&wrong) }.err().expect("a sampler");
        assert_eq!(
            (error.code, error.message.contains("argument 0: kind 2")),
            (Errc::KernelArgument, true)
        );
    }
}
