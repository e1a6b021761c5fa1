//! Tests the integration header: it is complete by itself, for compilers that scythe does not
//! start, and strict about functors.

use scythe_tests::{Project, prefix};

/// Compiles `source` for devices with scythe, and for the host with `compiler` without scythe, as a
/// user would by hand.
#[track_caller]
fn by_hand(project: &Project, compiler: &str, standard: &str, source: &str) {
    let prefix = prefix();
    let (include, lib) = (prefix.join("include"), prefix.join("lib"));
    let (include, lib) = (include.to_str().unwrap(), lib.to_str().unwrap());
    let scythe = [
        "-fsycl",
        standard,
        "-fsycl-device-only",
        "-fsycl-int-header=odd dir/k.h",
        "-c",
        source,
        "-o",
        "a.bc",
    ];
    project.scythe(&scythe).ok();
    project
        .run(
            prefix.join("bin/scythe-tools"),
            &["device-link", "-o", "w.o", "--target=spir64", "a.bc"],
        )
        .ok();
    let host = [
        standard,
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-isystem",
        include,
        "-include",
        "odd dir/k.h",
    ];
    let host: Vec<&str> = host.into_iter().chain(["-c", source, "-o", "a.o"]).collect();
    project.run(compiler, &host).ok();
    let rpath = format!("-Wl,-rpath,{lib}");
    project.run(compiler, &["a.o", "w.o", "-L", lib, "-lscythe", &rpath, "-o", "app"]).ok();
    project.run("./app", &[]).ok();
}

const NAMES: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdint>
namespace app {
template <auto N> class Tagged;
enum class Colour : unsigned char { red, blue = 200 };
template <Colour C, bool B, char Ch, std::int64_t I, std::uint64_t U, short S> struct All;
struct Pair { int first; float second; };
struct Functor {
  int *p;
  Pair pair;
  unsigned char small;
  int array[3];
  void operator()() const { *p = pair.first + small + array[2]; }
};
} // namespace app
namespace { struct Hidden; }
template <class T> int in_template(sycl::queue &q, int *p, T t) {
  q.submit([&](sycl::handler &h) { h.single_task<class InTemplate>([=] { *p = int(t) + 1; }); }).wait();
  return *p;
}
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  auto check = [&](int value, int code) { if (*p != value) std::exit(code); };
  q.single_task<app::Tagged<18446744073709551615ULL>>([=] { *p = 1; }).wait();
  check(1, 1);
  q.single_task<app::Tagged<INT64_MIN>>([=] { *p = 2; }).wait();
  check(2, 2);
  q.single_task<app::Tagged<short(-3)>>([=] { *p = 3; }).wait();
  check(3, 3);
  q.single_task<app::All<app::Colour::blue, true, '\'', INT64_MIN + 1, UINT64_MAX, -7>>([=] { *p = 4; }).wait();
  check(4, 4);
  q.single_task<Hidden>([=] { *p = 5; }).wait();
  check(5, 5);
  q.single_task(app::Functor{p, {6, 1.f}, 10, {0, 0, 100}}).wait();
  check(116, 6);
  // A name that is declared inside of a lambda.
  auto submit = [&](int value) {
    q.submit([&](sycl::handler &h) { h.single_task<class Nested>([=] { *p = value; }); }).wait();
  };
  submit(7);
  check(7, 7);
  q.submit([&](sycl::handler &h) { h.single_task([=] { *p = 8; }); }).wait();
  check(8, 8);
  if (in_template(q, p, 3) != 4 || in_template(q, p, 'a') != 98) return 9;
#ifndef __SYCL_ANY_DEVICE_HAS_ANY_ASPECT__
  return 10;
#endif
  return 0;
}
"#;

#[test]
fn a_header_included_by_hand_is_enough_for_gcc() {
    let project = Project::new().file("odd dir/x \"y\".cpp", NAMES);
    by_hand(&project, "g++", "-std=c++17", "odd dir/x \"y\".cpp");
    by_hand(&project, "g++", "-std=c++20", "odd dir/x \"y\".cpp");
}

