//! Functions that device code may call although the translation unit does not define them: the
//! device library or the back end provides them.

use scythe_passes::target::cpu::externals;

/// Complex functions for `double` (no suffix) and `float` (`f`).
const COMPLEX: &[&str] = &[
    "cabs", "cacos", "cacosh", "carg", "casin", "casinh", "catan", "catanh", "ccos", "ccosh",
    "cexp", "cimag", "clog", "conj", "cpow", "cproj", "creal", "csin", "csinh", "csqrt", "ctan",
    "ctanh",
];

/// The rest of the C library that device code can have: memory, strings, and what clang expands by
/// itself.
const OTHERS: &[&str] = &[
    "abs", "labs", "llabs", "bcmp", "memchr", "memcmp", "memcpy", "memmove", "memset", "strcmp",
    "strlen", "__mulsc3", "__muldc3", "__divsc3", "__divdc3",
];

/// C functions that get or return storage.
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

/// Whether an undefined function of any linkage is provided because of its name: those of SPIR-V.
pub fn provides_qualified(qualified: &str) -> bool {
    qualified.starts_with("__spirv_")
}

/// Whether an undefined function is what `assert` calls, of the C library or of the C++ standard
/// library.
pub fn asserts(qualified: &str) -> bool {
    matches!(qualified, "__assert_fail" | "std::__glibcxx_assert_fail")
}

/// Whether an undefined C function is the variadic one that devices have.
pub fn prints(name: &str) -> bool {
    name == "printf"
}

/// Whether a C function allocates or frees storage.
pub fn allocates(name: &str) -> bool {
    ALLOCATION.contains(&name)
}

/// Whether an undefined function only throws: those of the standard library are named so.
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
