//! Tests debuggers on kernels of the CPU device: breakpoints by line and name, variables, the
//! position of the work-item, backtraces, and reports about faults, for code that is compiled at
//! run time and ahead of time.

use scythe_tests::{Outcome, Project};

const PROGRAM: &str = r#"#include <sycl/sycl.hpp>

static int square(int x) {
  int result = x * x;
  return result;
}

int main() {
  sycl::queue q;
  int *data = sycl::malloc_shared<int>(16, q);
  int factor = 3;
  q.parallel_for<class vector_add>(sycl::range<1>(16), [=](sycl::id<1> i) {
    int value = square(i[0]);
    int scaled = value * factor;
    data[i] = scaled;
  });
  q.wait();
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += data[i];
  sycl::free(data, q);
  return sum == 3 * 1240 ? 0 : 1;
}
"#;

/// The options for code that is compiled at run time, and ahead of time.
const FORMS: [&[&str]; 2] = [&[], &["-fsycl-targets=spir64_x86_64"]];

/// Compiles all sources with the options.
fn compile(project: &Project, options: &[&str]) {
    let mut all = vec!["-fsycl", "a.cpp", "-o", "app"];
    all.extend(options);
    project.scythe(&all).ok();
}

/// Returns what gdb prints when it runs `commands` on the program.
fn gdb(project: &Project, commands: &[&str]) -> String {
    let mut args = vec!["-q", "-nx", "-batch", "-ex", "set width 0", "-ex", "set confirm off"];
    commands.iter().for_each(|command| args.extend(["-ex", command]));
    args.push("./app");
    let out = project.run_with("gdb", &args, &[("SYCL_CACHE_PERSISTENT", "0")]).ok();
    out.stdout + &out.stderr
}

/// Checks that the texts occur in `output` in this order.
#[track_caller]
fn has(output: &str, texts: &[&str]) {
    let mut rest = output;
    for text in texts {
        let Some(at) = rest.find(text) else {
            panic!("no {text:?} in the rest of the output:\n{output}\n--- the rest:\n{rest}");
        };
        rest = &rest[at + text.len()..];
    }
}

#[test]
fn breakpoints_by_line_show_variables_and_the_work_item() {
    for form in FORMS {
        let project = Project::new().file("a.cpp", PROGRAM);
        compile(&project, &[&["-O0", "-g"], form].concat());
        let commands = [
            "break a.cpp:14",
            "run",
            "condition 1 value == 25",
            "continue",
            "info args",
            "info locals",
            "print factor",
            "print sycl_global_id[0]",
            "next",
            "print scaled",
            "backtrace",
        ];
        let output = gdb(&project, &commands);
        // Host code has no code for the line, but the breakpoint has a place in it.
        has(&output, &["Breakpoint 1 at", "a.cpp, line 14", "value = 25", "$1 = 3", "$2 = 5"]);
        has(&output, &["15\t", "$3 = 75"]);
        has(&output, &["$3 = 75", "#0 ", "operator()", "vector_add", "a.cpp:12", "main ()"]);
        has(&output, &["main () at a.cpp:12"]);
    }
}

#[test]
fn steps_go_from_line_to_line_and_into_functions() {
    let project = Project::new().file("a.cpp", PROGRAM);
    compile(&project, &["-O0", "-g"]);
    let commands = ["break vector_add", "run", "step", "step", "next", "backtrace 2"];
    let output = gdb(&project, &commands);
    has(&output, &["Breakpoint 1 at", "a.cpp, line 12", "vector_add (kernel=", "13\t", "square"]);
    has(&output, &["4\t", "5\t", "#0  square (x=0) at a.cpp:5", "#1 ", "at a.cpp:13"]);
}

const BARRIER: &str = r#"#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(8, q);
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<int, 1> tile(sycl::range<1>(4), h);
    h.parallel_for<class rotate>(sycl::nd_range<2>({2, 4}, {1, 4}), [=](sycl::nd_item<2> it) {
      int mine = it.get_global_id(1) * 10;
      int both[2] = {mine, mine + 1};
      tile[it.get_local_id(1)] = both[1];
      sycl::group_barrier(it.get_group());
      int other = tile[(it.get_local_id(1) + 1) % 4];
      out[it.get_global_linear_id()] = other + both[0];
    });
  }).wait();
  return out[7] == 31 ? 0 : 1;
}
"#;

#[test]
fn work_items_keep_their_variables_behind_barriers() {
    let project = Project::new().file("a.cpp", BARRIER);
    compile(&project, &["-O0", "-g"]);
    let mut commands = vec!["break a.cpp:12", "run"];
    // The second work-item of the second group.
    commands.extend(["continue"; 5]);
    commands.extend(["print sycl_global_id", "print sycl_local_id", "print sycl_group_id"]);
    commands.extend(["print mine", "print both", "next", "print other"]);
    let output = gdb(&project, &commands);
    has(&output, &["$1 = {1, 1, 0}", "$2 = {0, 1, 0}", "$3 = {1, 0, 0}", "$4 = 10"]);
    has(&output, &["$5 = {10, 11}", "13\t", "$6 = 21"]);
}

