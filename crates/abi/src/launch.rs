//! Launch rows: one [`KernelLaunch`] per kernel, with one [`Param`] per parameter of the lowered
//! device function, in order.
//!
//! The front end creates the rows from the layout of the kernel's functor. Device IR holds them as
//! the named metadata [`crate::names::LAUNCH_METADATA`], and the image as the property set
//! [`crate::names::LAUNCH_PROPERTY_SET`]. The metadata node of a kernel is
//!
//! ```text
//! !{!"<symbol>", i32 <shape>, i64 <functor size>, !"<file>", i32 <line>, i32 <column>,
//!   i64 <identity>,
//!   i32 <kind>, i64 <size>, i64 <offset>, i32 <passing>,    ; repeated for each parameter
//!   ...,
//!   !<function>}                                            ; only for a free function kernel
//! ```
//!
//! `function` is `!{!"<symbol>", !"<name>", i32 <dimensions>, !{!"<registered name>", ...},
//! i64 <offset>, i64 <size>, ...}` with an offset and a size for each argument.
//!
//! `identity` is a hash of the kernel's definition (not of its position). File, line, column and
//! identity determine whether one symbol denotes the same kernel in two modules.

use std::fmt;

/// The kind of a kernel parameter. The numbers are part of the image format and of the integration
/// header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ParamKind {
    /// A buffer accessor's data pointer: 8 bytes at the start of a `scythe_accessor_head`; `ptr
    /// addrspace(1)`.
    Accessor = 0,
    /// Plain bytes passed by value: a scalar, or `ptr byval([size x i8])`.
    StdLayout = 1,
    /// A sampler.
    Sampler = 2,
    /// A captured pointer: `ptr addrspace(1)`.
    Pointer = 3,
    /// A local accessor's data pointer: 8 bytes at the start of a `scythe_local_accessor_head`;
    /// `ptr addrspace(3)`.
    Local = 4,
}

impl ParamKind {
    /// Returns the kind with this number.
    pub fn from_u32(n: u32) -> Option<Self> {
        Some(match n {
            0 => Self::Accessor,
            1 => Self::StdLayout,
            2 => Self::Sampler,
            3 => Self::Pointer,
            4 => Self::Local,
            _ => return None,
        })
    }

    /// Returns the address space, in SPIR's numbering, of a pointer parameter.
    pub fn address_space(self) -> Option<u32> {
        match self {
            Self::Accessor | Self::Pointer => Some(1),
            Self::Local => Some(3),
            Self::StdLayout | Self::Sampler => None,
        }
    }
}

/// The form of a kernel's invocation. The numbers are those of `scythe_kernel_shape`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Shape {
    SingleTask = 0,
    Range = 1,
    NdRange = 2,
}

impl Shape {
    /// Returns the shape with this number.
    pub fn from_u32(n: u32) -> Option<Self> {
        Some(match n {
            0 => Self::SingleTask,
            1 => Self::Range,
            2 => Self::NdRange,
            _ => return None,
        })
    }

    /// Returns the value of [`crate::names::SHAPE_ATTRIBUTE`].
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SingleTask => "single_task",
            Self::Range => "range",
            Self::NdRange => "nd_range",
        }
    }

    /// Returns the shape with this name, the inverse of [`Shape::as_str`].
    pub fn from_name(s: &str) -> Option<Self> {
        [Self::SingleTask, Self::Range, Self::NdRange].into_iter().find(|x| x.as_str() == s)
    }
}

/// A scalar parameter type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    I8,
    I16,
    I32,
    I64,
    Half,
    BFloat,
    Float,
    Double,
}

impl Scalar {
    pub const ALL: [Self; 8] = [
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::Half,
        Self::BFloat,
        Self::Float,
        Self::Double,
    ];

    /// Returns LLVM's name of the type.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Half => "half",
            Self::BFloat => "bfloat",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    /// Returns the type with this name, the inverse of [`Scalar::as_str`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scalar| scalar.as_str() == name)
    }
}

/// The form in which the lowered kernel receives a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passing {
    /// A pointer into the address space that [`ParamKind::address_space`] returns.
    Pointer,
    Scalar(Scalar),
    /// A pointer to a copy of the bytes, aligned to 2 to the power of `align_log2`.
    Bytes {
        align_log2: u8,
    },
}

impl Passing {
    /// The largest alignment, as a power of two. No type requires more, and LLVM's limit is far
    /// higher.
    pub const MAX_ALIGN_LOG2: u8 = 20;
    const FIRST_SCALAR: u32 = 1;
    const FIRST_BYTES: u32 = 16;

