//! The shim's facts as values: the one place that reads `ffi` structures.

use scythe_abi::launch::Scalar;

use crate::facts::{
    Action, Attribute, Capture, Closure, Decl, DecoratedType, DeviceGlobal, Event, Field,
    FieldKind, Function, FunctorType, GetFault, Global, Kernel, Level, Loc, Member, Mention,
    Misuse, MisuseKind, NamePart, Placed, Position, Source, Value, Variable,
};
use crate::ffi;
use crate::warnings::Fate;
use scythe_abi::functor::{Functor, Part, PartKind};
use scythe_diag::Location;
use scythe_passes::aspects::warning::Warning;

/// What is left of a unit while code is generated: positions, and clang's way to report.
pub struct Speaker(*mut ffi::RawUnit);

impl Speaker {
    /// `None` for null.
    ///
    /// # Safety
    /// `raw` is null, or the shim's unit, which outlives this.
    pub unsafe fn new(raw: *mut ffi::RawUnit) -> Option<Self> {
        (!raw.is_null()).then_some(Self(raw))
    }

    pub fn locate(&self, loc: Loc) -> Location {
        let mut raw = std::mem::MaybeUninit::<ffi::Position>::zeroed();
        // SAFETY: the unit is alive (`new`), and the shim fills the structure, whose string lives
        // as long.
        let at = unsafe {
            ffi::scythe_locate(self.0, loc.0, raw.as_mut_ptr());
            position(raw.assume_init())
        };
        Location::new(at.file, at.line, at.column)
    }

    /// Whether a place comes before another one, as the compiler reads the unit.
    pub fn is_before(&self, first: Loc, second: Loc) -> bool {
        // SAFETY: the unit is alive (`new`).
        unsafe { ffi::scythe_is_before(self.0, first.0, second.0) != 0 }
    }

    /// Reports a warning of a group that is not ignored.
    pub fn warn(&self, warning: &Warning, fate: Fate) {
        let str = |text: &str| ffi::Str { data: text.as_ptr().cast(), size: text.len() };
        let place = warning.place.clone().unwrap_or_default();
        let Location { file, line, column } = &place.location;
        let position = ffi::Position { file: str(file), line: *line, column: *column };
        let (flag, details) = (warning.group.name(), warning.details.join("\n"));
        // SAFETY: the unit is alive (`new`), and the shim copies all texts.
        unsafe {
            let (message, details) = (str(&warning.message), str(&details));
            ffi::scythe_warn(
                self.0,
                fate as u32,
                str(flag),
                place.handle,
                &position,
                message,
                details,
            );
        }
    }
}

/// The functors that a host pass launches, with where they are.
///
/// # Safety
/// `raw` and `launches` are what the shim passed to `scythe_frontend_launches`, and that call has
/// not returned.
pub unsafe fn launches(
    raw: *mut ffi::RawUnit,
    launches: *const ffi::Functor,
    count: usize,
) -> Vec<Functor> {
    // SAFETY: forwarded to the caller.
    unsafe { slice(launches, count) }
        .iter()
        .map(|raw_functor| unsafe { functor(raw, raw_functor) })
        .collect()
}

/// # Safety
/// The unit is alive, and the functor's arrays and strings are valid.
unsafe fn functor(unit: *mut ffi::RawUnit, raw: &ffi::Functor) -> Functor {
    // SAFETY: forwarded to the caller; the shim fills the position, whose string lives as long as
    // the unit.
    unsafe {
        let mut at = std::mem::MaybeUninit::<ffi::Position>::zeroed();
        ffi::scythe_locate(unit, raw.loc, at.as_mut_ptr());
        let at = position(at.assume_init());
        Functor {
            symbol: text(raw.symbol),
            name: text(raw.name),
            file: at.file,
            line: at.line,
            column: at.column,
            unnamed: raw.unnamed != 0,
            size: raw.size,
            align: raw.align,
            parts: slice(raw.parts, raw.part_count).iter().filter_map(|raw| part(raw)).collect(),
        }
    }
}

