//! Tests device code for NVIDIA GPUs, without a GPU: the contents of programs, and that `ptxas`
//! accepts them.
//!
//! `cargo xtask test` names a CUDA installation in `CUDA_PATH`.

use scythe_abi::cuda::{Architecture, symbol};
use scythe_image::fatbin::{self, Kind};
use scythe_tests::{Outcome, Project, prefix};
use std::path::{Path, PathBuf};

const ARCHITECTURES: [&str; 3] = ["sm_70", "sm_80", "sm_90"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .expect("the repository has a path")
}

fn cuda() -> String {
    let path = std::env::var("CUDA_PATH").unwrap_or_default();
    let found = Path::new(&path).join("bin/ptxas").exists();
    assert!(
        found,
        "no ptxas in CUDA_PATH ('{path}'): `cargo xtask test unit` installs one and names it there"
    );
    path
}

fn scythe(project: &Project, args: &[&str], env: &[(&str, &str)]) -> Outcome {
    project.run_with(prefix().join("bin/scythe"), args, env)
}

/// Returns the files that `-fsycl-dump-device-code=images` wrote.
fn images(project: &Project, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(project.path().join("images")).expect("images were written");
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("entries can be read").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

/// Compiles a program for all architectures, and checks every image.
fn check_program(source: &str) {
    let project = Project::new();
    let (path, include) = (repository().join(source), repository().join("tests/e2e"));
    let targets = ARCHITECTURES.map(|arch| format!("nvidia_gpu_{arch}")).join(",");
    let args = [
        "-fsycl",
        "-O2",
        "-std=c++17",
        &format!("-I{}", include.display()),
        &format!("-fsycl-targets={targets}"),
        &format!("--cuda-path={}", cuda()),
        "-fsycl-dump-device-code=images",
        // Only the device link is needed, not the program.
        "-fsycl-link",
        &path.to_string_lossy(),
        "-o",
        "app.o",
    ];
    scythe(&project, &args, &[]).ok();
    let files = images(&project, "fatbin");
    for arch in ARCHITECTURES {
        let sm = Architecture::from_name(arch).expect("it is one").sm;
        let of_arch: Vec<_> =
            files.iter().filter(|file| file.to_string_lossy().contains(arch)).collect();
        assert!(!of_arch.is_empty(), "{source}: no image for {arch} among {files:?}");
        for file in of_arch {
            let bytes = std::fs::read(file).expect("the image can be read");
            let entries =
                fatbin::read(&bytes).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            let kinds: Vec<_> = entries.iter().map(|entry| (entry.kind, entry.sm)).collect();
            assert_eq!(kinds, [(Kind::Cubin, sm), (Kind::Ptx, sm)], "{}", file.display());
            assert!(entries[0].code.starts_with(b"\x7fELF"), "{}", file.display());
            let ptx = String::from_utf8_lossy(entries[1].code);
            assert!(
                ptx.contains(&format!(".target {arch}\n")) && ptx.contains(".visible .entry "),
                "{ptx}"
            );
        }
    }
}

macro_rules! accepted {
    ($($test:ident: $($source:literal),*;)*) => {$(
        #[test]
        fn $test() {
            [$($source),*].into_iter().for_each(check_program);
        }
    )*};
}

// All examples except the OpenCL example, whose kernels belong to OpenCL.
accepted! {
    ptxas_takes_the_simple_examples: "examples/vector_add.cpp", "examples/saxpy.cpp", "examples/error_handling.cpp";
    ptxas_takes_the_other_examples: "examples/mandelbrot.cpp", "examples/stencil.cpp", "examples/dependency_chain.cpp";
    ptxas_takes_groups_and_local_memory: "tests/e2e/local_memory.cpp", "tests/e2e/group_exchange.cpp";
    ptxas_takes_atomic_references_and_maths: "tests/e2e/atomic_references.cpp", "tests/e2e/std_maths.cpp";
    ptxas_takes_atomic_references_to_2_bytes: "tests/e2e/short_atomics.cpp";
}

const KERNEL: &str = r#"
#include <sycl/sycl.hpp>
double my_min(double x, double y) {
#ifdef __SYCL_NVPTX__
  return __nvvm_fmin_d(x, y) + __SYCL_CUDA_ARCH__;
#else
  return x < y ? x : y;
#endif
}
int main() {
  sycl::queue q;
  double *p = sycl::malloc_shared<double>(2, q);
  q.single_task<class Least>([=] { p[0] = my_min(p[0], p[1]); }).wait();
}
"#;

#[test]
fn code_for_nvptx_is_told_by_macros_and_has_its_builtins() {
    let project = Project::new().file("a.cpp", KERNEL);
    let target = "-fsycl-targets=nvptx64-nvidia-cuda-sycldevice";
    let arch = ["-Xsycl-target-backend", "--cuda-gpu-arch=sm_80 --cuda-gpu-arch=sm_90"];
    let cuda = format!("--cuda-path={}", cuda());
    let args = [
        "-fsycl",
        target,
        arch[0],
        arch[1],
        &cuda,
        "-fsycl-dump-device-code=images",
        "a.cpp",
        "-o",
        "app",
    ];
    scythe(&project, &args, &[]).ok();
    let files = images(&project, "fatbin");
    assert_eq!(files.len(), 2, "{files:?}");
    for (file, value) in files.iter().zip(["0d4089000000000000", "0d408C200000000000"]) {
        let bytes = std::fs::read(file).expect("the image can be read");
        let entries = fatbin::read(&bytes).expect("it is a fat binary");
        let ptx = String::from_utf8_lossy(entries[1].code);
        assert!(ptx.contains("min.f64") && ptx.contains(value), "{ptx}");
        assert!(ptx.contains(&format!(".visible .entry {}", symbol("_ZTSZ4mainE5Least"))), "{ptx}");
    }
}

#[test]
fn code_that_is_finished_at_run_time_is_there_as_bitcode() {
    let library = "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL int seven(int x) { return 7 * x; }\n";
    let program = "#include <sycl/sycl.hpp>
         constexpr sycl::specialization_id<int> size(3);
         SYCL_EXTERNAL int seven(int);
         void imports(sycl::queue &q, int *p) { q.single_task<class Imports>([=] { *p = seven(*p); \
         }); }
         void constants(sycl::queue &q, int *p) {
           q.submit([&](sycl::handler &h) {
             h.single_task<class Constants>([=](sycl::kernel_handler k) { *p = \
             k.get_specialization_constant<size>(); });
           });
         }
         void neither(sycl::queue &q, int *p) { q.single_task<class Neither>([=] { *p = 1; }); }\n";
    let project = Project::new().file("library.cpp", library).file("program.cpp", program);
    let cuda = format!("--cuda-path={}", cuda());
    let common = ["-fsycl", "-O2", "-fsycl-targets=nvidia_gpu_sm_90", &cuda];
    let library = ["-fPIC", "-shared", "library.cpp", "-o", "liblibrary.so"];
    scythe(&project, &[&common[..], &library].concat(), &[]).ok();
    let program = [
        "-fPIC",
        "-shared",
        "-fsycl-device-code-split=per_kernel",
        "-fsycl-dump-device-code=images",
        "program.cpp",
    ];
    let program = [&program[..], &["./liblibrary.so", "-o", "program.so"]].concat();
    scythe(&project, &[&common[..], &program].concat(), &[]).ok();
    // Of three kernels, one cannot be compiled before its library is loaded, and one may get other
    // constants.
    assert_eq!((images(&project, "fatbin").len(), images(&project, "bc").len()), (2, 2));
}

#[test]
fn without_ptxas_programs_hold_ptx_and_a_remark_says_so() {
    let project = Project::new().file("a.cpp", KERNEL);
    let args = [
        "-fsycl",
        "-fsycl-targets=nvidia_gpu_sm_90",
        "-fsycl-dump-device-code=images",
        "a.cpp",
        "-o",
        "app",
    ];
    let nowhere =
        [("CUDA_PATH", ""), ("CUDA_HOME", ""), ("HOME", "/dev/null"), ("VIRTUAL_ENV", "/nowhere")];
    let path = std::env::var("PATH").unwrap_or_default();
    let without: Vec<&str> =
        path.split(':').filter(|folder| !Path::new(folder).join("ptxas").exists()).collect();
    let without = without.join(":");
    let env: Vec<(&str, &str)> = nowhere.into_iter().chain([("PATH", without.as_str())]).collect();
    if ["/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"].iter().any(|root| Path::new(root).exists())
    {
        // Scythe finds CUDA there, whatever the environment contains.
        return;
    }
    let out = scythe(&project, &args, &env).ok();
    assert!(out.stderr.contains(
        "remark: no ptxas was found, so that the code for nvidia_gpu_sm_90 is PTX alone"
    ));
    let files = images(&project, "ptx");
    assert_eq!(files.len(), 1, "{files:?}");
    let ptx = std::fs::read(&files[0]).expect("the image can be read");
    assert_eq!(ptx.last(), Some(&0), "the driver wants a C string");
    assert!(String::from_utf8_lossy(&ptx).contains(".target sm_90"));
}

#[test]
fn an_architecture_that_ptxas_does_not_support_is_ptx_and_a_remark_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let script = "#!/bin/sh\n\
        echo \"ptxas fatal   : Value 'sm_60' is not defined for option 'gpu-name'\" >&2\nexit 255\n";
    let project = Project::new().file("a.cpp", KERNEL).file("cuda/bin/ptxas", script);
    let ptxas = project.path().join("cuda/bin/ptxas");
    std::fs::set_permissions(&ptxas, std::fs::Permissions::from_mode(0o755))
        .expect("the script becomes executable");
    let args = [
        "-fsycl",
        "-fsycl-targets=nvidia_gpu_sm_60",
        "--cuda-path=cuda",
        "-fsycl-dump-device-code=images",
        "a.cpp",
        "-o",
        "app",
    ];
    let out = scythe(&project, &args, &[]).ok();
    let remark = "remark: ptxas does not support the architecture, so that the code for \
                  nvidia_gpu_sm_60 is PTX alone";
    assert!(out.stderr.contains(remark), "{}", out.stderr);
    let files = images(&project, "fatbin");
    assert_eq!(files.len(), 1, "{files:?}");
    let image = std::fs::read(&files[0]).expect("the image can be read");
    assert!(!image.windows(4).any(|bytes| bytes == b"\x7fELF"), "the image contains machine code");
}

