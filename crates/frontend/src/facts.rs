//! What is known of a translation unit, as plain values: the shim's facts, copied out of clang's
//! arena.
//!
//! Nothing here depends on clang, so diagnostics, rows and the integration header can be tested
//! without it.

use scythe_abi::launch::Scalar;
use scythe_abi::names::TU_SEPARATOR;

/// A declaration's address: names a function or variable within one translation unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Decl(pub usize);

/// A source position as clang encodes it; 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loc(pub u32);

/// File, line and column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// A constant in an attribute that lists properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Text(String),
    Signed(i64),
    Unsigned(u64),
    /// The bits of a `double`.
    Floating(u64),
    Boolean(bool),
    /// The code of a character.
    Character(u32),
    Tuple(Vec<Value>),
    /// Of this type, which has no form in device code.
    Other(String),
}

/// An `annotate` attribute: its name and all its arguments; except where it lists properties, also
/// those that are integers, and the first one that is a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribute {
    pub name: String,
    pub values: Vec<i64>,
    pub text: Option<String>,
    pub arguments: Vec<Value>,
    pub loc: Loc,
}

/// One of our attributes on a declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// Its name, as the program wrote it.
    pub written: String,
    pub loc: Loc,
    pub on_function: bool,
    pub on_class: bool,
    /// It comes first, then the declaration's other annotations; none where arguments depend on
    /// template parameters.
    pub attributes: Vec<Attribute>,
}

/// A variable with static storage that device code uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variable {
    /// In IR.
    pub symbol: String,
    /// Of its class, or of its elements' class.
    pub attributes: Vec<Attribute>,
}

#[derive(Clone, Debug, Default)]
pub struct Function {
    /// As diagnostics show it.
    pub name: String,
    /// With namespaces and classes.
    pub qualified: String,
    pub defined: bool,
    pub variadic: bool,
    pub sycl_external: bool,
    /// A builtin that needs no library.
    pub builtin: bool,
    /// A replaceable global `operator new` or `operator delete`.
    pub allocation: bool,
    pub extern_c: bool,
    pub in_sycl: bool,
    /// Defaulted and trivial, or a defaulted destructor: it may have no body.
    pub defaulted: bool,
    pub is_constexpr: bool,
    pub loc: Loc,
    pub instantiated_at: Loc,
    /// The class of a method.
    pub parent: Option<Decl>,
    pub odr_hash: u64,
    pub attributes: Vec<Attribute>,
}

impl Function {
    /// The first annotation of that name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

/// What is known of a variable with static storage that a function uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Global {
    pub is_const: bool,
    pub constant_init: bool,
    pub static_local: bool,
    pub thread_local: bool,
    pub undefined: bool,
    pub special: bool,
}

/// What a function's body does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Call(Decl),
    VirtualCall(Decl),
    IndirectCall,
    /// A closure is made whose call operator this is.
    Lambda(Decl),
    /// A function's address is taken.
    Address(Decl),
    Throw,
    Try,
    TypeId,
    DynamicCast,
    Global {
        decl: Decl,
        variable: String,
        declared: Loc,
        global: Global,
    },
    VaArg,
    Asm,
    VariableArray(String),
    ZeroArray(String),
    LongDouble,
    Double,
    Half,
    /// A type that `uses_aspects` decorates, with these aspects.
    Decorated(Vec<i64>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub action: Action,
    pub loc: Loc,
}

/// What a part of a functor is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Scalar(Scalar),
    Pointer,
    Reference,
    Record(Vec<Field>),
    /// Elements, and how many.
    Array(Box<Field>, u64),
    Opaque,
    Bits,
}

/// A part of a functor, and what is inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub type_name: String,
    pub kind: FieldKind,
    /// `accessor`, `local_accessor`, …
    pub special: Option<String>,
    /// What its class says of kernel parameters.
    pub properties: Option<Attribute>,
    pub offset: u64,
    pub size: u64,
    pub align: u64,
    pub loc: Loc,
    pub capture: bool,
    pub captured_this: bool,
    pub base: bool,
    pub closure: bool,
    pub empty: bool,
    pub trivially_copyable: bool,
    pub device_copyable: bool,
    /// It copies, moves or destroys itself in its own way.
    pub own_copy: bool,
    pub long_double: bool,
}