/// # Safety
/// The strings are valid.
unsafe fn part(raw: &ffi::Part) -> Option<Part> {
    // SAFETY: forwarded to the caller.
    let string = |s: ffi::Str| unsafe { text(s) };
    Some(Part {
        depth: raw.depth,
        kind: PartKind::from_u32(raw.kind)?,
        name: string(raw.name),
        type_name: string(raw.type_name),
        identity: string(raw.identity),
        bit_offset: raw.bit_offset,
        bit_size: raw.bit_size,
    })
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
    /// The program's own functions.
    pub callers: Vec<Decl>,
    pub types: Vec<DecoratedType>,
    pub device_globals: Vec<DeviceGlobal>,
    pub misuses: Vec<Misuse>,
    /// How often clang found a kernel name in use, which it leaves to us to report.
    pub name_conflicts: u32,
    /// Clang has reported errors: facts may be incomplete.
    pub errors: bool,
}

impl Unit {
    /// Copies what the shim gathered.
    ///
    /// # Safety
    /// `raw` and `facts` are what the shim passed to `scythe_frontend_unit`, and that call has not
    /// returned while the unit lives.
    pub unsafe fn new(raw: *mut ffi::RawUnit, facts: *const ffi::UnitFacts) -> Self {
        // SAFETY: the caller passes the shim's pointers; every array in them has the length beside
        // it.
        unsafe {
            let facts = &*facts;
            Self {
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
                misuses: slice(facts.misuses, facts.misuse_count)
                    .iter()
                    .filter_map(|raw| misuse(raw))
                    .collect(),
                name_conflicts: facts.name_conflicts,
                errors: facts.errors != 0,
            }
        }
    }

    /// The kernel that an entry point of [`Unit::kernels`] declares.
    pub fn kernel(&self, entry: Decl) -> Kernel {
        let mut raw = std::mem::MaybeUninit::<ffi::Kernel>::zeroed();
        // SAFETY: the unit is alive (`new`), `entry` came from it, and the shim fills the whole
        // structure, whose arrays have the lengths beside them.
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
                faulty_get: GetFault::from_number(raw.get_fault)
                    .map(|fault| (fault, Loc(raw.get_loc))),
                functor_size: raw.functor_size,
                fields: field_tree(slice(raw.fields, raw.field_count)),
                parts: name_parts(raw.parts, raw.part_count),
            }
        }
    }
}

impl Unit {
    /// How this pass lays out the functor that an entry point of [`Unit::kernels`] takes by value.
    pub fn functor(&self, entry: Decl) -> Functor {
        let mut raw = std::mem::MaybeUninit::<ffi::Functor>::zeroed();
        // SAFETY: as in `kernel`.
        unsafe {
            ffi::scythe_describe_functor(self.raw, entry.0 as ffi::Decl, raw.as_mut_ptr());
            functor(self.raw, &raw.assume_init())
        }
    }

    /// The class of that functor.
    pub fn functor_type(&self, entry: Decl) -> FunctorType {
        let mut raw = std::mem::MaybeUninit::<ffi::FunctorType>::zeroed();
        // SAFETY: as in `kernel`.
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

    /// The lambdas in that functor that have a default for captures.
    pub fn closures(&self, entry: Decl) -> Vec<Closure> {
        let (mut data, mut count) = (std::ptr::null(), 0);
        // SAFETY: as in `kernel`.
        unsafe {
            ffi::scythe_describe_closures(self.raw, entry.0 as ffi::Decl, &mut data, &mut count);
            slice(data, count).iter().map(|raw| closure(raw)).collect()
        }
    }

    /// The macros of the command line that tell of devices' aspects.
    pub fn aspect_macros(&self) -> Vec<String> {
        let (mut data, mut count) = (std::ptr::null(), 0);
        // SAFETY: as in `kernel`.
        unsafe {
            ffi::scythe_aspect_macros(self.raw, &mut data, &mut count);
            slice(data, count).iter().map(|&name| text(name)).collect()
        }
    }
}

impl Source for Unit {
    fn function(&self, decl_: Decl) -> Function {
        let mut raw = std::mem::MaybeUninit::<ffi::Function>::zeroed();
        // SAFETY: as in `kernel`.
        unsafe {
            ffi::scythe_describe_function(self.raw, decl_.0 as ffi::Decl, raw.as_mut_ptr());
            let raw = raw.assume_init();
            let flag = |bit: u32| raw.flags & (1 << bit) != 0;
            Function {
                name: text(raw.name),
                qualified: text(raw.qualified),
                defined: flag(0),
                variadic: flag(1),
                sycl_external: flag(2),
                builtin: flag(3),
                allocation: flag(5),
                extern_c: flag(6) || flag(4),
                in_sycl: flag(7),
                defaulted: flag(8),
                is_constexpr: flag(9),
                loc: Loc(raw.loc),
                instantiated_at: Loc(raw.instantiated_at),
                parent: decl(raw.parent),
                odr_hash: raw.odr_hash,
                attributes: slice(raw.attributes, raw.attribute_count)
                    .iter()
                    .map(|a| attribute(a))
                    .collect(),
            }
        }
    }

