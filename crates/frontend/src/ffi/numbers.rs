//! The numbers of `shim/facts.h`: kinds and flags under the names that both sides share.
//!
//! A unit test compares names and numbers with the C++ header. A number that the header does not
//! define is an error, never a default.

use crate::errors::Internal;
use crate::errors::parts::InternalFault;

/// Declares enumerations of `facts.h`: the prefix of the C++ names, the Rust type, what messages
/// call a value, and the values. `VirtualCall` stands for `PREFIX_VIRTUAL_CALL`.
macro_rules! kinds {
    ($($(#[$meta:meta])* $prefix:ident $name:ident $shown:literal {
        $($variant:ident = $number:literal),* $(,)?
    })*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            #[repr(u32)]
            pub enum $name {
                $($variant = $number),*
            }

            impl TryFrom<u32> for $name {
                type Error = Internal;

                fn try_from(number: u32) -> Result<Self, Internal> {
                    match number {
                        $($number => Ok(Self::$variant),)*
                        _ => Err(Internal {
                            fault: InternalFault::UnknownNumber { kind: $shown, number },
                        }),
                    }
                }
            }
        )*

        #[cfg(test)]
        const KINDS: &[(&str, &str, u32)] =
            &[$($((stringify!($prefix), stringify!($variant), $number)),*),*];
    };
}

kinds! {
    /// The type of a constant argument of an attribute.
    SCYTHE_VALUE ValueKind "kind of value" {
        Text = 0, Signed = 1, Unsigned = 2, Floating = 3, Boolean = 4, Character = 5, Other = 6,
        Tuple = 7,
    }
    /// An action of a function body.
    SCYTHE_EVENT EventKind "kind of event" {
        Call = 0, VirtualCall = 1, IndirectCall = 2, Lambda = 3, Throw = 4, Try = 5, Typeid = 6,
        DynamicCast = 7, Global = 8, VaArg = 9, Asm = 10, VariableArray = 11, ZeroArray = 12,
        LongDouble = 13, Double = 14, Half = 15, Decorated = 16, Address = 17,
    }
    /// A part of a functor's layout.
    SCYTHE_FIELD FieldKind "kind of field" {
        Scalar = 0, Pointer = 1, Reference = 2, Record = 3, Array = 4, Opaque = 5, Bits = 6,
    }
    /// A part of a functor that the driver compares between passes.
    SCYTHE_PART PartKind "kind of functor part" { Capture = 0, Member = 1, Base = 2 }
    /// The reason why the headers cannot call a functor's `get(properties_tag)`.
    SCYTHE_GET GetFault "fault of 'get'" { Usable = 0, Hidden = 1, Deleted = 2, OfTemporaries = 3 }
    /// The way in which a program makes a `device_global` that is not at namespace scope.
    SCYTHE_MISUSE MisuseKind "misuse of 'device_global'" {
        Local = 0, Parameter = 1, Member = 2, Array = 3, ThreadLocal = 4, NotPublic = 5, New = 6,
        Temporary = 7,
    }
    /// A rule for free function kernels that a declaration breaks.
    SCYTHE_FREE_FUNCTION FreeFunctionFault "fault of a free function kernel" {
        Result = 0, Variadic = 1, Default = 2, Reference = 3, Member = 4, Kinds = 5, Later = 6,
    }
    /// A token of the translation unit.
    SCYTHE_TOKEN TokenKind "kind of token" {
        Word = 0, Punctuation = 1, Text = 2, Other = 3, End = 4,
    }
    /// A token of an edit.
    SCYTHE_PIECE PieceKind "kind of piece" { Copy = 0, Word = 1, Punctuation = 2, Text = 3 }
    /// The severity of a report.
    SCYTHE_SEVERITY Severity "severity" { Note = 0, Remark = 1, Warning = 2, Error = 3 }
    /// The effect of a warning.
    SCYTHE_FATE Fate "fate of a warning" { Warning = 0, Error = 1, NeverError = 2 }
    /// An error that clang or the shim finds and that Rust words.
    SCYTHE_WORDS Words "kind of message" {
        ConstantArgument = 0, IntegerArgument = 1, AspectArgument = 2, ConstantProperty = 3,
        ExternalPlace = 4,
    }
}

