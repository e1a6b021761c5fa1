//! Tests OpenCL drivers that are missing, broken or lose their device: each case gives an exception
//! with the reason, and programs that do not need a driver never load it. The driver is `fake.c` of
//! the backend's tests.

use std::path::Path;
use std::process::Command;

use scythe_tests::{Outcome, Project};

const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdio>

int main() {
  auto report = [](const char *how, const sycl::exception &e) {
    std::printf("%s %d: %s\n", how, e.code().value(), e.what());
  };
  auto handler = [=](sycl::exception_list errors) {
    for (const std::exception_ptr &error : errors) {
      try {
        std::rethrow_exception(error);
      } catch (const sycl::exception &e) {
        report("asynchronous", e);
      }
    }
  };
  int data[16] = {};
  try {
    sycl::queue queue(handler);
    std::printf("device %s\n", queue.get_device().get_info<sycl::info::device::name>().c_str());
    {
      sycl::buffer<int> buffer(data, 16);
      queue.submit([&](sycl::handler &h) { h.fill(sycl::accessor(buffer, h, sycl::write_only), 7); });
      queue.submit([&](sycl::handler &h) {
        sycl::accessor access(buffer, h, sycl::read_write);
        h.parallel_for(16, [=](sycl::id<1> i) { access[i] += 0; });
      });
      queue.wait_and_throw();
    }
  } catch (const sycl::exception &e) {
    report("synchronous", e);
  }
  int sum = 0;
  for (int value : data)
    sum += value;
  std::printf("sum %d\n", sum);
}
"#;

struct Drivers {
    project: Project,
    folder: String,
}

impl Drivers {
    fn new() -> Self {
        let project =
            Project::new().file("a.cpp", PROGRAM).file("broken/libOpenCL.so.1", "no library");
        project.scythe(&["-fsycl", "-O1", "a.cpp", "-o", "a"]).ok();
        let folder = project.path().join("driver");
        std::fs::create_dir(&folder).expect("a folder for the driver");
        let source = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../crates/backend-opencl/tests/fake/fake.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-o"]).arg(folder.join("libOpenCL.so.1")).arg(source);
        assert!(compiler.status().expect("cc starts").success());
        let folder = folder.to_string_lossy().into_owned();
        Self { project, folder }
    }

    /// Runs the program with a driver that has this failure.
    fn run(&self, failure: &str, selector: Option<&str>) -> Outcome {
        let variables = [
            format!("LD_LIBRARY_PATH={}", self.folder),
            format!("FAKE_OPENCL={failure}"),
            "FAKE_OPENCL_LOUD=1".to_owned(),
            format!("SYCL_CACHE_DIR={}", self.project.path().join("cache").display()),
        ];
        let selector = selector.map(|selector| format!("ONEAPI_DEVICE_SELECTOR={selector}"));
        let words: Vec<&str> =
            variables.iter().chain(&selector).map(String::as_str).chain(["./a"]).collect();
        self.project.run("env", &words).ok()
    }

    fn shows(&self, failure: &str, parts: &[&str]) {
        let outcome = self.run(failure, Some("opencl:*"));
        for part in parts {
            assert!(
                outcome.stdout.contains(part),
                "'{failure}' lacks '{part}':\n{}",
                outcome.stdout
            );
        }
    }
}

#[test]
fn drivers_that_fail_are_exceptions_and_those_that_are_not_needed_are_not_loaded() {
    let drivers = Drivers::new();
    drivers.shows("nothing", &["device Fake device", "sum 112"]);
    drivers.shows(
        "build",
        &["device Fake device", "synchronous 7: ", "fake compiler: 12:7: no register is left"],
    );
    drivers.shows("run:1", &["asynchronous 1: ", "CL_OUT_OF_RESOURCES (-5): the device is lost"]);
    drivers.shows(
        "enqueue",
        &["synchronous 1: ", "failed with CL_DEVICE_NOT_AVAILABLE (-2)", "sum 0"],
    );
    drivers
        .shows("context", &["synchronous 9: ", "clCreateContext failed with CL_OUT_OF_RESOURCES"]);
    drivers.shows(
        "no-spirv",
        &["synchronous 1: ", "no device is available", "its driver does not support SPIR-V"],
    );
    drivers.shows(
        "no-platform",
        &["synchronous 1: ", "no device is available", "the OpenCL loader found no driver"],
    );

    let loaded = drivers.run("nothing", Some("*:cpu"));
    assert!(
        loaded.stderr.contains("the fake driver is loaded"),
        "a selector may mean it:\n{}",
        loaded.stderr
    );
    let selector = drivers.run("nothing", Some("native_cpu:*"));
    assert!(
        selector.stderr.is_empty() && selector.stdout.contains("sum 112"),
        "{}",
        selector.stderr
    );
    // If there may be a GPU, its driver must be queried.
    let gpu = ["dri", "nvidia0", "nvidiactl", "kfd", "dxg"]
        .iter()
        .any(|name| Path::new("/dev").join(name).exists());
    let usual = drivers.run("nothing", None);
    assert!(
        (gpu || usual.stderr.is_empty()) && usual.stdout.contains("sum 112"),
        "{}",
        usual.stderr
    );

    let broken = drivers.project.path().join("broken").to_string_lossy().into_owned();
    let library = format!("LD_LIBRARY_PATH={broken}");
    let outcome =
        drivers.project.run("env", &[&library, "ONEAPI_DEVICE_SELECTOR=opencl:*", "./a"]).ok();
    for part in ["cannot load the OpenCL loader", "file too short", "ocl-icd-libopencl1"] {
        assert!(outcome.stdout.contains(part), "lacks '{part}':\n{}", outcome.stdout);
    }
}
