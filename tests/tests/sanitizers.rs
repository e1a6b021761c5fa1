//! Tests the checks of kernels: `-fsycl-check-accessors`, `-fsanitize=` and `SCYTHE_CHECK`. Each
//! fault is found at its line, and the same program without the fault is silent.

use scythe_tests::{Outcome, Project};

/// Returns the number of the line that ends with the comment `// NAME`.
#[track_caller]
fn line_of(program: &str, name: &str) -> usize {
    let mark = format!("// {name}");
    1 + program.lines().position(|line| line.ends_with(&mark)).expect("the program has the mark")
}

/// Runs `./app WAY bad`, whose fault must be reported at the line with the mark `WAY`, and then
/// `./app WAY`, which must be silent.
#[track_caller]
fn found(p: &Project, program: &str, way: &str, texts: &[&str], env: &[(&str, &str)]) {
    let bad = p.run_with("./app", &[way, "bad"], env);
    assert_ne!(bad.status, Some(0), "{way}:\n{}", bad.stderr);
    let place = format!("a.cpp:{}", line_of(program, way));
    for text in [&[place.as_str()], texts].concat() {
        assert!(bad.stderr.contains(text), "{way}: no {text:?} in\n{}", bad.stderr);
    }
    silent(p.run_with("./app", &[way], env));
}

#[track_caller]
fn silent(out: Outcome) {
    let out = out.ok();
    assert_eq!(out.stderr, "", "{}", out.command);
}

const ACCESSORS: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
#include <string>
template <class A> void set(const A &a, std::size_t i) {
  a[i] = 1; // template
}
int main(int argc, char **argv) {
  const std::string way = argv[1];
  const std::size_t n = argc > 2;
  sycl::queue q;
  sycl::buffer<int> b(8);
  sycl::buffer<int, 2> b2(sycl::range<2>(4, 6));
  sycl::buffer<int, 3> b3(sycl::range<3>(2, 3, 4));
  q.submit([&](sycl::handler &h) {
    if (way == "one") {
      sycl::accessor a(b, h, sycl::no_init);
      h.parallel_for(8, [=](sycl::id<1> i) {
        a[i + n] = 1; // one
      });
    } else if (way == "template") {
      sycl::accessor a(b, h, sycl::no_init);
      h.parallel_for(8, [=](sycl::id<1> i) { set(a, i + n); });
    } else if (way == "two") {
      sycl::accessor a(b2, h, sycl::no_init);
      h.parallel_for(sycl::range<2>(4, 6), [=](sycl::id<2> i) {
        a[i[0]][i[1] + n] = 1; // two
      });
    } else if (way == "three") {
      sycl::accessor a(b3, h, sycl::no_init);
      h.parallel_for(sycl::range<3>(2, 3, 4), [=](sycl::id<3> i) {
        a[sycl::id<3>(i[0], i[1] + n, i[2])] = 1; // three
      });
    } else if (way == "ranged") {
      sycl::accessor a(b, h, sycl::range<1>(4), sycl::id<1>(2));
      h.single_task([=] {
        a[3 + n] = 1; // ranged
      });
    } else if (way == "local") {
      sycl::local_accessor<int, 2> l(sycl::range<2>(2, 4), h);
      h.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> it) {
        l[1][it.get_local_id(0) + n] = 1; // local
      });
    } else if (way == "placeholder") {
      sycl::accessor<int, 1, sycl::access_mode::write, sycl::target::device> a(b);
      h.require(a);
      h.parallel_for(8, [=](sycl::item<1> i) {
        a[i.get_id(0) - n] = 1; // placeholder
      });
    }
  }).wait();
  if (way == "host") {
    sycl::host_accessor a(b2);
    try {
      a[3][5 + n] = 1;
    } catch (const sycl::exception &e) {
      std::fprintf(stderr, "%s\n", e.what());
      return e.code() == sycl::errc::accessor ? 3 : 4;
    }
  }
}
"#;

