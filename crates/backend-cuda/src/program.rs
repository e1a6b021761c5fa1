//! Modules that the driver has loaded, and their kernels.

use std::any::Any;
use std::borrow::Cow;
use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use scythe_abi::cuda::symbol;
use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_hal::{Errc, Error, Kernel, Occupancy, Program, Resources, Result};
use scythe_image::Format;

use crate::api::Handle;
use crate::error::{
    INVALID_PTX, NO_BINARY_FOR_GPU, NOT_FOUND, SUCCESS, UNSUPPORTED_PTX_VERSION, describe,
    is_sticky,
};
use crate::geometry::Remembered;
use crate::gpu::Gpu;
use crate::limits::driver_name;

const JIT_INFO_LOG: i32 = 3;
const JIT_INFO_LOG_SIZE: i32 = 4;
const JIT_ERROR_LOG: i32 = 5;
const JIT_ERROR_LOG_SIZE: i32 = 6;
const JIT_GENERATE_LINE_INFO: i32 = 12;
const JIT_INPUT_PTX: i32 = 1;
const JIT_INPUT_FATBINARY: i32 = 2;
const LOG_SIZE: usize = 16 << 10;
/// The maximum size of CUDA's local memory (SYCL's private memory) per thread.
const MOST_PRIVATE: u32 = 512 << 10;

const FUNC_MAX_THREADS: i32 = 0;
const FUNC_STATIC_SHARED: i32 = 1;
const FUNC_LOCAL_SIZE: i32 = 3;
const FUNC_REGISTERS: i32 = 4;
const FUNC_MAX_DYNAMIC_SHARED: i32 = 8;

pub(crate) struct CudaProgram {
    module: Arc<Module>,
}

/// A module of the driver. It is unloaded when the last of its kernels is dropped.
struct Module {
    gpu: Arc<Gpu>,
    raw: Handle,
}

// SAFETY: the driver's modules may be used by several threads at once.
unsafe impl Send for Module {}
// SAFETY: the driver's modules may be used by several threads at once.
unsafe impl Sync for Module {}

impl Drop for Module {
    fn drop(&mut self) {
        if self.gpu.enter().is_ok() {
            // Kernels of the module may still run.
            // SAFETY: this object owns the module.
            unsafe {
                let _ = (self.gpu.api.ctx_synchronize)();
                let _ = (self.gpu.api.module_unload)(self.raw);
            }
        }
    }
}

/// The messages of the driver's compiler.
struct Log {
    text: Vec<u8>,
}

impl Log {
    fn new() -> Self {
        Self { text: vec![0; LOG_SIZE] }
    }

    fn read(&self) -> String {
        let end = self.text.iter().position(|&b| b == 0).unwrap_or(self.text.len());
        String::from_utf8_lossy(&self.text[..end]).trim().to_owned()
    }
}

/// Returns the options of the driver's compiler, and their values: buffers for its messages, and
/// whether it keeps the line numbers in the code, for debuggers and profilers.
fn compiler_options(
    info: &mut Log,
    errors: &mut Log,
    keeps_lines: bool,
) -> ([i32; 5], [*mut c_void; 5]) {
    let size = LOG_SIZE as *mut c_void;
    let keeps_lines = usize::from(keeps_lines) as *mut c_void;
    (
        [
            JIT_INFO_LOG,
            JIT_INFO_LOG_SIZE,
            JIT_ERROR_LOG,
            JIT_ERROR_LOG_SIZE,
            JIT_GENERATE_LINE_INFO,
        ],
        [info.text.as_mut_ptr().cast(), size, errors.text.as_mut_ptr().cast(), size, keeps_lines],
    )
}

/// Returns whether the code contains PTX with line numbers.
fn has_lines(code: &[u8]) -> bool {
    const DIRECTIVE: &[u8] = b"\t.loc\t";
    code.windows(DIRECTIVE.len()).any(|bytes| bytes == DIRECTIVE)
}

impl CudaProgram {
    /// Makes the driver load a fat binary or PTX, linked with others of the same format.
    pub(crate) fn build(
        gpu: &Arc<Gpu>,
        code: &[u8],
        format: Format,
        libraries: &[&[u8]],
    ) -> Result<Self> {
        gpu.enter()?;
        if !libraries.is_empty() {
            let linked = link(gpu, code, format, libraries)?;
            return Self::load(gpu, &linked, format);
        }
        Self::load(gpu, &ended(code, format), format)
    }