/// Declares sets of flags of `facts.h`, each in a module: the prefix of the C++ names, the module,
/// and the number of each bit.
macro_rules! flags {
    ($($(#[$meta:meta])* $prefix:ident $module:ident {
        $($flag:ident = $bit:literal),* $(,)?
    })*) => {
        $(
            $(#[$meta])*
            pub mod $module {
                $(pub const $flag: u32 = 1 << $bit;)*
            }
        )*

        #[cfg(test)]
        const FLAGS: &[(&str, &str, u32)] =
            &[$($((stringify!($prefix), stringify!($flag), 1 << $bit)),*),*];
    };
}

flags! {
    /// Flags of functions.
    SCYTHE_FUNCTION function {
        DEFINED = 0, VARIADIC = 1, EXTERNAL = 2, BUILTIN = 3, LIBRARY = 4, ALLOCATION = 5,
        EXTERN_C = 6, IN_SYCL = 7, DEFAULTED = 8, CONSTEXPR = 9,
    }
    /// Flags of variables with static storage.
    SCYTHE_GLOBAL global {
        CONST = 0, CONSTANT_INIT = 1, STATIC_LOCAL = 2, THREAD_LOCAL = 3, UNDEFINED = 4,
        SPECIAL = 5,
    }
    /// Flags of parts of a functor's layout.
    SCYTHE_FIELD field {
        CAPTURE = 0, THIS = 1, BASE = 2, TRIVIALLY_COPYABLE = 3, DEVICE_COPYABLE = 4, OWN_COPY = 5,
        LONG_DOUBLE = 6, EMPTY = 7, CLOSURE = 8,
    }
    /// Flags of captures.
    SCYTHE_CAPTURE capture { EXPLICIT = 0, CONSTANT = 1 }
    /// Flags of mentions of variables in lambdas.
    SCYTHE_MENTION mention { PACK = 0, CONSTANT = 1, NESTED = 2 }
    /// Flags of lambdas.
    SCYTHE_CLOSURE closure { GENERIC = 0, MENTIONS_KNOWN = 1 }
}

impl From<scythe_diag::Severity> for Severity {
    fn from(severity: scythe_diag::Severity) -> Self {
        match severity {
            scythe_diag::Severity::Note => Self::Note,
            scythe_diag::Severity::Remark => Self::Remark,
            scythe_diag::Severity::Warning => Self::Warning,
            scythe_diag::Severity::Error => Self::Error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// The C++ name of an enumerator: `VirtualCall` becomes `VIRTUAL_CALL`.
    fn screaming(variant: &str) -> String {
        let mut out = String::new();
        for (index, letter) in variant.chars().enumerate() {
            let starts_word = index > 0 && letter.is_ascii_uppercase();
            out.extend(starts_word.then_some('_'));
            out.push(letter.to_ascii_uppercase());
        }
        out
    }

    /// The enumerators of `facts.h` with their numbers.
    fn in_header() -> BTreeMap<String, u32> {
        let header = include_str!("../../shim/facts.h");
        let text: String = header
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default())
            .collect::<Vec<_>>()
            .join(" ");
        let number = |text: &str| match text.split_once("<<") {
            Some((_, bit)) => 1 << bit.trim().parse::<u32>().expect("the number of a bit"),
            None => text.parse().expect("a number"),
        };
        text.split([',', '{', '}'])
            .filter_map(|item| item.trim().split_once(" ="))
            .filter(|(name, _)| name.starts_with("SCYTHE_"))
            .map(|(name, value)| (name.to_owned(), number(value.trim())))
            .collect()
    }

    #[test]
    fn both_sides_have_the_same_numbers() {
        let kinds = KINDS
            .iter()
            .map(|(prefix, variant, number)| (format!("{prefix}_{}", screaming(variant)), *number));
        let flags =
            FLAGS.iter().map(|(prefix, flag, number)| (format!("{prefix}_{flag}"), *number));
        let here: BTreeMap<String, u32> = kinds.chain(flags).collect();
        assert_eq!(here, in_header());
    }

    #[test]
    fn unknown_numbers_are_errors() {
        assert_eq!(EventKind::try_from(17), Ok(EventKind::Address));
        assert_eq!(
            EventKind::try_from(18).unwrap_err().to_string(),
            "internal error of the SYCL front end: the shim reports the unknown kind of event 18: \
             this is a bug in Scythe, please report it"
        );
    }
}