#[test]
fn accessors_are_checked_at_their_bounds() {
    let p = Project::new().file("a.cpp", ACCESSORS);
    p.scythe(&["-fsycl", "-O1", "-fsycl-check-accessors", "a.cpp", "-o", "app"]).ok();
    let index = |way: &str, item: &str, index: &str, range: &str| {
        let condition = format!("`accessor index {index} is within range {range}` failed.");
        found(&p, ACCESSORS, way, &[item, &condition], &[]);
    };
    index("one", "global id: [7,0,0]", "{8}", "{8}");
    index("template", "set", "{8}", "{8}");
    index("two", "global id: [5,0,0]", "{0, 6}", "{4, 6}");
    index("three", "global id: [0,2,0]", "{0, 3, 0}", "{2, 3, 4}");
    index("ranged", "global id: [0,0,0]", "{4}", "{4}");
    index("local", "local id: [3,0,0]", "{1, 4}", "{2, 4}");
    index("placeholder", "global id: [0,0,0]", "{18446744073709551615}", "{8}");
    let host = p.run("./app", &["host", "bad"]);
    assert_eq!(host.status, Some(3), "{}", host.stderr);
    host.stderr_has("accessor: index {3, 6} is not within range {4, 6}");
    silent(p.run("./app", &["host"]));
    // Without optimisation, and ahead of time.
    for options in [["-O0", "-fsycl-targets=spir64"], ["-O2", "-fsycl-targets=spir64_x86_64"]] {
        p.scythe(
            &[&["-fsycl", "-fsycl-check-accessors", "a.cpp", "-o", "app"], &options[..]].concat(),
        )
        .ok();
        found(&p, ACCESSORS, "two", &["index {0, 6}"], &[]);
    }
}

const MEMORY: &str = r#"
#include <sycl/sycl.hpp>
#include <string>
int main(int argc, char **argv) {
  const std::string way = argv[1];
  const int n = argc > 2;
  sycl::queue q;
  int *usm = sycl::malloc_shared<int>(10, q);
  sycl::buffer<int> b(10);
  if (way == "usm") {
    q.parallel_for<class Usm>(10, [=](sycl::id<1> i) {
      usm[i + n] = 1; // usm
    }).wait();
  } else if (way == "buffer") {
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h, sycl::no_init);
      h.parallel_for<class Buffer>(sycl::nd_range<1>(10, 5), [=](sycl::nd_item<1> it) {
        a[it.get_global_id(0) + n] = 1; // buffer
      });
    }).wait();
  } else if (way == "local") {
    q.submit([&](sycl::handler &h) {
      sycl::local_accessor<short> first(5, h), second(5, h);
      h.parallel_for<class Local>(sycl::nd_range<1>(10, 5), [=](sycl::nd_item<1> it) {
        const int i = it.get_local_id(0);
        first[i + n] = i; // local
        second[i] = i;
        sycl::group_barrier(it.get_group());
        usm[it.get_global_id(0)] = first[i] + second[4 - i];
      });
    }).wait();
  } else if (way == "variable") {
    q.parallel_for<class Variable>(sycl::nd_range<1>(10, 5), [=](sycl::nd_item<1> it) {
      auto &values = *sycl::ext::oneapi::group_local_memory_for_overwrite<int[5]>(it.get_group());
      const int i = it.get_local_id(0);
      values[i + n] = i; // variable
      sycl::group_barrier(it.get_group());
      usm[it.get_global_id(0)] = values[4 - i];
    }).wait();
  } else if (way == "private") {
    q.parallel_for<class Private>(10, [=](sycl::id<1> i) {
      int values[10];
      for (int k = 0; k < 10; ++k)
        values[(k * 7 + usm[i] * 0) % 10] = k;
      usm[i] = values[i + n]; // private
    }).wait();
  } else if (way == "kept") {
    q.parallel_for<class Kept>(sycl::nd_range<1>(10, 5), [=](sycl::nd_item<1> it) {
      int values[5];
      for (int k = 0; k < 5; ++k)
        values[(k + it.get_local_id(0)) % 5] = k;
      sycl::group_barrier(it.get_group());
      usm[it.get_global_id(0)] = values[it.get_local_id(0) + n]; // kept
    }).wait();
  } else if (way == "freed") {
    int *other = sycl::malloc_device<int>(10, q);
    if (n)
      sycl::free(other, q);
    q.single_task<class Freed>([=] {
      other[3] = 1; // freed
    }).wait();
    if (!n)
      sycl::free(other, q);
  } else if (way == "copy") {
    struct Many { int values[4]; };
    q.single_task<class Copy>([=] {
      Many many = {{1, 2, 3, usm[0]}};
      *reinterpret_cast<Many *>(usm + 6 + n) = many; // copy
    }).wait();
  }
  sycl::free(usm, q);
}
"#;

#[test]
fn address_finds_accesses_outside_of_memory() {
    let p = Project::new().file("a.cpp", MEMORY);
    p.scythe(&["-fsycl", "-O1", "-fsanitize=address", "a.cpp", "-o", "app"]).ok();
    let find = |way: &str, texts: &[&str]| found(&p, MEMORY, way, texts, &[]);
    let overflow = "AddressSanitizer: heap-buffer-overflow";
    find("usm", &["kernel 'main::Usm'", "write of 4 bytes", "[9,0,0]", "global memory", overflow]);
    find("buffer", &["global id: [9,0,0], local id: [4,0,0]", overflow]);
    find("local", &["write of 2 bytes", "outside of valid local memory", "local id: [4,0,0]"]);
    find("variable", &["outside of valid local memory", "local id: [4,0,0]"]);
    find("private", &["read of 4 bytes", "outside of valid private memory", "[9,0,0]"]);
    find("kept", &["read of 4 bytes", "local id: [4,0,0]"]);
    find("freed", &["AddressSanitizer: heap-use-after-free", "freed by thread"]);
    find("copy", &["main::Copy", overflow]);
}