    fn load(gpu: &Arc<Gpu>, code: &[u8], format: Format) -> Result<Self> {
        let (mut info, mut errors) = (Log::new(), Log::new());
        let (options, values) = compiler_options(&mut info, &mut errors, has_lines(code));
        let mut raw = null_mut();
        // SAFETY: a context is current. The code is a whole fat binary or cubin, which contains its
        // size, or text that ends with a NUL. The logs have the given sizes.
        let result = unsafe {
            let (count, options, values) =
                (options.len() as u32, options.as_ptr(), values.as_ptr());
            (gpu.api.module_load_data_ex)(&mut raw, code.as_ptr().cast(), count, options, values)
        };
        match result {
            SUCCESS => Ok(Self { module: Arc::new(Module { gpu: gpu.clone(), raw }) }),
            result => Err(refused(gpu, result, code, format, &errors.read())),
        }
    }
}

/// Adds a NUL to PTX, as the driver requires.
fn ended(code: &[u8], format: Format) -> Cow<'_, [u8]> {
    match format == Format::Ptx && code.last() != Some(&0) {
        true => [code, &[0]].concat().into(),
        false => code.into(),
    }
}

/// Makes the driver link several fat binaries or PTX texts.
fn link(gpu: &Arc<Gpu>, code: &[u8], format: Format, libraries: &[&[u8]]) -> Result<Vec<u8>> {
    struct State<'a>(&'a Gpu, Handle);
    impl Drop for State<'_> {
        fn drop(&mut self) {
            // SAFETY: this object owns the state.
            let _ = unsafe { (self.0.api.link_destroy)(self.1) };
        }
    }
    let api = gpu.api;
    let (mut info, mut errors) = (Log::new(), Log::new());
    let keeps_lines = has_lines(code) || libraries.iter().any(|library| has_lines(library));
    let (options, values) = compiler_options(&mut info, &mut errors, keeps_lines);
    let mut raw = null_mut();
    // SAFETY: a context is current. The call gets the number of options and values, and the logs
    // outlive the state.
    let made = unsafe {
        (api.link_create)(options.len() as u32, options.as_ptr(), values.as_ptr(), &mut raw)
    };
    gpu.check(made, "cuLinkCreate")?;
    let state = State(gpu, raw);
    let kind = if format == Format::Ptx { JIT_INPUT_PTX } else { JIT_INPUT_FATBINARY };
    for part in std::iter::once(&code).chain(libraries) {
        let part = &ended(part, format);
        // SAFETY: the call gets the length of the code, which stays valid until the call returns.
        let added = unsafe {
            let name: *const c_char = c"device code".as_ptr();
            (api.link_add_data)(
                state.1,
                kind,
                part.as_ptr().cast(),
                part.len(),
                name,
                0,
                null(),
                null(),
            )
        };
        if added != SUCCESS {
            return Err(refused(gpu, added, part, format, &errors.read()));
        }
    }
    let (mut cubin, mut size) = (null_mut(), 0);
    // SAFETY: `cubin` and `size` are writable. Their values are valid until the state is destroyed.
    let done = unsafe { (api.link_complete)(state.1, &mut cubin, &mut size) };
    if done != SUCCESS || cubin.is_null() {
        return Err(refused(gpu, done, code, format, &errors.read()));
    }
    // SAFETY: the driver returned this many bytes, and the state is alive.
    Ok(unsafe { std::slice::from_raw_parts(cubin.cast::<u8>(), size) }.to_vec())
}

/// Returns the reason why the driver rejected code.
fn refused(gpu: &Gpu, result: i32, code: &[u8], format: Format, log: &str) -> Error {
    if is_sticky(result) {
        return gpu.error(result, "loading device code");
    }
    let what = match format {
        Format::Ptx => match ptx_version(code) {
            Some(version) => format!("PTX {version}"),
            None => "PTX".to_owned(),
        },
        other => other.as_str().to_owned(),
    };
    let mut message =
        format!("cannot load device code ({what}) on {}: {}", gpu.name, describe(gpu.api, result));
    let driver = driver_name(gpu.limits.driver);
    match result {
        UNSUPPORTED_PTX_VERSION | INVALID_PTX if log.is_empty() || log.contains("version") => {
            message.push_str(&format!(
                ". The driver ({driver}) is too old for this PTX: install a newer driver, or \
                 compile ahead of time with -fsycl-targets=nvidia_gpu_sm_{}",
                gpu.limits.sm
            ));
        }
        NO_BINARY_FOR_GPU => message.push_str(&format!(
            ". The image has no code for compute capability {}.{}: compile with \
             -fsycl-targets=nvidia_gpu_sm_{}",
            gpu.limits.sm / 10,
            gpu.limits.sm % 10,
            gpu.limits.sm
        )),
        _ => {}
    }
    if !log.is_empty() {
        message.push_str(":\n");
        message.push_str(log);
    }
    Error::new(Errc::Build, message)
}

/// Returns the version in PTX's `.version` directive.
fn ptx_version(code: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&code[..code.len().min(4096)]).into_owned();
    let line = head.lines().find_map(|line| line.trim().strip_prefix(".version"))?;
    Some(line.split_whitespace().next()?.to_owned())
}

