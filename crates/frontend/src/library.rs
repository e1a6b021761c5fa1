//! The functions that device code may call without a definition in the translation unit, because
//! the device library or the code generator provides them.

use scythe_passes::target::cpu::externals;

/// Complex functions for `double` (no suffix) and `float` (`f`).
const COMPLEX: &[&str] = &[
    "cabs", "cacos", "cacosh", "carg", "casin", "casinh", "catan", "catanh", "ccos", "ccosh",
    "cexp", "cimag", "clog", "conj", "cpow", "cproj", "creal", "csin", "csinh", "csqrt", "ctan",
    "ctanh",
];

/// The other C functions of the device library: memory, strings, and functions that clang expands.
const OTHERS: &[&str] = &[
    "abs", "labs", "llabs", "div", "ldiv", "lldiv", "bcmp", "memchr", "memcmp", "memcpy",
    "memmove", "memset", "strcmp", "strlen", "__mulsc3", "__muldc3", "__divsc3", "__divdc3",
];

/// C functions that allocate or free memory.
const ALLOCATION: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "free",
    "aligned_alloc",
    "posix_memalign",
    "alloca",
    "strdup",
    "valloc",
];

/// Whether an undefined C function is part of the device library.
pub fn provides(name: &str) -> bool {
    let of = |list: &[&str], name: &str| list.contains(&name);
    let float = name.strip_suffix('f').unwrap_or(name);
    externals::is_maths(name) || of(OTHERS, name) || of(COMPLEX, name) || of(COMPLEX, float)
}

/// Whether the name of an undefined function says that it is a builtin function of SPIR-V.
pub fn provides_qualified(qualified: &str) -> bool {
    qualified.starts_with("__spirv_")
}

/// Whether an undefined function is one that `assert` calls, in the C library or in the C++
/// standard library.
pub fn asserts(qualified: &str) -> bool {
    matches!(qualified, "__assert_fail" | "std::__glibcxx_assert_fail")
}

/// Whether an undefined C function is the variadic function that devices support.
pub fn prints(name: &str) -> bool {
    name == "printf"
}

/// Whether a C function allocates or frees memory.
pub fn allocates(name: &str) -> bool {
    ALLOCATION.contains(&name)
}

/// Whether an undefined function only throws. The standard library names these functions alike.
pub fn throws(qualified: &str) -> bool {
    qualified.starts_with("std::__throw_") || qualified == "std::rethrow_exception"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maths_functions_exist_for_both_precisions() {
        for name in ["sin", "sinf", "fabs", "fabsf", "erf", "erff", "csqrtf", "memcpy"] {
            assert!(provides(name), "{name}");
        }
        for name in ["sinl", "sinff", "memcpyf", "printf", "", "f"] {
            assert!(!provides(name), "{name}");
        }
    }
}