    fn events(&self, decl_: Decl) -> Vec<Event> {
        let mut raw = std::mem::MaybeUninit::<ffi::Events>::zeroed();
        // SAFETY: as in `kernel`.
        unsafe {
            ffi::scythe_walk_function(self.raw, decl_.0 as ffi::Decl, raw.as_mut_ptr());
            let raw = raw.assume_init();
            slice(raw.data, raw.size).iter().filter_map(|e| event(e)).collect()
        }
    }

    fn locate(&self, loc: Loc) -> Position {
        let mut raw = std::mem::MaybeUninit::<ffi::Position>::zeroed();
        // SAFETY: as in `kernel`.
        unsafe {
            ffi::scythe_locate(self.raw, loc.0, raw.as_mut_ptr());
            position(raw.assume_init())
        }
    }

    fn locate_call(&self, loc: Loc) -> Position {
        let mut raw = std::mem::MaybeUninit::<ffi::Position>::zeroed();
        // SAFETY: as in `kernel`.
        unsafe {
            ffi::scythe_locate_call(self.raw, loc.0, raw.as_mut_ptr());
            position(raw.assume_init())
        }
    }

    fn variable(&self, decl_: Decl) -> Variable {
        let mut raw = std::mem::MaybeUninit::<ffi::Variable>::zeroed();
        // SAFETY: as in `kernel`.
        unsafe {
            ffi::scythe_describe_variable(self.raw, decl_.0 as ffi::Decl, raw.as_mut_ptr());
            let raw = raw.assume_init();
            let attributes =
                slice(raw.attributes, raw.attribute_count).iter().map(|a| attribute(a)).collect();
            Variable { symbol: text(raw.symbol), attributes }
        }
    }

    fn symbols(&self, decl_: Decl) -> Vec<String> {
        let mut data = std::ptr::null();
        let mut count = 0;
        // SAFETY: as in `kernel`.
        unsafe {
            ffi::scythe_function_symbols(self.raw, decl_.0 as ffi::Decl, &mut data, &mut count);
            slice(data, count).iter().map(|&symbol| text(symbol)).collect()
        }
    }

    fn report(&self, level: Level, loc: Loc, message: &str) {
        // SAFETY: the unit is alive.
        unsafe { report(self.raw, level, loc, message) }
    }
}

/// Reports through clang.
///
/// # Safety
/// `raw` is the shim's unit.
pub unsafe fn report(raw: *mut ffi::RawUnit, level: Level, loc: Loc, message: &str) {
    let message = ffi::Str { data: message.as_ptr().cast(), size: message.len() };
    // SAFETY: forwarded to the caller; the shim copies the message.
    unsafe { ffi::scythe_report(raw, level as u32, loc.0, message) }
}

/// A copy of the shim's string.
///
/// # Safety
/// The string's bytes are valid during the call.
pub unsafe fn text(s: ffi::Str) -> String {
    // SAFETY: forwarded to the caller.
    String::from_utf8_lossy(unsafe { slice(s.data.cast::<u8>(), s.size) }).into_owned()
}

/// # Safety
/// `data` points at `count` initialised items, or `count` is 0.
pub unsafe fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if count == 0 || data.is_null() {
        return &[];
    }
    // SAFETY: forwarded to the caller.
    unsafe { std::slice::from_raw_parts(data, count) }
}

fn decl(raw: ffi::Decl) -> Option<Decl> {
    (!raw.is_null()).then_some(Decl(raw as usize))
}

/// # Safety
/// As [`slice`].
unsafe fn decls(data: *const ffi::Decl, count: usize) -> Vec<Decl> {
    // SAFETY: forwarded to the caller.
    unsafe { slice(data, count) }.iter().map(|&d| Decl(d as usize)).collect()
}

