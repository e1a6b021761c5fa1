//! Tests the device link: final links, separate links, links from a cache, and damaged inputs.

use scythe_tests::Project;

const DEVICE: &str = r#"
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int triple(int);
int run(int n) {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<class Triple>([=] { *p = triple(n); }).wait();
  int result = *p;
  sycl::free(p, q);
  return result;
}
"#;
const FUNCTION: &str =
    "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL int triple(int n) { return 3 * n; }\n";
const MAIN: &str =
    "#include <cstdio>\nint run(int);\nint main() { std::printf(\"%d\\n\", run(14)); }\n";

fn project() -> Project {
    Project::new().file("dev_a.cpp", DEVICE).file("dev_b.cpp", FUNCTION).file("host.cpp", MAIN)
}

#[test]
fn code_linked_for_good_needs_no_device_step_again() {
    let p = project().file(
        "extra.cpp",
        "#include <sycl/sycl.hpp>\nvoid more(sycl::queue q) { q.single_task<class Extra>([] {}); \
         }\n",
    );
    p.scythe(&["-fsycl", "-O1", "-c", "dev_b.cpp"]).ok();
    p.run("ar", &["rcs", "libdev.a", "dev_b.o"]).ok();
    // The device link reports the missing function.
    p.scythe(&["-fsycl", "-O1", "-fsycl-link", "dev_a.cpp", "-o", "dev.o"])
        .fails()
        .stderr_has("triple")
        .stderr_has("Triple");
    assert!(!p.exists("dev.o"));
    p.scythe(&["-fsycl", "-O1", "-fsycl-link", "dev_a.cpp", "libdev.a", "-o", "dev.o"]).ok();
    let sections = p
        .run("readelf", &["-S", "-W", "dev.o"])
        .ok()
        .stdout_has(".scythe.linked")
        .stdout_has(".scythe.images");
    assert!(!sections.stdout.contains("__CLANG_OFFLOAD_BUNDLE__"), "{}", sections.stdout);
    let out = p.scythe(&["-fsycl", "-v", "dev.o", "host.cpp", "-o", "app"]).ok();
    assert!(
        !out.stderr.contains("device-link") && !out.stderr.contains("-fsycl-device-only"),
        "{}",
        out.stderr
    );
    p.run("./app", &[]).ok().stdout_has("42");
    // An input that is already linked may occur again, but a new kernel must not be added.
    p.scythe(&["-fsycl", "dev.o", "libdev.a", "host.cpp", "-o", "app"]).ok();
    p.scythe(&["-fsycl", "-O1", "dev.o", "extra.cpp", "host.cpp", "-o", "new"])
        .fails()
        .stderr_has("'extra.cpp' adds the kernel 'more(")
        .stderr_has("'dev.o' contains the result of '-fsycl-link'");
    assert!(!p.exists("new"));
}

#[test]
fn units_are_linked_alone_on_request() {
    let p = project();
    p.scythe(&["-fsycl", "-O1", "-c", "dev_a.cpp"]).ok();
    p.scythe(&["-fsycl", "-O1", "-c", "dev_b.cpp"]).ok();
    p.scythe(&["-fsycl", "-fno-sycl-rdc", "dev_a.o", "dev_b.o", "host.cpp", "-o", "app"])
        .fails()
        .stderr_has("triple")
        .stderr_has("dev_a.cpp");
    p.scythe(&["-fsycl", "dev_a.o", "dev_b.o", "host.cpp", "-o", "app"]).ok();
    p.run("./app", &[]).ok().stdout_has("42");
}

#[test]
fn a_link_of_unchanged_device_code_takes_no_device_step() {
    let p = project();
    p.scythe(&["-fsycl", "-O1", "-c", "dev_a.cpp"]).ok();
    p.scythe(&["-fsycl", "-O1", "-c", "dev_b.cpp"]).ok();
    let cache = "-fsycl-device-link-cache=cache";
    let link = ["-fsycl", cache, "-fsycl-targets=x86_64_sse2", "-Xsycl-target-linker", "--verbose"];
    let all = |output| [&link[..], &["dev_a.o", "dev_b.o", "host.cpp", "-o", output]].concat();
    let first = p.scythe(&all("app")).ok();
    let second = p.scythe(&all("again")).ok();
    assert_ne!(first.stderr, second.stderr, "the second link did the same as the first");
    assert!(p.read("app") == p.read("again"), "a link from the cache differs");
    p.run("./again", &[]).ok().stdout_has("42");
}

#[test]
fn damaged_device_code_is_named() {
    let p = project();
    p.scythe(&["-fsycl", "-O1", "-c", "dev_b.cpp", "-o", "good.o"]).ok();
    let good = p.read("good.o");
    let code = good.windows(4).position(|w| w == b"BC\xc0\xde").expect("bitcode in the object");
    let damage = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        std::fs::write(p.path().join("bad.o"), bytes).expect("the object can be written");
        p.scythe(&["-fsycl", "bad.o", "host.cpp", "-o", "app"]).fails().stderr_has("bad.o");
        assert!(!p.exists("app"));
    };
    damage(&|bytes| bytes[code] = b'X');
    damage(&|bytes| bytes[code + 8..code + 200].fill(0xff));
    damage(&|bytes| bytes.truncate(code));
}

#[test]
fn command_lines_can_be_files_and_languages_named() {
    let p = project().file(
        "args",
        "-fsycl -O1\n-static-libstdc++ -x c++ \"kernel source\" -x none\nhost.cpp \
            dev_b.cpp -o app\n",
    );
    std::fs::copy(p.path().join("dev_a.cpp"), p.path().join("kernel source"))
        .expect("the source can be copied");
    p.scythe(&["@args"]).ok();
    p.run("./app", &[]).ok().stdout_has("42");
    p.scythe(&[
        "-fsycl",
        "-fsycl-dump-device-code=dump",
        "-fsycl-max-parallel-link-jobs=1",
        "--offload-compress",
        "@args",
    ])
    .ok();
    assert!(
        std::fs::read_dir(p.path().join("dump")).is_ok_and(|files| files.count() > 0),
        "no image was dumped"
    );
    p.run("./app", &[]).ok().stdout_has("42");
}
