//! Tests SYCL attributes in a precompiled header: units that use the header honour them, and wrong
//! attributes are errors when clang makes the header.

mod common;

const RIGHT: &str = "#include <sycl/sycl.hpp>\n#define ATTRIBUTE(x) [[x]]\n\
    struct Functor { int *p; ATTRIBUTE(sycl::reqd_sub_group_size(8)) void operator()() const { \
    p[0] = 1; } };\n\
    template <class T> auto made(T *p) {\n  constexpr int n = 16;\n\
    \x20 return [=]() [[sycl::reqd_work_group_size(n)]] [[intel::named_sub_group_size(primary)]] { \
    p[0] = 1; };\n}\n\
    [[using sycl: device_has(sycl::aspect::fp16)]] SYCL_EXTERNAL void function();\n";
const USER: &str = "class functor;\nclass lambda;\nvoid function() {}\n\
    void submit(sycl::queue &q, int *p) {\n  q.single_task<functor>(Functor{p});\n  \
    q.single_task<lambda>(made(p));\n}\n";

#[test]
fn attributes_in_a_precompiled_header() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path();
    for (name, text) in [
        ("right.hpp", RIGHT.to_owned()),
        ("wrong.hpp", format!("{RIGHT}ATTRIBUTE(sycl::device_has()) int variable;\n")),
        ("a.cpp", USER.to_owned()),
    ] {
        std::fs::write(path.join(name), text).expect("files can be written");
    }
    let make = |header: &str| {
        let args = ["-O1", "-c", "-Xclang", "-emit-pch", "-x", "c++", "-o", "header.pch"];
        common::device_pass(path, header.as_ref(), &args)
    };
    let wrong = String::from_utf8_lossy(&make("wrong.hpp").stderr).into_owned();
    assert!(
        wrong.contains("error: 'sycl::device_has' attribute only applies to functions"),
        "{wrong}"
    );
    let made = make("right.hpp");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));

    let args =
        ["-O1", "-Xclang", "-include-pch", "-Xclang", "header.pch", "-S", "-emit-llvm", "-o", "-"];
    let used = common::device_pass(path, "a.cpp".as_ref(), &args);
    let code = String::from_utf8_lossy(&used.stdout);
    let has = |symbol: &str, kind: &str| {
        code.lines()
            .any(|line| line.starts_with("define ") && line.contains(symbol) && line.contains(kind))
    };
    for (symbol, kind) in [
        ("@_ZTS7functor(", "!intel_reqd_sub_group_size"),
        ("@_ZTS6lambda(", "!reqd_work_group_size"),
        ("@_ZTS6lambda(", "!intel_named_sub_group_size"),
        ("@_Z8functionv(", "!intel_declared_aspects"),
    ] {
        assert!(
            has(symbol, kind),
            "{symbol} {kind}\n{code}\n{}",
            String::from_utf8_lossy(&used.stderr)
        );
    }
}