const TOO_MUCH: &str = r#"
#include <sycl/sycl.hpp>
struct huge { char bytes[1 << 20]; };
int main() {
  sycl::queue q;
  char *p = sycl::malloc_shared<char>(1, q);
  q.parallel_for<class Greedy>(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> item) {
     auto memory = sycl::ext::oneapi::group_local_memory_for_overwrite<huge>(item.get_group());
     memory->bytes[item.get_local_id(0) * 999] = *p;
     sycl::group_barrier(item.get_group());
     *p = memory->bytes[item.get_local_id(0)];
   }).wait();
}
"#;

#[test]
fn what_ptxas_refuses_is_told_with_the_kernels_name_and_leaves_nothing_behind() {
    let project = Project::new().file("a.cpp", TOO_MUCH);
    let cuda = format!("--cuda-path={}", cuda());
    let out = project
        .scythe(&["-fsycl", "-fsycl-targets=nvidia_gpu_sm_90", &cuda, "a.cpp", "-o", "app"])
        .fails();
    let expected =
        ["cannot compile device code for 'nvidia_gpu_sm_90': ptxas ended with", "Greedy", "shared"];
    assert!(expected.iter().all(|part| out.stderr.contains(part)), "{}", out.stderr);
    assert!(!project.exists("app"));
}

