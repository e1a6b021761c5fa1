//! Where clang and LLVM come in: the functions that the shim calls, in the order in which it does.
//!
//! Everything runs on clang's one thread, one translation unit after the other; what the AST stage
//! found is kept for the IR stage of the same unit. No panic leaves these functions.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use scythe_llvm::raw::LLVMModuleRef;

use crate::options::Options;
use crate::unit::{Speaker, Unit, slice, text};
use crate::warnings::Pragmas;
use crate::{agreement, annotate, compile, ffi};

/// What is remembered between two calls of the shim.
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

/// Runs a stage on the state; a panic in it becomes a message.
fn stage<R>(name: &str, run: impl FnOnce(&mut State) -> R) -> Result<R, String> {
    let guarded = AssertUnwindSafe(|| {
        STATE.with(|state| state.try_borrow_mut().ok().map(|mut state| run(&mut state)))
    });
    match catch_unwind(guarded) {
        Ok(Some(result)) => Ok(result),
        Ok(None) => Err(format!("scythe: {name} was entered twice")),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text =
                text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(format!("scythe: internal error in {name}: {text}"))
        }
    }
}

/// Null for success, else the message, which lives until the next failure.
fn answer(result: Result<(), String>) -> *const c_char {
    let Err(message) = result else { return std::ptr::null() };
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    STATE.with(|state| match state.try_borrow_mut() {
        Ok(mut state) => {
            state.message = message;
            state.message.as_ptr()
        }
        Err(_) => c"scythe: internal error".as_ptr(),
    })
}

/// Starts a translation unit.
///
/// # Safety
/// `args` points at `count` strings that are valid during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_begin(
    args: *const ffi::Str,
    count: usize,
    is_device: u32,
) -> *const c_char {
    // SAFETY: the caller passes `count` valid strings.
    let args: Vec<String> = unsafe { slice(args, count).iter().map(|&arg| text(arg)).collect() };
    let result = stage("set-up", |state| {
        *state = State::default();
        state.is_device = is_device != 0;
        state.options = Options::parse(&args)?;
        Ok(())
    });
    answer(result.and_then(|result: Result<(), String>| result))
}

/// Edits the tokens of a unit.
///
/// # Safety
/// `raw` and `tokens` are the shim's, `starts` points at `count` indices, and `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_tokens(
    raw: *mut ffi::RawUnit,
    tokens: *mut ffi::RawTokens,
    starts: *const usize,
    count: usize,
    out: *mut ffi::Edits,
) {
    // SAFETY: forwarded to the caller.
    unsafe { crate::tokens::edit(raw, tokens, slice(starts, count), &mut *out) }
}

/// Takes in a pragma; 1 where it is about a group of warnings that is ours.
///
/// # Safety
/// `pragma` is valid during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_pragma(loc: u32, pragma: ffi::Str) -> u32 {
    // SAFETY: forwarded to the caller.
    let pragma = unsafe { text(pragma) };
    let ours = stage("pragmas", |state| state.pragmas.add(crate::facts::Loc(loc), &pragma));
    ours.unwrap_or(false).into()
}

/// Checks one of our attributes where clang has found it; 1 where nothing is wrong with it.
///
/// # Safety
/// `raw` is the shim's unit, and `placed` is its description.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_attribute(
    raw: *mut ffi::RawUnit,
    placed: *const ffi::Placed,
) -> u32 {
    let checked = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: forwarded to the caller; all that the description points at is valid during the
        // call.
        let placed = unsafe { crate::unit::placed(&*placed) };
        let found = crate::attributes::placed(&placed);
        let sound = found.is_empty();
        for (level, loc, message) in found {
            // SAFETY: forwarded to the caller.
            unsafe { crate::unit::report(raw, level, loc, &message) };
        }
        sound
    }));
    if checked.is_err() {
        let message = "scythe: internal error in the check of an attribute";
        // SAFETY: forwarded to the caller.
        unsafe {
            crate::unit::report(raw, crate::facts::Level::Error, crate::facts::Loc(0), message)
        };
    }
    checked.unwrap_or(false).into()
}

thread_local! {
    /// Apart from the state: classes are completed while other stages run.
    static MEMBER_TEXT: RefCell<String> = RefCell::default();
}

