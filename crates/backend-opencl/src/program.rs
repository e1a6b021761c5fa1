//! Programs that the driver built from SPIR-V or loaded from binaries, and their kernels.

use std::any::Any;
use std::ffi::{CStr, CString, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_abi::spirv::ASSERTION_VARIABLE;
use scythe_hal::{
    DriverSource, Errc, Error, FunctorBytes, Kernel, Native, Program, Resources, Result,
};

use crate::api::{Handle, bytes, check, failure, text, word};
use crate::globals;
use crate::platform::Platform;

const PROGRAM_BUILD_LOG: u32 = 0x1183;
const PROGRAM_KERNEL_NAMES: u32 = 0x1168;
const KERNEL_NUM_ARGS: u32 = 0x1191;
const INVALID_BUILD_OPTIONS: i32 = -43;
/// The size of a local accessor's two words.
const LOCAL_HEAD: usize = 16;

pub(crate) struct OclProgram {
    platform: Arc<Platform>,
    raw: Handle,
    /// The device for which the program was built here.
    device: Option<Handle>,
    /// The variable in which the program stores a failed assertion.
    assertion: Option<Assertion>,
}

/// The address of a variable of a program, in the device's memory.
#[derive(Clone, Copy)]
pub(crate) struct Assertion(pub(crate) *mut c_void);

// SAFETY: the address is in the device's memory. Only commands access it.
unsafe impl Send for Assertion {}
// SAFETY: the address is in the device's memory. Only commands access it.
unsafe impl Sync for Assertion {}

// SAFETY: OpenCL's programs may be used by several threads at once.
unsafe impl Send for OclProgram {}
// SAFETY: OpenCL's programs may be used by several threads at once.
unsafe impl Sync for OclProgram {}

impl OclProgram {
    /// Creates a program. Takes over a reference count of `raw`.
    pub(crate) fn adopt(platform: &Arc<Platform>, raw: Handle) -> Self {
        Self { platform: platform.clone(), raw, device: None, assertion: None }
    }

    /// Makes the driver build a SPIR-V module. An error contains the driver's log.
    pub(crate) fn build(platform: &Arc<Platform>, device: Handle, words: &[u8]) -> Result<Self> {
        let (api, context) = (platform.api, platform.context()?);
        let mut code = 0;
        // SAFETY: the context is alive, and the call gets the length of `words`.
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

    /// Makes the driver build source code of the program. Returns the program and the driver's log.
    /// An error contains the log.
    pub(crate) fn from_source(
        platform: &Arc<Platform>,
        device: Handle,
        source: DriverSource<'_>,
        options: &CStr,
    ) -> Result<(Self, String)> {
        let (api, context) = (platform.api, platform.context()?);
        let mut code = 0;
        let (raw, function) = match source {
            DriverSource::OpenCl(text) => {
                let (start, length) = (text.as_ptr().cast(), text.len());
                // SAFETY: the context is alive, and the call gets one text and its length.
                let raw = unsafe {
                    (api.create_program_with_source)(context, 1, &start, &length, &mut code)
                };
                (raw, "clCreateProgramWithSource")
            }
            DriverSource::SpirV(words) => {
                let (start, length) = (words.as_ptr().cast(), words.len());
                // SAFETY: the context is alive, and the call gets the length of `words`.
                let raw =
                    unsafe { (api.create_program_with_il)(context, start, length, &mut code) };
                (raw, "clCreateProgramWithIL")
            }
        };
        if code != 0 || raw.is_null() {
            return Err(Error::new(Errc::Build, failure(code, function).message));
        }
        let program =
            Self { platform: platform.clone(), raw, device: Some(device), assertion: None };
        let program = program.built_with(device, options)?;
        let log = program.log(device);
        Ok((program, log))
    }

    /// Returns the names of all kernels and the numbers of their arguments.
    pub(crate) fn kernels(&self) -> Result<Vec<(String, u32)>> {
        let (api, raw) = (self.platform.api, self.raw);
        // SAFETY: the program is alive and built, and the call gets the size of the memory.
        let names = bytes(|size, place, full| unsafe {
            (api.get_program_info)(raw, PROGRAM_KERNEL_NAMES, size, place, full)
        });
        let names = text(&names);
        let names = names.split(';').filter(|name| !name.is_empty());
        names.map(|name| Ok((name.to_owned(), self.argument_count(name)?))).collect()
    }

    fn argument_count(&self, name: &str) -> Result<u32> {
        let api = self.platform.api;
        let c_name = CString::new(name).unwrap_or_default();
        let mut code = 0;
        // SAFETY: the program is alive and built, and the name is a C string.
        let kernel = unsafe { (api.create_kernel)(self.raw, c_name.as_ptr(), &mut code) };
        if code != 0 || kernel.is_null() {
            return Err(Error::new(Errc::Build, failure(code, "clCreateKernel").message));
        }
        // SAFETY: the kernel is alive, and the call gets the size of the memory.
        let count = bytes(|size, place, full| unsafe {
            (api.get_kernel_info)(kernel, KERNEL_NUM_ARGS, size, place, full)
        });
        // SAFETY: the kernel was created above, and nothing else uses it.
        let _ = unsafe { (api.release_kernel)(kernel) };
        Ok(count.try_into().map_or(0, u32::from_ne_bytes))
    }

    /// Makes the driver load a binary that was compiled ahead of time. The driver refuses a binary
    /// for another device.
    pub(crate) fn from_binary(
        platform: &Arc<Platform>,
        device: Handle,
        binary: &[u8],
    ) -> Result<Self> {
        let (api, context) = (platform.api, platform.context()?);
        let (mut status, mut code) = (0, 0);
        // SAFETY: the context is alive and contains the device. The call gets one binary and its
        // length.
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

    /// Makes the driver build the program for the device.
    fn built(self, device: Handle) -> Result<Self> {
        self.built_with(device, c"")
    }

    /// Makes the driver build the program for the device, with these options.
    fn built_with(self, device: Handle, options: &CStr) -> Result<Self> {
        let (api, raw) = (self.platform.api, self.raw);
        // SAFETY: the program and the device are alive and belong to the same context. No callback
        // is passed.
        let code = unsafe {
            (api.build_program)(
                raw,
                1,
                &device,
                options.as_ptr(),
                std::ptr::null(),
                std::ptr::null_mut(),
            )
        };
        if code == 0 {
            return Ok(self);
        }
        let log = self.log(device);
        let log = if log.is_empty() { "the driver's log is empty".to_owned() } else { log };
        let errc = match code {
            INVALID_BUILD_OPTIONS => Errc::Invalid,
            _ => Errc::Build,
        };
        Err(Error::new(errc, format!("{}:\n{log}", failure(code, "clBuildProgram").message)))
    }

    /// Returns the driver's messages about the build for the device.
    fn log(&self, device: Handle) -> String {
        // SAFETY: the program and the device are alive, and the call gets the size of the memory.
        text(&bytes(|size, place, full| unsafe {
            let query = self.platform.api.get_program_build_info;
            query(self.raw, device, PROGRAM_BUILD_LOG, size, place, full)
        }))
    }

    /// Finds the variable in which the program's kernels store failed assertions. `code` is the
    /// code from which the program was built.
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
        // SAFETY: the program is alive, because this object owns a count of it.
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
        // SAFETY: the program is alive and built, and the name is a C string.
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
        // SAFETY: this object owns the reference count.
        let _ = unsafe { (self.platform.api.release_program)(self.raw) };
    }
}

/// A kernel with its launch description. OpenCL stores arguments in the kernel, so only one launch
/// at a time may set them and enqueue the kernel.
pub(crate) struct OclKernel {
    platform: Arc<Platform>,
    pub(crate) symbol: Arc<str>,
    pub(crate) shape: Shape,
    params: Vec<Param>,
    /// The variable for failed assertions of the kernel's program.
    pub(crate) assertion: Option<Assertion>,
    state: Mutex<State>,
}

pub(crate) struct State {
    pub(crate) raw: Handle,
    /// The functor whose parts are currently the kernel's arguments.
    last: Vec<u8>,
    /// Whether the program also has the driver's kernel, so that its arguments are unknown.
    shared: bool,
}

// SAFETY: the kernel is used only under its lock.
unsafe impl Send for State {}

impl OclKernel {
    /// Returns the maximum size of sub-groups on a device, and their number in a work-group of this
    /// size (fastest dimension first), if the driver tells.
    pub(crate) fn sub_groups(&self, device: Handle, local_size: [u64; 3]) -> Option<(u32, u64)> {
        const MAX_SIZE_FOR_NDRANGE: u32 = 0x2033;
        const COUNT_FOR_NDRANGE: u32 = 0x2034;
        let (api, raw) = (self.platform.api, self.raw());
        let local = local_size.map(|n| n as usize);
        let ask = |what: u32| {
            // SAFETY: the kernel and the device are alive, and the call gets the sizes of the
            // input and of the memory.
            let number = word(|size, place, full| unsafe {
                let input = local.as_ptr().cast();
                (api.get_kernel_sub_group_info)(
                    raw,
                    device,
                    what,
                    size_of_val(&local),
                    input,
                    size,
                    place,
                    full,
                )
            });
            number.filter(|&number| number != 0)
        };
        Some((ask(MAX_SIZE_FOR_NDRANGE)? as u32, ask(COUNT_FOR_NDRANGE)? as u64))
    }

    /// Creates a kernel. Takes over a reference count of `raw`. `shared` tells whether the program
    /// also has the kernel and may set its arguments.
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
            symbol: symbol.into(),
            shape: launch.shape,
            params: launch.params.clone(),
            assertion: None,
            state: Mutex::new(State { raw, last: Vec::new(), shared }),
        }
    }

    fn raw(&self) -> Handle {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).raw
    }

    /// Sets the arguments. The caller must enqueue the kernel before it drops the returned guard.
    ///
    /// # Safety
    /// `functor` contains every parameter at its offset, including a local accessor's two words.
    pub(crate) unsafe fn with_arguments(
        &self,
        functor: &FunctorBytes,
    ) -> Result<MutexGuard<'_, State>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: a functor has as many bytes as its length says.
        let given = unsafe { std::slice::from_raw_parts(functor.as_ptr(), functor.len()) };
        let State { raw, last, shared } = &mut *state;
        // The kernel keeps its arguments, and most launches change only one or two of them.
        let known = !*shared && last.len() == given.len() && !last.is_empty();
        let objects = self.platform.sharing.objects.is_used();
        for (index, param) in self.params.iter().enumerate() {
            let size =
                if param.kind == ParamKind::Local { LOCAL_HEAD } else { param.size as usize };
            let bytes = param.offset as usize..param.offset as usize + size;
            // An address may refer to another memory object than before.
            let is_object =
                objects && matches!(param.kind, ParamKind::Accessor | ParamKind::Pointer);
            if known && !is_object && last[bytes.clone()] == given[bytes] {
                continue;
            }
            // SAFETY: the caller guarantees that the functor contains the parameter. The kernel is
            // alive.
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

    /// Sets one argument.
    ///
    /// # Safety
    /// As for [`OclKernel::with_arguments`].
    unsafe fn set(&self, kernel: Handle, index: u32, param: &Param, functor: &[u8]) -> Result<()> {
        let (api, at) = (self.platform.api, functor.as_ptr().wrapping_add(param.offset as usize));
        // SAFETY: the caller guarantees that the parameter is inside of the functor. The reads
        // allow any alignment, because addresses may be anywhere in the functor.
        let code = unsafe {
            match param.kind {
                ParamKind::Accessor | ParamKind::Pointer => {
                    let address = at.cast::<*const c_void>().read_unaligned();
                    return self.platform.sharing.set_argument(api, kernel, index, address);
                }
                ParamKind::Local => {
                    let size = at.add(8).cast::<u64>().read_unaligned() as usize;
                    // OpenCL does not allow local arguments without memory.
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

    fn resources(&self) -> Result<Resources> {
        const WORK_GROUP_SIZE: u32 = 0x11b0;
        const SPILL_MEM_SIZE_INTEL: u32 = 0x4109;
        let (api, raw) = (self.platform.api, self.raw());
        let ask = |what: u32| {
            // SAFETY: the kernel is alive, its program is for one device, and the call gets the
            // size of the memory.
            word(|size, place, full| unsafe {
                (api.get_kernel_work_group_info)(raw, std::ptr::null_mut(), what, size, place, full)
            })
        };
        Ok(Resources {
            max_group_size: ask(WORK_GROUP_SIZE).filter(|&size| size != 0).map(|size| size as u64),
            spill_bytes: ask(SPILL_MEM_SIZE_INTEL).map(|size| size as u64),
        })
    }

    fn native(&self) -> Result<Native> {
        let raw = self.raw();
        // The owner of the driver's kernel may set its arguments.
        self.state.lock().unwrap_or_else(PoisonError::into_inner).shared = true;
        // SAFETY: the kernel is alive, because this object owns a count of it.
        check(unsafe { (self.platform.api.retain_kernel)(raw) }, "clRetainKernel").map(|()| raw)
    }

    fn native_program(&self) -> Result<Native> {
        const KERNEL_PROGRAM: u32 = 0x1194;
        let (api, raw) = (self.platform.api, self.raw());
        // SAFETY: the kernel is alive, and the call gets the size of the memory.
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
        // SAFETY: `native_program` retained the program.
        let _ = unsafe { (self.platform.api.release_program)(program) };
    }
}

impl Drop for OclKernel {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: this object owns the reference count.
        let _ = unsafe { (self.platform.api.release_kernel)(state.raw) };
    }
}