const REMAINDERS: &str = r#"
#define SYCL_LANGUAGE_VERSION 202012L
#include "remainders_gamma.hpp"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
using namespace scythe_device_library;
template <class T> bool same(T a, T b) { return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b)); }
template <class T, class B> long wrong() {
  std::mt19937_64 random(1);
  long count = 0;
  for (int i = 0; i < 200000; ++i) {
    B x = random(), y = random();
    if (i % 3 == 0)
      y = x ^ (y >> 20);
    if (i % 7 == 0)
      y &= ~(B(0x7f) << (sizeof(B) * 8 - 8));
    T a, b;
    std::memcpy(&a, &x, sizeof a);
    std::memcpy(&b, &y, sizeof b);
    if (i % 5 == 0)
      a = T(int(x % 100)), b = T(int(y % 20) - 10);
    int quotient, expected;
    const T rest = remquo_of_any(a, b, quotient), known = std::remquo(a, b, &expected);
    count += !same(fmod_of_any(a, b), std::fmod(a, b)) || !same(rest, known);
    count += std::isfinite(known) && quotient % 8 != expected % 8;
  }
  return count;
}
int main() {
  std::printf("%ld %ld wrong\n", wrong<float, unsigned>(), wrong<double, unsigned long>());
  for (double x = -20.3; x < 170; x += 0.137) {
    const double gamma = std::tgamma(x), log = std::lgamma(x);
    if (std::fabs(tgamma_of_any(x) - gamma) > 2e-13 * std::fabs(gamma)) std::printf("tgamma of %g\n", x);
    if (std::fabs(lgamma_of_any(x) - log) > 1e-14 * std::fmax(1, std::fabs(log))) std::printf("lgamma of %g\n", x);
  }
}
"#;

