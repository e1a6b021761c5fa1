//! Built programs and their kernels.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;

use scythe_abi::checks::{self, Checks};
use scythe_abi::cpu::{self, FormFn, KernelFn, Launch, Layout};
use scythe_abi::environment::CHECK_WIDENING;
use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_abi::names::{CPU_ENTRY_PREFIX, CPU_FORM_PREFIX, CPU_STEPPING, CPU_WHOLE};
use scythe_hal::by_need::{self, ByNeed, Part};
use scythe_hal::info::Aligned;
use scythe_hal::{
    BuildRequest, CompileRequest, Compiler, Errc, Error, FunctorBytes, Kernel, KernelWork, Output,
    Program, Result, compiler,
};
use scythe_trace::{CachedName, Name};

use crate::check;
use crate::fault::{self, running::Running};
use crate::form::Form;
use crate::loader::{LoadedObject, system_symbol};
use crate::sanitize::{self, LocalMemory};
use crate::stack;
use crate::tiling::Tiling;
use crate::variant::Variants;

/// The alignment of each local accessor's memory: the largest vector type of SYCL, and two cache
/// lines.
const LOCAL_ALIGN: usize = 128;
/// The maximum number of argument addresses on the stack.
const INLINE_ARGS: usize = 24;

/// Code loaded into this process.
///
/// Bitcode of a large image is compiled kernel by kernel: a program waits only for the kernels that
/// it launches.
pub(crate) struct CpuProgram {
    objects: ByNeed<LoadedObject>,
    /// The source from which the program was compiled, in this process or an earlier one.
    source: Option<Arc<Source>>,
}

impl CpuProgram {
    /// Creates a program from x86-64 objects that are linked with each other and with `globals`.
    /// The kernels are those of the first object.
    pub(crate) fn from_objects(objects: &[&[u8]], globals: &Globals) -> Result<Self> {
        Ok(Self { objects: ByNeed::together(load(objects, globals)?), source: None })
    }

    /// Creates a program from device bitcode, for a device of this name. Small images are compiled
    /// now, and kernels of large ones when they are first used.
    pub(crate) fn from_bitcode(
        compiler: &'static dyn Compiler,
        device: &str,
        request: &BuildRequest<'_>,
        globals: Globals,
    ) -> Result<Self> {
        let source = Source {
            compiler,
            device: device.to_owned(),
            bitcode: request.code.into(),
            opt_level: request.options.opt_level,
            scalar: request.options.scalar || Form::of_process()? == Form::Scalar,
            checks: sanitize::of_process()?,
            aspects: request.aspects.to_vec(),
            libraries: request.libraries.iter().map(|&library| library.into()).collect(),
            globals,
        };
        let objects = match by_need::is_large(request) {
            true => ByNeed::default(),
            false => ByNeed::together(source.compile(None)?),
        };
        Ok(Self { objects, source: Some(Arc::new(source)) })
    }

    /// Returns the code of a kernel.
    fn object(&self, kernel: &str) -> Result<Arc<LoadedObject>> {
        self.objects.get(kernel, |_| {
            let none = || Error::new(Errc::Build, "the program has no code");
            let source = self.source.as_ref().ok_or_else(none)?;
            let part = compiler::Part { kernel: kernel.to_owned(), local_size: None };
            let object = source.compile(Some(&part))?;
            Ok(match object.function(CPU_WHOLE) {
                Some(_) => Part::Whole(object),
                None => Part::Kernel(object),
            })
        })
    }

    /// Returns the scalar form of a kernel, for the check of widened kernels.
    fn scalar(&self, kernel: &str, entry: &str) -> Result<Code> {
        let missing = |why: &str| {
            let message = format!(
                "{}: the kernel with the entry point '{entry}' has no scalar form: {why}",
                CHECK_WIDENING.name
            );
            Error::new(Errc::Kernel, message)
        };
        let source =
            self.source.as_ref().ok_or_else(|| missing("it was compiled ahead of time"))?;
        let source = Source { scalar: true, ..Source::clone(source) };
        let part = compiler::Part { kernel: kernel.to_owned(), local_size: None };
        let object = Arc::new(source.compile(Some(&part))?);
        Code::of(&object, entry).ok_or_else(|| missing("the compiler did not emit it"))
    }
}

