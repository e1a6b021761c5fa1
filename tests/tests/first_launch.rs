//! Tests that a program waits only for the kernels that it launches: kernels of a large image are
//! compiled one by one.

use scythe_tests::Project;

/// Sixty kernels in one image. The arguments of the program are the numbers of those to launch.
const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <cstdlib>
constexpr int count = 60;
template <int N> class Kernel;
template <int N> int launch(sycl::queue &q, float *p) {
  q.parallel_for<Kernel<N>>(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> it) {
     float x = it.get_local_id(0) + N;
     for (int k = 0; k < N % 7 + 2; ++k) {
       x = sycl::sqrt(x * x + k) + sycl::exp(-x) * sycl::sin(x + N) + sycl::pow(x, 0.5f + N);
       sycl::group_barrier(it.get_group());
     }
     p[it.get_global_id(0)] = x < 0 ? -1 : N;
   }).wait();
  return static_cast<int>(p[63]);
}
template <int... N> int run(sycl::queue &q, float *p, int which, std::integer_sequence<int, N...>) {
  int result = -1;
  ((which == N ? void(result = launch<N>(q, p)) : void()), ...);
  return result;
}
int main(int argc, char **argv) {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(64, q);
  for (int i = 1; i < argc; ++i)
    if (run(q, p, std::atoi(argv[i]), std::make_integer_sequence<int, count>()) != std::atoi(argv[i]))
      return 1;
}
"#;

#[test]
fn only_launched_kernels_are_compiled() {
    let p = Project::new().file("a.cpp", PROGRAM);
    p.scythe(&["-fsycl", "-O2", "a.cpp", "-o", "app"]).ok();
    let cache = p.path().join("objects").display().to_string();
    let stored = |kernels: &[&str]| {
        let variables = [("SYCL_CACHE_DIR", cache.as_str()), ("SYCL_CACHE_TRACE", "1")];
        let out = p.run_with("./app", kernels, &variables).ok();
        out.stderr.lines().filter(|line| line.contains(" stored ")).count()
    };
    assert_eq!(stored(&["7"]), 1);
    assert_eq!(stored(&["7", "59", "7"]), 1);
    assert_eq!(stored(&["59", "7"]), 0);
}

#[test]
fn threads_that_launch_kernels_at_the_same_time_compile_each_once() {
    let text = PROGRAM.replace("int main(", "#include <thread>\nint other(").to_owned()
        + r#"
int main() {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      sycl::queue q;
      float *p = sycl::malloc_shared<float>(64, q);
      const int which = t % 4;
      wrong += run(q, p, which, std::make_integer_sequence<int, count>()) != which;
    });
  for (std::thread &thread : threads)
    thread.join();
  return wrong;
}
"#;
    let p = Project::new().file("a.cpp", &text);
    p.scythe(&["-fsycl", "-O2", "a.cpp", "-o", "app"]).ok();
    let cache = p.path().join("objects").display().to_string();
    let variables = [("SYCL_CACHE_DIR", cache.as_str()), ("SYCL_CACHE_TRACE", "1")];
    let out = p.run_with("./app", &[], &variables).ok();
    assert_eq!(out.stderr.lines().filter(|line| line.contains(" stored ")).count(), 4);
}
