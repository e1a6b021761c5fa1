// Local accessors: each work-group has its own memory, and each accessor its own part of it.
//
// backends: cpu,opencl,opencl-objects,cuda
#include "check.hpp"

#include <vector>

int main() {
  sycl::queue q;
  constexpr std::size_t groups = 50, size = 16;
  std::vector<int> out(groups * size, 0);
  {
    sycl::buffer<int> b(out);
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(b, h, sycl::write_only);
      sycl::local_accessor<int, 1> mine(sycl::range<1>(size), h);
      sycl::local_accessor<double, 2> squares(sycl::range<2>(size, 2), h);
      CHECK(mine.size() == size && squares.byte_size() == size * 2 * sizeof(double));
      h.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> it) {
        // Without barriers, a work-item can only use what it wrote itself.
        const std::size_t l = it.get_local_id(0);
        mine[l] = static_cast<int>(it.get_global_id(0));
        squares[l][0] = static_cast<double>(mine[l]);
        squares[l][1] = squares[l][0] * squares[sycl::id<2>(l, 0)];
        v[it.get_global_id(0)] = static_cast<int>(squares[l][1]) + mine[l];
      });
    });
  }
  int wrong = 0;
  for (int i = 0; i < static_cast<int>(out.size()); ++i)
    wrong += out[i] != i * i + i;
  CHECK(wrong == 0);

  // Without work-groups there is no such memory. Host mode does not look into what kernels capture.
#ifndef SCYTHE_HOST_MODE
  sycl::buffer<bool> empty{sycl::range<1>(1)};
  const auto without_groups = [&] {
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(empty, h, sycl::write_only);
      sycl::local_accessor<int> mine(sycl::range<1>(size), h);
      h.single_task([=] { v[0] = mine.empty(); });
    });
  };
  CHECK(check::throws(sycl::errc::kernel_argument, without_groups));
#endif
  return check::result();
}
