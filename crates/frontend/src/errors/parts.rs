//! The parts of error messages: the fields of the table in `errors.rs`, with their wording.

use std::fmt;

pub use crate::facts::{FunctionFault, GetFault, MisuseKind};

/// The two ways to use variadic arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariadicUse {
    /// A call of a variadic function.
    Call,
    /// `va_arg`.
    Read,
}

impl fmt::Display for VariadicUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Call => "call a variadic function",
            Self::Read => "use 'va_arg'",
        })
    }
}

/// A variable with static storage that device code must not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalUse {
    pub fault: GlobalFault,
    /// Whether the variable is local to a function.
    pub is_local: bool,
}

/// The reason why device code must not use a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalFault {
    ThreadLocal,
    NotConst,
    DynamicallyInitialised,
    Undefined,
}

impl fmt::Display for GlobalUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let storage = if self.is_local { "static local" } else { "global" };
        match self.fault {
            GlobalFault::ThreadLocal => write!(f, "a thread-local {storage} variable"),
            GlobalFault::NotConst => write!(f, "a non-const {storage} variable"),
            GlobalFault::DynamicallyInitialised => {
                write!(f, "a dynamically initialised {storage} variable")
            }
            GlobalFault::Undefined => {
                write!(f, "a {storage} variable that is not defined in this translation unit")
            }
        }
    }
}

/// A length of an array that devices do not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayLength {
    Variable,
    Zero,
}

impl fmt::Display for ArrayLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Variable => "variable-length",
            Self::Zero => "zero-length",
        })
    }
}

/// A reference in a functor, with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceMember {
    Capture(String),
    Member(String),
}

impl fmt::Display for ReferenceMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capture(name) => write!(
                f,
                "kernel captures '{name}' by reference, but devices cannot access host variables: \
                 capture it by value"
            ),
            Self::Member(name) => write!(
                f,
                "member '{name}' of the kernel's functor is a reference, but devices cannot \
                 access host variables: store a value, or a pointer to memory that the device can \
                 access"
            ),
        }
    }
}

/// A functor or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctorPart {
    Functor {
        type_name: String,
    },
    Capture {
        type_name: String,
        name: String,
    },
    Base {
        type_name: String,
    },
    Member {
        type_name: String,
        name: String,
    },
    /// A parameter of a free function kernel.
    Parameter {
        type_name: String,
        name: String,
    },
}

impl fmt::Display for FunctorPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Functor { type_name } => write!(f, "kernel functor '{type_name}'"),
            Self::Capture { type_name, name } => write!(f, "'{type_name}' captured as '{name}'"),
            Self::Parameter { type_name, name } => {
                write!(f, "'{type_name}', the type of parameter '{name}' of the kernel,")
            }
            Self::Base { type_name } => {
                write!(f, "base class '{type_name}' of the kernel's functor")
            }
            Self::Member { type_name, name } => {
                write!(f, "'{type_name}', the type of member '{name}' of the kernel's functor,")
            }
        }
    }
}

impl fmt::Display for GetFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hidden => "is not public, so its properties would have no effect: make it public",
            Self::Deleted => {
                "is deleted, so its properties would have no effect: define it, or remove it"
            }
            Self::OfTemporaries => {
                "is only callable for temporary objects, so its properties would have no effect: \
                 remove '&&'"
            }
        })
    }
}

/// The name of a kernel, if the front end found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedKernel {
    Known(String),
    Unknown,
}

impl fmt::Display for NamedKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(name) => write!(f, "kernel name '{name}'"),
            Self::Unknown => f.write_str("a kernel name"),
        }
    }
}

/// A rule that a kernel entry point breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryPointFault {
    /// The entry point does not take one functor by value. The string is the type of its first
    /// parameter, or empty.
    Parameter(String),
    /// The annotation that names the shape of the launch has this text.
    Shape(String),
}

impl fmt::Display for EntryPointFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter(seen) => {
                f.write_str("have exactly one parameter, an object of class type by value")?;
                match seen.as_str() {
                    "" => Ok(()),
                    seen => write!(f, "; its first parameter has type '{seen}'"),
                }
            }
            Self::Shape(seen) => write!(
                f,
                "be annotated with the shape 'single_task', 'range' or 'nd_range', not '{seen}'"
            ),
        }
    }
}

/// The advice for a lambda with implicit captures, whose names are known or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureAdvice {
    pub names: Vec<String>,
}

impl fmt::Display for CaptureAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.names.as_slice() {
            [] => f.write_str("name the captures"),
            names => write!(f, "name the captures: [{}]", names.join(", ")),
        }
    }
}

/// An object of class `device_global` that is not a variable at namespace scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceGlobalMisuse {
    /// Empty for an object without a name.
    pub name: String,
    pub kind: MisuseKind,
}

impl fmt::Display for DeviceGlobalMisuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.as_str() {
            "" => f.write_str("this object")?,
            name => write!(f, "'{name}'")?,
        }
        f.write_str(match self.kind {
            MisuseKind::Local => " is a local variable",
            MisuseKind::Parameter => " is a parameter: pass it by reference",
            MisuseKind::Member => " is a non-static member",
            MisuseKind::Array => " is an array: use 'device_global<T[N]>'",
            MisuseKind::ThreadLocal => " is thread-local",
            MisuseKind::NotPublic => " is a static member that is not public",
            MisuseKind::New => " is allocated with 'new'",
            MisuseKind::Temporary => " is a temporary object",
        })
    }
}

