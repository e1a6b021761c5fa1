//! The types and functions of `shim/facts.h`, field by field. [`numbers`] has its constants.

pub mod numbers;

use std::ffi::{c_char, c_void};

/// The translation unit, owned by the shim.
#[repr(C)]
pub struct RawUnit {
    _opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Str {
    pub data: *const c_char,
    pub size: usize,
}

impl Str {
    /// Borrows a string. The result must not outlive it.
    pub fn of(text: &str) -> Self {
        Self { data: text.as_ptr().cast(), size: text.len() }
    }
}

pub type Decl = *const c_void;

#[repr(C)]
pub struct Position {
    pub file: Str,
    pub line: u32,
    pub column: u32,
}

#[repr(C)]
pub struct Attribute {
    pub name: Str,
    pub values: *const i64,
    pub value_count: usize,
    pub text: Str,
    pub loc: u32,
    pub arguments: *const Value,
    pub argument_count: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Value {
    pub kind: u32,
    pub integer: i64,
    pub floating: f64,
    pub text: Str,
}

#[repr(C)]
pub struct Variable {
    pub symbol: Str,
    pub attributes: *const Attribute,
    pub attribute_count: usize,
}

#[repr(C)]
pub struct Function {
    pub name: Str,
    pub qualified: Str,
    pub flags: u32,
    pub loc: u32,
    pub instantiated_at: u32,
    pub parent: Decl,
    pub odr_hash: u64,
    pub attributes: *const Attribute,
    pub attribute_count: usize,
}

#[repr(C)]
pub struct Event {
    pub kind: u32,
    pub flags: u32,
    pub loc: u32,
    pub decl_loc: u32,
    pub decl: Decl,
    pub text: Str,
    pub values: *const i64,
    pub value_count: usize,
}

#[repr(C)]
pub struct Events {
    pub data: *const Event,
    pub size: usize,
}

#[repr(C)]
pub struct Field {
    pub depth: u32,
    pub kind: u32,
    pub flags: u32,
    pub loc: u32,
    pub name: Str,
    pub type_: Str,
    pub scalar: Str,
    pub special: Str,
    pub offset: u64,
    pub size: u64,
    pub align: u64,
    pub count: u64,
    pub properties: *const Attribute,
}

#[repr(C)]
pub struct Part {
    pub depth: u32,
    pub kind: u32,
    pub name: Str,
    pub type_name: Str,
    pub identity: Str,
    pub bit_offset: u64,
    pub bit_size: u64,
}

#[repr(C)]
pub struct Functor {
    pub symbol: Str,
    pub name: Str,
    pub loc: u32,
    pub unnamed: u32,
    pub size: u64,
    pub align: u64,
    pub parts: *const Part,
    pub part_count: usize,
}

#[repr(C)]
pub struct NamePart {
    pub namespaces: Str,
    pub declaration: Str,
    pub declarable: u32,
    pub closure: u32,
}

#[repr(C)]
pub struct Member {
    pub path: Str,
    pub arithmetic: Str,
    pub offset: u64,
    pub size: u64,
    pub in_closure: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct FunctorType {
    pub spelling: Str,
    pub parts: *const NamePart,
    pub part_count: usize,
    pub align: u64,
    pub members: *const Member,
    pub member_count: usize,
}

#[repr(C)]
pub struct Capture {
    pub name: Str,
    pub declared: u32,
    pub flags: u32,
}

#[repr(C)]
pub struct Mention {
    pub name: Str,
    pub declared: u32,
    pub loc: u32,
    pub flags: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct Closure {
    pub loc: u32,
    pub flags: u32,
    pub captures: *const Capture,
    pub capture_count: usize,
    pub mentions: *const Mention,
    pub mention_count: usize,
}

#[repr(C)]
pub struct Kernel {
    pub symbol: Str,
    pub name: Str,
    pub spelling: Str,
    pub shape: Str,
    pub functor: Str,
    pub functor_classes: *const Decl,
    pub functor_class_count: usize,
    pub functor_loc: u32,
    pub entry_loc: u32,
    pub external: u32,
    pub by_value: u32,
    pub get_loc: u32,
    pub get_fault: u32,
    pub functor_size: u64,
    pub fields: *const Field,
    pub field_count: usize,
    pub parts: *const NamePart,
    pub part_count: usize,
    pub function: Decl,
}

#[repr(C)]
pub struct FaultyFunction {
    pub kind: u32,
    pub loc: u32,
    pub function: Str,
    pub name: Str,
}

#[repr(C)]
pub struct Parameter {
    pub name: Str,
    pub loc: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct FreeFunction {
    pub symbol: Str,
    pub name: Str,
    pub loc: u32,
    pub dimensions: u32,
    pub parameters: *const Parameter,
    pub parameter_count: usize,
    pub registered: *const Str,
    pub registered_count: usize,
    pub odr_hash: u64,
}

#[repr(C)]
pub struct DecoratedType {
    pub name: Str,
    pub values: *const i64,
    pub value_count: usize,
}

#[repr(C)]
pub struct DeviceGlobal {
    pub symbol: Str,
    pub size: u64,
    pub external: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct Misuse {
    pub kind: u32,
    pub loc: u32,
    pub decl: Decl,
    pub name: Str,
}

#[repr(C)]
pub struct UnitFacts {
    pub main_file: Str,
    pub kernels: *const Decl,
    pub kernel_count: usize,
    pub rejected: *const Decl,
    pub rejected_count: usize,
    pub externals: *const Decl,
    pub external_count: usize,
    pub instantiations: *const Decl,
    pub instantiation_count: usize,
    pub callers: *const Decl,
    pub caller_count: usize,
    pub types: *const DecoratedType,
    pub type_count: usize,
    pub device_globals: *const DeviceGlobal,
    pub device_global_count: usize,
    pub misuses: *const Misuse,
    pub misuse_count: usize,
    pub faulty_functions: *const FaultyFunction,
    pub faulty_function_count: usize,
    pub name_conflicts: u32,
    pub errors: u32,
    pub device_global_classes: u32,
}

#[repr(C)]
pub struct Placed {
    pub written: Str,
    pub loc: u32,
    pub on_function: u32,
    pub on_class: u32,
    pub attributes: *const Attribute,
    pub attribute_count: usize,
}

/// The tokens of a unit, owned by the shim.
#[repr(C)]
pub struct RawTokens {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct Token {
    pub kind: u32,
    pub loc: u32,
    pub text: Str,
}

#[repr(C)]
pub struct Piece {
    pub kind: u32,
    pub index: u32,
    pub text: Str,
}

#[repr(C)]
pub struct Edit {
    pub start: usize,
    pub end: usize,
    pub pieces: *const Piece,
    pub piece_count: usize,
}

#[repr(C)]
pub struct Written {
    pub index: u32,
    pub argument: u32,
    pub name: Str,
}

#[repr(C)]
pub struct Edits {
    pub edits: *const Edit,
    pub edit_count: usize,
    pub written: *const Written,
    pub written_count: usize,
}

/// `llvm::PassPluginLibraryInfo`.
#[repr(C)]
pub struct PassPlugin {
    pub api_version: u32,
    pub name: *const c_char,
    pub version: *const c_char,
    pub register_callbacks: *mut c_void,
    pub pre_codegen: *mut c_void,
}

unsafe extern "C" {
    pub fn scythe_describe_function(unit: *mut RawUnit, function: Decl, out: *mut Function);
    pub fn scythe_walk_function(unit: *mut RawUnit, function: Decl, out: *mut Events);
    pub fn scythe_describe_kernel(unit: *mut RawUnit, entry: Decl, out: *mut Kernel);
    pub fn scythe_describe_free_function(
        unit: *mut RawUnit,
        function: Decl,
        out: *mut FreeFunction,
    );
    pub fn scythe_describe_functor(unit: *mut RawUnit, entry: Decl, out: *mut Functor);
    pub fn scythe_describe_functor_type(unit: *mut RawUnit, entry: Decl, out: *mut FunctorType);
    pub fn scythe_describe_closures(
        unit: *mut RawUnit,
        entry: Decl,
        out: *mut *const Closure,
        count: *mut usize,
    );
    pub fn scythe_aspect_macros(unit: *mut RawUnit, out: *mut *const Str, count: *mut usize);
    pub fn scythe_function_symbols(
        unit: *mut RawUnit,
        function: Decl,
        out: *mut *const Str,
        count: *mut usize,
    );
    pub fn scythe_describe_variable(unit: *mut RawUnit, variable: Decl, out: *mut Variable);
    pub fn scythe_token_at(tokens: *mut RawTokens, index: usize, out: *mut Token);
    pub fn scythe_is_before(unit: *mut RawUnit, first: u32, second: u32) -> u32;
    pub fn scythe_locate(unit: *mut RawUnit, loc: u32, out: *mut Position);
    pub fn scythe_locate_call(unit: *mut RawUnit, loc: u32, out: *mut Position);
    pub fn scythe_report(unit: *mut RawUnit, severity: u32, loc: u32, message: Str);
    pub fn scythe_warn(
        unit: *mut RawUnit,
        fate: u32,
        flag: Str,
        loc: u32,
        place: *const Position,
        message: Str,
        details: Str,
    );
    pub fn scythe_pass_plugin_info(out: *mut PassPlugin);
}

// `shim/facts.h` states the same sizes. A field that only one side has does not compile.
const _: () = {
    assert!(size_of::<Position>() == 24);
    assert!(size_of::<Value>() == 40);
    assert!(size_of::<Variable>() == 32);
    assert!(size_of::<Attribute>() == 72);
    assert!(size_of::<Function>() == 80);
    assert!(size_of::<Event>() == 56);
    assert!(size_of::<Events>() == 16);
    assert!(size_of::<Field>() == 120);
    assert!(size_of::<Part>() == 72);
    assert!(size_of::<Functor>() == 72);
    assert!(size_of::<NamePart>() == 40);
    assert!(size_of::<Member>() == 56);
    assert!(size_of::<FunctorType>() == 56);
    assert!(size_of::<Capture>() == 24);
    assert!(size_of::<Mention>() == 32);
    assert!(size_of::<Closure>() == 40);
    assert!(size_of::<Kernel>() == 168);
    assert!(size_of::<FaultyFunction>() == 40);
    assert!(size_of::<Parameter>() == 24);
    assert!(size_of::<FreeFunction>() == 80);
    assert!(size_of::<DecoratedType>() == 32);
    assert!(size_of::<DeviceGlobal>() == 32);
    assert!(size_of::<Misuse>() == 32);
    assert!(size_of::<UnitFacts>() == 176);
    assert!(size_of::<PassPlugin>() == 40);
    assert!(size_of::<Token>() == 24);
    assert!(size_of::<Piece>() == 24);
    assert!(size_of::<Edit>() == 32);
    assert!(size_of::<Written>() == 24);
    assert!(size_of::<Edits>() == 32);
    assert!(size_of::<Placed>() == 48);
};
