//! Code generation for a target.

use crate::context::MemoryBuffer;
use crate::fatal_errors::{Emitted, emit};
use crate::frames::{self, Frames};
use crate::sinking::Choice;
use crate::text::{c_string, take_message};
use crate::{Error, Module};
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use std::ffi::CStr;
use std::ptr::{NonNull, null_mut};
use std::sync::{Mutex, Once, PoisonError};

/// The optimisation level of the code generator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OptLevel {
    None,
    Less,
    #[default]
    Default,
    Aggressive,
}

impl OptLevel {
    /// Returns the level of `-O0` to `-O3`. Higher numbers stand for `-O3`.
    pub fn from_number(level: u32) -> Self {
        match level {
            0 => Self::None,
            1 => Self::Less,
            2 => Self::Default,
            _ => Self::Aggressive,
        }
    }

    /// Returns the `default<…>` pipeline of this level.
    pub fn pipeline(self) -> &'static str {
        match self {
            Self::None => "default<O0>",
            Self::Less => "default<O1>",
            Self::Default => "default<O2>",
            Self::Aggressive => "default<O3>",
        }
    }
}

/// The target of code generation. Code is position independent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetOptions {
    pub triple: String,
    /// The CPU, or empty for the target's generic CPU.
    pub cpu: String,
    /// Features such as `+avx2,-fma`, or empty for those of the CPU.
    pub features: String,
    pub opt_level: OptLevel,
}

impl TargetOptions {
    /// Returns options for this machine's CPU with all of its features.
    pub fn host(opt_level: OptLevel) -> Self {
        Self { triple: default_triple(), cpu: host_cpu(), features: host_features(), opt_level }
    }
}

/// A code generator.
pub struct TargetMachine {
    raw: NonNull<LLVMOpaqueTargetMachine>,
    triple: String,
}

/// A lock for the creation of machines: LLVM reads flags of its targets during the creation.
static MAKING: Mutex<()> = Mutex::new(());

/// The NVPTX flag for 32-bit pointers to shared memory.
const SHORT_POINTERS: &CStr = c"nvptx-short-ptr";

impl TargetMachine {
    pub fn new(options: &TargetOptions) -> Result<Self, Error> {
        let _alone = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        Self::make(options)
    }

    /// Creates a machine for NVPTX with 32-bit pointers to shared memory, as in its data layout.
    pub fn with_short_pointers(options: &TargetOptions) -> Result<Self, Error> {
        let _alone = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        initialize();
        // SAFETY: the C string names a flag of LLVM 22. The lock `MAKING` ensures that no other
        // thread reads it meanwhile.
        let set =
            |value| unsafe { crate::shim::scythe_llvm_set_flag(SHORT_POINTERS.as_ptr(), value) };
        set(1);
        let made = Self::make(options);
        set(0);
        made
    }

