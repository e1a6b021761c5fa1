//! The functions that the shim calls, in the order of the calls.
//!
//! All of them run on the single thread of clang, one translation unit after the other. The AST
//! stage keeps its notes for the IR stage of the same unit. No panic leaves these functions.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use scythe_llvm::raw::LLVMModuleRef;

use scythe_diag::{Diagnostic, Report};

use crate::decode::{slice, text};
use crate::errors::parts::{Expected, InternalFault, Seen};
use crate::errors::{ArgumentValue, ExternalPlace, Internal, PropertyNotConstant};
use crate::facts::{Loc, Source};
use crate::ffi::numbers::Words;
use crate::options::{HeaderCache, Options};
use crate::unit::{Reporter, Unit, report};
use crate::warnings::Pragmas;
use crate::{annotate, compile, ffi, functor_layouts, header_types};

/// The state between two calls of the shim.
#[derive(Default)]
struct State {
    options: Options,
    pragmas: Pragmas,
    is_device: bool,
    notes: Option<annotate::UnitNotes>,
    message: CString,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Makes the error of a panic.
pub fn panicked(stage: &'static str, payload: &(dyn Any + Send)) -> Internal {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    let message = text.unwrap_or("panic without a message").to_owned();
    Internal { fault: InternalFault::Panic { stage, message } }
}

/// Runs a stage on the state. A panic becomes an error.
fn stage<R>(name: &'static str, run: impl FnOnce(&mut State) -> R) -> Result<R, Internal> {
    let guarded = AssertUnwindSafe(|| {
        STATE.with(|state| state.try_borrow_mut().ok().map(|mut state| run(&mut state)))
    });
    match catch_unwind(guarded) {
        Ok(Some(result)) => Ok(result),
        Ok(None) => Err(Internal { fault: InternalFault::Reentered { stage: name } }),
        Err(payload) => Err(panicked(name, payload.as_ref())),
    }
}

/// Runs a stage that can fail.
fn fallible<R>(
    name: &'static str,
    run: impl FnOnce(&mut State) -> Result<R, Diagnostic<Loc>>,
) -> Result<R, Diagnostic<Loc>> {
    stage(name, run).map_err(|error| error.report())?
}

/// Returns null for success. Otherwise returns the text of the error, which lives until the next
/// failure.
fn answer(result: Result<(), Diagnostic<Loc>>) -> *const c_char {
    let Err(error) = result else { return std::ptr::null() };
    let message = error.message_with_code().replace('\0', " ");
    let message = CString::new(message).unwrap_or_default();
    STATE.with(|state| match state.try_borrow_mut() {
        Ok(mut state) => {
            state.message = message;
            state.message.as_ptr()
        }
        Err(_) => c"internal error of the SYCL front end [scythe-E0199]".as_ptr(),
    })
}

/// Starts a translation unit.
///
/// # Safety
/// `args` points to `count` strings that are valid during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_begin(
    args: *const ffi::Str,
    count: usize,
    is_device: u32,
) -> *const c_char {
    // SAFETY: the caller passes `count` valid strings.
    let args: Vec<String> = unsafe { slice(args, count).iter().map(|&arg| text(arg)).collect() };
    answer(fallible("set-up", |state| {
        *state = State::default();
        state.is_device = is_device != 0;
        state.options = Options::parse(&args)?;
        Ok(())
    }))
}

/// Edits the tokens of a unit.
///
/// # Safety
/// `raw` is the shim's unit, `tokens` are its tokens, `starts` points to `count` indices, and `out`
/// can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_tokens(
    raw: *mut ffi::RawUnit,
    tokens: *mut ffi::RawTokens,
    starts: *const usize,
    count: usize,
    out: *mut ffi::Edits,
) {
    // SAFETY: the unit and its tokens are alive, and the arrays are valid (this function's
    // contract).
    unsafe { crate::tokens::edit(raw, tokens, slice(starts, count), &mut *out) }
}

/// Adds a pragma. Returns 1 if the pragma concerns a group of warnings of Scythe.
///
/// # Safety
/// `pragma` is valid during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_pragma(loc: u32, pragma: ffi::Str) -> u32 {
    // SAFETY: the string is valid (this function's contract).
    let pragma = unsafe { text(pragma) };
    let ours = stage("pragmas", |state| state.pragmas.add(Loc(loc), &pragma));
    ours.unwrap_or(false).into()
}