/// The annotation of a member with properties into `out`, and 1; or an error, and 0.
///
/// # Safety
/// `properties` is an attribute of the shim's, and `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_member(
    properties: *const ffi::Attribute,
    out: *mut ffi::Str,
) -> u32 {
    let made = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: forwarded to the caller.
        let attribute = unsafe { crate::unit::attribute(&*properties) };
        crate::properties::member_annotation(&attribute)
    }));
    let made =
        made.unwrap_or_else(|_| Err("scythe: internal error in properties of a member".to_owned()));
    let good = made.is_ok();
    MEMBER_TEXT.with(|kept| {
        let mut kept = kept.borrow_mut();
        *kept = made.unwrap_or_else(|error| error);
        // SAFETY: forwarded to the caller; the text is kept until the next call.
        unsafe { *out = ffi::Str { data: kept.as_ptr().cast(), size: kept.len() } };
    });
    good.into()
}

/// The annotation by which a host module tells of a `device_global` into `out`, and 1; or 0.
///
/// # Safety
/// `variable` is a description by the shim, and `out` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_host_variable(
    variable: *const ffi::DeviceGlobal,
    out: *mut ffi::Str,
) -> u32 {
    let made = stage("host variables", |state| {
        // SAFETY: forwarded to the caller.
        let variable = unsafe { crate::unit::device_global(&*variable) };
        crate::host::annotation(&variable, &state.options.tu_id)
    });
    let Ok(made) = made else { return 0 };
    MEMBER_TEXT.with(|kept| {
        let mut kept = kept.borrow_mut();
        *kept = made;
        // SAFETY: forwarded to the caller; the text is kept until the next call.
        unsafe { *out = ffi::Str { data: kept.as_ptr().cast(), size: kept.len() } };
    });
    1
}

/// The identifier of the unit.
#[unsafe(no_mangle)]
pub extern "C" fn scythe_frontend_unit_id() -> u64 {
    let id = stage("unit", |state| u64::from_str_radix(&state.options.tu_id, 16));
    id.ok().and_then(Result::ok).unwrap_or_default()
}

/// Looks at the complete AST: diagnostics, launch rows, integration header.
///
/// # Safety
/// Called by the shim with its own unit and facts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_unit(
    raw: *mut ffi::RawUnit,
    facts: *const ffi::UnitFacts,
) {
    // SAFETY: the shim's pointers are valid until this function returns, and the unit does not
    // outlive it.
    let unit = unsafe { Unit::new(raw, facts) };
    let result = stage("facts", |state| {
        state.notes = compile::unit(&unit, &state.options);
    });
    if let Err(message) = result {
        use crate::facts::{Level, Loc, Source};
        unit.report(Level::Error, Loc(0), &message);
    }
}

/// Writes down the functors that a host pass launches, where the driver asks for them.
///
/// # Safety
/// Called by the shim with its own unit and functors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_launches(
    raw: *mut ffi::RawUnit,
    launches: *const ffi::Functor,
    count: usize,
    errors: u32,
) {
    let result = stage("launches", |state| match &state.options.functors {
        Some(path) if errors == 0 => {
            // SAFETY: the shim's pointers are valid until this function returns.
            agreement::write(path, unsafe { crate::unit::launches(raw, launches, count) })
        }
        _ => Ok(()),
    });
    if let Err(message) = result.and_then(|result| result) {
        let message = ffi::Str { data: message.as_ptr().cast(), size: message.len() };
        // SAFETY: the unit is alive and the shim copies the message.
        unsafe { ffi::scythe_report(raw, crate::facts::Level::Error as u32, 0, message) };
    }
}

/// Runs the IR passes on the unit's module: those for device code, or, where no device pass has
/// left notes, the registration of what a host module tells of.
///
/// # Safety
/// `module` is clang's module, and nobody else uses it during the call; `unit` is null or the
/// shim's unit of that module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_frontend_module(
    module: *mut c_void,
    unit: *mut ffi::RawUnit,
) -> *const c_char {
    let result = stage("device passes", |state| {
        // SAFETY: forwarded to the caller; the module outlives the call.
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
        // SAFETY: forwarded to the caller; the unit outlives the call.
        let Some(speaker) = (unsafe { Speaker::new(unit) }) else { return Ok(()) };
        compile::module(&module, &notes, &state.options, &state.pragmas, &speaker)
    });
    answer(result.and_then(|result| result))
}

/// What LLVM asks a pass plug-in. It stands in Rust because the linker would drop a C++ definition,
/// and with it the shim's registrations.
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
