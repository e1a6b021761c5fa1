//! The libraries: how to configure each one, and which of its tests are tests of SYCL.

use std::path::Path;

use super::ctest;

/// A test of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The name in the results.
    pub name: String,
    /// The target of the build.
    pub target: String,
    pub launch: Launch,
}

/// How to run a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    /// A program relative to the build folder. `ranks` is the number of MPI processes, or 0 for a
    /// program that MPI does not start.
    Program { path: String, args: Vec<String>, ranks: usize },
    /// CTest starts the test, with the settings that the library's CMake files give it.
    CTest,
}

#[derive(Debug)]
pub struct Recipe {
    pub name: &'static str,
    pub title: &'static str,
    pub url: &'static str,
    /// Remarks for the page.
    pub about: &'static str,
    /// Options for CMake.
    pub configure: &'static [&'static str],
    /// Debian packages that the library needs, each with a file that it installs.
    pub packages: &'static [(&'static str, &'static str)],
    /// Variables of the library for its tests.
    pub variables: &'static [&'static str],
    /// Returns the tests, from the checkout and the configured build folder.
    pub tests: fn(&Path, &Path) -> Result<Vec<Test>, String>,
}

/// Settings of Open MPI: root may run programs, and there may be more ranks than processors.
pub const OPEN_MPI: [&str; 3] = [
    "OMPI_ALLOW_RUN_AS_ROOT=1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
    "OMPI_MCA_rmaps_base_oversubscribe=1",
];

/// Returns a test that is the program `folder`/`target`.
fn program(folder: &str, target: &str, args: &[&str]) -> Test {
    let path = format!("{folder}/{target}");
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    let launch = Launch::Program { path, args, ranks: 0 };
    Test { name: target.to_owned(), target: target.to_owned(), launch }
}

/// Returns tests that run one program on 1, 2 and 4 MPI processes.
fn mpi(folder: &str, target: &str, args: &[&str]) -> Vec<Test> {
    let path = format!("{folder}/{target}");
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    let on = |ranks| Test {
        name: format!("{target} [{ranks}]"),
        target: target.to_owned(),
        launch: Launch::Program { path: path.clone(), args: args.clone(), ranks },
    };
    [1, 2, 4].map(on).to_vec()
}

const CELERITY_UNIT_TESTS: &[&str] = &[
    "accessor_tests",
    "affinity_tests",
    "backend_tests",
    "command_graph_general_tests",
    "command_graph_granularity_tests",
    "command_graph_reduction_tests",
    "command_graph_transfer_tests",
    "debug_naming_tests",
    "double_buffered_queue_tests",
    "executor_tests",
    "graph_compaction_tests",
    "grid_tests",
    "handler_tests",
    "hint_tests",
    "intrusive_graph_tests",
    "instruction_graph_grid_tests",
    "instruction_graph_memory_tests",
    "instruction_graph_misc_tests",
    "instruction_graph_p2p_tests",
    "instruction_graph_reduction_tests",
    "named_threads_tests",
    "nd_memory_tests",
    "out_of_order_engine_tests",
    "print_graph_tests",
    "print_utils_tests",
    "region_map_tests",
    "range_tests",
    "range_mapper_tests",
    "receive_arbiter_tests",
    "runtime_tests",
    "runtime_deprecation_tests",
    "scheduler_tests",
    "sycl_tests",
    "split_tests",
    "task_graph_tests",
    "test_utils_tests",
    "thread_queue_tests",
    "utils_tests",
    "device_selection_tests",
];

fn celerity(source: &Path, _: &Path) -> Result<Vec<Test>, String> {
    let picture = source.join("docs/assets/tutorial_edge_detection_flower_by_reinhold_moeller.jpg");
    let picture = picture.to_string_lossy();
    let mut tests = Vec::new();
    for (name, args) in [
        ("hello_world", &[][..]),
        ("syncing", &[]),
        ("matmul", &[]),
        ("wave_sim", &[]),
        ("reduction", &[&*picture]),
        ("convolution", &[&*picture]),
    ] {
        tests.extend(mpi(&format!("examples/{name}"), name, args));
    }
    tests.extend(mpi("test/system", "distr_tests", &[]));
    tests.extend(mpi("test/system", "mpi_tests", &[]));
    tests.extend(CELERITY_UNIT_TESTS.iter().map(|name| program("test", name, &[])));
    Ok(tests)
}

fn onedpl(_: &Path, build: &Path) -> Result<Vec<Test>, String> {
    ctest::tests(build, |_| true)
}

/// Returns the tests of Kokkos except those of its other execution space.
fn kokkos(_: &Path, build: &Path) -> Result<Vec<Test>, String> {
    ctest::tests(build, |name| !name.to_lowercase().contains("serial"))
}

fn onemath(_: &Path, _: &Path) -> Result<Vec<Test>, String> {
    Ok(vec![program("bin", "test_main_blas_ct", &[]), program("bin", "test_main_blas_rt", &[])])
}

fn llama(_: &Path, _: &Path) -> Result<Vec<Test>, String> {
    Ok(vec![program("bin", "test-backend-ops", &["test", "-b", "SYCL0"])])
}

