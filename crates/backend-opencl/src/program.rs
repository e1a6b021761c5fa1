//! SPIR-V that the driver built, or binaries that it took, and kernels of them.

use std::any::Any;
use std::ffi::{CString, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_abi::spirv::ASSERTION_VARIABLE;
use scythe_hal::{Errc, Error, FunctorBytes, Kernel, Native, Program, Result};

use crate::api::{Handle, bytes, check, failure, text, word};
use crate::globals;
use crate::platform::Platform;

const PROGRAM_BUILD_LOG: u32 = 0x1183;
/// A local accessor's two words.
const LOCAL_HEAD: usize = 16;

pub(crate) struct OclProgram {
    platform: Arc<Platform>,
    raw: Handle,
    /// What it was built for here.
    device: Option<Handle>,
    /// Where it writes down an assertion that failed.
    assertion: Option<Assertion>,
}

/// The address of a variable of a program, in the device's memory.
#[derive(Clone, Copy)]
pub(crate) struct Assertion(pub(crate) *mut c_void);

// SAFETY: an address of the device, which commands use.
unsafe impl Send for Assertion {}
// SAFETY: as above.
unsafe impl Sync for Assertion {}

// SAFETY: OpenCL's programs may be used by any thread, and by many at once.
unsafe impl Send for OclProgram {}
// SAFETY: as above.
unsafe impl Sync for OclProgram {}

impl OclProgram {
    /// Takes over a count of `raw`.
    pub(crate) fn adopt(platform: &Arc<Platform>, raw: Handle) -> Self {
        Self { platform: platform.clone(), raw, device: None, assertion: None }
    }

    /// Has the driver build a SPIR-V module. A failure carries the driver's log.
    pub(crate) fn build(platform: &Arc<Platform>, device: Handle, words: &[u8]) -> Result<Self> {
        let (api, context) = (platform.api, platform.context()?);
        let mut code = 0;
        // SAFETY: the context is alive, and `words` are as long as told.
        let raw = unsafe {
            (api.create_program_with_il)(context, words.as_ptr().cast(), words.len(), &mut code)
        };
        if code != 0 || raw.is_null() {
            return Err(Error::new(Errc::Build, failure(code, "clCreateProgramWithIL").message));
        }
        let program =
            Self { platform: platform.clone(), raw, device: Some(device), assertion: None };
        program.built(device)?.with_assertions(words)
    }

    /// Has the driver take a binary that was compiled ahead of time. It is refused where it is not
    /// for the device.
    pub(crate) fn from_binary(
        platform: &Arc<Platform>,
        device: Handle,
        binary: &[u8],
    ) -> Result<Self> {
        let (api, context) = (platform.api, platform.context()?);
        let (mut status, mut code) = (0, 0);
        // SAFETY: the context is alive, the device belongs to it, and there is one binary, as long
        // as told.
        let raw = unsafe {
            let (length, start) = (binary.len(), binary.as_ptr());
            (api.create_program_with_binary)(
                context,
                1,
                &device,
                &length,
                &start,
                &mut status,
                &mut code,
            )
        };
        let code = if code == 0 { status } else { code };
        let program =
            || Self { platform: platform.clone(), raw, device: Some(device), assertion: None };
        match (!raw.is_null()).then(program).filter(|_| code == 0) {
            Some(program) => program.built(device)?.with_assertions(binary),
            None => {
                Err(Error::new(Errc::Build, failure(code, "clCreateProgramWithBinary").message))
            }
        }
    }

    /// The program, once the driver has built it for the device.
    fn built(self, device: Handle) -> Result<Self> {
        let (api, raw) = (self.platform.api, self.raw);
        // SAFETY: program and device are alive, and belong to the same context; no function to
        // call.
        let code = unsafe {
            (api.build_program)(
                raw,
                1,
                &device,
                c"".as_ptr(),
                std::ptr::null(),
                std::ptr::null_mut(),
            )
        };
        if code == 0 {
            return Ok(self);
        }
        // SAFETY: program and device are alive, and the size is that of the memory.
        let log = bytes(|size, place, full| unsafe {
            (api.get_program_build_info)(raw, device, PROGRAM_BUILD_LOG, size, place, full)
        });
        let log = text(&log);
        let log = if log.is_empty() { "the driver's log is empty".to_owned() } else { log };
        Err(Error::new(Errc::Build, format!("{}:\n{log}", failure(code, "clBuildProgram").message)))
    }

    /// The program, once it is known where its kernels write down assertions that fail. `code` is
    /// what it was made of.
    fn with_assertions(mut self, code: &[u8]) -> Result<Self> {
        let name = ASSERTION_VARIABLE.as_bytes();
        if !code.windows(name.len()).any(|window| window == name) {
            return Ok(self);
        }
        let found = if self.platform.sharing.shares() {
            self.global(ASSERTION_VARIABLE).ok().flatten()
        } else {
            None
        };
        let address = found.ok_or_else(|| {
            let message = "the driver cannot report failed assertions of kernels: compile with \
                           NDEBUG defined";
            Error::new(Errc::FeatureNotSupported, message)
        })?;
        self.assertion = Some(Assertion(address));
        Ok(self)
    }
}

impl Program for OclProgram {
    fn native(&self) -> Result<Native> {
        // SAFETY: the program is alive.
        check(unsafe { (self.platform.api.retain_program)(self.raw) }, "clRetainProgram")
            .map(|()| self.raw)
    }

    fn global(&self, symbol: &str) -> Result<Option<*mut c_void>> {
        match self.device {
            Some(device) => globals::address(&self.platform, device, self.raw, symbol),
            None => Ok(None),
        }
    }

    fn kernel(&self, symbol: &str, launch: &KernelLaunch) -> Result<Arc<dyn Kernel>> {
        let api = self.platform.api;
        let missing = |why: &str| {
            Error::new(Errc::Kernel, format!("the program has no kernel '{symbol}': {why}"))
        };
        if launch.params.iter().any(|param| param.kind == ParamKind::Sampler) {
            let message = format!(
                "kernel '{symbol}' has a sampler parameter, which the OpenCL backend does not \
                 support"
            );
            return Err(Error::new(Errc::KernelNotSupported, message));
        }
        let name =
            CString::new(symbol).map_err(|_| missing("the name contains a NUL character"))?;
        let mut code = 0;
        // SAFETY: the program is alive and built, and the name a C string.
        let raw = unsafe { (api.create_kernel)(self.raw, name.as_ptr(), &mut code) };
        if code != 0 || raw.is_null() {
            return Err(missing(&failure(code, "clCreateKernel").message));
        }
        let mut kernel = OclKernel::new(&self.platform, raw, symbol, launch, false);
        kernel.assertion = self.assertion;
        Ok(Arc::new(kernel))
    }
}

impl Drop for OclProgram {
    fn drop(&mut self) {
        // SAFETY: the count is this object's.
        let _ = unsafe { (self.platform.api.release_program)(self.raw) };
    }
}

/// A kernel with its launch rows. OpenCL keeps arguments in the kernel: one launch at a time sets
/// them and is enqueued.
pub(crate) struct OclKernel {
    platform: Arc<Platform>,
    symbol: String,
    pub(crate) shape: Shape,
    params: Vec<Param>,
    /// Of its program.
    pub(crate) assertion: Option<Assertion>,
    state: Mutex<State>,
}

pub(crate) struct State {
    pub(crate) raw: Handle,
    /// The functor whose parts are the kernel's arguments now.
    last: Vec<u8>,
    /// Others have the driver's kernel, too: its arguments may be anything.
    shared: bool,
}

// SAFETY: the kernel is used under its lock.
unsafe impl Send for State {}

impl OclKernel {
    /// Takes over a count of `raw`.
    /// `shared`: the program has the kernel, too, and may set its arguments.
    pub(crate) fn new(
        platform: &Arc<Platform>,
        raw: Handle,
        symbol: &str,
        launch: &KernelLaunch,
        shared: bool,
    ) -> Self {
        platform.sharing.allow_indirect(platform.api, raw);
        Self {
            platform: platform.clone(),
            symbol: symbol.to_owned(),
            shape: launch.shape,
            params: launch.params.clone(),
            assertion: None,
            state: Mutex::new(State { raw, last: Vec::new(), shared }),
        }
    }

    fn raw(&self) -> Handle {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).raw
    }

    /// Sets the arguments; the kernel is to be enqueued before what is returned is dropped.
    ///
    /// # Safety
    /// `functor` holds every parameter at its offset, and a local accessor's two words.
    pub(crate) unsafe fn with_arguments(
        &self,
        functor: &FunctorBytes,
    ) -> Result<MutexGuard<'_, State>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: a functor's bytes are as many as it says.
        let given = unsafe { std::slice::from_raw_parts(functor.as_ptr(), functor.len()) };
        let State { raw, last, shared } = &mut *state;
        // Arguments stay as they were set: most launches change one or two.
        let known = !*shared && last.len() == given.len() && !last.is_empty();
        let objects = self.platform.sharing.objects.is_used();
        for (index, param) in self.params.iter().enumerate() {
            let size =
                if param.kind == ParamKind::Local { LOCAL_HEAD } else { param.size as usize };
            let bytes = param.offset as usize..param.offset as usize + size;
            // An address may stand for another memory object than before.
            let is_object =
                objects && matches!(param.kind, ParamKind::Accessor | ParamKind::Pointer);
            if known && !is_object && last[bytes.clone()] == given[bytes] {
                continue;
            }
            // SAFETY: the caller's contract.
            if let Err(error) = unsafe { self.set(*raw, index as u32, param, given) } {
                last.clear();
                let message =
                    format!("argument {index} of kernel '{}': {}", self.symbol, error.message);
                return Err(Error::new(error.code, message));
            }
        }
        last.clear();
        last.extend_from_slice(given);
        Ok(state)
    }

    /// # Safety
    /// As for [`OclKernel::with_arguments`].
    unsafe fn set(&self, kernel: Handle, index: u32, param: &Param, functor: &[u8]) -> Result<()> {
        let (api, at) = (self.platform.api, functor.as_ptr().wrapping_add(param.offset as usize));
        // SAFETY: the parameter lies inside of the functor by the caller's contract; addresses may
        // stand anywhere in it.
        let code = unsafe {
            match param.kind {
                ParamKind::Accessor | ParamKind::Pointer => {
                    let address = at.cast::<*const c_void>().read_unaligned();
                    return self.platform.sharing.set_argument(api, kernel, index, address);
                }
                ParamKind::Local => {
                    let size = at.add(8).cast::<u64>().read_unaligned() as usize;
                    // OpenCL knows no argument without memory.
                    (api.set_kernel_arg)(kernel, index, size.max(1), std::ptr::null())
                }
                ParamKind::StdLayout | ParamKind::Sampler => {
                    (api.set_kernel_arg)(kernel, index, param.size as usize, at.cast())
                }
            }
        };
        check(code, "clSetKernelArg")
    }
}

