//! Copies the shim's structures into the values of `facts`.
//!
//! Only this file, `unit.rs`, `tokens.rs` and `plugin.rs` read `ffi` structures. A number that
//! `facts.h` does not define is an [`Internal`] error.
//!
//! The functions are unsafe because they follow the pointers of a structure. Their common contract:
//! the shim filled the structure, each array has the length that is stored beside it, and arrays
//! and strings stay valid during the call.

use scythe_abi::functor::{Part, PartKind};
use scythe_abi::launch::Scalar;

use crate::errors::Internal;
use crate::facts::{
    Action, Attribute, Capture, Closure, Decl, DeviceGlobal, Event, FaultyFunction, Field,
    FieldKind, FunctionFault, GetFault, Global, KernelFunction, Loc, Mention, Misuse, MisuseKind,
    NamePart, Placed, Position, Value,
};
use crate::ffi;
use crate::ffi::numbers::{self, EventKind, ValueKind};

/// Copies a string.
///
/// # Safety
/// The contract of this module.
pub unsafe fn text(s: ffi::Str) -> String {
    // SAFETY: the caller guarantees that the string has `size` bytes (contract of this module).
    String::from_utf8_lossy(unsafe { slice(s.data.cast::<u8>(), s.size) }).into_owned()
}

/// Returns an array of the shim as a slice.
///
/// # Safety
/// `data` points to `count` initialised items that outlive `'a`, or `count` is 0.
pub unsafe fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if count == 0 || data.is_null() {
        return &[];
    }
    // SAFETY: the caller guarantees `count` initialised items (this function's contract).
    unsafe { std::slice::from_raw_parts(data, count) }
}

/// Returns the declaration. `None` for null.
pub fn decl(raw: ffi::Decl) -> Option<Decl> {
    (!raw.is_null()).then_some(Decl(raw as usize))
}

/// Copies an array of declarations.
///
/// # Safety
/// The contract of this module.
pub unsafe fn decls(data: *const ffi::Decl, count: usize) -> Vec<Decl> {
    // SAFETY: the caller guarantees `count` items (contract of this module).
    unsafe { slice(data, count) }.iter().map(|&d| Decl(d as usize)).collect()
}

/// Copies a position.
///
/// # Safety
/// The contract of this module.
pub unsafe fn position(raw: ffi::Position) -> Position {
    // SAFETY: the caller guarantees that the string is valid (contract of this module).
    Position { file: unsafe { text(raw.file) }, line: raw.line, column: raw.column }
}

/// Copies an attribute.
///
/// # Safety
/// The contract of this module.
pub unsafe fn attribute(raw: &ffi::Attribute) -> Result<Attribute, Internal> {
    // SAFETY: the caller guarantees that arrays and strings are valid (contract of this module).
    unsafe {
        Ok(Attribute {
            name: text(raw.name),
            values: slice(raw.values, raw.value_count).to_vec(),
            text: (!raw.text.data.is_null()).then(|| text(raw.text)),
            arguments: values(slice(raw.arguments, raw.argument_count))?,
            loc: Loc(raw.loc),
        })
    }
}

/// Copies an array of attributes.
///
/// # Safety
/// The contract of this module.
pub unsafe fn attributes(
    data: *const ffi::Attribute,
    count: usize,
) -> Result<Vec<Attribute>, Internal> {
    // SAFETY: the caller guarantees `count` items (contract of this module).
    unsafe { slice(data, count).iter().map(|raw| attribute(raw)).collect() }
}

/// Copies the description of an attribute on a declaration.
///
/// # Safety
/// The contract of this module.
pub unsafe fn placed(raw: &ffi::Placed) -> Result<Placed, Internal> {
    // SAFETY: the caller guarantees that arrays and strings are valid (contract of this module).
    unsafe {
        Ok(Placed {
            written: text(raw.written),
            loc: Loc(raw.loc),
            on_function: raw.on_function != 0,
            on_class: raw.on_class != 0,
            attributes: attributes(raw.attributes, raw.attribute_count)?,
        })
    }
}