/// Checks a SYCL attribute at the place where clang found it. Returns 1 if it is valid.
///
/// # Safety
/// `raw` is the shim's unit, and `placed` is its description.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_attribute(
    raw: *mut ffi::RawUnit,
    placed: *const ffi::Placed,
) -> u32 {
    let checked = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the caller passes a description of the shim, which is valid during the call.
        match unsafe { crate::decode::placed(&*placed) } {
            Ok(placed) => crate::attributes::placed(&placed),
            Err(error) => vec![error.report()],
        }
    }));
    let errors = checked
        .unwrap_or_else(|payload| vec![panicked("attribute check", payload.as_ref()).report()]);
    for error in &errors {
        // SAFETY: `raw` is the shim's live unit (this function's contract).
        unsafe { report(raw, error) };
    }
    errors.is_empty().into()
}

thread_local! {
    /// The text that the shim reads. It is not part of the state, because clang completes classes
    /// while other stages run.
    static TEXT: RefCell<String> = RefCell::default();
}

/// Keeps a text for the shim until the next call.
fn keep(text: String) -> ffi::Str {
    TEXT.with(|kept| {
        *kept.borrow_mut() = text;
        ffi::Str::of(&kept.borrow())
    })
}

/// Writes the annotation of a member with properties to `out` and returns 1, or reports an error
/// and returns 0.
///
/// # Safety
/// `unit` is the shim's unit, `properties` is one of its attributes, and `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_member(
    unit: *mut ffi::RawUnit,
    properties: *const ffi::Attribute,
    out: *mut ffi::Str,
) -> u32 {
    let made = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: `properties` is a valid attribute (this function's contract).
        let attribute = unsafe { crate::decode::attribute(&*properties) };
        let attribute = attribute.map_err(|error| error.report())?;
        crate::properties::member_annotation(&attribute)
    }));
    let made = made.unwrap_or_else(|payload| {
        Err(panicked("properties of a member", payload.as_ref()).report())
    });
    match made {
        Ok(text) => {
            // SAFETY: `out` can be written (this function's contract).
            unsafe { *out = keep(text) };
            1
        }
        Err(error) => {
            // SAFETY: `unit` is the shim's live unit (this function's contract).
            unsafe { report(unit, &error) };
            0
        }
    }
}

/// Returns the text of an error that clang or the shim found. `argument` is the number of an
/// argument of `attribute`, from 1.
///
/// # Safety
/// `attribute` is valid during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_words(
    kind: u32,
    attribute: ffi::Str,
    argument: u32,
) -> ffi::Str {
    // SAFETY: the string is valid (this function's contract).
    let attribute = unsafe { text(attribute) };
    keep(words(kind, attribute, argument).message_with_code())
}

fn words(kind: u32, attribute: String, argument: u32) -> Diagnostic<Loc> {
    let expected = match Words::try_from(kind) {
        Ok(Words::ConstantArgument) => Expected::ConstantExpression,
        Ok(Words::IntegerArgument) => Expected::Integer(Seen::Unknown),
        Ok(Words::AspectArgument) => Expected::Aspect(Seen::Unknown),
        Ok(Words::ConstantProperty) => return PropertyNotConstant.report(),
        Ok(Words::ExternalPlace) => return ExternalPlace.report(),
        Err(error) => return error.report(),
    };
    ArgumentValue { attribute, argument, expected }.report()
}

/// Writes the annotation of a `device_global` in a host module to `out` and returns 1, or returns
/// 0.
///
/// # Safety
/// `variable` is a description of the shim, and `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_host_variable(
    variable: *const ffi::DeviceGlobal,
    out: *mut ffi::Str,
) -> u32 {
    let made = stage("host variables", |state| {
        // SAFETY: the description is valid (this function's contract).
        let variable = unsafe { crate::decode::device_global(&*variable) };
        crate::host::annotation(&variable, &state.options.tu_id)
    });
    let Ok(made) = made else { return 0 };
    // SAFETY: `out` can be written (this function's contract).
    unsafe { *out = keep(made) };
    1
}

