//! A translation unit of the shim: its facts as values, and reports through clang.

use std::mem::MaybeUninit;

use scythe_abi::functor::Functor;
use scythe_diag::{Diagnostic, Location, Report, Severity};
use scythe_passes::aspects::warning::Warning;

use crate::decode::{
    attributes, closure, decl, decls, device_global, event, faulty_function, field_tree, get_fault,
    kernel_function, misuse, name_parts, part, position, slice, text,
};
use crate::errors::Internal;
use crate::facts::{
    Closure, Decl, DecoratedType, DeviceGlobal, Event, FaultyFunction, Function, FunctorType,
    Kernel, KernelFunction, Loc, Member, Misuse, Position, Source, Variable,
};
use crate::ffi;
use crate::ffi::numbers;
use crate::warnings::Fate;

/// The part of a unit that exists during code generation: positions and reports.
pub struct Reporter(*mut ffi::RawUnit);

impl Reporter {
    /// `None` for null.
    ///
    /// # Safety
    /// `raw` is null, or points to the shim's unit, which outlives the result.
    pub unsafe fn new(raw: *mut ffi::RawUnit) -> Option<Self> {
        (!raw.is_null()).then_some(Self(raw))
    }

    pub fn locate(&self, loc: Loc) -> Location {
        // SAFETY: the unit is alive (contract of `new`).
        let Position { file, line, column } = unsafe { locate(self.0, loc) };
        Location::new(file, line, column)
    }

    /// Whether the compiler reads the first location before the second location.
    pub fn is_before(&self, first: Loc, second: Loc) -> bool {
        // SAFETY: the unit is alive (contract of `new`).
        unsafe { ffi::scythe_is_before(self.0, first.0, second.0) != 0 }
    }

    /// Reports a warning, unless its group is ignored.
    pub fn warn(&self, warning: &Warning, fate: Fate) {
        let fate = match fate {
            Fate::Ignored => return,
            Fate::Warning => numbers::Fate::Warning,
            Fate::Error => numbers::Fate::Error,
            Fate::NeverError => numbers::Fate::NeverError,
        };
        let place = warning.place.clone().unwrap_or_default();
        let Location { file, line, column } = &place.location;
        let position = ffi::Position { file: ffi::Str::of(file), line: *line, column: *column };
        let details = warning.details.join("\n");
        // SAFETY: the unit is alive (contract of `new`), and the shim copies all strings.
        unsafe {
            ffi::scythe_warn(
                self.0,
                fate as u32,
                ffi::Str::of(warning.group.name()),
                place.handle,
                &position,
                ffi::Str::of(&warning.message),
                ffi::Str::of(&details),
            );
        }
    }
}

/// Returns the functors that a host pass launches, with their positions.
///
/// # Safety
/// `raw` and `launches` are the arguments of `scythe_frontend_launches`, and that call has not
/// returned.
pub unsafe fn launches(
    raw: *mut ffi::RawUnit,
    launches: *const ffi::Functor,
    count: usize,
) -> Result<Vec<Functor>, Internal> {
    // SAFETY: the caller guarantees `count` functors of a live unit (this function's contract).
    unsafe { slice(launches, count).iter().map(|launch| functor(raw, launch)).collect() }
}

/// Copies a functor.
///
/// # Safety
/// `unit` points to a live unit, and `raw` belongs to it.
unsafe fn functor(unit: *mut ffi::RawUnit, raw: &ffi::Functor) -> Result<Functor, Internal> {
    // SAFETY: the unit is alive, and its arena holds the arrays and strings of the functor (this
    // function's contract).
    unsafe {
        let at = locate(unit, Loc(raw.loc));
        let parts: Result<Vec<_>, Internal> =
            slice(raw.parts, raw.part_count).iter().map(|raw| part(raw)).collect();
        Ok(Functor {
            symbol: text(raw.symbol),
            name: text(raw.name),
            file: at.file,
            line: at.line,
            column: at.column,
            unnamed: raw.unnamed != 0,
            size: raw.size,
            align: raw.align,
            parts: parts?,
        })
    }
}