impl Program for CudaProgram {
    fn kernel(&self, name: &str, launch: &KernelLaunch) -> Result<Arc<dyn Kernel>> {
        let gpu = &self.module.gpu;
        gpu.enter()?;
        let shown = || (gpu.services.kernel_name)(name);
        if launch.params.iter().any(|param| param.kind == ParamKind::Sampler) {
            let message = format!(
                "kernel '{}' has a sampler parameter, which the CUDA backend does not support",
                shown()
            );
            return Err(Error::new(Errc::KernelNotSupported, message));
        }
        let missing = |why: &str| {
            Error::new(Errc::Kernel, format!("the program has no kernel '{}': {why}", shown()))
        };
        let text =
            CString::new(symbol(name)).map_err(|_| missing("the name contains a NUL character"))?;
        let mut raw = null_mut();
        // SAFETY: the module is alive, `raw` is writable, and the name is a C string.
        let code =
            unsafe { (gpu.api.module_get_function)(&mut raw, self.module.raw, text.as_ptr()) };
        if code != SUCCESS {
            return Err(if is_sticky(code) {
                gpu.error(code, "")
            } else {
                missing(&describe(gpu.api, code))
            });
        }
        let attribute = |name: i32| {
            let mut value = 0;
            // SAFETY: the function is alive, and `value` is writable.
            let code = unsafe { (gpu.api.func_get_attribute)(&mut value, name, raw) };
            gpu.check(code, "cuFuncGetAttribute").map(|()| value.max(0) as u32)
        };
        let (static_shared, private) =
            (attribute(FUNC_STATIC_SHARED)?, attribute(FUNC_LOCAL_SIZE)?);
        if private > MOST_PRIVATE {
            let message = format!(
                "the kernel needs {private} bytes of private memory for each work-item, which \
                 exceeds the limit of {MOST_PRIVATE} on {}",
                gpu.name
            );
            return Err(Error::new(Errc::KernelNotSupported, message));
        }
        Ok(Arc::new(CudaKernel {
            max_threads: attribute(FUNC_MAX_THREADS)?,
            registers: attribute(FUNC_REGISTERS)?,
            static_shared,
            dynamic_limit: AtomicU32::new(
                gpu.limits.plain_local_memory.saturating_sub(static_shared),
            ),
            raw,
            symbol: name.into(),
            shape: launch.shape,
            locals: launch.params.iter().filter(|param| param.kind == ParamKind::Local).count(),
            params: launch.params.clone(),
            functor_size: launch.functor_size,
            threads: AtomicU32::new(0),
            geometry: Mutex::default(),
            module: self.module.clone(),
        }))
    }

    fn global(&self, name: &str) -> Result<Option<*mut c_void>> {
        let gpu = &self.module.gpu;
        gpu.enter()?;
        let Ok(text) = CString::new(symbol(name)) else { return Ok(None) };
        let (mut address, mut size) = (0, 0);
        // SAFETY: the module is alive, the name is a C string, and `address` and `size` are
        // writable.
        match unsafe {
            (gpu.api.module_get_global)(&mut address, &mut size, self.module.raw, text.as_ptr())
        } {
            SUCCESS => Ok(Some(address as *mut c_void)),
            NOT_FOUND => Ok(None),
            code => Err(gpu.error(code, &format!("looking for variable '{name}'"))),
        }
    }
}

/// A kernel with its launch description.
pub(crate) struct CudaKernel {
    module: Arc<Module>,
    pub(crate) raw: Handle,
    pub(crate) symbol: Arc<str>,
    pub(crate) shape: Shape,
    pub(crate) params: Vec<Param>,
    /// The number of parameters that are local accessors.
    pub(crate) locals: usize,
    pub(crate) functor_size: u64,
    /// The maximum number of work-items of a group. Registers may allow fewer than the device.
    pub(crate) max_threads: u32,
    pub(crate) registers: u32,
    pub(crate) static_shared: u32,
    /// The dynamic shared memory that the driver currently allows.
    dynamic_limit: AtomicU32,
    /// A suitable number of threads per block for ranges, or 0 if it has not been computed.
    threads: AtomicU32,
    /// The block of the last range.
    pub(crate) geometry: Mutex<Remembered>,
}

// SAFETY: the driver's functions may be used by several threads at once.
unsafe impl Send for CudaKernel {}
// SAFETY: the driver's functions may be used by several threads at once.
unsafe impl Sync for CudaKernel {}

/// The sizes of blocks, best first. Small blocks start and end without waiting for many other
/// blocks.
const BLOCKS: [u32; 4] = [256, 512, 128, 1024];

