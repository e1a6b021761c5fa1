//! Facts about a translation unit, as plain values. `decode` copies them out of clang's arena.
//!
//! Nothing here depends on clang, so diagnostics, rows and the integration header can be tested
//! without clang.

use scythe_abi::launch::Scalar;
use scythe_abi::names::TU_SEPARATOR;
use scythe_diag::Diagnostic;

pub use crate::ffi::numbers::MisuseKind;

/// The address of a declaration. It identifies a function or variable within one translation unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Decl(pub usize);

/// A source location as clang encodes it. 0 means no location.
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
    /// A value of this type, which has no form in device code.
    Other(String),
}

/// An `annotate` attribute. `values` has the integer arguments and `text` the first string
/// argument, unless the attribute lists properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribute {
    pub name: String,
    pub values: Vec<i64>,
    pub text: Option<String>,
    pub arguments: Vec<Value>,
    pub loc: Loc,
}

/// A SYCL attribute on a declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// The name as the program wrote it.
    pub written: String,
    pub loc: Loc,
    pub on_function: bool,
    pub on_class: bool,
    /// The attribute itself, followed by the other annotations of the declaration. Empty if
    /// arguments depend on template parameters.
    pub attributes: Vec<Attribute>,
}

/// A variable with static storage that device code uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variable {
    /// The symbol in IR.
    pub symbol: String,
    /// Annotations of the variable's class or of the class of its elements.
    pub attributes: Vec<Attribute>,
}

#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The name in diagnostics.
    pub name: String,
    /// The name with namespaces and classes.
    pub qualified: String,
    pub defined: bool,
    pub variadic: bool,
    pub sycl_external: bool,
    /// Whether the function is a builtin that needs no library.
    pub builtin: bool,
    /// Whether the function is a replaceable global `operator new` or `operator delete`.
    pub allocation: bool,
    pub extern_c: bool,
    pub in_sycl: bool,
    /// Whether the function is defaulted and trivial, or a defaulted destructor. It may have no
    /// body.
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
    /// Returns the first annotation with this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

/// Facts about a variable with static storage that a function uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Global {
    pub is_const: bool,
    pub constant_init: bool,
    pub static_local: bool,
    pub thread_local: bool,
    pub undefined: bool,
    pub special: bool,
}

/// An action of a function body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Call(Decl),
    VirtualCall(Decl),
    IndirectCall,
    /// The body creates a closure with this call operator.
    Lambda(Decl),
    /// The body takes the address of this function.
    Address(Decl),
    Throw,
    Try,
    TypeId,
    DynamicCast,
    Global {
        decl: Decl,
        /// The name with namespaces and classes.
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
    /// The body uses a type with the attribute `uses_aspects`, which lists these aspects.
    Decorated(Vec<i64>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub action: Action,
    pub loc: Loc,
}

/// The kind of a part of a functor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Scalar(Scalar),
    Pointer,
    Reference,
    Record(Vec<Field>),
    /// The element and the number of elements.
    Array(Box<Field>, u64),
    Opaque,
    Bits,
}

/// A part of a functor, with its own parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub type_name: String,
    pub kind: FieldKind,
    /// The kind of a special class: `accessor`, `local_accessor`, …
    pub special: Option<String>,
    /// The properties that the class gives to kernel parameters.
    pub properties: Option<Attribute>,
    pub offset: u64,
    pub size: u64,
    pub align: u64,
    pub loc: Loc,
    pub capture: bool,
    pub captured_this: bool,
    pub base: bool,
    pub closure: bool,
    /// Whether the field is an argument of a free function kernel.
    pub parameter: bool,
    pub empty: bool,
    pub trivially_copyable: bool,
    pub device_copyable: bool,
    /// Whether the class constructs copies, moves or destroys objects by itself.
    pub own_copy: bool,
    pub long_double: bool,
}

/// A declaration that the name of a kernel needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePart {
    /// `a::b`, with `inline ` before inline namespaces. A single space is one unnamed namespace.
    pub namespaces: String,
    pub declaration: String,
    pub declarable: bool,
    /// Whether the declaration is the type of a lambda.
    pub closure: bool,
}

/// The reason why the headers cannot call a functor's `get(properties_tag)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GetFault {
    /// The function is not public.
    Hidden,
    Deleted,
    /// The function has the ref-qualifier `&&`.
    OfTemporaries,
}

/// A capture of a lambda.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    pub name: String,
    /// The position of the variable's declaration. It is the same in a template and in its
    /// instantiations.
    pub declared: Loc,
    /// Whether the capture list names the variable.
    pub explicit: bool,
    /// Whether the variable is usable in constant expressions.
    pub constant: bool,
}

