//! Runs LLVM's passes from the textual form of a pipeline.

use crate::sinking::Choice;
use crate::text::c_string;
use crate::{ContextRef, Error, Function, Module, TargetMachine};
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::target_machine::LLVMTargetMachineRef;
use llvm_sys::transforms::pass_builder::*;
use std::ffi::{CStr, c_char};

type BuilderOptions = LLVMPassBuilderOptionsRef;

/// Options for running passes. The default is that of `opt`, without vectorisers and unrolling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassOptions {
    /// Whether to verify the IR after every pass.
    pub verify_each: bool,
    pub loop_vectorize: bool,
    pub slp_vectorize: bool,
    pub loop_unroll: bool,
    pub loop_interleave: bool,
    /// The maximum cost of an inlined call, or `None` for LLVM's default.
    pub inline_threshold: Option<i32>,
}

/// Runs a pipeline such as `default<O2>` or `function(sroa,instcombine)`. The target machine
/// provides the costs of instructions.
pub fn run_passes(
    module: &Module<'_>,
    pipeline: &str,
    target: Option<&TargetMachine>,
    options: PassOptions,
) -> Result<(), Error> {
    // SAFETY: the module is live.
    run(module.context(), pipeline, target, options, |text, machine, raw| unsafe {
        LLVMRunPasses(module.ptr(), text, machine, raw)
    })
}

/// Runs function passes such as `sroa,instcombine` on one function, without touching the rest of
/// the module.
pub fn run_function_passes(
    function: Function<'_>,
    pipeline: &str,
    target: Option<&TargetMachine>,
    options: PassOptions,
) -> Result<(), Error> {
    // SAFETY: the function is live.
    run(function.ty().context(), pipeline, target, options, |text, machine, raw| unsafe {
        LLVMRunPassesOnFunction(function.ptr(), text, machine, raw)
    })
}

fn run(
    context: ContextRef<'_>,
    pipeline: &str,
    target: Option<&TargetMachine>,
    options: PassOptions,
    call: impl FnOnce(*const c_char, LLVMTargetMachineRef, BuilderOptions) -> LLVMErrorRef,
) -> Result<(), Error> {
    let text = c_string(pipeline);
    let _choice = Choice::for_target(target.map(TargetMachine::triple));
    let (message, errors) = context.capture_errors(|| {
        // SAFETY: the pipeline is a C string, the target machine is live or null, and the options
        // are disposed after use.
        unsafe {
            let raw = LLVMCreatePassBuilderOptions();
            LLVMPassBuilderOptionsSetVerifyEach(raw, options.verify_each as i32);
            LLVMPassBuilderOptionsSetLoopVectorization(raw, options.loop_vectorize as i32);
            LLVMPassBuilderOptionsSetSLPVectorization(raw, options.slp_vectorize as i32);
            LLVMPassBuilderOptionsSetLoopUnrolling(raw, options.loop_unroll as i32);
            LLVMPassBuilderOptionsSetLoopInterleaving(raw, options.loop_interleave as i32);
            if let Some(threshold) = options.inline_threshold {
                LLVMPassBuilderOptionsSetInlinerThreshold(raw, threshold);
            }
            let machine = target.map_or(std::ptr::null_mut(), |t| t.ptr());
            let error = call(text.as_ptr(), machine, raw);
            LLVMDisposePassBuilderOptions(raw);
            if error.is_null() {
                return None;
            }
            let message = LLVMGetErrorMessage(error);
            let copy = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            Some(copy)
        }
    });
    match message {
        None if errors.is_empty() => Ok(()),
        message => {
            let message = message
                .into_iter()
                .chain((!errors.is_empty()).then_some(errors))
                .collect::<Vec<_>>();
            Err(Error::Passes { pipeline: pipeline.into(), message: message.join("; ") })
        }
    }
}
