//! Tests every attribute of SYCL, in every position and spelling, and in every way into a unit. An
//! attribute has an effect, which device code shows, or is an error. It is never ignored.

use std::collections::HashMap;
use std::fmt::Write as _;

use scythe_tests::{Outcome, Project};

/// An attribute: its namespace, the call, and the metadata of a kernel with it in device code.
struct Attribute {
    namespace: &'static str,
    call: &'static str,
    metadata: &'static str,
    value: &'static str,
    /// Whether the attribute has a meaning on a function that is not a kernel.
    on_functions: bool,
}

const fn attribute(
    namespace: &'static str,
    call: &'static str,
    metadata: &'static str,
    value: &'static str,
    on_functions: bool,
) -> Attribute {
    Attribute { namespace, call, metadata, value, on_functions }
}

const SIZES: &str = "!{i32 8, i32 1, i32 1}";

/// The attributes. In lambdas, `N` is a local constant, which must not be captured.
const ATTRIBUTES: &[Attribute] = &[
    attribute("sycl", "reqd_work_group_size(N)", "!reqd_work_group_size", SIZES, false),
    attribute("sycl", "work_group_size_hint(N)", "!work_group_size_hint", SIZES, false),
    attribute("sycl", "reqd_sub_group_size(N)", "!intel_reqd_sub_group_size", "!{i32 8}", true),
    attribute(
        "intel",
        "named_sub_group_size(primary)",
        "!intel_named_sub_group_size",
        "!{!\"primary\"}",
        true,
    ),
    attribute("sycl", "device_has(A)", "!intel_declared_aspects", "!{i32 5}", true),
];

/// The spellings of an attribute.
const SPELLINGS: [fn(&str, &str) -> String; 6] = [
    |namespace, call| format!("[[{namespace}::{call}]]"),
    |namespace, call| format!("ATTRIBUTE({namespace}::{call})"),
    |namespace, call| format!("[[using {namespace}: {call}]]"),
    |namespace, call| format!("<:<:{namespace}::{call}:>:>"),
    |namespace, call| format!("[\\\n[{namespace}:\\\n:{}\\\n{}]\\\n]", &call[..4], &call[4..]),
    |namespace, call| format!("OPEN THE_{namespace}::{call} CLOSE"),
];

/// Kernels with an attribute at `@`. `#` is the number of the case.
const KERNELS: &[&str] = &[
    "auto f = [=]() @ { p[0] = 1; };",
    "auto f = [=]() mutable noexcept @ -> void { p[0] = 1; };",
    "auto f = [p] @ { p[0] = 1; };",
    "auto f = [p]() @ @ { p[0] = 1; };",
    "auto f = [=](auto... x) @ { p[0] = sizeof...(x); };",
    "Leading#<8> f{p};",
    "Trailing# f{p};",
    "Derived# f{{p}};",
    "Using# f{p};",
];

const FUNCTORS: &str = "template <int N> struct Leading# { int *p; @ void operator()() const { \
    p[0] = 1; } };\n\
                        struct Trailing# { int *p; void operator()() const noexcept @ { p[0] = 1; \
                        } };\n\
                        struct Base# { int *p; @ void operator()() const { p[0] = 1; } };\n\
                        struct Derived# : Base# {};\n\
                        struct Using# : private Base# { Using#(int *p) : Base#{p} {} using \
                        Base#::operator(); };\n";

/// Functions that are not kernels.
const FUNCTIONS: &[&str] = &[
    "@ SYCL_EXTERNAL void f#() {}",
    "SYCL_EXTERNAL void f# @ () {}",
    "SYCL_EXTERNAL void f#() noexcept @ {}",
    "struct S# { @ SYCL_EXTERNAL void f(); };\nvoid S#::f() {}",
];

/// Positions in which an attribute is an error.
const WRONG: &[&str] = &[
    "@ int variable#;",
    "int after# @;",
    "struct @ Class# {};",
    "void parameter#(@ int x);",
    "enum @ Enumeration# {};",
    "enum Enumerators# { value# @ };",
    "struct Fields# { int bits @ : 5; @ int field; };",
    "using Alias# @ = int;",
    "typedef int Typedef# @;",
    "namespace @ space# {}",
    "void @ type#();",
    "void statement#() { @ return; }",
    "void condition#(bool b) { if (b) @ return; }",
];