/// A declaration that a kernel's name needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePart {
    /// `a::b` with `inline ` before inline ones; " " alone is one unnamed namespace.
    pub namespaces: String,
    pub declaration: String,
    pub declarable: bool,
    /// A lambda's type.
    pub closure: bool,
}

/// Why a function object's `get(properties_tag)` cannot be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GetFault {
    Hidden,
    Deleted,
    OfTemporaries,
}

impl GetFault {
    /// `None` where nothing is wrong.
    pub fn from_number(number: u32) -> Option<Self> {
        [Self::Hidden, Self::Deleted, Self::OfTemporaries]
            .get(number.checked_sub(1)? as usize)
            .copied()
    }
}

/// What a lambda captures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    pub name: String,
    /// Where the variable is declared: the same in a template and in what is made of it.
    pub declared: Loc,
    /// Named in the capture list.
    pub explicit: bool,
    /// Usable in constant expressions.
    pub constant: bool,
}

/// A place where a lambda, as it is written, may capture a variable of an enclosing function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    pub name: String,
    pub declared: Loc,
    pub pack: bool,
    /// May be usable in constant expressions.
    pub constant: bool,
    /// In a lambda inside of the lambda.
    pub nested: bool,
}

/// A lambda with a default for captures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closure {
    pub loc: Loc,
    pub generic: bool,
    /// In the order of the fields.
    pub captures: Vec<Capture>,
    /// In the order of the text, where that is known.
    pub mentions: Option<Vec<Mention>>,
}

/// A member of a functor's class that any code may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// `a`, `a.b` or `a[0].b`.
    pub path: String,
    /// Its type, where every compiler spells that alike.
    pub arithmetic: Option<String>,
    pub offset: u64,
    pub size: u64,
    /// The path goes through a capture `x`, as `__x`: a name that g++ knows, and clang does not.
    pub in_closure: bool,
}

/// A functor's class, as the integration header needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctorType {
    /// As C++ outside of every namespace can write it, with the declarations that it needs.
    pub spelling: String,
    pub parts: Vec<NamePart>,
    pub align: u64,
    pub members: Vec<Member>,
}

/// A kernel as its entry point declares it.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub entry: Decl,
    pub symbol: String,
    pub name: String,
    pub spelling: String,
    pub shape: String,
    pub functor: String,
    /// The functor's class and its bases.
    pub functor_classes: Vec<Decl>,
    pub functor_loc: Loc,
    pub entry_loc: Loc,
    pub external: bool,
    pub by_value: bool,
    /// A member function by which the program names properties, and why it cannot be called.
    pub faulty_get: Option<(GetFault, Loc)>,
    pub functor_size: u64,
    pub fields: Option<Field>,
    pub parts: Vec<NamePart>,
}

/// A type that `uses_aspects` decorates, under its name in IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecoratedType {
    pub name: String,
    pub aspects: Vec<i64>,
}

/// A `device_global` variable, declared or defined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceGlobal {
    /// In the host's code.
    pub symbol: String,
    pub size: u64,
    /// The same entity in every translation unit.
    pub external: bool,
}

impl DeviceGlobal {
    /// The variable's name on devices, in the translation unit `unit`.
    pub fn id(&self, unit: &str) -> String {
        if self.external {
            self.symbol.clone()
        } else {
            format!("{}{TU_SEPARATOR}{unit}", self.symbol)
        }
    }
}

/// How an object of class `device_global` comes to be where none may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MisuseKind {
    Local,
    Parameter,
    Member,
    Array,
    ThreadLocal,
    NotPublic,
    New,
    Temporary,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misuse {
    pub kind: MisuseKind,
    pub loc: Loc,
    /// Empty for objects without one.
    pub name: String,
}

/// How bad a report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Error = 0,
    Warning = 1,
    Note = 2,
}

/// Where facts come from: clang's AST through the shim, or a test.
pub trait Source {
    fn function(&self, decl: Decl) -> Function;
    /// What the body does, in source order; empty without a body.
    fn events(&self, decl: Decl) -> Vec<Event>;
    /// As `__FILE__` and `__LINE__` see it.
    fn locate(&self, loc: Loc) -> Position;
    /// As `__builtin_LINE()` in a default argument sees a call there.
    fn locate_call(&self, loc: Loc) -> Position;
    fn variable(&self, decl: Decl) -> Variable;
    /// The symbols of a function in IR.
    fn symbols(&self, decl: Decl) -> Vec<String>;
    fn report(&self, level: Level, loc: Loc, message: &str);
}
