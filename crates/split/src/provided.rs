//! Lists the symbols that device code may leave undefined, because LLVM, the device library or the
//! back end provides them.
//!
//! The CPU back end has the list of the scalar functions of the C library.

use scythe_passes::target::cpu::externals;

/// The complex functions of the C library for `double`. With an `f` at the end, they are for
/// `float`. Sorted.
const COMPLEX: [&str; 22] = [
    "cabs", "cacos", "cacosh", "carg", "casin", "casinh", "catan", "catanh", "ccos", "ccosh",
    "cexp", "cimag", "clog", "conj", "cpow", "cproj", "creal", "csin", "csinh", "csqrt", "ctan",
    "ctanh",
];

/// The functions that compilers call for products and quotients of complex numbers.
const COMPLEX_ARITHMETIC: [&str; 4] = ["__divdc3", "__divsc3", "__muldc3", "__mulsc3"];

/// The functions of the C library for integers.
const INTEGERS: [&str; 6] = ["abs", "div", "labs", "ldiv", "llabs", "lldiv"];

/// The prefixes of function names that the device library or the back end provides, before
/// mangling.
const PREFIXES: [&str; 2] = ["__spirv_", "__scythe_"];

/// The functions of the C library and the C++ library that a failed assertion calls.
const ASSERTIONS: [&str; 2] = ["__assert_fail", "_ZSt21__glibcxx_assert_failPKciS0_S0_"];

/// The function that clang calls for `printf` in code for NVIDIA GPUs. The driver provides it.
const PRINTF_OF_CUDA: &str = "vprintf";

/// Whether no device module needs to define the symbol.
pub fn is_provided(symbol: &str) -> bool {
    symbol.starts_with("llvm.")
        || PREFIXES.iter().any(|prefix| unmangled(symbol).starts_with(prefix))
        || COMPLEX_ARITHMETIC.contains(&symbol)
        || INTEGERS.contains(&symbol)
        || ASSERTIONS.contains(&symbol)
        || symbol == PRINTF_OF_CUDA
        || is_complex(symbol)
        || symbol.strip_suffix('f').is_some_and(is_complex)
        || externals::is_provided(symbol)
}

fn is_complex(name: &str) -> bool {
    COMPLEX.binary_search(&name).is_ok()
}

/// Returns the name and the rest of a mangled function name,
/// `_Z33__spirv_BuiltInGlobalInvocationIdi`. Other symbols stay as they are.
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
    fn names_are_sorted_for_the_search() {
        assert!(COMPLEX.is_sorted());
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
            "printf",
            "vprintf",
            "__assert_fail",
        ] {
            assert!(is_provided(symbol), "{symbol}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for symbol in ["_Z3foov", "foo", "f", "sinff", "_Z11not__spirv_v", "_Znwm", "fprintf", ""] {
            assert!(!is_provided(symbol), "{symbol}");
        }
    }
}
