// BabelStream's five kernels in double.
#include "device.hpp"

constexpr std::size_t n = std::size_t(1) << 28;
constexpr std::size_t block = 1024;
constexpr double scalar = 0.4;

int main() {
  sycl::queue &q = queue();
  double *a = device_memory<double>(n), *b = device_memory<double>(n),
         *c = device_memory<double>(n);
  const std::size_t groups = 4 * q.get_device().get_info<sycl::info::device::max_compute_units>();
  double *sums = device_memory<double>(groups);
  auto start = [&] {
    q.fill(a, 0.1, n);
    q.fill(b, 0.2, n);
    q.fill(c, 0.0, n).wait();
  };
  start();
  measure("copy", 20,
          [&] { q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { c[i] = a[i]; }).wait(); });
  check("copy", download(c + n / 2, 1)[0], 0.1, 0);
  measure("mul", 20, [&] {
    q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { b[i] = scalar * c[i]; }).wait();
  });
  check("mul", download(b + n - 1, 1)[0], 0.1 * scalar, 1e-15);
  measure("add", 20, [&] {
    q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { c[i] = a[i] + b[i]; }).wait();
  });
  check("add", download(c, 1)[0], 0.1 + 0.1 * scalar, 1e-15);
  measure("triad", 20, [&] {
    q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] = b[i] + scalar * c[i]; }).wait();
  });
  check("triad", download(a + n / 3, 1)[0], 0.1 * scalar + scalar * (0.1 + 0.1 * scalar), 1e-15);
  start();
  double sum = 0;
  measure("dot", 20, [&] {
    q.submit([&](sycl::handler &h) {
      sycl::local_accessor<double, 1> part(block, h);
      h.parallel_for(sycl::nd_range<1>(groups * block, block), [=](sycl::nd_item<1> item) {
        std::size_t i = item.get_global_id(0), local = item.get_local_id(0);
        double x = 0;
        for (; i < n; i += item.get_global_range(0))
          x += a[i] * b[i];
        part[local] = x;
        for (std::size_t offset = block / 2; offset > 0; offset /= 2) {
          sycl::group_barrier(item.get_group());
          if (local < offset)
            part[local] += part[local + offset];
        }
        if (local == 0)
          sums[item.get_group(0)] = part[0];
      });
    });
    sum = 0;
    for (double part : download(sums, groups))
      sum += part;
  });
  check("dot", sum, 0.1 * 0.2 * double(n), 1e-10);
}
