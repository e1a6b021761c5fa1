// A kernel whose work-items read local memory before others have written it if the program has an
// argument.
// TOOL: racecheck

#include <sycl/sycl.hpp>

int main(int argc, char **) {
  constexpr size_t size = 256;
  sycl::queue q;
  int *p = sycl::malloc_device<int>(size, q);
  const bool waits = argc == 1;
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<int> tile(size, h);
    h.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> item) {
      const size_t i = item.get_local_id(0);
      tile[i] = static_cast<int>(i);
      if (waits)
        sycl::group_barrier(item.get_group());
      p[i] = tile[size - 1 - i]; // FAULT
    });
  });
  q.wait_and_throw();
  sycl::free(p, q);
}
