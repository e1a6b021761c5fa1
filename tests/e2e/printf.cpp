// `printf` in kernels, as the extension has it and as the C library names it: formats, arguments of
// every kind, strings, branches that some work-items take.
//
// VALGRIND: no
// OUTPUT: extension: 42 -7 18446744073709551615 c
// OUTPUT: floats: 1.500 2.250
// OUTPUT: string: literal 100%
// OUTPUT: no arguments
// OUTPUT: older spelling: 3
// OUTPUT: library: 9 0.125 text
// OUTPUT: some: 0
// OUTPUT: some: 64
// OUTPUT: in a group: 5
// OUTPUT: enumeration: 2, bool: 1, short: -3
#include <sycl/sycl.hpp>

#include "check.hpp"

namespace {

#ifdef __SYCL_DEVICE_ONLY__
#define CONSTANT __attribute__((opencl_constant))
#else
#define CONSTANT
#endif

namespace ext = sycl::ext::oneapi::experimental;

enum number { two = 2 };

int kinds(int n) {
  static const CONSTANT char older[] = "older spelling: %d\n";
  const unsigned long most = ~0ul;
  const float half = 1.5f;
  ext::printf("extension: %d %d %lu %c\n", n, -7, most, 'c');
  ext::printf("floats: %.3f %.3f\n", half, 2.25);
  ext::printf("string: %s %d%%\n", "literal", 100);
  ext::printf("no arguments\n");
  ext::printf("enumeration: %d, bool: %d, short: %d\n", two, true, static_cast<short>(-3));
  return ext::printf(older, 3);
}

} // namespace

int main() {
  sycl::queue q;
  int *results = sycl::malloc_shared<int>(2, q);
  q.single_task([=] {
     results[0] = kinds(42);
     results[1] = printf("library: %d %g %s\n", 9, 0.125, "text");
   }).wait();
  CHECK(results[0] >= 0 && results[1] >= 0);
  q.parallel_for(128, [=](sycl::id<1> i) {
     if (i[0] % 64 == 0)
       ext::printf("some: %d\n", static_cast<int>(i[0]));
   }).wait();
  q.parallel_for(sycl::nd_range<1>(32, 16), [=](sycl::nd_item<1> item) {
     sycl::group_barrier(item.get_group());
     if (item.get_global_id(0) == 21)
       ext::printf("in a group: %d\n", static_cast<int>(item.get_local_id(0)));
   }).wait();
  sycl::free(results, q);
  return check::result();
}
