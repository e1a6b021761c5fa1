//! Tests the library with functions of the SYCL headers: objects that the driver compiles only
//! declare these functions, and every way to link finds them.

use scythe_tests::{Project, prefix};

/// The ABI tag of the functions, as it is in mangled names.
const TAG: &str = "B10scythe_0_1";

const MAIN: &str = "#include <sycl/sycl.hpp>
#include <cstdio>
sycl::context other();
int main() {
  sycl::queue q;
  sycl::buffer<int> b(8);
  q.submit([&](sycl::handler &h) {
    sycl::accessor a(b, h, sycl::write_only);
    h.parallel_for(8, [=](sycl::id<1> i) { a[i] = int(i[0]) * 3; });
  });
  std::printf(\"%d %d\\n\", sycl::host_accessor(b)[7], int(q.get_context() == other()));
}
";
const OTHER: &str =
    "#include <sycl/sycl.hpp>\nsycl::context other() { return sycl::queue().get_context(); }\n";

fn project() -> Project {
    Project::new().file("main.cpp", MAIN).file("other.cpp", OTHER)
}

/// Returns the tagged symbols of an object with the given letters of `nm`.
fn tagged(p: &Project, object: &str, letters: &str) -> usize {
    let symbols = p.run("nm", &[object]).ok().stdout;
    let has_letter = |line: &str| letters.contains(line.get(17..18).unwrap_or(" "));
    symbols.lines().filter(|line| line.contains(TAG) && has_letter(line)).count()
}

#[test]
fn objects_only_declare_the_functions_of_the_library() {
    let p = project();
    p.scythe(&["-fsycl", "-O2", "-c", "main.cpp", "-o", "main.o"]).ok();
    assert_eq!(tagged(&p, "main.o", "TtWwVv"), 0);
    assert!(tagged(&p, "main.o", "U") > 5);
}

#[test]
fn all_ways_to_link_find_the_library() {
    let p = project();
    for source in ["main", "other"] {
        let file = format!("{source}.cpp");
        p.scythe(&["-fsycl", "-O2", "-fPIC", "-c", &file, "-o", &format!("{source}.o")]).ok();
    }
    let lib = prefix().join("lib");
    let rpath = format!("-Wl,-rpath,{}", lib.display());
    let library = lib.join("libscythe.so");
    let library = library.to_str().expect("the path is text");
    for linker in ["-fuse-ld=lld", "-fuse-ld=bfd", "-Wl,--as-needed", "-Wl,--gc-sections"] {
        p.scythe(&["-fsycl", linker, "main.o", "other.o", "-o", "app"]).ok();
        assert_eq!(p.run("./app", &[]).ok().stdout, "21 1\n", "{linker}");
    }
    p.scythe(&["-fsycl", "-shared", "other.o", "-o", "libother.so"]).ok();
    p.scythe(&["-fsycl", "main.o", "-L.", "-lother", "-Wl,-rpath,.", "-o", "app"]).ok();
    assert_eq!(p.run("./app", &[]).ok().stdout, "21 1\n");
    // Without the driver: a file that compiles the functions itself, and host mode.
    let include = format!("-I{}", prefix().join("include").display());
    let search = format!("-L{}", lib.display());
    for words in [[search.as_str(), "-lscythe"], [search.as_str(), "-lsycl"], ["-pthread", library]]
    {
        let host = ["-std=c++17", &include, "main.cpp", "other.cpp", &rpath, "-o", "host"];
        p.run("g++", &[&host[..], &words].concat()).ok();
        assert_eq!(p.run("./host", &[]).ok().stdout, "21 1\n", "{words:?}");
    }
}

#[test]
fn files_that_compile_the_functions_share_the_default_context() {
    let p = project();
    let include = format!("-I{}", prefix().join("include").display());
    p.run("g++", &["-std=c++17", &include, "-c", "other.cpp", "-o", "other.o"]).ok();
    assert!(tagged(&p, "other.o", "TtWwVv") > 5);
    p.scythe(&["-fsycl", "main.cpp", "other.o", "-o", "app"]).ok();
    assert_eq!(p.run("./app", &[]).ok().stdout, "21 1\n");
}

#[test]
fn other_abis_do_not_use_the_library() {
    let p = project();
    for option in ["-D_GLIBCXX_DEBUG", "-D_GLIBCXX_USE_CXX11_ABI=0"] {
        p.scythe(&["-fsycl", option, "-c", "main.cpp", "-o", "main.o"]).ok();
        assert_eq!(tagged(&p, "main.o", "TtWwVvU"), 0, "{option}");
        p.scythe(&["-fsycl", option, "main.cpp", "other.cpp", "-o", "app"]).ok();
        p.run("./app", &[]).ok().stdout_has("21 1");
    }
    p.scythe(&["-fsycl", "-fsanitize=thread", "-c", "main.cpp", "-o", "main.o"]).ok();
    assert!(tagged(&p, "main.o", "Ww") > 5);
}