/// Returns file, line and column of a location.
///
/// # Safety
/// `unit` points to a live unit.
unsafe fn locate(unit: *mut ffi::RawUnit, loc: Loc) -> Position {
    let mut raw = MaybeUninit::<ffi::Position>::zeroed();
    // SAFETY: the unit is alive (this function's contract). The shim fills the structure, and its
    // string lives as long as the unit.
    unsafe {
        ffi::scythe_locate(unit, loc.0, raw.as_mut_ptr());
        position(raw.assume_init())
    }
}

/// Reports a diagnostic with its notes through clang, so clang controls carets, `-Werror`, error
/// limits and exit codes.
///
/// # Safety
/// `unit` points to a live unit.
pub unsafe fn report(unit: *mut ffi::RawUnit, diagnostic: &Diagnostic<Loc>) {
    let send = |severity: Severity, location: Option<Loc>, message: &str| {
        let severity = numbers::Severity::from(severity) as u32;
        let loc = location.unwrap_or_default().0;
        // SAFETY: the unit is alive (this function's contract), and the shim copies the message.
        unsafe { ffi::scythe_report(unit, severity, loc, ffi::Str::of(message)) }
    };
    send(diagnostic.severity, diagnostic.location, &diagnostic.message_with_code());
    for note in &diagnostic.notes {
        send(Severity::Note, note.location, &note.message);
    }
}

/// A translation unit whose AST is complete.
pub struct Unit {
    raw: *mut ffi::RawUnit,
    pub main_file: String,
    pub kernels: Vec<Decl>,
    /// Entry points that clang does not emit, such as a second one with the same name.
    pub rejected: Vec<Decl>,
    pub externals: Vec<Decl>,
    pub instantiations: Vec<Decl>,
    /// The functions of the program, without those of the headers.
    pub callers: Vec<Decl>,
    pub types: Vec<DecoratedType>,
    pub device_globals: Vec<DeviceGlobal>,
    pub misuses: Vec<Misuse>,
    pub faulty_functions: Vec<FaultyFunction>,
    /// The number of kernel names that clang found in use. The front end reports them.
    pub name_conflicts: u32,
    /// Whether clang reported errors. If so, facts may be incomplete.
    pub errors: bool,
    /// Whether the unit completed classes of device_globals.
    pub device_global_classes: bool,
}

impl Unit {
    /// Copies the facts that the shim collected.
    ///
    /// # Safety
    /// `raw` and `facts` are the arguments of `scythe_frontend_unit`, and that call does not return
    /// while the unit lives.
    pub unsafe fn new(raw: *mut ffi::RawUnit, facts: *const ffi::UnitFacts) -> Self {
        // SAFETY: the caller passes the shim's pointers (this function's contract). Each array has
        // the length that is stored beside it.
        unsafe {
            let facts = &*facts;
            let mut unit = Self {
                raw,
                main_file: text(facts.main_file),
                kernels: decls(facts.kernels, facts.kernel_count),
                rejected: decls(facts.rejected, facts.rejected_count),
                externals: decls(facts.externals, facts.external_count),
                instantiations: decls(facts.instantiations, facts.instantiation_count),
                callers: decls(facts.callers, facts.caller_count),
                types: slice(facts.types, facts.type_count)
                    .iter()
                    .map(|t| DecoratedType {
                        name: text(t.name),
                        aspects: slice(t.values, t.value_count).to_vec(),
                    })
                    .collect(),
                device_globals: slice(facts.device_globals, facts.device_global_count)
                    .iter()
                    .map(|variable| device_global(variable))
                    .collect(),
                misuses: Vec::new(),
                faulty_functions: Vec::new(),
                name_conflicts: facts.name_conflicts,
                errors: facts.errors != 0,
                device_global_classes: facts.device_global_classes != 0,
            };
            unit.faulty_functions = slice(facts.faulty_functions, facts.faulty_function_count)
                .iter()
                .filter_map(|raw| unit.known(faulty_function(raw)))
                .collect();
            unit.misuses = slice(facts.misuses, facts.misuse_count)
                .iter()
                .filter_map(|raw| unit.known(misuse(raw)))
                .collect();
            unit
        }
    }