#[test]
fn a_header_included_by_hand_is_enough_for_clang() {
    let project = Project::new().file("odd dir/a.b.cpp", NAMES);
    by_hand(&project, "clang++-22", "-std=c++17", "odd dir/a.b.cpp");
    by_hand(&project, "clang++-22", "-std=c++20", "./odd dir/a.b.cpp");
}

#[test]
fn names_inside_of_lambdas_work_with_a_clang_that_is_not_ours() {
    let project =
        Project::new().file("a.cpp", NAMES).file("wrapper", "#!/bin/sh\nexec clang++-22 \"$@\"\n");
    project.run("chmod", &["+x", "wrapper"]).ok();
    let compiler = format!("-fsycl-host-compiler={}", project.path().join("wrapper").display());
    project.compile_and_run(&[&compiler, "a.cpp"]).ok();
}

/// Checks that the host compiler rejects the source, after the device pass has made the header.
#[track_caller]
fn refused(compiler: &str, source: &str, words: &[&str]) {
    let project = Project::new().file("a.cpp", &format!("#include <sycl/sycl.hpp>\n{source}"));
    let compiler = format!("-fsycl-host-compiler={compiler}");
    let mut out = project.scythe(&["-fsycl", "-c", &compiler, "a.cpp", "-o", "a.o"]).fails();
    for word in words {
        out = out.stderr_has(word);
    }
    assert!(!project.exists("a.o"));
}

#[test]
fn a_functor_that_the_host_compiler_lays_out_differently_is_refused() {
    let functor = |members: &str| {
        format!(
            "struct F {{ int *p; {members}\n  void operator()() const {{ *p = 1; }} }};\n\
             int main() {{ sycl::queue q; q.single_task<class K>(F{{}}); }}\n"
        )
    };
    let only_device = |member: &str| format!("\n#ifdef __SYCL_DEVICE_ONLY__\n{member}\n#endif\n");
    for compiler in ["g++", "clang++-22"] {
        refused(
            compiler,
            &functor(&only_device("long x;")),
            &["the functor 'F' has 16 bytes in the device pass", "8"],
        );
        let order = "\n#ifdef __SYCL_DEVICE_ONLY__\nint a, b;\n#else\nint b, a;\n#endif\n";
        refused(
            compiler,
            &functor(order),
            &["kernel 'K'", "the functor 'F' has 'a' at offset 8 in the device pass", "12"],
        );
        let kind = "\n#ifdef __SYCL_DEVICE_ONLY__\nfloat a;\n#else\nint a;\n#endif\n";
        refused(
            compiler,
            &functor(kind),
            &["the functor 'F' has 'a' of type 'float' in the device pass"],
        );
        let inner = "\nstruct { int x;\n#ifndef __SYCL_DEVICE_ONLY__\nint hole;\n#endif\nint y; } \
            s; int end[2];\n";
        refused(compiler, &functor(inner), &["has 's' of 8 bytes in the device pass"]);
    }
}

#[test]
fn a_lambda_that_the_host_compiler_captures_differently_is_refused() {
    let source = "class K;\nint main() {\n  sycl::queue q; int *p = nullptr; int a = 1;\n  long b \
        = 2;\n  (void)a;\n  (void)b;\n\
                  #ifdef __SYCL_DEVICE_ONLY__\n  q.single_task<K>([=] { *p = a; });\n#else\n\
                  \x20 q.single_task<K>([=] { *p = a + b; });\n#endif\n}\n";
    for compiler in ["g++", "clang++-22"] {
        refused(
            compiler,
            source,
            &["compute different sizes for the kernel functor K", "24", "16"],
        );
    }
}

