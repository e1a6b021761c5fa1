//! Tests that a foreign host compiler can read the integration header and finds the facts of the
//! device pass in it.

mod common;

use std::process::Command;

const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <cstring>
class plain;
namespace detail { struct K; }
namespace outer { inline namespace v1 { template <class T, int N, class... Rest> class templated; } }
enum class choice : short { one, two };
template <choice C> struct by_choice;
template <template <class> class T> struct of_template;
template <class T> struct box;
namespace { class hidden; }
struct S { class member; };

void device(sycl::queue &q, int *p) {
  q.single_task<plain>([=] { p[0] = 1; });
  q.single_task<detail::K>([=] { p[0] = 1; });
  q.single_task<outer::templated<float, 3, box<int>, char *>>([=] { p[0] = 1; });
  q.single_task<by_choice<choice::two>>([=] { p[0] = 1; });
  q.single_task<of_template<box>>([=] { p[0] = 1; });
  q.single_task<hidden>([=] { p[0] = 1; });
  q.single_task<S::member>([=] { p[0] = 1; });
  q.single_task<class local>([=] { p[0] = 1; });
  q.parallel_for(sycl::range<1>(1),
                 [=](sycl::id<1>) { p[0] = 1; });
  auto again = [=] { p[0] = 2; };
  q.single_task(again);
  q.submit([&](sycl::handler &h) { h.single_task(again); });
}

#ifndef __SYCL_DEVICE_ONLY__
using sycl::detail::kernel_info;
static_assert(kernel_info<plain>::functor_size() == 8 && kernel_info<plain>::num_params() == 1, "");
static_assert(kernel_info<plain>::param(0).kind == 3 && kernel_info<plain>::param(0).size == 8, "");
int main() {
  const auto &row = sycl::detail::unnamed_kernels[0];
  bool good = !std::strcmp(kernel_info<plain>::name(), "_ZTS5plain") &&
              !std::strcmp(kernel_info<detail::K>::name(), "_ZTSN6detail1KE") &&
              !std::strcmp(kernel_info<by_choice<choice::two>>::name(), "_ZTS9by_choiceIL6choice1EE") &&
              !std::strcmp(kernel_info<of_template<box>>::name(), "_ZTS11of_templateI3boxE") &&
              std::strstr(kernel_info<hidden>::name(), "hidden") &&
              std::strstr(kernel_info<outer::templated<float, 3, box<int>, char *>>::name(), "templated") &&
              row.line == 23 && row.functor_size == 8 && std::strstr(row.symbol, "device") &&
              sycl::detail::unnamed_kernels[1].line == row.line + 3 &&
              sycl::detail::unnamed_kernels[2].line == row.line + 4 &&
              !std::strcmp(sycl::detail::unnamed_kernels[1].symbol, sycl::detail::unnamed_kernels[2].symbol) &&
              !sycl::detail::unnamed_kernels[3].symbol;
  return good ? 0 : 1;
}
#endif
"#;

#[test]
fn a_foreign_host_compiler_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("program.cpp");
    std::fs::write(&source, PROGRAM).unwrap();
    let args = ["-c", "-emit-llvm", "-o", "program.bc", "-fplugin-arg-scythe-int-header=int.h"];
    let output = common::device_pass(folder.path(), "program.cpp".as_ref(), &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let compilers = [("g++".into(), "-std=c++17"), (common::llvm_tool("clang++"), "-std=c++17")];
    for (compiler, standard) in compilers {
        // The program is not linked with the runtime. It never calls `device`, so the linker may
        // leave the references of that function undefined.
        let output = Command::new(&compiler)
            .current_dir(folder.path())
            .args([
                standard,
                "-Wall",
                "-Wextra",
                "-Werror",
                "-include",
                "int.h",
                "program.cpp",
                "-o",
                "program",
            ])
            .args([
                "-ffunction-sections",
                "-Wl,--gc-sections",
                "-Wl,--unresolved-symbols=ignore-all",
            ])
            .arg("-I")
            .arg(scythe_filetest::repository().join("include"))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{compiler:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let status = Command::new(folder.path().join("program")).status().unwrap();
        assert!(status.success(), "{compiler:?}: the header says something else than expected");
    }
}

#[test]
fn nothing_is_left_after_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let program =
        "#include <sycl/sycl.hpp>\nvoid f(sycl::queue &q) { q.single_task([=] { throw 1; }); }\n";
    std::fs::write(folder.path().join("wrong.cpp"), program).unwrap();
    let args = ["-c", "-emit-llvm", "-o", "wrong.bc", "-fplugin-arg-scythe-int-header=int.h"];
    let output = common::device_pass(folder.path(), "wrong.cpp".as_ref(), &args);
    assert!(!output.status.success());
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["wrong.cpp"]);
}

#[test]
fn a_folder_that_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.cpp"), "int main() {}\n").unwrap();
    let args = ["-c", "-emit-llvm", "-o", "a.bc", "-fplugin-arg-scythe-int-header=missing/int.h"];
    let output = common::device_pass(folder.path(), "a.cpp".as_ref(), &args);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success()
            && text.contains("cannot write integration header 'missing/int.h'"),
        "{text}"
    );
}