/// Copies a list of values. The elements of a tuple follow the tuple in the shim's list.
///
/// # Safety
/// The contract of this module.
unsafe fn values(mut raw: &[ffi::Value]) -> Result<Vec<Value>, Internal> {
    let mut out = Vec::new();
    while let Some((first, rest)) = raw.split_first() {
        // SAFETY: the caller guarantees that strings are valid (contract of this module).
        let string = || unsafe { text(first.text) };
        raw = rest;
        out.push(match ValueKind::try_from(first.kind)? {
            ValueKind::Text => Value::Text(string()),
            ValueKind::Signed => Value::Signed(first.integer),
            ValueKind::Unsigned => Value::Unsigned(first.integer as u64),
            ValueKind::Floating => Value::Floating(first.floating.to_bits()),
            ValueKind::Boolean => Value::Boolean(first.integer != 0),
            ValueKind::Character => Value::Character(first.integer as u32),
            ValueKind::Other => Value::Other(string()),
            ValueKind::Tuple => {
                let count = usize::try_from(first.integer).unwrap_or(0).min(rest.len());
                raw = &rest[count..];
                // SAFETY: the elements are part of the caller's list (contract of this module).
                Value::Tuple(unsafe { values(&rest[..count])? })
            }
        });
    }
    Ok(out)
}

/// Copies the description of a `device_global` variable.
///
/// # Safety
/// The contract of this module.
pub unsafe fn device_global(raw: &ffi::DeviceGlobal) -> DeviceGlobal {
    DeviceGlobal {
        // SAFETY: the caller guarantees that the string is valid (contract of this module).
        symbol: unsafe { text(raw.symbol) },
        size: raw.size,
        external: raw.external != 0,
    }
}

/// Copies a misuse of `device_global`.
///
/// # Safety
/// The contract of this module.
pub unsafe fn misuse(raw: &ffi::Misuse) -> Result<Misuse, Internal> {
    let kind = MisuseKind::try_from(raw.kind)?;
    // SAFETY: the caller guarantees that the string is valid (contract of this module).
    Ok(Misuse { kind, loc: Loc(raw.loc), name: unsafe { text(raw.name) } })
}

/// Copies a rule that a declaration of a free function kernel breaks.
///
/// # Safety
/// The contract of this module.
pub unsafe fn faulty_function(raw: &ffi::FaultyFunction) -> Result<FaultyFunction, Internal> {
    use numbers::FreeFunctionFault as Kind;
    // SAFETY: the caller guarantees that the strings are valid (contract of this module).
    let (function, name) = unsafe { (text(raw.function), text(raw.name)) };
    let fault = match Kind::try_from(raw.kind)? {
        Kind::Result => FunctionFault::Result,
        Kind::Variadic => FunctionFault::Variadic,
        Kind::Default => FunctionFault::DefaultArgument(name),
        Kind::Reference => FunctionFault::Reference(name),
        Kind::Member => FunctionFault::Member,
        Kind::Kinds => FunctionFault::Kinds,
        Kind::Later => FunctionFault::Later,
    };
    Ok(FaultyFunction { fault, loc: Loc(raw.loc), function })
}

/// Copies the function of a free function kernel.
///
/// # Safety
/// The contract of this module.
pub unsafe fn kernel_function(decl: Decl, raw: &ffi::FreeFunction) -> KernelFunction {
    // SAFETY: the caller guarantees that the strings are valid (contract of this module).
    let string = |s: ffi::Str| unsafe { text(s) };
    // SAFETY: the caller guarantees that the arrays are valid (contract of this module).
    let (parameters, registered) = unsafe {
        (slice(raw.parameters, raw.parameter_count), slice(raw.registered, raw.registered_count))
    };
    KernelFunction {
        decl,
        symbol: string(raw.symbol),
        name: string(raw.name),
        loc: Loc(raw.loc),
        dimensions: raw.dimensions,
        parameters: parameters.iter().map(|p| (string(p.name), Loc(p.loc))).collect(),
        registered: registered.iter().map(|&name| string(name)).collect(),
        odr_hash: raw.odr_hash,
    }
}