#[test]
fn remainders_without_cuda_are_exact_and_gamma_is_close() {
    let project = Project::new().file("a.cpp", REMAINDERS);
    let include = format!("-I{}", repository().join("device-lib/nvptx").display());
    project
        .run("/usr/bin/clang++-22", &["-std=c++17", "-O2", "-w", &include, "a.cpp", "-o", "app"])
        .ok();
    let out = project.run("./app", &[]).ok();
    assert_eq!(out.stdout, "0 0 wrong\n");
}

/// Two functions that are never inlined, in separate units, and a kernel that calls both.
const FLUSHES: &str = "#include <sycl/sycl.hpp>
[[gnu::noinline]] SYCL_EXTERNAL float flushes(float x, float y) { return sycl::exp2(x) + x * y / \
3.0f; }
";
const KEEPS: &str = "#include <sycl/sycl.hpp>
SYCL_EXTERNAL float flushes(float, float);
[[gnu::noinline]] SYCL_EXTERNAL float keeps(float x, float y) { return sycl::sqrt(x) - x * y / \
3.0f; }
int main() {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(64, q);
  q.parallel_for<class Both>(64, [=](sycl::id<1> i) { p[i] = flushes(p[i], 2.0f) + keeps(p[i], \
  3.0f); }).wait();
}
";

/// Returns the PTX of a function, up to its end.
fn function<'a>(ptx: &'a str, name: &str) -> &'a str {
    let starts = ptx.match_indices(name).map(|(at, _)| &ptx[at..]);
    let body = starts.filter_map(|text| Some(&text[..text.find("\n}")?])).find(|text| {
        text.find('{').is_some_and(|open| text.find(';').is_none_or(|end| open < end))
    });
    body.unwrap_or_else(|| panic!("no function {name} in {ptx}"))
}

#[test]
fn units_with_and_without_denormal_numbers_are_linked() {
    let fast: &[&str] = &["-ffast-math", "-fdenormal-fp-math=preserve-sign"];
    // Both units with the same options, and with different options.
    let exact: &[&str] = &["-ffast-math", "-fdenormal-fp-math=ieee"];
    let ways = [
        (fast, fast, true, true),
        (&["-ffast-math"], &[], true, false),
        (fast, &[], true, false),
        (exact, &[], false, false),
    ];
    for (first, second, first_flushes, second_flushes) in ways {
        let project = Project::new().file("flushes.cpp", FLUSHES).file("keeps.cpp", KEEPS);
        let cuda = format!("--cuda-path={}", cuda());
        let common = ["-fsycl", "-O2", "-fsycl-targets=nvidia_gpu_sm_80", &cuda];
        for (unit, own) in [("flushes", first), ("keeps", second)] {
            let (source, object) = (format!("{unit}.cpp"), format!("{unit}.o"));
            scythe(&project, &[&common[..], own, &["-c", &source, "-o", &object]].concat(), &[])
                .ok();
        }
        let link = ["-fsycl-dump-device-code=images", "flushes.o", "keeps.o", "-o", "app"];
        scythe(&project, &[&common[..], &link].concat(), &[]).ok();
        let bytes = std::fs::read(&images(&project, "fatbin")[0]).expect("the image can be read");
        let entries = fatbin::read(&bytes).expect("it is a fat binary");
        let ptx = String::from_utf8_lossy(entries[1].code).into_owned();
        let flushes = |name: &str| function(&ptx, name).contains(".ftz.f32");
        let seen = (flushes("_Z7flushesff"), flushes("_Z5keepsff"));
        assert_eq!(seen, (first_flushes, second_flushes), "{first:?} and {second:?}: {ptx}");
    }
}
