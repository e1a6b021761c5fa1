//! Tests captures that kernels must not have: each gives one clear error.

use scythe_tests::Project;

#[track_caller]
fn refused(body: &str, text: &str) {
    Project::new()
        .file("a.cpp", &format!("#include <sycl/sycl.hpp>\n#include <string>\n{body}"))
        .scythe(&["-fsycl", "-c", "a.cpp", "-o", "a.o"])
        .fails()
        .errors(1)
        .stderr_has(text)
        .stderr_has("a.cpp:");
}

#[test]
fn this_is_refused() {
    refused(
        "struct S {\n  int n = 0;\n  void go(sycl::queue &q) { q.single_task<class K>([=] { \
         (void)n; }); }\n};\n\
         int main() { sycl::queue q; S().go(q); }\n",
        "'this'",
    );
}

#[test]
fn a_reference_is_refused() {
    refused(
        "int main() {\n  sycl::queue q;\n  int n = 0;\n  q.single_task<class K>([&] { n = 1; \
         });\n}\n",
        "by reference",
    );
}

#[test]
fn a_string_is_refused() {
    refused(
        "int main() {\n  sycl::queue q;\n  std::string s;\n  q.single_task<class K>([=] { \
         (void)s.size(); });\n}\n",
        "not device copyable",
    );
}