const UNDEFINED: &str = r#"
#include <sycl/sycl.hpp>
#include <climits>
#include <string>
int main(int argc, char **argv) {
  const std::string way = argv[1];
  const int n = argc > 2;
  sycl::queue q;
  int *usm = sycl::malloc_shared<int>(10, q);
  for (int i = 0; i < 10; ++i)
    usm[i] = i;
  if (way == "overflow") {
    q.parallel_for<class Overflow>(10, [=](sycl::id<1> i) {
      usm[i] = INT_MAX - 10 + n + usm[i] + 1; // overflow
    }).wait();
  } else if (way == "shift") {
    q.parallel_for<class Shift>(sycl::nd_range<1>(10, 5), [=](sycl::nd_item<1> it) {
      usm[it.get_global_id(0)] = 1u << (22 + n + usm[it.get_global_id(0)]); // shift
    }).wait();
  } else if (way == "index") {
    q.parallel_for<class Index>(10, [=](sycl::id<1> i) {
      int values[10] = {};
      usm[i] = values[usm[i] + n]; // index
    }).wait();
  } else if (way == "division") {
    q.single_task<class Division>([=] {
      usm[1] = 7 % (1 - n); // division
    }).wait();
  }
  sycl::free(usm, q);
}
"#;

#[test]
fn undefined_finds_undefined_operations() {
    let p = Project::new().file("a.cpp", UNDEFINED);
    // The first report ends the program.
    let options = ["-fsanitize=undefined", "-fno-sanitize-recover=all"];
    p.scythe(&[&["-fsycl", "-O1", "a.cpp", "-o", "app"], &options[..]].concat()).ok();
    let find = |way: &str, texts: &[&str]| found(&p, UNDEFINED, way, texts, &[]);
    let error = "runtime error:";
    find("overflow", &[error, "signed integer overflow", "kernel 'main::Overflow'", "[9,0,0]"]);
    find("shift", &[error, "shift exponent 32", "global id: [9,0,0], local id: [4,0,0]"]);
    find("index", &[error, "index 10 out of bounds", "[9,0,0]"]);
    // The program continues.
    p.scythe(&["-fsycl", "-fsanitize=undefined", "a.cpp", "-o", "app"]).ok();
    p.run("./app", &["overflow", "bad"]).ok().stderr_has("signed integer overflow");
}

const GROUPS: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>
#include <string>
int main(int argc, char **argv) {
  const std::string way = argv[1];
  const int n = argc > 2;
  sycl::queue q{[](sycl::exception_list errors) {
    for (const std::exception_ptr &error : errors) std::rethrow_exception(error);
  }};
  int *usm = sycl::malloc_shared<int>(64, q);
  try {
    if (way == "local") {
      q.submit([&](sycl::handler &h) {
        sycl::local_accessor<int> l(16, h);
        h.parallel_for<class Local>(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> it) {
          const int i = it.get_local_id(0);
          l[i] = i;
          if (!n)
            sycl::group_barrier(it.get_group());
          usm[it.get_global_id(0)] = l[15 - i]; // local
        });
      });
    } else if (way == "global") {
      q.parallel_for<class Global>(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> it) {
        const int i = it.get_global_id(0);
        usm[n ? i / 2 : i] = i; // global
      });
    } else if (way == "range") {
      q.parallel_for<class Range>(64, [=](sycl::id<1> i) {
        usm[i] = n ? usm[63 - i] : 1; // range
      });
    } else if (way == "atomic") {
      q.parallel_for<class Atomic>(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> it) {
        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> sum(usm[0]);
        sum += 1;
        if (n && it.get_local_id(0) == 9)
          usm[1] = usm[0]; // atomic
      });
    } else if (way == "reduction") {
      q.parallel_for<class Reduction>(sycl::nd_range<1>(64, 16),
                                      sycl::reduction(usm, sycl::plus<int>()),
                                      [=](sycl::nd_item<1> it, auto &sum) {
        sum += sycl::reduce_over_group(it.get_group(), 1, sycl::plus<int>());
      });
    } else if (way == "branch") {
      q.parallel_for<class Branch>(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> it) {
        if (usm[0] * 0 + int(it.get_local_id(0)) < (n ? 3 : 16))
          sycl::group_barrier(it.get_group()); // branch
        usm[it.get_global_id(0)] = 1;
      });
    } else if (way == "different") {
      q.parallel_for<class Different>(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> it) {
        if (usm[it.get_global_id(0)] * 0 + int(it.get_local_id(0)) >= (n ? 8 : 0))
          sycl::group_barrier(it.get_group()); // different
        else
          sycl::group_barrier(it.get_group());
      });
    }
    q.wait_and_throw();
  } catch (const sycl::exception &e) {
    std::fprintf(stderr, "caught: %s\n", e.what());
    return e.code() == sycl::errc::kernel ? 3 : 4;
  }
  sycl::free(usm, q);
}
"#;