pub const RECIPES: &[Recipe] = &[
    Recipe {
        name: "celerity",
        title: "Celerity",
        url: "https://github.com/celerity/celerity-runtime",
        about: "Celerity distributes kernels over the processes of an MPI job. The number in \
                brackets is the number\nof processes. The results are from spdlog 1.13 with one \
                line changed for fmt 11.1, in place of\nthe commit of the submodule.",
        configure: &["-DCELERITY_SYCL_IMPL=DPC++", "-DCELERITY_USE_MIMALLOC=OFF"],
        packages: &[("libopenmpi-dev", "/usr/bin/mpicxx"), ("openmpi-bin", "/usr/bin/mpirun")],
        // A machine with few processors has none to pin Celerity's threads to. Celerity warns about
        // it, and its tests fail if there is a warning.
        variables: &["CELERITY_THREAD_PINNING=off"],
        tests: celerity,
    },
    Recipe {
        name: "onedpl",
        title: "oneDPL",
        url: "https://github.com/uxlfoundation/oneDPL",
        about: "oneDPL has the algorithms of the C++ standard library for SYCL devices. A test \
                checks many types,\nsizes and policies, and counts as one check. Every sixth test \
                was selected, of which the first\npart has run. Tests of ranges are results of \
                C++20, the others of C++17.",
        configure: &["-DONEDPL_BACKEND=dpcpp", "-DCMAKE_CXX_STANDARD=20"],
        packages: &[("libtbb-dev", "/usr/include/tbb/tbb.h")],
        variables: &[],
        tests: onedpl,
    },
    Recipe {
        name: "kokkos",
        title: "Kokkos",
        url: "https://github.com/kokkos/kokkos",
        about: "Kokkos has parallel loops, reductions, scans and memory spaces, which are SYCL \
                kernels and USM here.\nThe tests are those of its core, containers and \
                algorithms, without those of its serial execution\nspace. It uses an installed \
                oneDPL, whose folder is in `oneDPL_ROOT`.",
        configure: &[
            "-DKokkos_ENABLE_SYCL=ON",
            "-DKokkos_ENABLE_TESTS=ON",
            "-DCMAKE_CXX_STANDARD=20",
        ],
        packages: &[("libtbb-dev", "/usr/include/tbb/tbb.h")],
        variables: &[],
        tests: kokkos,
    },
    Recipe {
        name: "onemath",
        title: "oneMath",
        url: "https://github.com/uxlfoundation/oneMath",
        about: "oneMath has an interface for mathematical libraries. Its generic backend for BLAS \
                has kernels in\nSYCL, from \
                [its own repository](https://github.com/uxlfoundation/generic-sycl-components). \
                The\nfolder of its installation is the value of `ONEMATH_SYCL_BLAS_DIR`. The tests \
                compare it with the\nreference BLAS. All objects of the library compile, and the \
                first 102 of 144 test files; no test\nhas run.",
        configure: &[
            "-DCMAKE_C_COMPILER=clang-22",
            "-DENABLE_MKLCPU_BACKEND=OFF",
            "-DENABLE_MKLGPU_BACKEND=OFF",
            "-DENABLE_GENERIC_BLAS_BACKEND=ON",
            "-DBUILD_EXAMPLES=OFF",
        ],
        packages: &[("libblas-dev", "/usr/include/x86_64-linux-gnu/cblas.h")],
        variables: &[],
        tests: onemath,
    },
    Recipe {
        name: "llama",
        title: "llama.cpp",
        url: "https://github.com/ggml-org/llama.cpp",
        about: "llama.cpp runs language models. Its test compares the operations of its SYCL \
                backend with those of\nits C++ backend. It uses an installed oneMath.",
        configure: &["-DGGML_SYCL=ON", "-DGGML_NATIVE=OFF", "-DLLAMA_CURL=OFF"],
        packages: &[],
        variables: &[],
        tests: llama,
    },
];

/// Returns the library with this name.
pub fn find(name: &str) -> Result<&'static Recipe, String> {
    RECIPES.iter().find(|recipe| recipe.name == name).ok_or_else(|| {
        let names: Vec<&str> = RECIPES.iter().map(|recipe| recipe.name).collect();
        format!("unknown library '{name}': expected {}", names.join(", "))
    })
}

/// Returns the tests with these names, or all tests if there are no names.
pub fn select(tests: Vec<Test>, names: &[String]) -> Result<Vec<Test>, String> {
    if let Some(name) = names.iter().find(|name| !tests.iter().any(|test| test.name == **name)) {
        let some: Vec<&str> = tests.iter().take(10).map(|test| test.name.as_str()).collect();
        let count = tests.len();
        return Err(format!("no test is named '{name}'; the {count} tests: {} …", some.join(", ")));
    }
    let selected = |test: &Test| names.is_empty() || names.contains(&test.name);
    Ok(tests.into_iter().filter(selected).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_tests_have_their_own_names() {
        for recipe in [celerity, onemath, llama] {
            let tests = recipe(Path::new("/s"), Path::new("/b")).unwrap();
            for (i, test) in tests.iter().enumerate() {
                assert!(tests[..i].iter().all(|other| other.name != test.name), "{}", test.name);
                assert!(!test.name.contains('|'), "{}", test.name);
            }
        }
    }

    #[test]
    fn unknown_names_are_reported() {
        let tests = onemath(Path::new("/s"), Path::new("/b")).unwrap();
        let selected = select(tests.clone(), &["test_main_blas_rt".to_owned()]).unwrap();
        assert_eq!(selected, tests[1..]);
        assert_eq!(select(tests.clone(), &[]).unwrap(), tests);
        assert!(select(tests, &["blas".to_owned()]).unwrap_err().contains("'blas'"));
    }
}
