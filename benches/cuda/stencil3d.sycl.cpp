// A stencil of seven points in three dimensions: each work-item goes up through 48 planes.
#include "device.hpp"

constexpr std::size_t n = 768;
constexpr unsigned depth = 48;

int main() {
  std::vector<float> start(n * n * n);
  for (std::size_t i = 0; i < start.size(); ++i)
    start[i] = scrambled(std::uint32_t(i));
  const float *in = upload(start);
  float *out = device_memory<float>(n * n * n);
  measure("stencil3d", 20, [&] {
    queue()
        .parallel_for(sycl::nd_range<3>({n / depth, n, n}, {1, 4, 64}),
                      [=](sycl::nd_item<3> item) {
                        const unsigned x = item.get_global_id(2), y = item.get_global_id(1),
                                       first = unsigned(item.get_global_id(0)) * depth;
                        const unsigned m = n, plane = m * m,
                                       edge = x == 0 || y == 0 || x == m - 1 || y == m - 1;
                        unsigned i = (first * m + y) * m + x;
                        float below = first == 0 ? 0 : in[i - plane], here = in[i];
#pragma unroll 4
                        for (unsigned k = 0; k < depth; ++k, i += plane) {
                          const unsigned z = first + k;
                          const float above = z == m - 1 ? 0 : in[i + plane];
                          out[i] = edge || z == 0 || z == m - 1
                                       ? here
                                       : 0.5f * here + 0.08f * (in[i - 1] + in[i + 1] + in[i - m] +
                                                                in[i + m] + below + above);
                          below = here;
                          here = above;
                        }
                      })
        .wait();
  });
  const std::size_t i = (300 * n + 200) * n + 100;
  double sum = double(start[i - 1]) + start[i + 1] + start[i - n] + start[i + n] +
               start[i - n * n] + start[i + n * n];
  check("stencil3d", download(out + i, 1)[0], 0.5 * start[i] + 0.08 * sum, 1e-5);
}