#[test]
fn races_and_divergent_barriers_are_found() {
    let p = Project::new().file("a.cpp", GROUPS);
    p.scythe(&["-fsycl", "-O1", "-g", "a.cpp", "-o", "app"]).ok();
    let races = [("SCYTHE_CHECK", "races")];
    let find = |way: &str, texts: &[&str]| found(&p, GROUPS, way, texts, &races);
    let caught = "caught: a.cpp:";
    let race = "data race on 4 bytes of";
    find("local", &[race, "local memory", "::Local'", "read by the work-item with", caught]);
    find("global", &[race, "global memory", "write by", "[1,0,0]", "[0,0,0]", caught]);
    find("range", &[race, "read by the work-item with global id: [32,0,0]", caught]);
    find("atomic", &["atomic write by", "read by the work-item with", "local id: [9,0,0]"]);
    silent(p.run_with("./app", &["reduction"], &races));
    // A race alone does not matter to the check of barriers.
    let barriers = [("SCYTHE_CHECK", "barriers")];
    p.run_with("./app", &["global", "bad"], &barriers).ok();
    let find = |way: &str, texts: &[&str]| found(&p, GROUPS, way, texts, &barriers);
    let text = "work-items of one work-group reached different barriers";
    find("branch", &[text, "main::Branch", "local id: [3,0,0] reached the end", caught]);
    find("different", &[text, "local id: [8,0,0] reached the barrier at a.cpp:", caught]);
    silent(p.run_with("./app", &["reduction"], &[("SCYTHE_CHECK", "all")]));
    let wrong = p.run_with("./app", &["local"], &[("SCYTHE_CHECK", "race")]);
    assert_ne!(wrong.status, Some(0), "{}", wrong.stderr);
    wrong.stderr_has("SCYTHE_CHECK is 'race', expected");
}

/// A host task and the main thread change a variable in turns.
const HOST: &str = r#"
#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  int sum = 0;
  for (int k = 0; k < 10; ++k) {
    q.submit([&](sycl::handler &h) { h.host_task([&] { ++sum; }); });
    q.wait();
    ++sum;
  }
  return sum == 20 ? 0 : 1;
}
"#;

#[test]
fn thread_finds_races_in_kernels() {
    let p = Project::new().file("a.cpp", GROUPS).file("host.cpp", HOST);
    p.scythe(&["-fsycl", "-O1", "-fsanitize=thread", "a.cpp", "-o", "app"]).ok();
    let env = [("TSAN_OPTIONS", "ignore_noninstrumented_modules=1")];
    found(&p, GROUPS, "local", &["data race on 4 bytes of local memory"], &env);
    found(&p, GROUPS, "branch", &["different barriers"], &env);
    p.scythe(&["-fsycl", "-O1", "-fsanitize=thread", "host.cpp", "-o", "host"]).ok();
    silent(p.run_with("./host", &[], &env));
}

#[test]
fn sanitizers_that_do_not_reach_a_target_are_told() {
    let p = Project::new().file("a.cpp", "int main() {}\n");
    let gpu = ["-fsycl", "-###", "-fsycl-targets=nvptx64-nvidia-cuda", "-c", "a.cpp"];
    let of = |options: &[&str]| p.scythe(&[&gpu[..], options].concat());
    let text = "-fsanitize=address does not check kernels for 'nvptx64-nvidia-cuda', only kernels \
                on the CPU device [-Wsycl-sanitize]";
    of(&["-fsanitize=address"]).ok().stderr_has(text);
    let silenced = of(&["-fsanitize=address", "-Wno-sycl-sanitize"]).ok();
    assert!(!silenced.stderr.contains("warning:"), "{}", silenced.stderr);
    of(&["-fsanitize=address", "-Werror=sycl-sanitize"]).fails().stderr_has("error:");
    let undefined = of(&["-fsanitize=undefined"]).ok();
    assert!(!undefined.stderr.contains("warning:"), "{}", undefined.stderr);
}
