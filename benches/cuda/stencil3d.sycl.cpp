// A stencil of seven points in three dimensions: each work-item goes up through 48 planes.
#include "stencil3d.hpp"

int main() {
  measure_stencil([](const float *in, float *out) {
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
}
