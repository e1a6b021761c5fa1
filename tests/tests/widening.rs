//! Tests the scalar form of kernels, and the check that compares it with the widened form.

use scythe_tests::Project;

/// A program that computes sums with USM and with a buffer. With an argument, work-items race for
/// one element.
const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
int main(int argc, char **) {
  constexpr unsigned n = 100;
  try {
    sycl::queue q{[](sycl::exception_list errors) {
      for (const std::exception_ptr &error : errors) std::rethrow_exception(error);
    }};
    unsigned *usm = sycl::malloc_shared<unsigned>(n, q);
    unsigned host[n];
    for (unsigned i = 0; i < n; ++i) usm[i] = host[i] = i;
    {
      sycl::buffer<unsigned> b(host, n);
      q.submit([&](sycl::handler &h) {
        sycl::accessor a(b, h);
        h.parallel_for<class Sums>(sycl::nd_range<1>(n, 20), [=](sycl::nd_item<1> it) {
          const unsigned i = it.get_global_id(0), l = it.get_local_id(0);
          unsigned f = 0;
          for (unsigned v = usm[i];;) {
            v = v * 5 + 1;
            f += 1;
            if (v & 8) continue;
            f += 1;
            if (f > 24) break;
          }
          sycl::group_barrier(it.get_group());
          a[i] += l > 3 ? l - 3 : f;
          usm[i] += 1;
        });
      });
    }
    q.wait_and_throw();
    unsigned sum = 0;
    for (unsigned i = 0; i < n; ++i) sum = sum * 31 + host[i] + 7 * usm[i];
    std::printf("%u\n", sum);
    if (argc > 1)
      q.single_task<class Before>([=] { usm[0] = 0; }).wait_and_throw();
    if (argc > 1)
      q.parallel_for<class Race>(n, [=](sycl::id<1> i) { for (unsigned k = 0; k < i % 3 + 1; ++k) usm[0] = usm[0] + 1; }).wait_and_throw();
  } catch (const sycl::exception &e) {
    std::printf("%s: %s\n", e.code() == sycl::errc::kernel ? "kernel" : "other", e.what());
    return 3;
  }
}
"#;

#[test]
fn both_forms_compute_the_same() {
    let p = Project::new().file("a.cpp", PROGRAM);
    p.scythe(&["-fsycl", "-O2", "a.cpp", "-o", "app"]).ok();
    let want = p.run("./app", &[]).ok().stdout;
    for setting in [
        ("SCYTHE_CPU_FORM", "scalar"),
        ("SCYTHE_CPU_FORM", "widened"),
        ("SCYTHE_CHECK_WIDENING", "1"),
    ] {
        assert_eq!(p.run_with("./app", &[], &[setting]).ok().stdout, want, "{setting:?}");
    }
    let ahead =
        ["-fsycl", "-O2", "-fsycl-targets=spir64_x86_64", "-Xsycl-target-backend=spir64_x86_64"];
    for options in ["-march=x86-64", "-march=x86-64 -mscalar"] {
        p.scythe(&[&ahead[..], &[options, "a.cpp", "-o", "ahead"]].concat()).ok();
        assert_eq!(p.run("./ahead", &[]).ok().stdout, want, "{options}");
    }
    // It has no code from which another form could be compiled.
    let refused = p.run_with("./ahead", &[], &[("SCYTHE_CHECK_WIDENING", "1")]).fails();
    assert!(
        refused
            .stdout
            .contains("SCYTHE_CHECK_WIDENING needs an image that is compiled at run time"),
        "{}",
        refused.stdout
    );
}

#[test]
fn a_difference_fails_the_command() {
    let p = Project::new().file("a.cpp", PROGRAM);
    p.scythe(&["-fsycl", "-O2", "a.cpp", "-o", "app"]).ok();
    p.run("./app", &["race"]).ok();
    let found = p.run_with("./app", &["race"], &[("SCYTHE_CHECK_WIDENING", "1")]).fails().stdout;
    assert!(found.contains("kernel: ") && found.contains("Race"), "{found}");
    assert!(found.contains("at offset 0 of the allocation of 400 bytes"), "{found}");
}

#[test]
fn settings_that_make_no_sense_are_errors() {
    let p = Project::new().file("a.cpp", PROGRAM);
    p.scythe(&["-fsycl", "-O2", "a.cpp", "-o", "app"]).ok();
    for (name, value) in [("SCYTHE_CPU_FORM", "vector"), ("SCYTHE_CHECK_WIDENING", "on")] {
        let out = p.run_with("./app", &[], &[(name, value)]).fails().stdout;
        assert!(out.contains(&format!("{name} is '{value}', expected")), "{out}");
    }
}

/// A kernel with an endless loop cannot be widened. Without widening, its sub-groups would have one
/// work-item.
#[test]
fn sub_groups_of_another_size_than_required_are_an_error() {
    const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(64, q);
  for (int i = 0; i < 64; ++i) p[i] = 0;
  try {
    q.parallel_for(sycl::nd_range<1>(64, 32), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(8)]] {
      volatile int *v = p;
      if (v[it.get_global_id(0)] == 77)
        for (;;) v[0] = v[0] + 1;
      p[it.get_global_id(0)] = static_cast<int>(it.get_sub_group().get_local_range()[0]);
    }).wait();
  } catch (const sycl::exception &e) {
    std::printf("%s\n", e.what());
    return 3;
  }
  std::printf("%d\n", p[0]);
}
"#;
    let p = Project::new().file("size.cpp", PROGRAM);
    p.scythe(&["-fsycl", "-O2", "size.cpp", "-o", "size"]).ok();
    p.run("./size", &[])
        .fails()
        .stdout_has("requires sub-groups of 8 work-items, but cannot be vectorised");
    p.scythe(&["-fsycl", "-O2", "-fsycl-targets=spir64_x86_64", "size.cpp", "-o", "ahead"])
        .fails()
        .stderr_has("requires sub-groups of 8 work-items, but cannot be vectorised");
}