#[test]
fn optimised_code_has_lines_and_names() {
    for options in [&["-O2", "-g"][..], &["-O2", "-gline-tables-only"]] {
        let project = Project::new().file("a.cpp", BARRIER);
        compile(&project, options);
        let output = gdb(&project, &["break a.cpp:13", "run", "backtrace 6"]);
        has(&output, &["a.cpp:13", "#0 ", "rotate", "rotate.work_items"]);
        project.run("./app", &[]).ok();
    }
}

const BRANCHES: &str = r#"#include <sycl/sycl.hpp>
#include <cstdio>
template <class Kernel> void print(sycl::queue &q, int *out, const Kernel &kernel) {
  q.parallel_for(sycl::nd_range<1>(64, 16), kernel).wait();
  unsigned sum = 0;
  for (int i = 0; i < 64; ++i) sum = sum * 3 + out[i];
  std::printf("%u\n", sum);
}
int main(int argc, char **argv) {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(64, q), *local = sycl::malloc_shared<int>(64, q);
  int *none = argc > 1 ? nullptr : sycl::malloc_shared<int>(4, q);
  for (int kind = 0; kind < 4; ++kind) {
    auto work = [=](sycl::nd_item<1> it) {
      int i = it.get_local_id(0), all = it.get_global_id(0), value = 0;
      switch ((i + kind) % 5) {
      case 0: value = 3; break;
      case 1: value = 8; [[fallthrough]];
      case 3: value += 4; break;
      default: value = i;
      }
      local[all] = value;
      switch (kind) {
      case 0: sycl::group_barrier(it.get_group()); break;
      case 1:
        sycl::group_barrier(it.get_group());
        local[all] += 1;
        sycl::group_barrier(it.get_group());
        break;
      case 2:
        sycl::group_barrier(it.get_group());
        out[all] = local[all - i + 15 - i];
        return;
      default: sycl::group_barrier(it.get_group());
      }
      auto part = it.get_sub_group();
      int one = sycl::reduce_over_group(part, 1, sycl::plus<>());
      out[all] = local[all - i + (i + 1) % 16] * 2 + (one == int(part.get_local_range()[0]));
      if (all == 35) none[3] = 3;
    };
    print(q, out, work);
    print(q, out, [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(8)]] { work(it); });
  }
}
"#;

#[test]
fn unoptimised_kernels_may_branch_around_barriers_and_use_sub_groups() {
    let project = Project::new().file("a.cpp", BRANCHES);
    compile(&project, &["-O2"]);
    let optimised = project.run("./app", &[]).ok().stdout;
    for form in FORMS {
        for debug in ["-g", "-gline-tables-only"] {
            compile(&project, &[&["-O0", debug], form].concat());
            assert_eq!(project.run("./app", &[]).ok().stdout, optimised, "{form:?} {debug}");
        }
    }
    // A work-item is not known if it runs beside others.
    let out = signalled(project.run("./app", &["fault"]), 11).stderr_has("a.cpp:39: kernel");
    assert!(out.stderr.contains("global id: [35]"), "{}", out.stderr);
    let project = project.file("b.cpp", &BRANCHES.replace("print(q, out, work);", ""));
    project.scythe(&["-fsycl", "-O0", "-g", "b.cpp", "-o", "app"]).ok();
    let out = signalled(project.run("./app", &["fault"]), 11).stderr_has("b.cpp:39: kernel");
    assert!(!out.stderr.contains("global id"), "{}", out.stderr);
}

const LIBRARY: &str = r#"#include <sycl/sycl.hpp>
int main(int argc, char **argv) {
  const int kind = argc > 1 ? argv[1][0] - '0' : 0;
  sycl::queue q;
  int *sum = sycl::malloc_shared<int>(2, q), *none = nullptr;
  sum[0] = sum[1] = 0;
  q.parallel_for(sycl::range<1>(64), sycl::reduction(sum, sycl::plus<int>()),
                 [=](sycl::id<1> i, auto &s) {
    int value = i[0];
    if (kind == 1 && value == 33)
      value = none[4];
    s += value;
  }).wait();
  q.parallel_for(sycl::nd_range<1>(32, 16), [=](sycl::nd_item<1> it) {
    auto part = it.get_sub_group();
    int most = sycl::reduce_over_group(part, int(it.get_local_id(0)), sycl::maximum<>());
    if (kind == 2 && it.get_global_id(0) == 20)
      __builtin_trap();
    if (it.get_global_id(0) == 31) sum[1] = most;
  }).wait();
  if (sum[0] != 64 * 63 / 2 || sum[1] != 15) return 1;
  // The values of a work-item are in memory whose address is in memory.
  sum[0] = sum[1] = 0;
  q.parallel_for(sycl::range<1>(10), sycl::reduction(sycl::span<int, 2>(sum, 2), sycl::plus<int>()),
                 [=](sycl::id<1> i, auto &s) { s[0] += 1; s[1] += int(i[0]); }).wait();
  return sum[0] == 10 && sum[1] == 45 ? 0 : 1;
}
"#;

