//! The libraries: how to configure each one, and the sample of its tests.
//!
//! A sample covers the parts of a library that use SYCL differently, with few programs, because
//! some of these programs take minutes to compile.

/// One program of a sample.
#[derive(Debug, PartialEq, Eq)]
pub struct Test {
    /// The name in the results.
    pub name: &'static str,
    /// The target of the build.
    pub target: &'static str,
    /// The program, relative to the build folder.
    pub program: &'static str,
    pub args: &'static [&'static str],
    /// The number of MPI processes, or 0 for a program that MPI does not start.
    pub ranks: usize,
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
    pub tests: &'static [Test],
}

/// Settings of Open MPI: root may run programs, and there may be more ranks than processors.
pub const OPEN_MPI: [&str; 3] = [
    "OMPI_ALLOW_RUN_AS_ROOT=1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
    "OMPI_MCA_rmaps_base_oversubscribe=1",
];

const fn test(name: &'static str, target: &'static str, program: &'static str) -> Test {
    Test { name, target, program, args: &[], ranks: 0 }
}

const fn mpi(name: &'static str, target: &'static str, program: &'static str, n: usize) -> Test {
    Test { name, target, program, args: &[], ranks: n }
}

/// A test of oneDPL, whose targets and programs have the names of their sources.
macro_rules! onedpl {
    ($($name:literal),* $(,)?) => {
        &[$(test($name, concat!($name, ".pass"), concat!("test/", $name, ".pass"))),*]
    };
}

/// A test of Kokkos' core.
macro_rules! kokkos {
    ($($name:literal),* $(,)?) => {
        &[$(test(
            $name,
            concat!("Kokkos_", $name),
            concat!("core/unit_test/Kokkos_", $name),
        )),*]
    };
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
        tests: &[
            mpi("hello_world [1]", "hello_world", "examples/hello_world/hello_world", 1),
            mpi("hello_world [2]", "hello_world", "examples/hello_world/hello_world", 2),
            mpi("hello_world [4]", "hello_world", "examples/hello_world/hello_world", 4),
            mpi("reduction [1]", "reduction", "examples/reduction/reduction", 1),
            mpi("syncing [1]", "syncing", "examples/syncing/syncing", 1),
            mpi("syncing [2]", "syncing", "examples/syncing/syncing", 2),
            mpi("syncing [4]", "syncing", "examples/syncing/syncing", 4),
            mpi("matmul [1]", "matmul", "examples/matmul/matmul", 1),
            mpi("matmul [2]", "matmul", "examples/matmul/matmul", 2),
            mpi("matmul [4]", "matmul", "examples/matmul/matmul", 4),
            mpi("wave_sim [1]", "wave_sim", "examples/wave_sim/wave_sim", 1),
            mpi("wave_sim [2]", "wave_sim", "examples/wave_sim/wave_sim", 2),
            mpi("wave_sim [4]", "wave_sim", "examples/wave_sim/wave_sim", 4),
            mpi("distr_tests [1]", "distr_tests", "test/system/distr_tests", 1),
            mpi("distr_tests [2]", "distr_tests", "test/system/distr_tests", 2),
            mpi("distr_tests [4]", "distr_tests", "test/system/distr_tests", 4),
            test("sycl_tests", "sycl_tests", "test/sycl_tests"),
            test("backend_tests", "backend_tests", "test/backend_tests"),
            test("accessor_tests", "accessor_tests", "test/accessor_tests"),
            test("runtime_tests", "runtime_tests", "test/runtime_tests"),
            test("grid_tests", "grid_tests", "test/grid_tests"),
        ],
    },
    Recipe {
        name: "onedpl",
        title: "oneDPL",
        url: "https://github.com/uxlfoundation/oneDPL",
        about: "oneDPL has the algorithms of the C++ standard library for SYCL devices. A test \
                checks many types,\nsizes and policies, and counts as one check.",
        configure: &["-DONEDPL_BACKEND=dpcpp", "-DONEDPL_DEVICE_TYPE=CPU"],
        packages: &[("libtbb-dev", "/usr/include/tbb/tbb.h")],
        variables: &[],
        tests: onedpl![
            "for_each",
            "transform_unary",
            "copy_if",
            "find_if",
            "count",
            "reduce",
            "transform_reduce",
            "scan",
            "sort",
            "partial_sort",
            "merge",
            "set_union",
            "unique",
            "partition",
            "std_ranges_min_element",
            "is_sorted",
            "histogram",
            "reduce_by_segment",
            "exclusive_scan_by_segment",
            "sycl_iterator_for",
            "permutation_iterator_parallel_for",
            "zip_iterator_for",
            "std_ranges_for_each",
            "uniform_int_distr_test",
        ],
    },
    Recipe {
        name: "kokkos",
        title: "Kokkos",
        url: "https://github.com/kokkos/kokkos",
        about: "Kokkos has parallel loops, reductions, scans and memory spaces, which are SYCL \
                kernels and USM here.\nIts oneDPL is the package `onedpl-devel` of PyPI, whose \
                folder is in `CMAKE_PREFIX_PATH`.",
        configure: &[
            "-DKokkos_ENABLE_SYCL=ON",
            "-DKokkos_ENABLE_TESTS=ON",
            "-DCMAKE_CXX_STANDARD=20",
        ],
        packages: &[],
        variables: &[],
        tests: kokkos![
            "CoreUnitTest_SYCLInterOpInit",
            "CoreUnitTest_SYCLInterOpInit_Context",
            "CoreUnitTest_SYCLInterOpStreams",
            "IncrementalTest_SYCL",
            "CoreUnitTest_SYCL_ViewSupport",
            "CoreUnitTest_SYCL1A",
            "CoreUnitTest_SYCL1B",
            "CoreUnitTest_SYCL2A",
            "CoreUnitTest_SYCL3",
        ],
    },
];

/// Returns the library with this name.
pub fn find(name: &str) -> Result<&'static Recipe, String> {
    RECIPES.iter().find(|recipe| recipe.name == name).ok_or_else(|| {
        let names: Vec<&str> = RECIPES.iter().map(|recipe| recipe.name).collect();
        format!("unknown library '{name}': expected {}", names.join(", "))
    })
}

impl Recipe {
    /// Returns the test with this name.
    pub fn test(&self, name: &str) -> Result<&Test, String> {
        self.tests.iter().find(|test| test.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.tests.iter().map(|test| test.name).collect();
            format!("the sample of {} has no test '{name}': {}", self.title, names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_identify_tests() {
        for recipe in RECIPES {
            for test in recipe.tests {
                assert_eq!(recipe.test(test.name), Ok(test));
                assert!(!test.name.contains('|'), "{}", test.name);
            }
        }
    }
}