#[test]
fn lambdas_whose_captures_gcc_may_order_differently_are_refused() {
    let template = |body: &str| {
        format!(
            "template <class T> void f(sycl::queue &q, int *p, T c) {{\n  int a = 1, b = 2;\n  \
             (void)a, (void)b, (void)c;\n\
             {body}\n}}\nvoid g(sycl::queue &q, int *p) {{ f(q, p, 3); }}\n"
        )
    };
    let pack = "template <class... T> void f(sycl::queue &q, int *p, T... xs) {\n  int b = 2;\n\
                \x20 q.single_task<class K>([=] { *p = (xs + ... + b); });\n}\n\
                void g(sycl::queue &q, int *p) { f(q, p, 1, 2); }\n";
    refused(
        "g++",
        pack,
        &["a.cpp:4:", "kernel 'K'", "the elements of 'xs' are a pack", "[p, b, xs...]"],
    );
    let discarded =
        "  q.single_task<class K>([=] { if constexpr (sizeof(T) == 8) *p = a; else *p = b; });";
    refused(
        "g++",
        &template(discarded),
        &["a.cpp:5:", "a statement that is discarded mentions 'a'", "[p, b]"],
    );
    let same = "template <class T> const T &same(const T &x) { return x; }\n";
    let constant = "  const int n = 3;\n  q.single_task<class K>([=] { *p = same(n) + a; });";
    refused(
        "g++",
        &(same.to_owned() + &template(constant)),
        &["a.cpp:7:", "is not captured in the order of the text"],
    );
    let generic = "  constexpr int n = 3;\n  q.parallel_for<class K>(sycl::range<1>(1), [=](auto) \
        { *p = n; });";
    refused("g++", &template(generic), &["'n' is a constant"]);
    let nested = "  q.parallel_for<class K>(sycl::range<1>(1), [=](auto i) { *p = two(p[i] + a, \
        [=] { return b + c; }()); });";
    let nested = format!("inline int two(int x, int y) {{ return x + y; }}\n{}", template(nested));
    refused("g++", &nested, &["is not captured in the order of the text"]);
}

#[test]
fn lambdas_that_every_compiler_orders_alike_run() {
    let source = r#"
#include <sycl/sycl.hpp>
template <class T, class... Xs> int f(sycl::queue &q, int *p, T c, Xs... xs) {
  int a = 1, b = 20;
  constexpr int n = 300;
  const int k = 4000;
  T d = c;
  q.single_task<class K1>([=] { *p = d - b + n + k - int(c) - a; }).wait();
  if (*p != 4279) return 1;
  q.single_task<class K2>([p, b, a, xs...] { *p = a - b - (xs - ... - 0); }).wait();
  if (*p != -24) return 2;
  q.single_task<class K3>([=, n = n] { const int &r = n; if constexpr (sizeof(T) == 4) *p = r - b - a; else *p = a; }).wait();
  if (*p != 279) return 3;
  q.parallel_for<class K4>(sycl::range<1>(1), [=](auto i) { *p = b - a - int(i[0]); }).wait();
  return *p == 19 ? 0 : 4;
}
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  return f(q, p, 50, 7, 2);
}
"#;
    let project = Project::new().file("a.cpp", source);
    for host in
        ["-fsycl-host-compiler=", "-fsycl-host-compiler=g++", "-fsycl-host-compiler=clang++-22"]
    {
        project.compile_and_run(&[host, "a.cpp"]).ok();
    }
}

/// Returns a program with `launch`, in which passes may differ by `__SYCL_DEVICE_ONLY__`.
fn differing(before: &str, launch: &str) -> String {
    format!(
        "#include <sycl/sycl.hpp>\n#ifdef __SYCL_DEVICE_ONLY__\n#define DEVICE(x, y) x\n#else\n\
         #define DEVICE(x, y) y\n#endif\n{before}\n#include <cstdio>\nint main() try {{\n  \
         sycl::queue q;\n  \
         int *p = sycl::malloc_shared<int>(2, q);\n  int a = 1, b = 2;\n  (void)a, \
         (void)b;\n{launch}\n\
         }} catch (const sycl::exception &e) {{\n  std::fputs(e.what(), stderr);\n  return 1;\n}}\n"
    )
}