/// Returns the identifier of the unit.
#[unsafe(no_mangle)]
pub extern "C" fn scythe_frontend_unit_id() -> u64 {
    let id = stage("unit", |state| u64::from_str_radix(&state.options.tu_id, 16));
    id.ok().and_then(Result::ok).unwrap_or_default()
}

/// Returns 1 if the precompiled header of the unit is one of the header cache.
#[unsafe(no_mangle)]
pub extern "C" fn scythe_frontend_uses_header_cache() -> u32 {
    let used = stage("options", |state| matches!(state.options.header_cache, HeaderCache::Use(_)));
    used.unwrap_or_default().into()
}

/// Returns 1 if the unit becomes a precompiled header of the header cache.
#[unsafe(no_mangle)]
pub extern "C" fn scythe_frontend_makes_header_cache() -> u32 {
    let made = stage("options", |state| matches!(state.options.header_cache, HeaderCache::Make(_)));
    made.unwrap_or_default().into()
}

/// Processes the complete AST: reports errors, makes launch rows, writes the integration header.
///
/// # Safety
/// `raw` is the shim's unit and `facts` are its facts. Both are valid during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_unit(
    raw: *mut ffi::RawUnit,
    facts: *const ffi::UnitFacts,
) {
    // SAFETY: the shim's pointers are valid until this function returns, and the unit does not
    // outlive it.
    let mut unit = unsafe { Unit::new(raw, facts) };
    let result = fallible("facts", |state| {
        header_types::exchange(&mut unit, &state.options.header_cache)?;
        state.notes = compile::unit(&unit, &state.options);
        Ok(())
    });
    if let Err(error) = result {
        unit.report(&error);
    }
}

/// Writes the layouts of the functors that a host pass launches, if the driver requests them.
///
/// # Safety
/// `raw` is the shim's unit and `launches` points to `count` of its functors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_launches(
    raw: *mut ffi::RawUnit,
    launches: *const ffi::Functor,
    count: usize,
    errors: u32,
) {
    let result = fallible("launches", |state| match &state.options.functors {
        Some(path) if errors == 0 => {
            // SAFETY: the shim's pointers are valid until this function returns.
            let functors = unsafe { crate::unit::launches(raw, launches, count) };
            functor_layouts::write(path, functors.map_err(|error| error.report())?)
        }
        _ => Ok(()),
    });
    if let Err(error) = result {
        // SAFETY: `raw` is the shim's live unit (this function's contract).
        unsafe { report(raw, &error) };
    }
}

/// Runs the IR passes on the module of the unit: the passes for device code if the device pass left
/// notes, or the registration of variables for a host module.
///
/// # Safety
/// `module` is clang's module, and no other code uses it during the call. `unit` is null or the
/// shim's unit of that module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_module(
    module: *mut c_void,
    unit: *mut ffi::RawUnit,
) -> *const c_char {
    answer(fallible("device passes", |state| {
        // SAFETY: the module is valid, not shared, and outlives the call (this function's
        // contract).
        let Some(module) = (unsafe { scythe_llvm::Module::borrowed(module as LLVMModuleRef) })
        else {
            return Ok(());
        };
        let Some(notes) = state.notes.take() else {
            if !state.is_device {
                crate::host::register(&module);
            }
            return Ok(());
        };
        // SAFETY: the unit is null or valid, and outlives the call (this function's contract).
        let Some(reporter) = (unsafe { Reporter::new(unit) }) else { return Ok(()) };
        compile::module(&module, &notes, &state.options, &state.pragmas, &reporter)
    }))
}

/// Describes the pass plug-in to LLVM. The function is in Rust because the linker would drop a C++
/// definition together with the registrations of the shim.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub extern "C" fn llvmGetPassPluginInfo() -> ffi::PassPlugin {
    let mut info = ffi::PassPlugin {
        api_version: 0,
        name: std::ptr::null(),
        version: std::ptr::null(),
        register_callbacks: std::ptr::null_mut(),
        pre_codegen: std::ptr::null_mut(),
    };
    // SAFETY: the shim fills the structure.
    unsafe { ffi::scythe_pass_plugin_info(&mut info) };
    info
}
