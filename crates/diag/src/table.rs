//! Tables of errors: one row gives an error its code, its type and its message.

use crate::{Code, Diagnostic};
use std::fmt;

/// An error with a code and a paragraph in `docs/diagnostics.md`. [`errors!`](crate::errors)
/// declares the types that implement this trait.
pub trait Report: fmt::Display + Sized {
    const CODE: Code;

    /// Makes the diagnostic, without a location.
    fn report<L>(&self) -> Diagnostic<L> {
        Diagnostic::error(Self::CODE, self.to_string())
    }
}

/// Declares a table of errors. Each row has a documentation comment, a code, a type and a message:
///
/// ```
/// scythe_diag::errors! {
///     /// A kernel throws or catches.
///     9001 Exceptions: "SYCL kernel cannot use exceptions";
///     /// A kernel declares a variable-length array.
///     9002 VariableArray { name: String }: "SYCL kernel cannot use an array ('{name}')";
/// }
/// ```
///
/// Each row becomes a struct that implements [`Report`] and `Display`. The constant `CODES` holds
/// the codes of the table. [`differences`](crate::documentation::differences) compares it with the
/// documentation.
#[macro_export]
macro_rules! errors {
    ($(
        $(#[$meta:meta])*
        $code:literal $name:ident $({ $($field:ident : $type:ty),* $(,)? })? : $message:literal;
    )*) => {
        $(
            $crate::errors!(@type $(#[$meta])* $name $({ $($field: $type),* })?);

            impl ::std::fmt::Display for $name {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    $(let Self { $($field),* } = self;)?
                    ::std::write!(f, $message)
                }
            }

            impl $crate::Report for $name {
                const CODE: $crate::Code = $crate::Code::Error($code);
            }
        )*

        /// The codes of this table, in its order.
        pub const CODES: &[$crate::Code] = &[$($crate::Code::Error($code)),*];
    };
    (@type $(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name;
    };
    (@type $(#[$meta:meta])* $name:ident { $($field:ident : $type:ty),* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            $(pub $field: $type),*
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Location;

    crate::errors! {
        /// Without fields.
        9001 Exceptions: "SYCL kernel cannot use exceptions";
        /// With fields.
        9002 Array { name: String, length: u32 }: "array '{name}' has {length} elements";
    }

    #[test]
    fn a_row_gives_type_message_and_code() {
        assert_eq!(
            Exceptions.report::<Location>().render(),
            "error: SYCL kernel cannot use exceptions [scythe-E9001]\n"
        );
        let array = Array { name: "a".to_owned(), length: 3 };
        assert_eq!(
            array.report().at(Location::new("a.cpp", 1, 2)).render(),
            "a.cpp:1:2: error: array 'a' has 3 elements [scythe-E9002]\n"
        );
        assert_eq!(CODES, [Code::Error(9001), Code::Error(9002)]);
    }
}