/// Loads x86-64 objects that are linked with each other and with `globals`.
fn load(objects: &[&[u8]], globals: &Globals) -> Result<LoadedObject> {
    let resolve = |name: &str| globals.get(name).copied().or_else(|| system_symbol(name));
    LoadedObject::link(objects, &resolve).map_err(|error| {
        Error::new(Errc::Build, format!("cannot load a device image's x86-64 object: {error}"))
    })
}

impl Program for CpuProgram {
    fn kernel(&self, symbol: &str, launch: &KernelLaunch) -> Result<Arc<dyn Kernel>> {
        let entry = format!("{CPU_ENTRY_PREFIX}{symbol}");
        let object = self.object(symbol)?;
        let Some(code) = Code::of(&object, &entry) else {
            let message =
                format!("the program has no kernel '{symbol}': its code does not define '{entry}'");
            return Err(Error::new(Errc::Kernel, message));
        };
        for (i, param) in launch.params.iter().enumerate() {
            // In the functor, a local accessor's size follows its data pointer.
            let size = if param.kind == ParamKind::Local { 16 } else { param.size };
            if param.offset.checked_add(size).is_none_or(|end| end > launch.functor_size) {
                let message = format!(
                    "kernel '{symbol}': parameter {i} has {size} bytes at offset {}, which exceeds \
                     its functor of {} bytes",
                    param.offset, launch.functor_size
                );
                return Err(Error::new(Errc::KernelArgument, message));
            }
        }
        let scalar = if check::is_on() { Some(self.scalar(symbol, &entry)?) } else { None };
        let mut form = cpu::Form::default();
        if let Some(tell) = object.function(&format!("{CPU_FORM_PREFIX}{symbol}")) {
            // SAFETY: a function of this name has this type (`scythe_abi::cpu`), and `form` is
            // writable.
            unsafe { std::mem::transmute::<*const u8, FormFn>(tell)(&mut form) };
        }
        let mut checks = Checks::NONE;
        if let Some(tell) = object.function(&format!("{}{symbol}", checks::DESCRIPTION_PREFIX)) {
            // SAFETY: a function of this name has this type (`scythe_abi::checks`).
            let tell = unsafe { std::mem::transmute::<*const u8, checks::DescriptionFn>(tell) };
            // SAFETY: the function has no other precondition than its type.
            checks = Checks(unsafe { tell() });
        }
        Ok(Arc::new(CpuKernel {
            code,
            symbol: symbol.to_owned(),
            shape: launch.shape,
            functor_size: launch.functor_size as usize,
            params: launch.params.clone(),
            has_local: launch.params.iter().any(|p| p.kind == ParamKind::Local),
            required: form.required,
            sub_group: form.sub_group,
            variants: Variants::new(form),
            source: self.source.clone(),
            for_stepping: object.function(CPU_STEPPING).is_some(),
            scalar,
            name_in_timeline: CachedName::default(),
            checks,
        }))
    }
}

pub(crate) struct CpuKernel {
    /// The code for any work-group size.
    code: Code,
    symbol: String,
    shape: Shape,
    functor_size: usize,
    params: Vec<Param>,
    has_local: bool,
    /// The required work-group size of launches. Zeros mean any size.
    required: [u64; 3],
    /// The number of work-items of a sub-group that the kernel can see, or 0 if it is not known.
    sub_group: u32,
    variants: Variants<Code>,
    source: Option<Arc<Source>>,
    /// The scalar form with which launches are compared, if they are checked.
    scalar: Option<Code>,
    name_in_timeline: CachedName,
    /// Whether the code was compiled for debuggers: one work-item runs after the other.
    for_stepping: bool,
    /// The checks in the code.
    checks: Checks,
}

