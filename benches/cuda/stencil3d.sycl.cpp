// A stencil of seven points in three dimensions.
#include "device.hpp"

constexpr std::size_t n = 768;

int main() {
  std::vector<float> start(n * n * n);
  for (std::size_t i = 0; i < start.size(); ++i)
    start[i] = scrambled(std::uint32_t(i));
  const float *in = upload(start);
  float *out = device_memory<float>(n * n * n);
  measure("stencil3d", 20, [&] {
    queue()
        .parallel_for(sycl::nd_range<3>({n, n, n}, {1, 4, 64}),
                      [=](sycl::nd_item<3> item) {
                        const unsigned z = item.get_global_id(0), y = item.get_global_id(1), x = item.get_global_id(2);
                        const unsigned m = n, i = (z * m + y) * m + x;
                        if (x == 0 || y == 0 || z == 0 || x == m - 1 || y == m - 1 || z == m - 1) {
                          out[i] = in[i];
                          return;
                        }
                        out[i] = 0.5f * in[i] + 0.08f * (in[i - 1] + in[i + 1] + in[i - m] + in[i + m] + in[i - m * m] +
                                                         in[i + m * m]);
                      })
        .wait();
  });
  const std::size_t i = (300 * n + 200) * n + 100;
  double sum = double(start[i - 1]) + start[i + 1] + start[i - n] + start[i + n] + start[i - n * n] + start[i + n * n];
  check("stencil3d", download(out + i, 1)[0], 0.5 * start[i] + 0.08 * sum, 1e-5);
}
