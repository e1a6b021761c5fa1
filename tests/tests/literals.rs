//! Tests constants of type `double`: their conversion to another type needs no device with double
//! precision, but computing with `double` does, at every optimisation level.

use scythe_tests::Project;
use std::fmt::Write as _;

/// Bodies of kernels with constants only, and the number that each stores in `f[0]` or, as a half,
/// in `h[0]`.
const FOLDED: [(&str, &str, f32); 34] = [
    ("assigned", "h[0] = 0.5;", 0.5),
    ("braces", "sycl::half x{0.25}; h[0] = x;", 0.25),
    ("parentheses", "h[0] = sycl::half(-1.5);", -1.5),
    ("copied", "sycl::half x = 2.5; h[0] = x;", 2.5),
    ("cast", "h[0] = static_cast<sycl::half>(0.125);", 0.125),
    ("added", "h[0] = sycl::half(one); h[0] += 0.5;", 1.5),
    ("multiplied", "h[0] = sycl::half(one); h[0] *= 4.0; h[0] -= 1.0; h[0] /= 2.0;", 1.5),
    ("argument", "h[0] = twice(0.75);", 1.5),
    ("returned", "h[0] = returned();", 0.375),
    ("default_argument", "h[0] = defaulted();", 0.625),
    ("less", "f[0] = sycl::half(one) < 1.5;", 1.0),
    (
        "equal",
        "f[0] = (sycl::half(one) == 1.0) + (0.5 <= sycl::half(one)) + (sycl::half(one) != 0.1) + \
         (1.1 > sycl::half(one));",
        4.0,
    ),
    ("ternary", "h[0] = one > 0 ? 0.5 : 0.25;", 0.5),
    ("ternaries", "h[0] = one > 1 ? 0.5 : one > 0 ? 4.0 : 8.0;", 4.0),
    ("float_ternary", "f[0] = one < 0 ? 0.5 : 0.25;", 0.25),
    ("constant", "constexpr double k = 0.1875; h[0] = k; f[0] = k;", 0.1875),
    ("const_variable", "const double k = 0.5 * 3; h[0] = k;", 1.5),
    ("global_constant", "h[0] = global_constant;", 1.25),
    ("static_member", "h[0] = holder<int>::value;", 2.25),
    ("constexpr_function", "h[0] = scaled(3);", 1.5),
    ("constexpr_variable_of_function", "constexpr double k = scaled(5); f[0] = k;", 2.5),
    ("float_of_function", "f[0] = scaled(4);", 2.0),
    ("template_parameter", "h[0] = of_template<3>();", 0.75),
    ("vec_of_halves", "sycl::vec<sycl::half, 4> v(0.5); h[0] = v[3];", 0.5),
    ("vec_by_elements", "sycl::vec<float, 4> v{0.5, 1.5, 2.5, one}; f[0] = v[2] + v[3];", 3.5),
    ("vec_of_half_elements", "sycl::vec<sycl::half, 2> v(0.5, one); h[0] = v[0] + v[1];", 1.5),
    ("vec_assigned", "sycl::vec<float, 4> v; v = 0.5; f[0] = v[3];", 0.5),
    ("vec_scaled", "sycl::vec<float, 4> v(one); v *= 0.5; v = v + 0.25; f[0] = v[3];", 0.75),
    ("vec_element", "sycl::vec<float, 2> v(one); v[1] = 0.5; v.x() += 1; f[0] = v[1];", 0.5),
    ("marray_all", "sycl::marray<sycl::half, 3> m(0.5); h[0] = m[2];", 0.5),
    ("marray_elements", "sycl::marray<float, 3> m{0.5, one, 2.5}; f[0] = m[0] + m[1] + m[2];", 4.0),
    ("marray_scaled", "sycl::marray<float, 3> m(one); m = m * 0.5; f[0] = m[1];", 0.5),
    (
        "selected",
        "h[0] = sycl::select(sycl::half(0.5), sycl::half(0.25), short(one > 0 ? -1 : 0));",
        0.25,
    ),
    ("bfloat16", "sycl::ext::oneapi::bfloat16 b = 0.5; b += 0.25; f[0] = b * 2.0;", 1.5),
];

/// Bodies that compute with `double`.
const USED: [(&str, &str); 9] = [
    ("product", "f[0] = one * 2.0;"),
    ("variable", "double d = 0.5; d += one; f[0] = d;"),
    ("converted", "double d = one; h[0] = d;"),
    ("sum", "h[0] = h[0] + 0.5;"),
    ("own_function", "f[0] = of_double(0.5);"),
    ("root", "f[0] = sycl::sqrt(2.0 * one);"),
    ("mixed_choice", "h[0] = one > 0 ? 0.5 : one * 2.0;"),
    ("array", "double d[2] = {0.5, 0.25}; f[0] = d[int(one)];"),
    ("loop", "f[0] = power(one > 0 ? 3 : 2);"),
];