/// The code of a kernel, and the object that keeps it loaded.
#[derive(Clone)]
pub(crate) struct Code {
    entry: KernelFn,
    /// The number of bytes of stack that the code needs.
    stack_bytes: usize,
    _object: Arc<LoadedObject>,
}

impl Code {
    /// Returns the code of the entry point with this name.
    fn of(object: &Arc<LoadedObject>, entry: &str) -> Option<Self> {
        let code = object.function(entry)?;
        Some(Self {
            // SAFETY: the entry point of a kernel has this type (`scythe_abi::cpu`), and `_object`
            // keeps the code loaded.
            entry: unsafe { std::mem::transmute::<*const u8, KernelFn>(code) },
            stack_bytes: object.stack_bytes(entry),
            _object: Arc::clone(object),
        })
    }

    /// Returns the address of the code, which identifies launches of the same code.
    pub(crate) fn address(&self) -> usize {
        self.entry as usize
    }
}

/// The sizes of a launch that its parts share.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub num_groups: [u64; 3],
    /// The result of [`CpuKernel::local_bytes`].
    pub local_bytes: usize,
}

/// The source of a program, for compilation.
#[derive(Clone)]
pub(crate) struct Source {
    compiler: &'static dyn Compiler,
    /// The device's name.
    device: String,
    bitcode: Box<[u8]>,
    opt_level: u32,
    scalar: bool,
    checks: Checks,
    aspects: Vec<u32>,
    libraries: Vec<Box<[u8]>>,
    globals: Globals,
}

impl Source {
    /// Compiles all kernels, or one, and loads the code.
    fn compile(&self, kernel: Option<&compiler::Part>) -> Result<LoadedObject> {
        let request = CompileRequest {
            device: &self.device,
            bitcode: &self.bitcode,
            libraries: &self.libraries.iter().map(|library| &**library).collect::<Vec<_>>(),
            opt_level: self.opt_level,
            aspects: &self.aspects,
            output: Output::CpuObject { scalar: self.scalar, checks: self.checks, kernel },
        };
        let mut loaded = None;
        self.compiler.compile(&request, &mut |object| {
            loaded = Some(load(&[object], &self.globals)?);
            Ok(())
        })?;
        loaded.ok_or_else(|| Error::new(Errc::Build, "the run-time compiler returned no object"))
    }
}

/// The addresses of `device_global` variables, by their names in device code.
pub(crate) type Globals = HashMap<String, usize>;

impl Kernel for CpuKernel {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl CpuKernel {
    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    pub(crate) fn symbol(&self) -> &str {
        &self.symbol
    }

    pub(crate) fn name_in_timeline(&self) -> Name {
        self.name_in_timeline.get(&self.symbol)
    }

    /// Returns the scalar form, if launches are checked.
    pub(crate) fn scalar(&self) -> Option<&Code> {
        self.scalar.as_ref()
    }

    /// Returns whether the code was compiled for debuggers.
    pub(crate) fn is_for_stepping(&self) -> bool {
        self.for_stepping
    }

    /// Whether one thread must run a whole launch.
    pub(crate) fn is_alone(&self) -> bool {
        self.scalar.is_some() || sanitize::is_alone(self.checks, self.shape)
    }

    /// Returns the required work-group size of launches, if there is one.
    pub(crate) fn required_size(&self) -> Option<[u64; 3]> {
        (self.required != [0; 3]).then_some(self.required)
    }

    /// Returns the size of sub-groups and their number in a work-group of `local_size`, if known.
    pub(crate) fn sub_groups(&self, local_size: [u64; 3]) -> Option<(u32, u64)> {
        let size = (self.sub_group != 0).then_some(self.sub_group)?;
        Some((size, Layout::sub_groups(local_size, size)))
    }

