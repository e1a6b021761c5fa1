// Builds kernel bundles from source text and prints the processor time of each build, with that of
// the compiler's processes: `build N` in milliseconds. The argument makes the text unique. Each
// build is followed by a launch, whose result is checked.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <string>
#include <sys/resource.h>

namespace syclex = sycl::ext::oneapi::experimental;

static double milliseconds() {
  double sum = 0;
  for (int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval &t : {usage.ru_utime, usage.ru_stime})
      sum += t.tv_sec * 1e3 + t.tv_usec * 1e-3;
  }
  return sum;
}

int main(int argc, char **argv) {
  const std::string number = argc > 1 ? argv[1] : "0";
  const std::string text = R"(
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void store(int *p) { *p = )" +
                           number + "; }\n";
  sycl::queue q;
  int *result = sycl::malloc_shared<int>(1, q);
  *result = -1;
  const auto source = syclex::create_kernel_bundle_from_source(q.get_context(),
                                                               syclex::source_language::sycl, text);
  const double before = milliseconds();
  const auto bundle = syclex::build(source);
  const double after = milliseconds();
  const sycl::kernel kernel = bundle.ext_oneapi_get_kernel("store");
  q.submit([&](sycl::handler &h) {
     h.set_args(result);
     h.single_task(kernel);
   }).wait();
  const bool right = *result == std::stoi(number);
  sycl::free(result, q);
  if (!right)
    return 1;
  std::printf("build %.3f\n", after - before);
}
