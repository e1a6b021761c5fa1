//! What becomes of attributes in each place where C++ programs write them.

use super::{Mode, normalise, predefines};

/// Normalised text with runs of blanks joined, after checking that lines and length stay.
fn check(text: &str) -> String {
    let out =
        normalise(text.as_bytes(), Mode::Annotate).map_or_else(|| text.to_owned(), |o| String::from_utf8(o).unwrap());
    assert_eq!(out.len(), text.len(), "{out}");
    assert_eq!(out.matches('\n').count(), text.matches('\n').count(), "{out}");
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn after_a_lambda_parameter_list() {
    assert_eq!(
        check("[=](id<1> i) [[sycl::reqd_work_group_size(16)]] { f(); }"),
        "[=](id<1> i) _Yreqd_work_group_size(16) { f(); }"
    );
}

#[test]
fn before_mutable_and_noexcept_of_a_lambda() {
    assert_eq!(
        check("[=](int i) mutable noexcept(true) [[sycl::device_has(a, b)]] -> int { }"),
        "[=](int i)_Ydevice_has(a, b) mutable noexcept(true) -> int { }"
    );
    assert_eq!(
        check("[]<typename T, int N>(T) constexpr [[intel::reqd_sub_group_size(8)]] {}"),
        "[]<typename T, int N>(T)_Yreqd_sub_group_size(8) constexpr {}"
    );
}

#[test]
fn after_a_lambda_introducer() {
    assert_eq!(check("[=] [[sycl::device_has()]] { }"), "[=] _Zdevice_has() { }");
}

#[test]
fn before_and_inside_declarations() {
    assert_eq!(check("[[sycl::device_has(x)]] void f();"), "_Ydevice_has(x) void f();");
    assert_eq!(check("void f [[sycl::device_has(x)]] ();"), "void f _Zdevice_has(x) ();");
    assert_eq!(
        check("class [[__sycl_detail__::__uses_aspects__(aspect::fp16)]] half {};"),
        "class _Y__uses_aspects__(aspect::fp16) half {};"
    );
    assert_eq!(
        check("void operator()(id<1>) const [[sycl::reqd_sub_group_size(8)]] {}"),
        "void operator()(id<1>) const _Xreqd_sub_group_size(8) {}"
    );
    assert_eq!(check("void f() noexcept [[sycl::device_has(x)]] {}"), "void f() noexcept _Xdevice_has(x) {}");
}

#[test]
fn lists_and_using() {
    assert_eq!(
        check("[[nodiscard, sycl::device_has(x), gnu::pure]] int f();"),
        "[[nodiscard,gnu::pure]] _Ydevice_has(x) int f();"
    );
    assert_eq!(
        check("[[using sycl: device_has(x), reqd_sub_group_size(4), reqd_work_group_size(1)]] int f();"),
        "_Ydevice_has(x) _Yreqd_sub_group_size(4) _Yreqd_work_group_size(1) int f();"
    );
    assert_eq!(
        check("[] () [[sycl::device_has(x)]] mutable [[sycl::reqd_sub_group_size(4)]] {}"),
        "[] ()_Yreqd_sub_group_size(4) _Ydevice_has(x) mutable {}"
    );
}

#[test]
fn macros_and_lines_stay() {
    assert_eq!(
        check("#define WG(x) [[sycl::reqd_work_group_size( \\\n x)]]\nint a;"),
        "#define WG(x) _Xreqd_work_group_size( \\ x) int a;"
    );
    assert_eq!(check("[[sycl::\n device_has(\n x)\n]] void f();"), "_Ydevice_has( x) void f();");
}

#[test]
fn text_comments_and_foreign_attributes_are_left_alone() {
    for text in [
        "// [[sycl::device_has(x)]]\n",
        "\"[[sycl::device_has(x)]]\"",
        "R\"([[sycl::device_has(x)]])\"",
        "[[nodiscard]] int sycl(); [[gnu::pure]] int g();",
        "[[sycl::unheard_of(x)]] int f();",
        "a[b[c]] = sycl::x;",
        "[[sycl::device_has(x",
        "[[sycl",
        "[[",
    ] {
        assert_eq!(normalise(text.as_bytes(), Mode::Annotate), None, "{text}");
    }
}

#[test]
fn a_host_pass_sees_blanks() {
    let out = normalise(b"[](int) mutable [[sycl::device_has(x)]] {}", Mode::Remove).unwrap();
    assert_eq!(String::from_utf8(out).unwrap().split_whitespace().collect::<String>(), "[](int)mutable{}");
}

#[test]
fn every_macro_is_defined_in_every_form() {
    let text = predefines();
    for prefix in ["_Y", "_Z", "_X"] {
        assert!(text.contains(&format!("#define {prefix}device_has(...)")), "{text}");
    }
}
