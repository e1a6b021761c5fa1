// Adds two vectors on the default device, with buffers: the runtime moves the data and orders the
// commands.
// OUTPUT: sum of 1048576 elements is correct
#include <sycl/sycl.hpp>

#include <cstdio>
#include <vector>

int main() {
  constexpr std::size_t n = 1 << 20;
  std::vector<float> a(n), b(n), sum(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i % 1000);
    b[i] = static_cast<float>(i % 77);
  }

  sycl::queue queue;
  {
    sycl::buffer buffer_a(a), buffer_b(b), buffer_sum(sum);
    queue.submit([&](sycl::handler &group) {
      sycl::accessor x(buffer_a, group, sycl::read_only);
      sycl::accessor y(buffer_b, group, sycl::read_only);
      sycl::accessor z(buffer_sum, group, sycl::write_only, sycl::no_init);
      group.parallel_for(sycl::range(n), [=](sycl::id<1> i) { z[i] = x[i] + y[i]; });
    });
  } // The buffers wait for the kernel and write back.

  for (std::size_t i = 0; i < n; ++i)
    if (sum[i] != a[i] + b[i]) {
      std::printf("element %zu is %g, expected %g\n", i, sum[i], a[i] + b[i]);
      return 1;
    }
  const std::string device = queue.get_device().get_info<sycl::info::device::name>();
  std::printf("%s: sum of %zu elements is correct\n", device.c_str(), n);
}