/// Returns the fault of a functor's `get(properties_tag)`. `None` if the function is usable.
pub fn get_fault(number: u32) -> Result<Option<GetFault>, Internal> {
    Ok(match numbers::GetFault::try_from(number)? {
        numbers::GetFault::Usable => None,
        numbers::GetFault::Hidden => Some(GetFault::Hidden),
        numbers::GetFault::Deleted => Some(GetFault::Deleted),
        numbers::GetFault::OfTemporaries => Some(GetFault::OfTemporaries),
    })
}

/// Copies an event of a function body.
///
/// # Safety
/// The contract of this module.
pub unsafe fn event(raw: &ffi::Event) -> Result<Event, Internal> {
    let callee = Decl(raw.decl as usize);
    // SAFETY: the caller guarantees that the string is valid (contract of this module).
    let name = || unsafe { text(raw.text) };
    let action = match EventKind::try_from(raw.kind)? {
        EventKind::Call => Action::Call(callee),
        EventKind::VirtualCall => Action::VirtualCall(callee),
        EventKind::IndirectCall => Action::IndirectCall,
        EventKind::Lambda => Action::Lambda(callee),
        EventKind::Throw => Action::Throw,
        EventKind::Try => Action::Try,
        EventKind::Typeid => Action::TypeId,
        EventKind::DynamicCast => Action::DynamicCast,
        EventKind::Global => Action::Global {
            decl: callee,
            variable: name(),
            declared: Loc(raw.decl_loc),
            global: global(raw.flags),
        },
        EventKind::VaArg => Action::VaArg,
        EventKind::Asm => Action::Asm,
        EventKind::VariableArray => Action::VariableArray(name()),
        EventKind::ZeroArray => Action::ZeroArray(name()),
        EventKind::LongDouble => Action::LongDouble,
        EventKind::Double => Action::Double,
        EventKind::Half => Action::Half,
        EventKind::Decorated => {
            // SAFETY: the caller guarantees that the array is valid (contract of this module).
            Action::Decorated(unsafe { slice(raw.values, raw.value_count) }.to_vec())
        }
        EventKind::Address => Action::Address(callee),
    };
    Ok(Event { action, loc: Loc(raw.loc) })
}

fn global(flags: u32) -> Global {
    use numbers::global::*;
    Global {
        is_const: flags & CONST != 0,
        constant_init: flags & CONSTANT_INIT != 0,
        static_local: flags & STATIC_LOCAL != 0,
        thread_local: flags & THREAD_LOCAL != 0,
        undefined: flags & UNDEFINED != 0,
        special: flags & SPECIAL != 0,
    }
}

/// Copies the declarations that a name needs.
///
/// # Safety
/// The contract of this module.
pub unsafe fn name_parts(data: *const ffi::NamePart, count: usize) -> Vec<NamePart> {
    // SAFETY: the caller guarantees that the strings are valid (contract of this module).
    let string = |s: ffi::Str| unsafe { text(s) };
    let part = |raw: &ffi::NamePart| NamePart {
        namespaces: string(raw.namespaces),
        declaration: string(raw.declaration),
        declarable: raw.declarable != 0,
        closure: raw.closure != 0,
    };
    // SAFETY: the caller guarantees `count` items (contract of this module).
    unsafe { slice(data, count) }.iter().map(part).collect()
}

/// Copies a part of a functor that the driver compares.
///
/// # Safety
/// The contract of this module.
pub unsafe fn part(raw: &ffi::Part) -> Result<Part, Internal> {
    // SAFETY: the caller guarantees that the strings are valid (contract of this module).
    let string = |s: ffi::Str| unsafe { text(s) };
    let kind = match numbers::PartKind::try_from(raw.kind)? {
        numbers::PartKind::Capture => PartKind::Capture,
        numbers::PartKind::Member => PartKind::Member,
        numbers::PartKind::Base => PartKind::Base,
    };
    Ok(Part {
        depth: raw.depth,
        kind,
        name: string(raw.name),
        type_name: string(raw.type_name),
        identity: string(raw.identity),
        bit_offset: raw.bit_offset,
        bit_size: raw.bit_size,
    })
}

