//! Code generation for a target.

use crate::context::MemoryBuffer;
use crate::fatal_errors::{Emitted, emit};
use crate::text::{c_string, take_message};
use crate::{Error, Module};
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use std::ffi::CStr;
use std::ptr::{NonNull, null_mut};
use std::sync::{Mutex, Once, PoisonError};

/// How hard the code generator tries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OptLevel {
    None,
    Less,
    #[default]
    Default,
    Aggressive,
}

impl OptLevel {
    /// The level of `-O0` to `-O3`; higher numbers are `-O3`.
    pub fn from_number(level: u32) -> Self {
        match level {
            0 => Self::None,
            1 => Self::Less,
            2 => Self::Default,
            _ => Self::Aggressive,
        }
    }

    /// The `default<…>` pipeline of this level.
    pub fn pipeline(self) -> &'static str {
        match self {
            Self::None => "default<O0>",
            Self::Less => "default<O1>",
            Self::Default => "default<O2>",
            Self::Aggressive => "default<O3>",
        }
    }
}

/// What to generate code for. Code is position independent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetOptions {
    pub triple: String,
    /// Empty for the target's plainest.
    pub cpu: String,
    /// Such as `+avx2,-fma`; empty for those of the CPU.
    pub features: String,
    pub opt_level: OptLevel,
}

impl TargetOptions {
    /// This machine's CPU with all it can do.
    pub fn host(opt_level: OptLevel) -> Self {
        Self { triple: default_triple(), cpu: host_cpu(), features: host_features(), opt_level }
    }
}

/// A code generator.
pub struct TargetMachine {
    raw: NonNull<LLVMOpaqueTargetMachine>,
    triple: String,
}

/// LLVM reads flags of its targets while it makes a machine: nobody else makes one meanwhile.
static MAKING: Mutex<()> = Mutex::new(());

/// For NVPTX: pointers to shared memory have 32 bits.
const SHORT_POINTERS: &CStr = c"nvptx-short-ptr";

impl TargetMachine {
    pub fn new(options: &TargetOptions) -> Result<Self, Error> {
        let _alone = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        Self::make(options)
    }

    /// For NVPTX, with pointers of 32 bits to shared memory, as its data layout tells.
    pub fn with_short_pointers(options: &TargetOptions) -> Result<Self, Error> {
        let _alone = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        initialize();
        // SAFETY: a C string that names a flag of LLVM 22, which nobody else reads meanwhile.
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
        // SAFETY: a C string and two places to write to; the message, if any, is ours.
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
        // SAFETY: a target that LLVM gave, and C strings that it copies.
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

    /// The data layout that modules for this target must have.
    pub fn data_layout(&self) -> String {
        // SAFETY: a live machine; layout and text are ours to dispose.
        unsafe {
            let layout = LLVMCreateTargetDataLayout(self.ptr());
            let text = take_message(LLVMCopyStringRepOfTargetData(layout));
            LLVMDisposeTargetData(layout);
            text
        }
    }

    /// Gives the module this target's triple and data layout.
    pub fn apply_to(&self, module: &Module<'_>) {
        module.set_triple(&self.triple);
        module.set_data_layout(&self.data_layout());
    }

    /// Generates an object file. The module is used up: code generation changes it.
    pub fn emit_object(&self, module: Module<'_>) -> Result<Vec<u8>, Error> {
        self.emit(module, LLVMCodeGenFileType::LLVMObjectFile)
    }

    /// Generates assembly text. The module is used up: code generation changes it.
    pub fn emit_assembly(&self, module: Module<'_>) -> Result<Vec<u8>, Error> {
        self.emit(module, LLVMCodeGenFileType::LLVMAssemblyFile)
    }

    fn emit(&self, module: Module<'_>, kind: LLVMCodeGenFileType) -> Result<Vec<u8>, Error> {
        let fail = |message: String| Err(Error::Emit { module: module.name(), message });
        if module.data_layout() != self.data_layout() {
            return fail(format!(
                "its data layout is '{}', the target's '{}'",
                module.data_layout(),
                self.data_layout()
            ));
        }
        // SAFETY: a live machine and module; after a fatal error, the module is forgotten and its
        // context lost.
        let (emitted, errors) =
            module.context().capture_errors(|| unsafe { emit(self.ptr(), module.ptr(), kind) });
        let (failed, buffer, message) = match emitted {
            Emitted::Returned { failed, buffer, message } => (failed, buffer, message),
            Emitted::Fatal(message) => {
                let name = module.name();
                module.context().lose();
                std::mem::forget(module);
                return Err(Error::Fatal { module: name, message });
            }
        };
        // SAFETY: null, or a message that is ours.
        let message = unsafe { take_message(message) };
        // SAFETY: not null, then a buffer that is ours.
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
        // SAFETY: ours, disposed once.
        unsafe { LLVMDisposeTargetMachine(self.ptr()) }
    }
}

/// LLVM's name for this machine's CPU.
pub fn host_cpu() -> String {
    // SAFETY: the text is ours to dispose.
    unsafe { take_message(LLVMGetHostCPUName()) }
}

/// What this machine's CPU can and cannot do, as a feature string.
pub fn host_features() -> String {
    // SAFETY: the text is ours to dispose.
    unsafe { take_message(LLVMGetHostCPUFeatures()) }
}

pub(crate) fn initialize() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: registration without preconditions, once.
        unsafe {
            LLVM_InitializeAllTargetInfos();
            LLVM_InitializeAllTargets();
            LLVM_InitializeAllTargetMCs();
            LLVM_InitializeAllAsmPrinters();
            LLVM_InitializeAllAsmParsers();
        }
    });
}

/// LLVM's version, such as `22.1.8`: part of cache keys and messages.
pub fn llvm_version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: three places to write to.
    unsafe { llvm_sys::core::LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}

/// The triple that this LLVM generates code for when nobody says otherwise.
pub fn default_triple() -> String {
    // SAFETY: the text is ours to dispose.
    unsafe { take_message(LLVMGetDefaultTargetTriple()) }
}