impl CudaKernel {
    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        &self.module.gpu
    }

    /// Returns the kernel's name in the source.
    pub(crate) fn name(&self) -> String {
        (self.gpu().services.kernel_name)(&self.symbol)
    }

    /// Returns whether a launch has to query the driver about the kernel first.
    pub(crate) fn needs_context(&self) -> bool {
        self.locals > 0 || self.shape == Shape::Range && self.threads.load(Ordering::Relaxed) == 0
    }

    /// Returns the number of threads per block that gives the highest occupancy with this kernel.
    /// The context must be current.
    pub(crate) fn threads(&self) -> u32 {
        let known = self.threads.load(Ordering::Relaxed);
        if known != 0 {
            return known;
        }
        let api = self.gpu().api;
        let active = |threads: u32| {
            let mut blocks = 0;
            // SAFETY: the function is alive, and `blocks` is writable.
            let code = unsafe {
                (api.occupancy_max_active_blocks)(&mut blocks, self.raw, threads as i32, 0)
            };
            if code == SUCCESS { blocks.max(0) as u32 * threads } else { 0 }
        };
        let mut best = (0, BLOCKS[0].min(self.max_threads.max(1)));
        for threads in BLOCKS.into_iter().filter(|&threads| threads <= self.max_threads) {
            let active = active(threads);
            if active > best.0 {
                best = (active, threads);
            }
        }
        self.threads.store(best.1, Ordering::Relaxed);
        best.1
    }

    /// Returns how many work-groups of this size run at the same time. The context must be current.
    pub(crate) fn occupancy(&self, local_size: [u64; 3], local_bytes: u64) -> Result<Occupancy> {
        let none = Occupancy { per_unit: Some(0), together: 0, sub_groups: None };
        let items = local_size.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
        let Some(items) = items.filter(|&items| items <= u64::from(self.max_threads)) else {
            return Ok(none);
        };
        let gpu = self.gpu();
        let total = u64::from(self.static_shared).saturating_add(local_bytes);
        if total > u64::from(gpu.limits.local_memory) {
            return Ok(none);
        }
        self.allow_shared(local_bytes as u32)?;
        let mut blocks = 0;
        // SAFETY: the function is alive, and `blocks` is writable.
        let code = unsafe {
            (gpu.api.occupancy_max_active_blocks)(
                &mut blocks,
                self.raw,
                items as i32,
                local_bytes as usize,
            )
        };
        gpu.check(code, "cuOccupancyMaxActiveBlocksPerMultiprocessor")?;
        let per_unit = blocks.max(0) as u64;
        let together = match gpu.limits.cooperates {
            true => per_unit * u64::from(gpu.limits.multiprocessors),
            false => per_unit.min(1),
        };
        Ok(Occupancy { per_unit: Some(per_unit), together, sub_groups: None })
    }

    /// Allows the kernel this much dynamic shared memory. Reports an error if the device has less.
    /// The context must be current.
    ///
    /// Above the driver's default limit, the maximum is allowed at once: launches on several
    /// threads may request different sizes, and a smaller request must not reduce the limit of a
    /// larger one.
    pub(crate) fn allow_shared(&self, bytes: u32) -> Result<()> {
        if bytes <= self.dynamic_limit.load(Ordering::Relaxed) {
            return Ok(());
        }
        let (gpu, total) = (self.gpu(), u64::from(self.static_shared) + u64::from(bytes));
        if total > u64::from(gpu.limits.local_memory) {
            return Err(too_much_local(self, total));
        }
        let most = gpu.limits.local_memory - self.static_shared;
        // SAFETY: the function is alive.
        let code =
            unsafe { (gpu.api.func_set_attribute)(self.raw, FUNC_MAX_DYNAMIC_SHARED, most as i32) };
        gpu.check(
            code,
            &format!("reserving {bytes} bytes of local memory for kernel '{}'", self.name()),
        )?;
        self.dynamic_limit.store(most, Ordering::Relaxed);
        Ok(())
    }
}

/// Returns the error for a kernel that needs more local memory than the device has.
pub(crate) fn too_much_local(kernel: &CudaKernel, total: u64) -> Error {
    let gpu = kernel.gpu();
    let message = format!(
        "kernel '{}' needs {total} bytes of local memory in each work-group, which exceeds the \
         limit of {} on {}",
        kernel.name(),
        gpu.limits.local_memory,
        gpu.name
    );
    Error::new(Errc::MemoryAllocation, message)
}

impl Kernel for CudaKernel {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn resources(&self) -> Result<Resources> {
        Ok(Resources { max_group_size: Some(self.max_threads.into()), spill_bytes: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_ptx_is_read() {
        assert_eq!(ptx_version(b"//\n.version 8.3\n.target sm_90\n").as_deref(), Some("8.3"));
        assert_eq!(ptx_version(b"").as_deref(), None);
    }
}