impl Kernel for OclKernel {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn native(&self) -> Result<Native> {
        let raw = self.raw();
        // Whoever has the driver's kernel may set its arguments.
        self.state.lock().unwrap_or_else(PoisonError::into_inner).shared = true;
        // SAFETY: the kernel is alive.
        check(unsafe { (self.platform.api.retain_kernel)(raw) }, "clRetainKernel").map(|()| raw)
    }

    fn native_program(&self) -> Result<Native> {
        const KERNEL_PROGRAM: u32 = 0x1194;
        let (api, raw) = (self.platform.api, self.raw());
        // SAFETY: the kernel is alive, and the size that of the memory.
        let program = word(|size, place, full| unsafe {
            (api.get_kernel_info)(raw, KERNEL_PROGRAM, size, place, full)
        });
        let program = program.filter(|&program| program != 0).ok_or_else(|| {
            Error::new(
                Errc::Runtime,
                format!("cannot query the cl_program of kernel '{}'", self.symbol),
            )
        })? as Handle;
        // SAFETY: the program lives as long as its kernel.
        check(unsafe { (api.retain_program)(program) }, "clRetainProgram").map(|()| program)
    }

    fn release_native_program(&self, program: Native) {
        // SAFETY: a program that `native_program` retained.
        let _ = unsafe { (self.platform.api.release_program)(program) };
    }
}

impl Drop for OclKernel {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the count is this object's.
        let _ = unsafe { (self.platform.api.release_kernel)(state.raw) };
    }
}