    /// Returns the code for a launch with work-groups of `local_size`. `cost` returns the estimated
    /// time of the launch with the code at an address, in nanoseconds.
    pub(crate) fn code(&self, local_size: [u64; 3], cost: impl FnOnce(usize) -> f64) -> Code {
        let general = || self.code.clone();
        let Some(source) = self.source.as_ref().filter(|_| self.shape == Shape::NdRange) else {
            return general();
        };
        let found = self.variants.find(
            local_size,
            || cost(self.code.address()),
            || {
                let kernel = self.symbol.clone();
                let part = compiler::Part { kernel, local_size: Some(local_size) };
                let object = Arc::new(source.compile(Some(&part)).ok()?);
                Code::of(&object, &format!("{CPU_ENTRY_PREFIX}{}", self.symbol))
            },
        );
        found.unwrap_or_else(general)
    }

    /// Returns the size of local memory for a launch with this functor. Reports an error unless the
    /// functor has the size in the launch description.
    pub(crate) fn local_bytes(&self, functor: &FunctorBytes) -> Result<usize> {
        if functor.len() != self.functor_size {
            let message = format!(
                "kernel '{}': the host passes a functor of {} bytes, but the device code expects \
                 {} bytes",
                self.symbol,
                functor.len(),
                self.functor_size
            );
            return Err(Error::new(Errc::KernelArgument, message));
        }
        if !self.has_local {
            return Ok(0);
        }
        let sizes = self.params.iter().filter(|p| p.kind == ParamKind::Local);
        let total = sizes.fold(0usize, |sum, p| sum.saturating_add(local_size(functor, p)));
        Ok(total)
    }