    /// Returns the number in metadata and images: 0 for a pointer, 1 to 8 for scalars in the order
    /// of [`Scalar::ALL`], and 16 plus the logarithm of the alignment for bytes.
    pub fn to_u32(self) -> u32 {
        match self {
            Self::Pointer => 0,
            Self::Scalar(scalar) => Self::FIRST_SCALAR + scalar as u32,
            Self::Bytes { align_log2 } => Self::FIRST_BYTES + u32::from(align_log2),
        }
    }

    /// Returns the form with this number, the inverse of [`Passing::to_u32`].
    pub fn from_u32(number: u32) -> Option<Self> {
        if number == 0 {
            return Some(Self::Pointer);
        }
        if let Some(power) = number.checked_sub(Self::FIRST_BYTES) {
            let align_log2 =
                u8::try_from(power).ok().filter(|&power| power <= Self::MAX_ALIGN_LOG2)?;
            return Some(Self::Bytes { align_log2 });
        }
        Scalar::ALL.get((number - Self::FIRST_SCALAR) as usize).map(|&scalar| Self::Scalar(scalar))
    }

    /// Creates the form for bytes at an address that is a multiple of `align`, which must not be 0.
    pub fn bytes(align: u64) -> Self {
        Self::Bytes { align_log2: (align.trailing_zeros() as u8).min(Self::MAX_ALIGN_LOG2) }
    }

    /// Returns whether a parameter of this kind can be passed in this form.
    pub fn fits(self, kind: ParamKind) -> bool {
        (self == Self::Pointer) == kind.address_space().is_some()
    }
}

impl fmt::Display for Passing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pointer => f.write_str("pointer"),
            Self::Scalar(scalar) => f.write_str(scalar.as_str()),
            Self::Bytes { align_log2 } => write!(f, "bytes aligned to {}", 1u32 << align_log2),
        }
    }
}

/// One parameter of the lowered kernel: `size` bytes at `offset` in the functor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Param {
    pub kind: ParamKind,
    pub size: u64,
    pub offset: u64,
    pub passing: Passing,
}

impl Param {
    /// Creates a pointer parameter of this kind, which must not be [`ParamKind::StdLayout`] or
    /// [`ParamKind::Sampler`].
    pub fn pointer(kind: ParamKind, offset: u64) -> Self {
        Self { kind, size: 8, offset, passing: Passing::Pointer }
    }

    /// Creates a parameter of a kernel that is not lowered: its bytes may have any alignment.
    pub fn unlowered(kind: ParamKind, size: u64, offset: u64) -> Self {
        let passing = match kind.address_space() {
            Some(_) => Passing::Pointer,
            None => Passing::bytes(1),
        };
        Self { kind, size, offset, passing }
    }
}

/// An argument of a free function kernel: `size` bytes at `offset` of the functor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Argument {
    pub offset: u64,
    pub size: u64,
}

/// The function of the program that is a kernel (`sycl_ext_oneapi_free_function_kernels`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FreeFunction {
    /// The symbol of the function: its mangled name, or its name if it is `extern "C"`.
    pub symbol: String,
    /// The name in the source, with namespaces and template arguments: `ns::iota<float>`.
    pub name: String,
    /// The number of dimensions of an `nd_range_kernel`, and 0 for a `single_task_kernel`.
    pub dimensions: u32,
    /// The names that the unit registers for the function (`docs/contracts.md`).
    pub registered: Vec<String>,
    /// The arguments, in the order of the parameters.
    pub arguments: Vec<Argument>,
}

impl FreeFunction {
    /// Returns whether a program that names a kernel by text can mean this function.
    pub fn is_named(&self, text: &str) -> bool {
        self.symbol == text || self.name == text || self.registered.iter().any(|name| name == text)
    }
}

/// The description of a kernel that launching it requires.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelLaunch {
    pub shape: Shape,
    pub functor_size: u64,
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub identity: u64,
    pub params: Vec<Param>,
    /// Set if the kernel is a free function kernel.
    pub function: Option<FreeFunction>,
}