/// Copies the description of a lambda.
///
/// # Safety
/// The contract of this module.
pub unsafe fn closure(raw: &ffi::Closure) -> Closure {
    // SAFETY: the caller guarantees that the strings are valid (contract of this module).
    let string = |s: ffi::Str| unsafe { text(s) };
    let capture = |raw: &ffi::Capture| Capture {
        name: string(raw.name),
        declared: Loc(raw.declared),
        explicit: raw.flags & numbers::capture::EXPLICIT != 0,
        constant: raw.flags & numbers::capture::CONSTANT != 0,
    };
    let mention = |raw: &ffi::Mention| Mention {
        name: string(raw.name),
        declared: Loc(raw.declared),
        pack: raw.flags & numbers::mention::PACK != 0,
        constant: raw.flags & numbers::mention::CONSTANT != 0,
        nested: raw.flags & numbers::mention::NESTED != 0,
    };
    // SAFETY: the caller guarantees that the arrays are valid (contract of this module).
    let (captures, mentions) =
        unsafe { (slice(raw.captures, raw.capture_count), slice(raw.mentions, raw.mention_count)) };
    let known = raw.flags & numbers::closure::MENTIONS_KNOWN != 0;
    Closure {
        loc: Loc(raw.loc),
        generic: raw.flags & numbers::closure::GENERIC != 0,
        captures: captures.iter().map(capture).collect(),
        mentions: known.then(|| mentions.iter().map(mention).collect()),
    }
}

/// Turns the shim's list of fields, which is in preorder, into a tree. `None` for an empty list.
///
/// # Safety
/// The contract of this module.
pub unsafe fn field_tree(raw: &[ffi::Field]) -> Result<Option<Field>, Internal> {
    let Some((first, rest)) = raw.split_first() else { return Ok(None) };
    // SAFETY: the fields are part of the caller's list (contract of this module).
    let mut members = unsafe { children(first.depth, rest)? };
    // SAFETY: the caller guarantees that the strings are valid (contract of this module).
    let string = |s: ffi::Str| unsafe { text(s) };
    let kind = match numbers::FieldKind::try_from(first.kind)? {
        numbers::FieldKind::Scalar => {
            Scalar::from_name(&string(first.scalar)).map_or(FieldKind::Opaque, FieldKind::Scalar)
        }
        numbers::FieldKind::Pointer => FieldKind::Pointer,
        numbers::FieldKind::Reference => FieldKind::Reference,
        numbers::FieldKind::Record => FieldKind::Record(members),
        numbers::FieldKind::Array => match members.pop() {
            Some(element) => FieldKind::Array(Box::new(element), first.count),
            None => FieldKind::Opaque,
        },
        numbers::FieldKind::Opaque => FieldKind::Opaque,
        numbers::FieldKind::Bits => FieldKind::Bits,
    };
    // SAFETY: the pointer is null or points to an attribute of the shim's arena.
    let properties = unsafe { first.properties.as_ref().map(|raw| attribute(raw)).transpose()? };
    let special = string(first.special);
    let flag = |flag: u32| first.flags & flag != 0;
    use numbers::field::*;
    Ok(Some(Field {
        name: string(first.name),
        type_name: string(first.type_),
        kind,
        special: (!special.is_empty()).then_some(special),
        properties,
        offset: first.offset,
        size: first.size,
        align: first.align.max(1),
        loc: Loc(first.loc),
        capture: flag(CAPTURE),
        captured_this: flag(THIS),
        base: flag(BASE),
        trivially_copyable: flag(TRIVIALLY_COPYABLE),
        device_copyable: flag(DEVICE_COPYABLE),
        own_copy: flag(OWN_COPY),
        long_double: flag(LONG_DOUBLE),
        empty: flag(EMPTY),
        closure: flag(CLOSURE),
        parameter: false,
    }))
}

/// The trees of the fields one level below `depth`.
///
/// # Safety
/// The contract of this module.
unsafe fn children(depth: u32, raw: &[ffi::Field]) -> Result<Vec<Field>, Internal> {
    let starts: Vec<usize> = (0..raw.len()).filter(|&i| raw[i].depth == depth + 1).collect();
    let mut out = Vec::new();
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(raw.len());
        // SAFETY: the fields are part of the caller's list (contract of this module).
        out.extend(unsafe { field_tree(&raw[start..end])? });
    }
    Ok(out)
}