#[test]
fn captures_of_one_size_that_gcc_lays_out_differently_are_refused() {
    let class = "struct C { int x; DEVICE(short y; short z, short z; short y); };";
    let arrays = "struct C { char n; DEVICE(short y; short z, short z; short y); }; struct D { C \
        c[2][3]; };";
    let cases = [
        ("", "[=] { DEVICE(*p = a - b, *p = b - a); }", "__a", "is at offset"),
        (
            "",
            "[p, DEVICE(v = 1, v = 1.0f)] { *p = v; }",
            "__v",
            "is at offset 8 and has 4 bytes and another type",
        ),
        (
            "",
            "[p, DEVICE(v = 1, w = 1)] { *p = DEVICE(v, w); }",
            "__v",
            "does not exist for the host compiler",
        ),
        (class, "[p, c = C{}] { *p = c.y; }", "__c.y", "is at offset"),
        (arrays, "[p, c = D{}] { *p = c.c[1][1].y; }", "__c.c[0][0].y", "is at offset"),
        (class, "[p, f = [c = C{}] { return c.y; }] { *p = f(); }", "__f.__c.y", "is at offset"),
    ];
    for (before, lambda, member, difference) in cases {
        let unnamed = differing(before, &format!("  q.single_task({lambda}).wait();"));
        Project::new()
            .file("a.cpp", &unnamed)
            .compile_and_run(&["-fsycl-host-compiler=g++", "a.cpp"])
            .fails()
            .stderr_has(&format!("'{member}' of the kernel's functor {difference}"));
        let named = differing(
            &format!("class K;\n{before}"),
            &format!("  q.single_task<K>({lambda}).wait();"),
        );
        let project = Project::new().file("a.cpp", &named);
        project
            .scythe(&["-fsycl", "-c", "-fsycl-host-compiler=g++", "a.cpp"])
            .fails()
            .stderr_has(member);
    }
}

#[test]
fn inherited_members_and_local_classes_are_compared() {
    let base = "struct B { int *p; DEVICE(int x; int y, int y; int x); };\n\
                struct F : B { void operator()() const { *p = x; } };";
    let local = "  struct F { int *p; DEVICE(int x; int y, int y; int x); void operator()() const \
        { *p = x; } };\n  \
                 q.single_task(F{p, 1, 2}).wait();";
    for compiler in ["-fsycl-host-compiler=g++", "-fsycl-host-compiler=clang++-22"] {
        let project = Project::new()
            .file("a.cpp", &differing(base, "  q.single_task(F{{p, 1, 2}});"))
            .file("b.cpp", &differing("", local));
        project
            .scythe(&["-fsycl", "-c", compiler, "a.cpp"])
            .fails()
            .stderr_has("the functor 'F' has 'x' at offset 8");
        project
            .compile_and_run(&[compiler, "b.cpp"])
            .fails()
            .stderr_has("'x' of the kernel's functor is at offset 12");
    }
}

#[test]
fn captures_of_any_name_run() {
    let source = r#"
#include <sycl/sycl.hpp>
#include <tuple>
template <class... T> int packs(sycl::queue &q, int *p, T... xs) {
  q.single_task([p, c = 1, xs...] { *p = (c + ... + xs); }).wait();
  int sum = *p;
  q.single_task([p, xs...] { *p = (0 + ... + xs); }).wait();
  return sum - *p;
}
struct Base { int *p; int x = 4; };
struct Other { int y = 5; };
struct Hides : Base, Other { int x = 6; void operator()() const { *p = x + Base::x + y; } };
struct Member {
  int k = 7;
  int run(sycl::queue &q, int *p) {
    q.single_task([p, *this] { *p = k; }).wait();
    return *p;
  }
};
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  if (packs(q, p, 1) != 1) return 1;
  int null = 1, int128 = 2, is_class = 3, typeof_ = 4, thread = 5, real = 6, unused__ = 7, bases = 8, this_ = 9;
  q.single_task([=] { *p = null + int128 + is_class + typeof_ + thread + real + unused__ + bases + this_; }).wait();
  if (*p != 45) return 2;
  q.single_task(Hides{{p}, {}}).wait();
  if (*p != 15) return 3;
  if (Member{}.run(q, p) != 7) return 4;
  auto inner = [p, null](auto x) { *p = null + x; };
  auto outer = [=](auto x) { inner(x); };
  q.single_task([=] { outer(4); }).wait();
  if (*p != 5) return 5;
  auto [first, second] = std::tuple<int, char>(6, 7);
  q.single_task([p, second = second, first = first] { *p = first - second; }).wait();
  return *p == -1 ? 0 : 6;
}
"#;
    let project = Project::new().file("a.cpp", source);
    for host in ["-fsycl-host-compiler=g++", "-fsycl-host-compiler=clang++-22"] {
        project.compile_and_run(&[host, "a.cpp"]).ok();
        project.compile_and_run(&["-ffile-prefix-map=a.=zz/b.", host, "a.cpp"]).ok();
    }
}