impl KernelLaunch {
    /// Returns the value of the image property, in little-endian order: `u32` shape, `u64` functor
    /// size, `u32` line, `u32` column, `u64` identity, `u32` length of the file name, the file
    /// name, `u32` number of parameters, and per parameter `u32` kind, `u64` size, `u64` offset,
    /// `u32` passing. A free function kernel continues with its symbol and its name (texts, like
    /// the file name), `u32` dimensions, `u32` number of registered names, these names, `u32`
    /// number of arguments, and per argument `u64` offset, `u64` size.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(36 + self.file.len() + 24 * self.params.len());
        out.extend((self.shape as u32).to_le_bytes());
        out.extend(self.functor_size.to_le_bytes());
        out.extend(self.line.to_le_bytes());
        out.extend(self.column.to_le_bytes());
        out.extend(self.identity.to_le_bytes());
        push_text(&mut out, &self.file);
        out.extend((self.params.len() as u32).to_le_bytes());
        for p in &self.params {
            out.extend((p.kind as u32).to_le_bytes());
            out.extend(p.size.to_le_bytes());
            out.extend(p.offset.to_le_bytes());
            out.extend(p.passing.to_u32().to_le_bytes());
        }
        if let Some(function) = &self.function {
            push_text(&mut out, &function.symbol);
            push_text(&mut out, &function.name);
            out.extend(function.dimensions.to_le_bytes());
            out.extend((function.registered.len() as u32).to_le_bytes());
            function.registered.iter().for_each(|name| push_text(&mut out, name));
            out.extend((function.arguments.len() as u32).to_le_bytes());
            for argument in &function.arguments {
                out.extend(argument.offset.to_le_bytes());
                out.extend(argument.size.to_le_bytes());
            }
        }
        out
    }

    /// Parses the output of [`KernelLaunch::to_bytes`]. Returns `None` for any other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut r = Reader(bytes);
        let shape = Shape::from_u32(r.u32()?)?;
        let functor_size = r.u64()?;
        let (line, column) = (r.u32()?, r.u32()?);
        let identity = r.u64()?;
        let file = r.text()?;
        let count = r.u32()?;
        let mut params = Vec::new();
        for _ in 0..count {
            params.push(Param {
                kind: ParamKind::from_u32(r.u32()?)?,
                size: r.u64()?,
                offset: r.u64()?,
                passing: Passing::from_u32(r.u32()?)?,
            });
        }
        let function = if r.0.is_empty() { None } else { Some(r.function()?) };
        r.0.is_empty().then_some(Self {
            shape,
            functor_size,
            file,
            line,
            column,
            identity,
            params,
            function,
        })
    }
}

fn push_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(head)
    }
    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }
    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }
    fn text(&mut self) -> Option<String> {
        let len = self.u32()? as usize;
        Some(std::str::from_utf8(self.take(len)?).ok()?.to_owned())
    }
    fn function(&mut self) -> Option<FreeFunction> {
        let (symbol, name, dimensions) = (self.text()?, self.text()?, self.u32()?);
        let registered = (0..self.u32()?).map(|_| self.text()).collect::<Option<_>>()?;
        let argument = |r: &mut Self| Some(Argument { offset: r.u64()?, size: r.u64()? });
        let arguments = (0..self.u32()?).map(|_| argument(self)).collect::<Option<_>>()?;
        Some(FreeFunction { symbol, name, dimensions, registered, arguments })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passings_have_numbers_of_their_own() {
        let scalars = Scalar::ALL.into_iter().map(Passing::Scalar);
        let bytes = (0..=Passing::MAX_ALIGN_LOG2).map(|align_log2| Passing::Bytes { align_log2 });
        let all: Vec<Passing> =
            [Passing::Pointer].into_iter().chain(scalars).chain(bytes).collect();
        for passing in &all {
            assert_eq!(Passing::from_u32(passing.to_u32()), Some(*passing));
        }
        let known = (0..1000).filter(|&number| Passing::from_u32(number).is_some()).count();
        assert_eq!(known, all.len());
        assert_eq!(Passing::bytes(24), Passing::Bytes { align_log2: 3 });
    }

    #[test]
    fn bytes_hold_the_whole_description() {
        let plain = KernelLaunch {
            shape: Shape::NdRange,
            functor_size: 24,
            file: "a.cpp".into(),
            line: 3,
            column: 5,
            identity: 7,
            params: vec![Param::pointer(ParamKind::Pointer, 16)],
            function: None,
        };
        let function = FreeFunction {
            symbol: "_Z1fPf".into(),
            name: "f".into(),
            dimensions: 2,
            registered: vec!["(f)".into()],
            arguments: vec![Argument { offset: 16, size: 8 }],
        };
        let free = KernelLaunch { function: Some(function.clone()), ..plain.clone() };
        for launch in [plain, free] {
            let bytes = launch.to_bytes();
            assert_eq!(KernelLaunch::from_bytes(&bytes), Some(launch.clone()));
            assert_eq!(KernelLaunch::from_bytes(&bytes[..bytes.len() - 1]), None);
        }
        assert!(["_Z1fPf", "f", "(f)"].iter().all(|name| function.is_named(name)));
        assert!(!function.is_named("g"));
    }
}
