// The sum of 2^28 numbers: each work-item many of them, then sub-groups, work-groups and one atomic
// addition for each of those.
#include "device.hpp"

constexpr std::size_t n = std::size_t(1) << 28;
constexpr unsigned block = 512;

int main() {
  sycl::queue &q = queue();
  float *data = device_memory<float>(n);
  double *sum = device_memory<double>(1);
  const std::size_t groups = 8 * q.get_device().get_info<sycl::info::device::max_compute_units>();
  q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { data[i] = float(i[0] % 7); }).wait();
  measure("reduction", 20, [&] {
    q.memset(sum, 0, sizeof(double));
    q.submit([&](sycl::handler &h) {
      sycl::local_accessor<double, 1> parts(32, h);
      h.parallel_for(sycl::nd_range<1>(groups * block, block), [=](sycl::nd_item<1> item) {
        double x = 0;
        for (std::size_t i = item.get_global_id(0); i < n; i += item.get_global_range(0))
          x += data[i];
        const sycl::sub_group warp = item.get_sub_group();
        x = sycl::reduce_over_group(warp, x, sycl::plus<>());
        const unsigned lane = warp.get_local_linear_id(), number = warp.get_group_linear_id();
        if (lane == 0)
          parts[number] = x;
        sycl::group_barrier(item.get_group());
        if (number == 0) {
          x = lane < block / 32 ? parts[lane] : 0;
          x = sycl::reduce_over_group(warp, x, sycl::plus<>());
          if (lane == 0)
            sycl::atomic_ref<double, sycl::memory_order::relaxed, sycl::memory_scope::device>(
                *sum) += x;
        }
      });
    });
    q.wait();
  });
  double expected = 0;
  for (int i = 0; i < 7; ++i)
    expected += double(i) * double(n / 7 + (std::size_t(i) < n % 7));
  check("reduction", download(sum, 1)[0], expected, 1e-12);
}