    /// Returns a definition in this unit that every unit which includes it would have to report,
    /// apart from the types with aspects.
    pub fn reportable(&self) -> Option<&'static str> {
        [
            (!self.kernels.is_empty() || !self.rejected.is_empty(), "a kernel"),
            (!self.externals.is_empty(), "a SYCL_EXTERNAL function"),
            (!self.device_globals.is_empty(), "a device_global variable"),
            (self.device_global_classes, "a class device_global"),
        ]
        .iter()
        .find_map(|&(present, name)| present.then_some(name))
    }

    /// Returns a decoded value, or reports the error.
    fn known<T>(&self, decoded: Result<T, Internal>) -> Option<T> {
        decoded.inspect_err(|error| self.report(&error.report())).ok()
    }

    /// Returns the kernel that an entry point of [`Unit::kernels`] declares.
    pub fn kernel(&self, entry: Decl) -> Kernel {
        let mut raw = MaybeUninit::<ffi::Kernel>::zeroed();
        // SAFETY: the unit is alive (contract of `new`) and `entry` is one of its declarations. The
        // shim fills the whole structure. Its arrays have the lengths beside them and live as long
        // as the unit.
        unsafe {
            ffi::scythe_describe_kernel(self.raw, entry.0 as ffi::Decl, raw.as_mut_ptr());
            let raw = raw.assume_init();
            Kernel {
                entry,
                symbol: text(raw.symbol),
                name: text(raw.name),
                spelling: text(raw.spelling),
                shape: text(raw.shape),
                functor: text(raw.functor),
                functor_classes: slice(raw.functor_classes, raw.functor_class_count)
                    .iter()
                    .filter_map(|&class| decl(class))
                    .collect(),
                functor_loc: Loc(raw.functor_loc),
                entry_loc: Loc(raw.entry_loc),
                external: raw.external != 0,
                by_value: raw.by_value != 0,
                faulty_get: self
                    .known(get_fault(raw.get_fault))
                    .flatten()
                    .map(|fault| (fault, Loc(raw.get_loc))),
                functor_size: raw.functor_size,
                fields: self.known(field_tree(slice(raw.fields, raw.field_count))).flatten(),
                parts: name_parts(raw.parts, raw.part_count),
                function: decl(raw.function).map(|function| self.kernel_function(function)),
            }
        }
    }

    /// Returns the function of a free function kernel.
    fn kernel_function(&self, function: Decl) -> KernelFunction {
        let mut raw = MaybeUninit::<ffi::FreeFunction>::zeroed();
        // SAFETY: as in `Unit::kernel`.
        unsafe {
            let out = raw.as_mut_ptr();
            ffi::scythe_describe_free_function(self.raw, function.0 as ffi::Decl, out);
            kernel_function(function, &raw.assume_init())
        }
    }
}

impl Unit {
    /// Returns the layout, in this pass, of the functor that an entry point of [`Unit::kernels`]
    /// takes by value.
    pub fn functor(&self, entry: Decl) -> Result<Functor, Internal> {
        let mut raw = MaybeUninit::<ffi::Functor>::zeroed();
        // SAFETY: as in `Unit::kernel`.
        unsafe {
            ffi::scythe_describe_functor(self.raw, entry.0 as ffi::Decl, raw.as_mut_ptr());
            functor(self.raw, &raw.assume_init())
        }
    }

    /// Returns the class of that functor.
    pub fn functor_type(&self, entry: Decl) -> FunctorType {
        let mut raw = MaybeUninit::<ffi::FunctorType>::zeroed();
        // SAFETY: as in `Unit::kernel`.
        unsafe {
            ffi::scythe_describe_functor_type(self.raw, entry.0 as ffi::Decl, raw.as_mut_ptr());
            let raw = raw.assume_init();
            let member = |raw: &ffi::Member| Member {
                path: text(raw.path),
                arithmetic: Some(text(raw.arithmetic)).filter(|name| !name.is_empty()),
                offset: raw.offset,
                size: raw.size,
                in_closure: raw.in_closure != 0,
            };
            FunctorType {
                spelling: text(raw.spelling),
                parts: name_parts(raw.parts, raw.part_count),
                align: raw.align,
                members: slice(raw.members, raw.member_count).iter().map(member).collect(),
            }
        }
    }