/// # Safety
/// The position's strings are valid.
unsafe fn position(raw: ffi::Position) -> Position {
    // SAFETY: forwarded to the caller.
    Position { file: unsafe { text(raw.file) }, line: raw.line, column: raw.column }
}

/// # Safety
/// The attribute's arrays and strings are valid.
pub unsafe fn attribute(raw: &ffi::Attribute) -> Attribute {
    // SAFETY: forwarded to the caller.
    unsafe {
        Attribute {
            name: text(raw.name),
            values: slice(raw.values, raw.value_count).to_vec(),
            text: (!raw.text.data.is_null()).then(|| text(raw.text)),
            arguments: values(slice(raw.arguments, raw.argument_count)),
            loc: Loc(raw.loc),
        }
    }
}

/// # Safety
/// The description's arrays and strings are valid.
pub unsafe fn placed(raw: &ffi::Placed) -> Placed {
    // SAFETY: forwarded to the caller.
    unsafe {
        Placed {
            written: text(raw.written),
            loc: Loc(raw.loc),
            on_function: raw.on_function != 0,
            on_class: raw.on_class != 0,
            attributes: slice(raw.attributes, raw.attribute_count)
                .iter()
                .map(|a| attribute(a))
                .collect(),
        }
    }
}

/// The elements of a tuple follow it in the shim's list.
///
/// # Safety
/// The strings are valid.
unsafe fn values(mut raw: &[ffi::Value]) -> Vec<Value> {
    let mut out = Vec::new();
    while let Some((first, rest)) = raw.split_first() {
        // SAFETY: forwarded to the caller.
        let string = || unsafe { text(first.text) };
        raw = rest;
        out.push(match first.kind {
            0 => Value::Text(string()),
            1 => Value::Signed(first.integer),
            2 => Value::Unsigned(first.integer as u64),
            3 => Value::Floating(first.floating.to_bits()),
            4 => Value::Boolean(first.integer != 0),
            5 => Value::Character(first.integer as u32),
            7 => {
                let count = usize::try_from(first.integer).unwrap_or(0).min(rest.len());
                raw = &rest[count..];
                // SAFETY: forwarded to the caller.
                Value::Tuple(unsafe { values(&rest[..count]) })
            }
            _ => Value::Other(string()),
        });
    }
    out
}

/// # Safety
/// The variable's strings are valid.
pub unsafe fn device_global(raw: &ffi::DeviceGlobal) -> DeviceGlobal {
    DeviceGlobal {
        // SAFETY: forwarded to the caller.
        symbol: unsafe { text(raw.symbol) },
        size: raw.size,
        external: raw.external != 0,
    }
}

/// # Safety
/// The strings are valid.
unsafe fn misuse(raw: &ffi::Misuse) -> Option<Misuse> {
    use MisuseKind::*;
    let kinds = [Local, Parameter, Member, Array, ThreadLocal, NotPublic, New, Temporary];
    let kind = *kinds.get(raw.kind as usize)?;
    // SAFETY: forwarded to the caller.
    Some(Misuse { kind, loc: Loc(raw.loc), name: unsafe { text(raw.name) } })
}

/// # Safety
/// The event's arrays and strings are valid.
unsafe fn event(raw: &ffi::Event) -> Option<Event> {
    let callee = Decl(raw.decl as usize);
    // SAFETY: forwarded to the caller.
    let name = || unsafe { text(raw.text) };
    let flag = |bit: u32| raw.flags & (1 << bit) != 0;
    let action = match raw.kind {
        0 => Action::Call(callee),
        1 => Action::VirtualCall(callee),
        2 => Action::IndirectCall,
        3 => Action::Lambda(callee),
        4 => Action::Throw,
        5 => Action::Try,
        6 => Action::TypeId,
        7 => Action::DynamicCast,
        8 => Action::Global {
            decl: callee,
            variable: name(),
            declared: Loc(raw.decl_loc),
            global: Global {
                is_const: flag(0),
                constant_init: flag(1),
                static_local: flag(2),
                thread_local: flag(3),
                undefined: flag(4),
                special: flag(5),
            },
        },
        9 => Action::VaArg,
        10 => Action::Asm,
        11 => Action::VariableArray(name()),
        12 => Action::ZeroArray(name()),
        13 => Action::LongDouble,
        14 => Action::Double,
        15 => Action::Half,
        // SAFETY: forwarded to the caller.
        16 => Action::Decorated(unsafe { slice(raw.values, raw.value_count) }.to_vec()),
        17 => Action::Address(callee),
        _ => return None,
    };
    Some(Event { action, loc: Loc(raw.loc) })
}