const PROLOGUE: &str = "#define ATTRIBUTE(...) [[__VA_ARGS__]]\n#define OPEN [[\n#define CLOSE ]]\n\
                        #define THE_sycl sycl\n#define THE_intel intel\n\
                        constexpr sycl::aspect A = sycl::aspect::fp16;\nconstexpr int N = 8;\n";

/// Returns a header of right cases, and the expected symbol, metadata and value of each case.
fn right(spellings: &[fn(&str, &str) -> String]) -> (String, Vec<(String, &'static Attribute)>) {
    let (mut text, mut expected) = (PROLOGUE.to_owned(), Vec::new());
    let mut number = 0;
    for attribute in ATTRIBUTES {
        for spelling in spellings {
            let written = spelling(attribute.namespace, attribute.call);
            for kernel in KERNELS {
                number += 1;
                let fill =
                    |text: &str| text.replace('#', &number.to_string()).replace('@', &written);
                text += &fill(FUNCTORS);
                let _ = writeln!(
                    text,
                    "inline void submit{number}(sycl::queue &q, int *p) {{\n  constexpr int N = \
                     8;\n  (void)N;\n  {}\n  \
                     static_assert(sizeof f == sizeof p);\n  q.single_task<class \
                     K{number}>(f);\n}}",
                    fill(kernel)
                );
                let name = format!("K{number}");
                expected.push((format!("_ZTS{}{name}", name.len()), attribute));
            }
            for function in FUNCTIONS.iter().filter(|_| attribute.on_functions) {
                number += 1;
                let _ = writeln!(
                    text,
                    "{}",
                    function.replace('#', &number.to_string()).replace('@', &written)
                );
                let symbol = if function.starts_with("struct") {
                    format!("_ZN{}S{number}1fEv", 1 + number.to_string().len())
                } else {
                    format!("_Z{}f{number}v", 1 + number.to_string().len())
                };
                expected.push((symbol, attribute));
            }
        }
    }
    // Kernels that nothing submits are not in the unit.
    text.insert_str(0, "#include <sycl/sycl.hpp>\n");
    for number in 1..=number {
        text.insert_str(0, &format!("class K{number};\n"));
    }
    (text, expected)
}

/// Returns a header of wrong cases, and the expected number of errors for each attribute.
fn wrong(spellings: &[fn(&str, &str) -> String]) -> (String, usize) {
    let mut text = format!("#include <sycl/sycl.hpp>\n{PROLOGUE}");
    for (number, spelling) in spellings.iter().enumerate() {
        for (index, attribute) in ATTRIBUTES.iter().enumerate() {
            let written = spelling(attribute.namespace, attribute.call);
            for case in WRONG {
                let _ = writeln!(
                    text,
                    "{}",
                    case.replace('#', &format!("{number}_{index}")).replace('@', &written)
                );
            }
        }
    }
    (text, spellings.len() * WRONG.iter().map(|case| case.matches('@').count()).sum::<usize>())
}

/// Checks that each symbol in the text of device code has its metadata.
#[track_caller]
fn honoured(code: &str, expected: &[(String, &'static Attribute)], way: &str) {
    let nodes: HashMap<&str, &str> = code
        .lines()
        .filter(|line| line.starts_with('!'))
        .filter_map(|line| line.split_once(" = "))
        .collect();
    let defined: HashMap<&str, &str> = code
        .lines()
        .filter(|line| line.starts_with("define "))
        .filter_map(|line| Some((line.split_once('@')?.1.split_once('(')?.0, line)))
        .collect();
    for (symbol, attribute) in expected {
        let line =
            defined.get(symbol.as_str()).unwrap_or_else(|| panic!("{way}: no {symbol} in\n{code}"));
        let mut words =
            line.split_whitespace().skip_while(|word| *word != attribute.metadata).skip(1);
        let value = words.next().and_then(|node| nodes.get(node)).copied();
        assert_eq!(value, Some(attribute.value), "{way}: {} of {symbol}", attribute.metadata);
    }
}

/// Checks that there is an error for each occurrence of each attribute.
#[track_caller]
fn refused(outcome: &Outcome, times: usize, way: &str) {
    for attribute in ATTRIBUTES {
        let name = attribute.call.split('(').next().unwrap_or_default();
        let words = format!("error: '{}::{name}' attribute ", attribute.namespace);
        let seen = outcome.stderr.lines().filter(|line| line.contains(&words)).count();
        assert_eq!(seen, times, "{way}: {words}\n{}", outcome.stderr);
    }
}

const DEVICE: [&str; 4] = ["-fsycl", "-fsycl-device-only", "-O1", "-w"];
const CHECK: [&str; 6] = [
    "-fsycl",
    "-fsycl-device-only",
    "-fsyntax-only",
    "-w",
    "-ferror-limit=0",
    "-fno-caret-diagnostics",
];

fn args<'a>(common: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [common, more].concat()
}

/// Compiles to LLVM assembly, and checks it.
#[track_caller]
fn compile(project: &Project, more: &[&str], expected: &[(String, &'static Attribute)], way: &str) {
    project.scythe(&args(&args(&DEVICE, &["-S", "-emit-llvm", "-o", "out.ll"]), more)).ok();
    honoured(&String::from_utf8_lossy(&project.read("out.ll")), expected, way);
}

#[test]
fn every_attribute_in_every_place_and_spelling_is_honoured() {
    let (text, expected) = right(&SPELLINGS);
    let project = Project::new().file("a.cpp", &text);
    compile(&project, &["a.cpp"], &expected, "plain");
}

#[test]
fn every_attribute_is_an_error_where_it_cannot_be_honoured() {
    let (text, times) = wrong(&SPELLINGS);
    let project = Project::new().file("a.cpp", &text);
    refused(&project.scythe(&args(&CHECK, &["a.cpp"])).fails(), times, "plain");
}

#[test]
fn ways_into_a_unit_make_no_difference() {
    let spellings = [SPELLINGS[0], SPELLINGS[1]];
    let ((text, expected), (bad, times)) = (right(&spellings), wrong(&spellings));
    let project = Project::new()
        .file("sys/right.hpp", &text)
        .file("sys/wrong.hpp", &bad)
        .file("a.cpp", "#include <right.hpp>\n")
        .file("b.cpp", "#include <wrong.hpp>\n")
        .file("empty.cpp", "int unused;\n");
    let include = ["-include", "sys/right.hpp", "empty.cpp"];
    compile(&project, &include, &expected, "-include");
    let include = ["-include", "sys/wrong.hpp", "empty.cpp"];
    refused(&project.scythe(&args(&CHECK, &include)).fails(), times, "-include");

    compile(&project, &["-isystem", "sys", "a.cpp"], &expected, "system header");
    let system = project.scythe(&args(&CHECK, &["-isystem", "sys", "b.cpp"])).fails();
    refused(&system, times, "system header");

    project.scythe(&["-fsycl", "-O1", "sys/right.hpp", "-o", "right.pch"]).ok();
    compile(&project, &["-include-pch", "right.pch", "empty.cpp"], &expected, "precompiled header");
    let make = [
        "-fsycl",
        "-w",
        "-ferror-limit=0",
        "-fno-caret-diagnostics",
        "sys/wrong.hpp",
        "-o",
        "wrong.pch",
    ];
    refused(&project.scythe(&make).fails(), times, "precompiled header");

    project.scythe(&["-fsycl", "-E", "-Isys", "a.cpp", "-o", "a.ii"]).ok();
    compile(&project, &["a.ii"], &expected, "after -E");
    project.scythe(&["-fsycl", "-E", "-Isys", "b.cpp", "-o", "b.ii"]).ok();
    refused(&project.scythe(&args(&CHECK, &["b.ii"])).fails(), times, "after -E");
}

/// Constants that attributes name are in no functor, whatever compiler the host side uses.
#[test]
fn constants_in_attributes_are_not_captured() {
    let text = "#include <sycl/sycl.hpp>\n\
        template <int> struct Name {};\ntemplate <class> struct Generic {};\nenum Plain { four = 4 \
        };\nstruct Config { int size; long sizes[2]; };\n\
        template <class T> int generic(sycl::queue &q, int *p, int a) {\n\
        \x20 constexpr auto n = static_cast<T>(8);\n  const T m = 8;\n  long b = 7;\n\
        \x20 auto f = [=](sycl::nd_item<1> it) [[sycl::reqd_work_group_size(n)]] \
        [[sycl::work_group_size_hint(m)]] {\n\
        \x20   int v = a;\n    long w = b;\n    p[it.get_global_id(0)] = v + \
        static_cast<int>(w);\n  };\n\
        \x20 static_assert(sizeof f == 24);\n  q.parallel_for<Generic<T>>(sycl::nd_range<1>(8, 8), \
        f).wait();\n  return p[7] - 7;\n}\n\
        int main() {\n  sycl::queue q;\n  int *p = sycl::malloc_shared<int>(8, q);\n\
        \x20 constexpr int n = 8;\n  const unsigned char half = 4;\n  constexpr Plain e = four;\n\
        \x20 constexpr Config config{2, {8, 1}};\n  constexpr sycl::aspect cpu = \
        sycl::aspect::cpu;\n  int a = 42;\n\
        \x20 auto run = [&](auto name, auto f) {\n    p[0] = 0;\n    \
        q.parallel_for<decltype(name)>(sycl::nd_range<1>(8, 8), f).wait();\n    return p[0];\n  \
        };\n\
        \x20 int wrong = 0;\n\
        \x20 wrong += run(Name<1>(), [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(n)]] { int \
        v = a; p[0] = v; }) != 42;\n\
        \x20 wrong += run(Name<2>(), [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(half * \
        2)]] { p[0] = a; }) != 42;\n\
        \x20 wrong += run(Name<3>(), [p, a](sycl::nd_item<1>) [[sycl::reqd_work_group_size(e + \
        half)]] { p[0] = a; }) != 42;\n\
        \x20 wrong += run(Name<4>(), [=](auto) [[sycl::reqd_work_group_size(config.sizes[0])]] { \
        p[0] = a; }) != 42;\n\
        \x20 wrong += run(Name<5>(), [=](sycl::nd_item<1>) \
        [[sycl::work_group_size_hint(config.size)]] { p[0] = a; }) != 42;\n\
        \x20 wrong += run(Name<6>(), [=](sycl::nd_item<1>) [[sycl::device_has(cpu)]] { p[0] = a; \
        }) != 42;\n\
        \x20 wrong += generic<long>(q, p, 42) != 42;\n  wrong += generic<short>(q, p, 42) != \
        42;\n  return wrong;\n}\n";
    let project = Project::new().file("a.cpp", text);
    for option in ["-O2", "-fsycl-host-compiler=g++", "-fsycl-targets=spir64_x86_64"] {
        project.compile_and_run(&[option, "a.cpp"]).ok();
    }
}

/// The plug-in does not affect macros, headers that are included twice, pragmas and counters.
#[test]
fn the_rest_of_a_unit_is_left_alone() {
    let text = "#include <sycl/sycl.hpp>\n#include <cstdio>\n#include <regex>\n\
        #define JOIN(a, b) a##b\n#define NAME(n) JOIN(value, n)\n\
        int NAME(__COUNTER__) = __LINE__;\nstatic_assert(__COUNTER__ == 1);\n\
        #pragma pack(push, 1)\nstruct Packed { char c; int i; };\n#pragma \
        pack(pop)\nstatic_assert(sizeof(Packed) == 5);\n\
        struct Loose { char c; int i; };\nstatic_assert(sizeof(Loose) == 8);\n\
        int main() {\n  sycl::queue q;\n  int *p = sycl::malloc_shared<int>(4, q);\n\
        \x20 q.single_task([=]() [[sycl::reqd_sub_group_size(8)]] {\n#pragma unroll\n    for (int \
        i = 0; i < 4; ++i)\n      p[i] = i;\n  }).wait();\n\
        \x20 int array[2][2] = {{0, 1}, {2, 3}};\n  int index[1] = {1};\n  return p[3] - \
        array[index[0]][index[0]];\n}\n";
    let project = Project::new().file("a.cpp", text);
    project.compile_and_run(&["-MD", "-MF", "a.d", "a.cpp"]).ok();
    assert!(String::from_utf8_lossy(&project.read("a.d")).contains("sycl/sycl.hpp"));
}