#[test]
fn faults_in_kernels_of_the_headers_are_at_lines_of_the_program() {
    for form in FORMS {
        let project = Project::new().file("a.cpp", LIBRARY);
        compile(&project, &[&["-O0", "-g"], form].concat());
        project.run("./app", &[]).ok();
        // The kernel of a reduction is a function of the headers, which calls the program's.
        let out = signalled(project.run("./app", &["1"]), 11);
        assert!(out.stderr.starts_with("a.cpp:11: kernel"), "{}", out.stderr);
        // Functions of groups divide a kernel like barriers: other work-items have run before.
        let out = signalled(project.run("./app", &["2"]), 4);
        out.stderr_has("a.cpp:18: kernel").stderr_has("global id: [20], local id: [4]: trap");
        let output = gdb(&project, &["break a.cpp:11", "run 1", "backtrace -1"]);
        has(&output, &["value = none[4]", "main (argc=2", "at a.cpp:7"]);
    }
}

const FAULTS: &str = r#"#include <sycl/sycl.hpp>
#include <cstdio>
static int pick(int *from, int i) {
  return from[i];
}
int main(int argc, char **argv) {
  auto report = [](sycl::exception_list list) {
    for (auto &one : list)
      try { std::rethrow_exception(one); }
      catch (sycl::exception &e) { std::printf("caught: %s\n", e.what()); }
  };
  sycl::queue q(report);
  int *data = sycl::malloc_shared<int>(16, q);
  int kind = argv[1][0] - '0';
  int *none = nullptr;
  q.parallel_for<class faulty>(sycl::range<2>(4, 4), [=](sycl::id<2> i) {
    if (i[0] == 2 && i[1] == 1) {
      if (kind == 0)
        data[0] = pick(none, 3);
      if (kind == 1)
        data[0] = data[1] / (kind - 1);
      if (kind == 2)
        __builtin_trap();
    }
    data[i[0] * 4 + i[1]] = 1;
  });
  q.wait_and_throw();
}
"#;

/// Checks that the program was ended by a signal.
#[track_caller]
fn signalled(out: Outcome, signal: i32) -> Outcome {
    // timeout(1) ends itself with the same signal, or exits with its number.
    assert!(out.status.is_none() || out.status == Some(128 + signal), "{}", out.stderr);
    out
}

#[test]
fn faults_are_reported_with_kernel_work_item_and_line() {
    const SIGSEGV: i32 = 11;
    const SIGFPE: i32 = 8;
    const SIGILL: i32 = 4;
    for form in FORMS {
        let project = Project::new().file("a.cpp", FAULTS);
        compile(&project, &[&["-O0", "-g"], form].concat());
        let kernel = "kernel 'main::faulty': global id: [2,1]";
        signalled(project.run("./app", &["0"]), SIGSEGV)
            .stderr_has("a.cpp:4: ")
            .stderr_has(kernel)
            .stderr_has("null pointer, at address 0xc");
        signalled(project.run("./app", &["1"]), SIGFPE)
            .stderr_has("a.cpp:21: ")
            .stderr_has(kernel)
            .stderr_has("division by zero");
        signalled(project.run("./app", &["2"]), SIGILL).stderr_has("a.cpp:23: ").stderr_has("trap");
        let off = project.run_with("./app", &["0"], &[("SCYTHE_CPU_FAULTS", "off")]);
        assert_eq!(signalled(off, SIGSEGV).stderr, "");
        project
            .run_with("./app", &["0"], &[("SCYTHE_CPU_FAULTS", "exception")])
            .ok()
            .stdout_has("caught: a.cpp:4: kernel 'main::faulty': global id: [2,1]")
            .stdout_has("null pointer, at address 0xc (submitted at a.cpp:16)\n");
    }
}

#[test]
fn faults_of_optimised_code_are_reported_too() {
    let project = Project::new().file("a.cpp", FAULTS);
    compile(&project, &["-O2"]);
    let out = signalled(project.run("./app", &["0"]), 11);
    out.stderr_has("kernel 'main::faulty': access through a null pointer, at address 0xc")
        .stderr_has("compile with -g");
}

#[test]
fn ptx_has_line_numbers_and_stays_optimised() {
    let project = Project::new().file("a.cpp", PROGRAM);
    for (options, has_lines) in
        [(&["-O0", "-g"][..], true), (&["-O2", "-g"], true), (&["-O2"], false)]
    {
        let target = ["-fsycl-targets=nvptx64-nvidia-cuda", "-save-temps"];
        compile(&project, &[options, &target].concat());
        let ptx = project.read("app_0-nvptx64-nvidia-cuda.ptx");
        let ptx = String::from_utf8_lossy(&ptx).into_owned();
        assert_eq!(ptx.contains("\t.loc\t"), has_lines, "{options:?}");
        assert_eq!(ptx.contains("a.cpp\""), has_lines, "{options:?}");
        assert!(!ptx.contains(", debug") && !ptx.contains(".debug_info"), "{options:?}");
    }
}
