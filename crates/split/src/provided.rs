//! Which symbols device code may leave undefined: what LLVM, the device library or the back end provides.

/// Memory and string functions that compilers call on their own.
const MEMORY: [&str; 8] = ["bcmp", "memchr", "memcmp", "memcpy", "memmove", "memset", "strcmp", "strlen"];

/// The C maths library in `double`; with an `f` at the end, they take and give `float`. Sorted.
const MATHS: [&str; 71] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "drem",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gamma",
    "hypot",
    "ilogb",
    "j0",
    "j1",
    "jn",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "modf",
    "nan",
    "nearbyint",
    "nextafter",
    "nexttoward",
    "pow",
    "pow10",
    "remainder",
    "remquo",
    "rint",
    "round",
    "roundeven",
    "scalb",
    "scalbln",
    "scalbn",
    "significand",
    "sin",
    "sincos",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "y0",
    "y1",
    "yn",
];

/// Complex functions of the C library, likewise. Sorted.
const COMPLEX: [&str; 22] = [
    "cabs", "cacos", "cacosh", "carg", "casin", "casinh", "catan", "catanh", "ccos", "ccosh", "cexp", "cimag", "clog",
    "conj", "cpow", "cproj", "creal", "csin", "csinh", "csqrt", "ctan", "ctanh",
];

/// What compilers call for products and quotients of complex numbers.
const COMPLEX_ARITHMETIC: [&str; 4] = ["__divdc3", "__divsc3", "__muldc3", "__mulsc3"];

/// What names of functions that the device library or the back end provides begin with, after mangling.
const PREFIXES: [&str; 2] = ["__spirv_", "__scythe_"];

/// The symbol need not be defined by any device module.
pub fn is_provided(symbol: &str) -> bool {
    symbol.starts_with("llvm.")
        || PREFIXES.iter().any(|prefix| unmangled(symbol).starts_with(prefix))
        || MEMORY.contains(&symbol)
        || COMPLEX_ARITHMETIC.contains(&symbol)
        || is_c_maths(symbol)
        || symbol.strip_suffix('f').is_some_and(is_c_maths)
}

fn is_c_maths(name: &str) -> bool {
    MATHS.binary_search(&name).is_ok() || COMPLEX.binary_search(&name).is_ok()
}

/// The name and what follows it in a mangled function name, `_Z33__spirv_BuiltInGlobalInvocationIdi`; other symbols as
/// they are.
fn unmangled(symbol: &str) -> &str {
    match symbol.strip_prefix("_Z") {
        Some(rest) => rest.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => symbol,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_for_the_search() {
        assert!(MATHS.is_sorted() && COMPLEX.is_sorted());
    }

    #[test]
    fn builtins_maths_and_intrinsics_are_provided() {
        for symbol in [
            "llvm.fma.f32",
            "_Z33__spirv_BuiltInGlobalInvocationIdi",
            "__spirv_ControlBarrier",
            "_Z15__spirv_ocl_sinf",
            "sinf",
            "pow",
            "cexpf",
            "__mulsc3",
            "memcpy",
        ] {
            assert!(is_provided(symbol), "{symbol}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for symbol in ["_Z3foov", "foo", "f", "sinff", "_Z11not__spirv_v", "_Znwm", "printf", ""] {
            assert!(!is_provided(symbol), "{symbol}");
        }
    }
}