const HEAD: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstring>
constexpr double global_constant = 1.25;
template <class T> struct holder {
  static constexpr double value = 2.25;
};
constexpr double scaled(int n) { return n * 0.5; }
template <int N> sycl::half of_template() {
  constexpr double part = 0.25;
  return N * part;
}
// Comparisons with double are exact, also next to a half.
constexpr double just_above = 0.5 + 1e-12, just_below = 0.5 - 1e-12;
constexpr sycl::half half_of_one = 0.5f;
static_assert(half_of_one < just_above && half_of_one <= just_above && half_of_one != just_above && !(half_of_one > just_above));
static_assert(half_of_one > just_below && half_of_one >= just_below && just_below < half_of_one && !(half_of_one == just_below));
static_assert(half_of_one <= 0.5 && half_of_one >= 0.5 && half_of_one == 0.5 && 0.5 == half_of_one && !(half_of_one < 0.5));
static_assert(half_of_one < 1e300 && half_of_one > -1e300 && half_of_one != __builtin_nan("") && !(half_of_one < __builtin_nan("")));
static sycl::half twice(sycl::half x) { return x + x; }
static sycl::half returned() { return 0.375; }
static sycl::half defaulted(sycl::half x = 0.625) { return x; }
static float of_double(double x) { return static_cast<float>(x); }
static double power(int n) {
  double x = 1;
  for (int i = 0; i < n; ++i)
    x *= 0.5;
  return x;
}

template <class Name, class F> static void attempt(sycl::queue &q, const char *name, float *f, sycl::half *h, F kernel) {
  f[0] = -100;
  h[0] = -100.0f;
  try {
    q.single_task<Name>(kernel).wait();
    std::printf("%s %g\n", name, f[0] != -100 ? f[0] : static_cast<float>(h[0]));
  } catch (const sycl::exception &e) {
    std::printf("%s %s\n", name, std::strstr(e.what(), "aspect::fp64") ? "refused" : e.what());
  }
}

int main() {
  sycl::queue q;
  float *f = sycl::malloc_shared<float>(4, q);
  sycl::half *h = sycl::malloc_shared<sycl::half>(4, q);
  f[1] = 1;
"#;

/// A program that compares every half with doubles on both sides of halves and floats.
const COMPARISONS: &str = r#"
#include <sycl/sycl.hpp>
#include <cmath>
#include <cstdio>
int main() {
  const float near[] = {0.0f, 0.1f, 1.0f, -2.5f, 65504.0f, 6.0e-8f, INFINITY, -INFINITY, NAN, 1e30f, 2049.0f};
  long wrong = 0;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto h = sycl::bit_cast<sycl::half>(static_cast<unsigned short>(bits));
    const double exact = static_cast<float>(h);
    for (float f : near)
      for (double d : {static_cast<double>(f), std::nextafter(f, 1e308), std::nextafter(f, -1e308), f * 1e300, 0.1 + f})
        wrong += (h < d) != (exact < d) || (h <= d) != (exact <= d) || (h > d) != (exact > d) || (h >= d) != (exact >= d) ||
                 (h == d) != (exact == d) || (h != d) != (exact != d) || (d < h) != (d < exact) || (d >= h) != (d >= exact);
  }
  std::printf("%ld wrong\n", wrong);
}
"#;

#[test]
fn comparisons_of_half_and_double_are_exact() {
    let p = Project::new().file("a.cpp", COMPARISONS);
    assert_eq!(p.compile_and_run(&["a.cpp"]).ok().stdout, "0 wrong\n");
}

fn program() -> String {
    let mut text = HEAD.to_owned();
    let bodies = FOLDED
        .iter()
        .map(|(name, body, _)| (name, body))
        .chain(USED.iter().map(|(name, body)| (name, body)));
    for (name, body) in bodies {
        let kernel = format!("[=] {{ [[maybe_unused]] const float one = f[1]; {body} }}");
        let _ = writeln!(text, "  attempt<class K_{name}>(q, \"{name}\", f, h, {kernel});");
    }
    text + "}\n"
}

fn check(p: &Project, what: &str) {
    let refused = p.run_with("./app", &[], &[("SCYTHE_SIMULATE", "intel_gpu_dg1")]).ok().stdout;
    let here = p.run("./app", &[]).ok().stdout;
    let mut expected: Vec<String> =
        FOLDED.iter().map(|(name, _, value)| format!("{name} {value}")).collect();
    let wrong = |out: &str, expected: &[String]| {
        let lines = out.lines().zip(expected).filter(|(line, expected)| line != expected);
        lines.map(|(line, expected)| format!("{line}, expected {expected}\n")).collect::<String>()
    };
    assert_eq!(wrong(&here, &expected), "", "{what}");
    expected.extend(USED.iter().map(|(name, _)| format!("{name} refused")));
    assert_eq!(wrong(&refused, &expected), "", "{what}, on dg1");
    assert_eq!(
        (refused.lines().count(), here.lines().count()),
        (expected.len(), expected.len()),
        "{what}"
    );
    assert!(!here.contains("refused"), "{what}: {here}");
}

#[test]
fn constants_that_are_converted_are_no_use_of_double() {
    let p = Project::new().file("a.cpp", &program());
    for options in [&["-O0"][..], &["-O2"], &["-O0", "-g"], &["-O3", "-ffast-math", "-std=c++20"]] {
        p.scythe(&[&["-fsycl"], options, &["a.cpp", "-o", "app"]].concat()).ok();
        check(&p, &format!("{options:?}"));
    }
}

/// ocloc would reject code with `double` for this device.
#[test]
fn no_double_is_left_in_code_for_devices_without_it() {
    let p = Project::new().file("a.cpp", &program());
    for level in ["-O0", "-O2"] {
        let out =
            p.scythe(&["-fsycl", level, "-fsycl-targets=intel_gpu_dg1", "a.cpp", "-o", "app"]).ok();
        let left_out = out.stderr.lines().filter(|line| line.contains("[-Wsycl-aot]")).count();
        assert_eq!(left_out, USED.len(), "{level}: {}", out.stderr);
    }
}