/// A mention, in the text of a lambda, of a variable of an enclosing function that the lambda may
/// capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    pub name: String,
    pub declared: Loc,
    pub pack: bool,
    /// Whether the variable may be usable in constant expressions.
    pub constant: bool,
    /// Whether the mention is in a nested lambda.
    pub nested: bool,
}

/// A lambda with a capture default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closure {
    pub loc: Loc,
    pub generic: bool,
    /// The captures in the order of the fields.
    pub captures: Vec<Capture>,
    /// The mentions in the order of the text. `None` if the text is not known.
    pub mentions: Option<Vec<Mention>>,
}

/// A member of a functor's class that all code can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// `a`, `a.b` or `a[0].b`.
    pub path: String,
    /// The type of the member, if all compilers spell it alike.
    pub arithmetic: Option<String>,
    pub offset: u64,
    pub size: u64,
    /// Whether the path contains a capture `x` as `__x`, a name that only g++ knows.
    pub in_closure: bool,
}

/// The class of a functor, for the integration header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctorType {
    /// The name of the class outside all namespaces. `parts` has the declarations that it needs.
    pub spelling: String,
    pub parts: Vec<NamePart>,
    pub align: u64,
    pub members: Vec<Member>,
}

/// A kernel, as its entry point declares it.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub entry: Decl,
    pub symbol: String,
    pub name: String,
    pub spelling: String,
    pub shape: String,
    pub functor: String,
    /// The class of the functor and its base classes.
    pub functor_classes: Vec<Decl>,
    pub functor_loc: Loc,
    pub entry_loc: Loc,
    pub external: bool,
    pub by_value: bool,
    /// The fault and the position of a `get(properties_tag)` that the headers cannot call.
    pub faulty_get: Option<(GetFault, Loc)>,
    pub functor_size: u64,
    pub fields: Option<Field>,
    pub parts: Vec<NamePart>,
    /// The function of a free function kernel.
    pub function: Option<KernelFunction>,
}

/// The function that a free function kernel runs.
#[derive(Clone, Debug)]
pub struct KernelFunction {
    pub decl: Decl,
    pub symbol: String,
    /// The name with namespaces and template arguments.
    pub name: String,
    pub loc: Loc,
    /// 0 for a single task.
    pub dimensions: u32,
    /// The names and positions of the parameters.
    pub parameters: Vec<(String, Loc)>,
    /// The names that the unit registers for the function.
    pub registered: Vec<String>,
    pub odr_hash: u64,
}

/// A rule for free function kernels. The strings are names of parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionFault {
    Result,
    Variadic,
    DefaultArgument(String),
    Reference(String),
    Member,
    Kinds,
    Later,
}

/// A declaration of a free function kernel that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultyFunction {
    pub fault: FunctionFault,
    pub loc: Loc,
    pub function: String,
}

/// A type with the attribute `uses_aspects`, under its name in IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecoratedType {
    pub name: String,
    pub aspects: Vec<i64>,
}

/// A `device_global` variable, declared or defined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceGlobal {
    /// The symbol in host code.
    pub symbol: String,
    pub size: u64,
    /// Whether the variable is the same entity in all translation units.
    pub external: bool,
}

impl DeviceGlobal {
    /// Returns the name of the variable on devices, in the translation unit `unit`.
    pub fn id(&self, unit: &str) -> String {
        if self.external {
            self.symbol.clone()
        } else {
            format!("{}{TU_SEPARATOR}{unit}", self.symbol)
        }
    }
}

/// An object of class `device_global` that is not a variable at namespace scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misuse {
    pub kind: MisuseKind,
    pub loc: Loc,
    /// Empty for an object without a name.
    pub name: String,
}

/// A source of facts: clang's AST through the shim, or a test.
pub trait Source {
    fn function(&self, decl: Decl) -> Function;
    /// Returns the actions of the body in source order. Empty for a function without a body.
    fn events(&self, decl: Decl) -> Vec<Event>;
    /// Returns the position of a location, as `__FILE__` and `__LINE__` give it.
    fn locate(&self, loc: Loc) -> Position;
    /// Returns the position of a call, as `__builtin_LINE()` in a default argument gives it.
    fn locate_call(&self, loc: Loc) -> Position;
    fn variable(&self, decl: Decl) -> Variable;
    /// Returns the symbols of a function in IR.
    fn symbols(&self, decl: Decl) -> Vec<String>;
    /// Reports a diagnostic with its notes.
    fn report(&self, diagnostic: &Diagnostic<Loc>);
}