    fn make(options: &TargetOptions) -> Result<Self, Error> {
        initialize();
        let fail = |message: String| Error::Target { triple: options.triple.clone(), message };
        let triple = c_string(&options.triple);
        let (cpu, features) = (c_string(&options.cpu), c_string(&options.features));
        let (mut target, mut message) = (null_mut(), null_mut());
        // SAFETY: the triple is a C string, and both output pointers are valid for writes.
        // `take_message` disposes the message, if there is one.
        let (failed, message) = unsafe {
            let failed = LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut message) != 0;
            (failed, take_message(message))
        };
        if failed || target.is_null() {
            return Err(fail(message));
        }
        let level = match options.opt_level {
            OptLevel::None => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
            OptLevel::Less => LLVMCodeGenOptLevel::LLVMCodeGenLevelLess,
            OptLevel::Default => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
            OptLevel::Aggressive => LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
        };
        // SAFETY: LLVM returned the target, and copies the C strings.
        let raw = unsafe {
            LLVMCreateTargetMachine(
                target,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                level,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelDefault,
            )
        };
        let raw =
            NonNull::new(raw).ok_or_else(|| fail("the target cannot generate code".into()))?;
        Ok(Self { raw, triple: options.triple.clone() })
    }

    pub(crate) fn ptr(&self) -> LLVMTargetMachineRef {
        self.raw.as_ptr()
    }

    pub fn triple(&self) -> &str {
        &self.triple
    }

    /// Returns the data layout that modules for this target must have.
    pub fn data_layout(&self) -> String {
        // SAFETY: the machine is live. This function disposes the layout and the text.
        unsafe {
            let layout = LLVMCreateTargetDataLayout(self.ptr());
            let text = take_message(LLVMCopyStringRepOfTargetData(layout));
            LLVMDisposeTargetData(layout);
            text
        }
    }

    /// Sets the module's triple and data layout to those of this target.
    pub fn apply_to(&self, module: &Module<'_>) {
        module.set_triple(&self.triple);
        module.set_data_layout(&self.data_layout());
    }

    /// Generates an object file. This consumes the module, because code generation changes it.
    pub fn emit_object(&self, module: Module<'_>) -> Result<Vec<u8>, Error> {
        self.emit(module, LLVMCodeGenFileType::LLVMObjectFile)
    }

    /// Does the same, and returns the stack frames of the functions as well.
    pub fn emit_object_with_frames(&self, module: Module<'_>) -> Result<(Vec<u8>, Frames), Error> {
        let mut frames = Frames::new();
        let object =
            self.emit_with(module, LLVMCodeGenFileType::LLVMObjectFile, Some(&mut frames))?;
        Ok((object, frames))
    }

    /// Generates assembly text. This consumes the module, because code generation changes it.
    pub fn emit_assembly(&self, module: Module<'_>) -> Result<Vec<u8>, Error> {
        self.emit(module, LLVMCodeGenFileType::LLVMAssemblyFile)
    }

    fn emit(&self, module: Module<'_>, kind: LLVMCodeGenFileType) -> Result<Vec<u8>, Error> {
        self.emit_with(module, kind, None)
    }

    fn emit_with(
        &self,
        module: Module<'_>,
        kind: LLVMCodeGenFileType,
        frames: Option<&mut Frames>,
    ) -> Result<Vec<u8>, Error> {
        let fail = |message: String| Err(Error::Emit { module: module.name(), message });
        if module.data_layout() != self.data_layout() {
            return fail(format!(
                "the module has data layout '{}', but the target requires '{}'",
                module.data_layout(),
                self.data_layout()
            ));
        }
        let _choice = Choice::for_target(Some(&self.triple));
        let generate = || {
            // SAFETY: the machine and the module are live. After a fatal error, this function
            // forgets the module and marks its context as lost.
            let generate = || unsafe { emit(self.ptr(), module.ptr(), kind) };
            let Some(frames) = frames else { return generate() };
            let is_lost = |emitted: &Emitted| matches!(emitted, Emitted::Fatal(_));
            let context = module.context().ptr();
            // SAFETY: the module is live, and so is its context.
            let (emitted, made) =
                unsafe { frames::collect(module.ptr(), context, generate, is_lost) };
            *frames = made;
            emitted
        };
        let (emitted, errors) = module.context().capture_errors(generate);
        let (failed, buffer, message) = match emitted {
            Emitted::Returned { failed, buffer, message } => (failed, buffer, message),
            Emitted::Fatal(message) => {
                let name = module.name();
                module.context().lose();
                std::mem::forget(module);
                return Err(Error::Fatal { module: name, message });
            }
        };
        // SAFETY: the pointer is null or a message from LLVM that nothing else disposes.
        let message = unsafe { take_message(message) };
        // SAFETY: if the pointer is not null, it is a buffer without another owner.
        let buffer = (!buffer.is_null()).then(|| unsafe { MemoryBuffer::from_raw(buffer) });
        match buffer {
            Some(buffer) if !failed && errors.is_empty() => Ok(buffer.to_vec()),
            _ => fail(
                [message, errors]
                    .into_iter()
                    .filter(|m| !m.is_empty())
                    .collect::<Vec<_>>()
                    .join("; "),
            ),
        }
    }
}

impl Drop for TargetMachine {
    fn drop(&mut self) {
        // SAFETY: `self` owns the object, and `drop` runs once.
        unsafe { LLVMDisposeTargetMachine(self.ptr()) }
    }
}

/// Returns LLVM's name for this machine's CPU.
pub fn host_cpu() -> String {
    // SAFETY: LLVM returns a text, which `take_message` disposes.
    unsafe { take_message(LLVMGetHostCPUName()) }
}

/// Returns the enabled and disabled features of this machine's CPU, as a feature string.
pub fn host_features() -> String {
    // SAFETY: LLVM returns a text, which `take_message` disposes.
    unsafe { take_message(LLVMGetHostCPUFeatures()) }
}

pub(crate) fn initialize() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the registration functions have no preconditions, and run once.
        unsafe {
            LLVM_InitializeAllTargetInfos();
            LLVM_InitializeAllTargets();
            LLVM_InitializeAllTargetMCs();
            LLVM_InitializeAllAsmPrinters();
            LLVM_InitializeAllAsmParsers();
        }
    });
}

/// Returns LLVM's version, such as `22.1.8`. It is part of cache keys and messages.
pub fn llvm_version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: the three output pointers are valid for writes.
    unsafe { llvm_sys::core::LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}

/// Returns the triple for which this LLVM generates code by default.
pub fn default_triple() -> String {
    // SAFETY: LLVM returns a text, which `take_message` disposes.
    unsafe { take_message(LLVMGetDefaultTargetTriple()) }
}
