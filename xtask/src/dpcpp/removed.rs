//! Errors of the compiler for tests that today's DPC++ rejects as well.
//!
//! Older versions of the suite contain tests of interfaces that DPC++ removed since, and tests that
//! use internal names of DPC++.

const EXCEPTIONS: &str = "it uses exceptions of SYCL 1.2.1, which DPC++ removed";
pub const GROUPS: &str = "it uses group functions of earlier extensions, which DPC++ removed";
const MATRICES: &str = "it uses the first interface of joint matrices, which DPC++ removed";
const NAMES: &str = "it uses names that DPC++ removed";
const INTERNAL: &str = "it uses internal names of DPC++";

/// Parts of errors, and why the test does not apply.
const ERRORS: [(&str, &str); 31] = [
    ("type name 'runtime_error'", EXCEPTIONS),
    ("type named 'runtime_error'", EXCEPTIONS),
    ("type name 'invalid_object_error'", EXCEPTIONS),
    ("type named 'invalid_object_error'", EXCEPTIONS),
    ("type name 'device_error'", EXCEPTIONS),
    ("type name 'feature_not_supported'", EXCEPTIONS),
    ("default constructor of 'exception'", EXCEPTIONS),
    ("'broadcast' in namespace 'sycl::ext::oneapi'", GROUPS),
    ("'reduce' in namespace 'sycl::ext::oneapi'", GROUPS),
    ("'exclusive_scan' in namespace 'sycl::ext::oneapi'", GROUPS),
    ("'any_of' in namespace 'sycl::ext::oneapi'", GROUPS),
    ("undeclared identifier 'all_of'", GROUPS),
    ("undeclared identifier 'any_of'", GROUPS),
    ("undeclared identifier 'none_of'", GROUPS),
    ("undeclared identifier 'leader'", GROUPS),
    ("undeclared identifier 'broadcast'", GROUPS),
    ("undeclared identifier 'group_local_memory'", GROUPS),
    ("undeclared identifier 'group_local_memory_for_overwrite'", GROUPS),
    ("undeclared identifier 'matrix_layout'", MATRICES),
    ("undeclared identifier 'matrix_use'", MATRICES),
    ("undeclared identifier 'tpu'", MATRICES),
    ("no member named 'get_wi_data'", MATRICES),
    ("named 'packed' in 'sycl::ext::oneapi::experimental::matrix::layout'", MATRICES),
    ("named 'noinit' in namespace 'sycl'", NAMES),
    ("undeclared identifier 'relaxed_order'", NAMES),
    ("named 'errc_for' in namespace 'sycl'", NAMES),
    ("named 'radix_sorter' in namespace", NAMES),
    ("named 'get' in 'sycl::", NAMES),
    ("named 'intel' in namespace 'sycl'", NAMES),
    ("named 'ext_oneapi_unified_runtime' in 'sycl::backend'", NAMES),
    ("in namespace 'sycl::detail'", INTERNAL),
];

/// Returns why a test with this error does not apply, if DPC++ rejects it as well.
pub fn reason(error: &str) -> Option<&'static str> {
    ERRORS.iter().find(|(part, _)| error.contains(part)).map(|(_, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_about_removed_names_excuse_a_test() {
        for (error, expected) in [
            ("a.cpp:1:2: error: no type named 'runtime_error' in namespace 'sycl'", EXCEPTIONS),
            ("error: no member named 'noinit' in namespace 'sycl'; did you mean", NAMES),
            ("error: no template named 'Boolean' in namespace 'sycl::detail'", INTERNAL),
        ] {
            assert_eq!(reason(error), Some(expected));
        }
        for error in [
            "what(): std::runtime_error",
            "error: no member named 'reduce' in namespace 'sycl'",
            "error: no matching function for call to 'reduce'",
        ] {
            assert_eq!(reason(error), None);
        }
    }
}