impl fmt::Display for FunctionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Result => f.write_str("it must return 'void'"),
            Self::Variadic => f.write_str("it cannot have variadic arguments"),
            Self::DefaultArgument(name) => {
                write!(f, "parameter '{name}' cannot have a default argument")
            }
            Self::Reference(name) => write!(
                f,
                "parameter '{name}' cannot be a reference: pass a value, or a pointer to memory \
                 that the device can access"
            ),
            Self::Member => {
                f.write_str("it must be a function at namespace scope or a static member function")
            }
            Self::Kinds => f.write_str("it can have only one kind of kernel as property"),
            Self::Later => f.write_str(
                "its first declaration must have the property: move the property there, or repeat \
                 it there",
            ),
        }
    }
}

/// The declarations that an attribute applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeTargets {
    Functions,
    FunctionsAndClasses,
}

impl fmt::Display for AttributeTargets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Functions => "functions",
            Self::FunctionsAndClasses => "functions and classes",
        })
    }
}

/// The number of arguments that an attribute takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    None,
    One,
    OneType,
    OneToThree,
}

impl fmt::Display for Arity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "no arguments",
            Self::One => "one argument",
            Self::OneType => "one type as argument",
            Self::OneToThree => "one to three arguments",
        })
    }
}

/// The rule for an argument of an attribute, with the value that breaks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    ConstantExpression,
    Positive(i64),
    AtMost { limit: i64, seen: u64 },
    Integer(Seen),
    Aspect(Seen),
    SubGroupName(Seen),
}

/// A value that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    Integer(i128),
    FloatingPoint,
    String,
    Word(String),
    Aggregate,
    Type(String),
    /// Clang rejected the argument before the front end saw its value.
    Unknown,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConstantExpression => f.write_str("a constant expression"),
            Self::Positive(seen) => write!(f, "positive, not {seen}"),
            Self::AtMost { limit, seen } => write!(f, "at most {limit}, not {seen}"),
            Self::Integer(seen) => write!(f, "an integer constant{seen}"),
            Self::Aspect(seen) => write!(f, "a value of 'sycl::aspect'{seen}"),
            Self::SubGroupName(seen) => write!(f, "'automatic' or 'primary'{seen}"),
        }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => write!(f, ", not {number}"),
            Self::FloatingPoint => f.write_str(", not a floating-point number"),
            Self::String => f.write_str(", not a string"),
            Self::Word(word) => write!(f, ", not '{word}'"),
            Self::Aggregate => f.write_str(", not an aggregate"),
            Self::Type(name) => write!(f, ", not a value of type '{name}'"),
            Self::Unknown => Ok(()),
        }
    }
}

/// Two attributes that exclude each other, as the program writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    pub first: String,
    pub second: String,
    /// The function that has both. `None` if both are on one declaration.
    pub function: Option<String>,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second, function } = self;
        match function {
            Some(function) => write!(f, "'{second}' of '{function}' contradicts '{first}'"),
            None => write!(f, "'{second}' contradicts '{first}'"),
        }
    }
}

/// The attribute of a kernel that calls a function with a required size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelSize {
    /// The kernel has this attribute, which requires another size.
    Other(String),
    Missing,
}

impl fmt::Display for KernelSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(attribute) => {
                write!(f, "has '{attribute}': require the same size in both")
            }
            Self::Missing => f.write_str("has no such attribute: add it to the kernel"),
        }
    }
}

/// A wrong argument of the plug-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginArgument {
    /// The argument does not have the form `KEY=VALUE`.
    NoValue(String),
    UnknownKey(String),
    UnitId(String),
    Mode(String),
    /// The header for the header cache defines something that every unit would have to report.
    HeaderDefines(&'static str),
    /// The file with the types of a precompiled header is missing or has another format.
    HeaderTypes(String),
    SubGroupSize(String),
    /// The group of warnings is not one of `known`.
    WarningGroup {
        group: String,
        known: Vec<&'static str>,
    },
}

impl fmt::Display for PluginArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoValue(argument) => {
                write!(f, "argument '{argument}' has no value: expected KEY=VALUE")
            }
            Self::UnknownKey(key) => {
                let known = crate::options::KEYS.join(", ");
                write!(f, "unknown argument '{key}': expected one of {known}")
            }
            Self::UnitId(value) => {
                write!(f, "tu-id is '{value}': expected 16 hexadecimal digits")
            }
            Self::SubGroupSize(value) => write!(
                f,
                "default-sub-group-size is '{value}': expected a positive number, 'primary' or \
                 'automatic'"
            ),
            Self::Mode(value) => write!(f, "mode is '{value}': expected 'device' or 'host'"),
            Self::HeaderDefines(definition) => {
                write!(f, "make-header: the header defines {definition}")
            }
            Self::HeaderTypes(message) => write!(f, "use-header: {message}"),
            Self::WarningGroup { group, known } => {
                write!(f, "unknown warning '{group}': expected '{}'", known.join("' or '"))
            }
        }
    }
}

/// A file that the front end writes beside its main output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    IntegrationHeader,
    FunctorLayouts,
    Dump,
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::IntegrationHeader => "integration header",
            Self::FunctorLayouts => "functor layouts",
            Self::Dump => "IR dump",
        })
    }
}

/// A defect of the front end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InternalFault {
    /// A stage panicked with this message.
    Panic { stage: &'static str, message: String },
    /// Clang entered a stage while another stage was running.
    Reentered { stage: &'static str },
    /// The C++ shim passed a number that `facts.h` does not define.
    UnknownNumber { kind: &'static str, number: u32 },
}

impl fmt::Display for InternalFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panic { stage, message } => write!(f, "{stage}: {message}"),
            Self::Reentered { stage } => write!(f, "{stage} was entered twice"),
            Self::UnknownNumber { kind, number } => {
                write!(f, "the shim reports the unknown {kind} {number}")
            }
        }
    }
}
