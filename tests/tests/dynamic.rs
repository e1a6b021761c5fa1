//! Tests device functions in shared libraries: kernels find them at the launch, and lose them with
//! the library.

use scythe_tests::Project;

const BASE: &str = r#"
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int base(int n) { return n + 1000; }
"#;

/// Device functions that query their position, wait for other work-items, and call other functions.
const MIDDLE: &str = r#"
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int base(int);
SYCL_EXTERNAL int placed(sycl::nd_item<1> it, int n) { return base(n) + int(it.get_global_id(0)); }
SYCL_EXTERNAL int summed(sycl::nd_item<1> it, int n) {
  return sycl::reduce_over_group(it.get_group(), n, sycl::plus<>());
}
"#;

const MAIN: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
SYCL_EXTERNAL int placed(sycl::nd_item<1>, int);
SYCL_EXTERNAL int summed(sycl::nd_item<1>, int);

constexpr int items = 64, group = 16;

static sycl::event launch(sycl::queue &q, int *out, int n) {
  return q.parallel_for<class Calls>(sycl::nd_range<1>(items, group), [=](sycl::nd_item<1> it) {
    out[it.get_global_id(0)] = summed(it, placed(it, n));
  });
}

static int failures = 0;
static void expect(bool holds, const char *what) {
  if (!holds)
    std::printf("does not hold: %s\n", what), ++failures;
}

// The launch fails at once, and says so in these words.
static void refused(sycl::queue &q, int *out, const char *word, const char *other) {
  try {
    launch(q, out, 1);
    expect(false, word);
  } catch (const sycl::exception &e) {
    const bool right = e.code() == sycl::errc::build && std::strstr(e.what(), "Calls") && std::strstr(e.what(), word) &&
                       std::strstr(e.what(), other);
    if (!right)
      std::printf("threw: %s\n", e.what());
    expect(right, word);
  }
}

static void right(const int *out, int n) {
  for (int i = 0; i < items; ++i) {
    int sum = 0;
    for (int k = i / group * group, end = k + group; k < end; ++k)
      sum += n + 1000 + k;
    if (out[i] != sum)
      return std::printf("item %d is %d, expected %d\n", i, out[i], sum), expect(false, "result");
  }
}

int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(items, q);
  for (int round = 0; round < 3; ++round) {
    refused(q, out, "placed(", "app");
    void *middle = dlopen("./libmiddle.so", RTLD_LAZY);
    refused(q, out, "base", "libmiddle.so");
    void *base = dlopen("./libbase.so", RTLD_LAZY);
    if (!middle || !base)
      return std::puts("the libraries cannot be loaded"), 1;
    launch(q, out, round).wait();
    right(out, round);
    // What is running when its functions go finishes.
    std::memset(out, 0, items * sizeof(int));
    sycl::event last = launch(q, out, 7);
    dlclose(round % 2 ? base : middle);
    last.wait();
    right(out, 7);
    refused(q, out, round % 2 ? "base" : "placed", "imports");
    dlclose(round % 2 ? middle : base);
  }
  sycl::free(out, q);
  if (!failures)
    std::puts("three rounds");
  return failures;
}
"#;

fn project() -> Project {
    Project::new().file("base.cpp", BASE).file("middle.cpp", MIDDLE).file("main.cpp", MAIN)
}

const OPEN: &str = "-fsycl-allow-device-image-dependencies";

/// Builds the two libraries and the program, which does not name them, with these options.
fn build(p: &Project, options: &[&str]) {
    for (source, output) in [("base.cpp", "libbase.so"), ("middle.cpp", "libmiddle.so")] {
        let args =
            [&["-fsycl", "-O1", "-fPIC", "-shared", OPEN, source, "-o", output], options].concat();
        p.scythe(&args).ok();
    }
    p.scythe(&[&["-fsycl", "-O1", OPEN, "main.cpp", "-o", "app"], options].concat()).ok();
}

#[test]
fn device_functions_come_and_go_with_their_libraries() {
    let p = project();
    build(&p, &[]);
    p.run("./app", &[]).ok().stdout_has("three rounds");
}

/// A program that calls a plain function of a library from all work-items, and from some of them
/// between barriers.
const PLAIN: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
SYCL_EXTERNAL int base(int);
bool asks(sycl::queue &q);
int main() {
  sycl::queue q;
  if (!asks(q))
    return 1;
  int *out = sycl::malloc_shared<int>(64, q);
  q.parallel_for<class Flat>(sycl::range<1>(64), [=](sycl::id<1> i) { out[i] = base(int(i[0])) * 2; }).wait();
  q.parallel_for<class Grouped>(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> it) {
     const int i = int(it.get_global_id(0)), value = out[i];
     sycl::group_barrier(it.get_group());
     if (i % 3)
       out[i] = base(value);
   }).wait();
  for (int i = 0; i < 64; ++i)
    if (out[i] != (i + 1000) * 2 + (i % 3 ? 1000 : 0))
      return std::printf("item %d is %d\n", i, out[i]), 1;
  std::puts("right");
}
"#;

/// A function that becomes part of its kernel, because it queries its work-item, and a kernel that
/// calls it.
const PLACE: &str = r#"
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int place(sycl::nd_item<1> it) { return int(it.get_group().get_local_id(0)) + 100 * int(it.get_group(0)); }
"#;
const ASKS: &str = r#"
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int place(sycl::nd_item<1>);
bool asks(sycl::queue &q) {
  int *out = sycl::malloc_shared<int>(8, q);
  q.parallel_for<class Asks>(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> it) { out[it.get_global_id(0)] = place(it); })
      .wait();
  return out[0] == 0 && out[3] == 3 && out[6] == 102;
}
"#;

#[test]
fn objects_compiled_ahead_of_time_are_linked_when_they_are_loaded() {
    let p = Project::new()
        .file("base.cpp", BASE)
        .file("place.cpp", PLACE)
        .file("plain.cpp", PLAIN)
        .file("asks.cpp", ASKS);
    let ahead =
        ["-fsycl", "-O1", "-fsycl-targets=spir64_x86_64", "-Xsycl-target-backend", "-march=x86-64"];
    p.scythe(
        &[&ahead[..], &["-fPIC", "-shared", "base.cpp", "place.cpp", "-o", "libbase.so"]].concat(),
    )
    .ok();
    p.scythe(&[&ahead[..], &["plain.cpp", "asks.cpp", "./libbase.so", "-o", "app"]].concat()).ok();
    let out = p.run_with("./app", &[], &[("SCYTHE_TRACE", "images")]).ok().stdout_has("right");
    // The generic code is compiled if objects cannot be linked.
    out.stderr_has("of cpu-object (spir64_x86_64:x86-64), linked with 1 other image(s)")
        .stderr_has("of llvmbc (spirv64-unknown-unknown), linked with 1 other image(s)");
}