    /// Returns the lambdas in that functor that have a capture default.
    pub fn closures(&self, entry: Decl) -> Vec<Closure> {
        let (mut data, mut count) = (std::ptr::null(), 0);
        // SAFETY: as in `Unit::kernel`.
        unsafe {
            ffi::scythe_describe_closures(self.raw, entry.0 as ffi::Decl, &mut data, &mut count);
            slice(data, count).iter().map(|raw| closure(raw)).collect()
        }
    }

    /// Returns the macros of the command line that describe the aspects of devices.
    pub fn aspect_macros(&self) -> Vec<String> {
        let (mut data, mut count) = (std::ptr::null(), 0);
        // SAFETY: as in `Unit::kernel`.
        unsafe {
            ffi::scythe_aspect_macros(self.raw, &mut data, &mut count);
            slice(data, count).iter().map(|&name| text(name)).collect()
        }
    }
}

impl Source for Unit {
    fn function(&self, declaration: Decl) -> Function {
        let mut raw = MaybeUninit::<ffi::Function>::zeroed();
        // SAFETY: as in `Unit::kernel`.
        unsafe {
            ffi::scythe_describe_function(self.raw, declaration.0 as ffi::Decl, raw.as_mut_ptr());
            let raw = raw.assume_init();
            let flag = |flag: u32| raw.flags & flag != 0;
            use numbers::function::*;
            Function {
                name: text(raw.name),
                qualified: text(raw.qualified),
                defined: flag(DEFINED),
                variadic: flag(VARIADIC),
                sycl_external: flag(EXTERNAL),
                builtin: flag(BUILTIN),
                allocation: flag(ALLOCATION),
                extern_c: flag(EXTERN_C) || flag(LIBRARY),
                in_sycl: flag(IN_SYCL),
                defaulted: flag(DEFAULTED),
                is_constexpr: flag(CONSTEXPR),
                loc: Loc(raw.loc),
                instantiated_at: Loc(raw.instantiated_at),
                parent: decl(raw.parent),
                odr_hash: raw.odr_hash,
                attributes: self
                    .known(attributes(raw.attributes, raw.attribute_count))
                    .unwrap_or_default(),
            }
        }
    }

    fn events(&self, declaration: Decl) -> Vec<Event> {
        let mut raw = MaybeUninit::<ffi::Events>::zeroed();
        // SAFETY: as in `Unit::kernel`.
        unsafe {
            ffi::scythe_walk_function(self.raw, declaration.0 as ffi::Decl, raw.as_mut_ptr());
            let raw = raw.assume_init();
            slice(raw.data, raw.size).iter().filter_map(|raw| self.known(event(raw))).collect()
        }
    }

    fn locate(&self, loc: Loc) -> Position {
        // SAFETY: the unit is alive (contract of `new`).
        unsafe { locate(self.raw, loc) }
    }

    fn locate_call(&self, loc: Loc) -> Position {
        let mut raw = MaybeUninit::<ffi::Position>::zeroed();
        // SAFETY: as in `Unit::kernel`.
        unsafe {
            ffi::scythe_locate_call(self.raw, loc.0, raw.as_mut_ptr());
            position(raw.assume_init())
        }
    }

    fn variable(&self, declaration: Decl) -> Variable {
        let mut raw = MaybeUninit::<ffi::Variable>::zeroed();
        // SAFETY: as in `Unit::kernel`.
        unsafe {
            ffi::scythe_describe_variable(self.raw, declaration.0 as ffi::Decl, raw.as_mut_ptr());
            let raw = raw.assume_init();
            let attributes = self.known(attributes(raw.attributes, raw.attribute_count));
            Variable { symbol: text(raw.symbol), attributes: attributes.unwrap_or_default() }
        }
    }

    fn symbols(&self, declaration: Decl) -> Vec<String> {
        let mut data = std::ptr::null();
        let mut count = 0;
        // SAFETY: as in `Unit::kernel`.
        unsafe {
            ffi::scythe_function_symbols(
                self.raw,
                declaration.0 as ffi::Decl,
                &mut data,
                &mut count,
            );
            slice(data, count).iter().map(|&symbol| text(symbol)).collect()
        }
    }

    fn report(&self, diagnostic: &Diagnostic<Loc>) {
        // SAFETY: the unit is alive (contract of `new`).
        unsafe { report(self.raw, diagnostic) }
    }
}