    /// Runs units of a launch with these sizes. Returns the fault of the kernel, if faults are to
    /// be exceptions.
    ///
    /// # Safety
    /// [`CpuKernel::code`] returned `code` for the launch's work-group size, which is the required
    /// size if there is one. [`CpuKernel::local_bytes`] accepted the functor and returned
    /// `local_bytes`. `tiling` is that of the launch. The memory that the kernel accesses through
    /// the functor is valid. If `may_fail` is set, no work-group waits for another one.
    pub(crate) unsafe fn run(
        &self,
        code: &Code,
        work: &KernelWork,
        Sizes { num_groups, local_bytes }: Sizes,
        tiling: &Tiling,
        units: Range<u64>,
        may_fail: bool,
    ) -> Result<()> {
        let mut failure = Ok(());
        // Zones lie around local accessors whose bounds are checked.
        let locals = self.params.iter().filter(|p| p.kind == ParamKind::Local).count();
        let zone = LocalMemory::zone(self.checks);
        let local_bytes = match local_bytes {
            0 => 0,
            bytes => bytes + zone * (locals + 1),
        };
        with_local_memory(local_bytes, |local| {
            let mut inline = [ptr::null::<c_void>(); INLINE_ARGS];
            let mut heap = Vec::new();
            let count = self.params.len();
            let args = if count <= INLINE_ARGS {
                &mut inline[..count]
            } else {
                heap.resize(count, ptr::null());
                &mut heap[..]
            };
            // The addresses of local accessors' memory, stored as values that arguments can point
            // to.
            let mut locals_at = Vec::new();
            if self.has_local {
                locals_at.resize(count, ptr::null_mut::<u8>());
            }
            let functor = work.functor.as_ptr();
            let mut next_local = local.wrapping_add(zone);
            for (i, (arg, param)) in args.iter_mut().zip(&self.params).enumerate() {
                *arg = functor.wrapping_add(param.offset as usize).cast();
                if param.kind == ParamKind::Local {
                    locals_at[i] = next_local;
                    *arg = (&raw const locals_at[i]).cast();
                    next_local = next_local.wrapping_add(local_size(&work.functor, param) + zone);
                }
            }
            let nd_range = self.shape == Shape::NdRange;
            let launch = Launch {
                args: args.as_ptr(),
                global_size: work.global_size,
                global_offset: work.global_offset,
                local_size: if nd_range { work.local_size } else { [1; 3] },
                num_groups: if nd_range { num_groups } else { work.global_size },
                work_dim: work.dims,
                local_bytes: u32::try_from(local_bytes).unwrap_or(u32::MAX),
            };
            let mut result = Ok(());
            let each_box = || {
                tiling.for_each_box(units, |b| {
                    if result.is_ok() {
                        // SAFETY: the launch and its arguments outlive the call. The caller
                        // guarantees the rest: `code`, the functor and `local_bytes` belong to the
                        // launch, the kernel's memory is valid, and `may_fail` is right.
                        result = unsafe { fault::call(code.entry, &launch, b, local, may_fail) };
                    }
                })
            };
            let mut no_stack = None;
            let run = || no_stack = stack::with(code.stack_bytes, each_box).err();
            let watched = || match Running::of_thread() {
                Some(running) => running.enter(&self.symbol, work.dims, run),
                // The thread is about to end.
                None => run(),
            };
            if self.checks.is_empty() {
                watched();
            } else {
                let memory = LocalMemory::begin(local, local_bytes);
                if zone > 0 && local_bytes > 0 {
                    let accessors = self.params.iter().zip(&locals_at);
                    let accessors = accessors.filter(|(param, _)| param.kind == ParamKind::Local);
                    memory.forbid_rest(
                        accessors.map(|(param, &at)| {
                            (at as usize, local_bytes_of(&work.functor, param))
                        }),
                    );
                }
                sanitize::enter(&self.symbol, self.checks, self.shape, work, watched);
            }
            failure = match no_stack {
                None => result,
                Some(error) => Err(Error::new(
                    Errc::MemoryAllocation,
                    format!(
                        "kernel '{}' needs {} bytes of stack for private variables, which cannot \
                         be allocated: {error}",
                        self.symbol, code.stack_bytes
                    ),
                )),
            };
        });
        failure
    }
}

/// Returns the size of a local accessor.
fn local_bytes_of(functor: &FunctorBytes, param: &Param) -> usize {
    let at = param.offset as usize + 8;
    // SAFETY: `Program::kernel` checked that 16 bytes at the offset are inside of the functor, and
    // `local_bytes` checked the size of this functor.
    let bytes = unsafe { functor.as_ptr().add(at).cast::<u64>().read_unaligned() };
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Returns the number of bytes of local memory that a local accessor uses.
fn local_size(functor: &FunctorBytes, param: &Param) -> usize {
    local_bytes_of(functor, param).checked_next_multiple_of(LOCAL_ALIGN).unwrap_or(usize::MAX)
}

/// Calls `f` with this thread's local memory, which has at least `bytes` bytes, or with null if
/// `bytes` is 0.
fn with_local_memory(bytes: usize, f: impl FnOnce(*mut u8)) {
    #[derive(Clone, Copy)]
    #[repr(align(128))]
    struct Block {
        _bytes: Aligned<LOCAL_ALIGN>,
    }
    thread_local! {
        static MEMORY: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
    }
    if bytes == 0 {
        return f(ptr::null_mut());
    }
    // If a kernel runs another kernel on this thread (through a host call), the memory is already
    // in use. The inner kernel then gets other memory.
    let mut memory =
        MEMORY.try_with(|cell| cell.try_borrow_mut().map(|mut m| std::mem::take(&mut *m)));
    let mut blocks = match &mut memory {
        Ok(Ok(blocks)) => std::mem::take(blocks),
        _ => Vec::new(),
    };
    let count = bytes.div_ceil(LOCAL_ALIGN);
    if blocks.len() < count {
        blocks.resize(count, Block { _bytes: Aligned([0; LOCAL_ALIGN]) });
    }
    f(blocks.as_mut_ptr().cast());
    let _ = MEMORY.try_with(|cell| cell.replace(blocks));
}
