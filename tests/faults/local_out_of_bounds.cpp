// A kernel that writes behind the end of the local memory of a GPU if the program has an argument.
// TOOL: memcheck

#include <sycl/sycl.hpp>

int main(int argc, char **) {
  constexpr size_t size = 64;
  sycl::queue q;
  int *p = sycl::malloc_device<int>(size, q);
  const size_t beyond = argc > 1 ? 1 << 20 : 0;
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<int> tile(size, h);
    h.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> item) {
      const size_t i = item.get_local_id(0);
      tile[i == 7 ? i + beyond : i] = static_cast<int>(i); // FAULT
      sycl::group_barrier(item.get_group());
      p[i] = tile[size - 1 - i];
    });
  });
  q.wait_and_throw();
  sycl::free(p, q);
}