/// # Safety
/// As [`slice`], and the strings are valid.
unsafe fn name_parts(data: *const ffi::NamePart, count: usize) -> Vec<NamePart> {
    // SAFETY: forwarded to the caller.
    let string = |s: ffi::Str| unsafe { text(s) };
    let part = |raw: &ffi::NamePart| NamePart {
        namespaces: string(raw.namespaces),
        declaration: string(raw.declaration),
        declarable: raw.declarable != 0,
        closure: raw.closure != 0,
    };
    // SAFETY: forwarded to the caller.
    unsafe { slice(data, count) }.iter().map(part).collect()
}

/// # Safety
/// The closure's arrays and strings are valid.
unsafe fn closure(raw: &ffi::Closure) -> Closure {
    // SAFETY: forwarded to the caller.
    let string = |s: ffi::Str| unsafe { text(s) };
    let capture = |raw: &ffi::Capture| Capture {
        name: string(raw.name),
        declared: Loc(raw.declared),
        explicit: raw.flags & 1 != 0,
        constant: raw.flags & 2 != 0,
    };
    let mention = |raw: &ffi::Mention| Mention {
        name: string(raw.name),
        declared: Loc(raw.declared),
        pack: raw.flags & 1 != 0,
        constant: raw.flags & 2 != 0,
        nested: raw.flags & 4 != 0,
    };
    // SAFETY: forwarded to the caller.
    let (captures, mentions) =
        unsafe { (slice(raw.captures, raw.capture_count), slice(raw.mentions, raw.mention_count)) };
    Closure {
        loc: Loc(raw.loc),
        generic: raw.flags & 1 != 0,
        captures: captures.iter().map(capture).collect(),
        mentions: (raw.flags & 2 != 0).then(|| mentions.iter().map(mention).collect()),
    }
}

/// Turns the preorder list into a tree; `None` for an empty list.
///
/// # Safety
/// The strings of the fields are valid.
unsafe fn field_tree(raw: &[ffi::Field]) -> Option<Field> {
    let (first, rest) = raw.split_first()?;
    let children = || -> Vec<Field> {
        let starts: Vec<usize> =
            (0..rest.len()).filter(|&i| rest[i].depth == first.depth + 1).collect();
        starts
            .iter()
            .enumerate()
            .filter_map(|(n, &start)| {
                let end = starts.get(n + 1).copied().unwrap_or(rest.len());
                // SAFETY: forwarded to the caller.
                unsafe { field_tree(&rest[start..end]) }
            })
            .collect()
    };
    // SAFETY: forwarded to the caller.
    let string = |s: ffi::Str| unsafe { text(s) };
    let flag = |bit: u32| first.flags & (1 << bit) != 0;
    let kind = match first.kind {
        0 => Scalar::from_name(&string(first.scalar)).map_or(FieldKind::Opaque, FieldKind::Scalar),
        1 => FieldKind::Pointer,
        2 => FieldKind::Reference,
        3 => FieldKind::Record(children()),
        4 => match children().pop() {
            Some(element) => FieldKind::Array(Box::new(element), first.count),
            None => FieldKind::Opaque,
        },
        6 => FieldKind::Bits,
        _ => FieldKind::Opaque,
    };
    let special = string(first.special);
    Some(Field {
        name: string(first.name),
        type_name: string(first.type_),
        kind,
        special: (!special.is_empty()).then_some(special),
        // SAFETY: null or an attribute of the shim's arena.
        properties: unsafe { first.properties.as_ref().map(|properties| attribute(properties)) },
        offset: first.offset,
        size: first.size,
        align: first.align.max(1),
        loc: Loc(first.loc),
        capture: flag(0),
        captured_this: flag(1),
        base: flag(2),
        trivially_copyable: flag(3),
        device_copyable: flag(4),
        own_copy: flag(5),
        long_double: flag(6),
        empty: flag(7),
        closure: flag(8),
    })
}
