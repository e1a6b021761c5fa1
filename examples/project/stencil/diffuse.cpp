#include "plate.hpp"
#include "stencil.hpp"

namespace stencil {

sycl::event diffuse(sycl::queue &queue, const float *now, float *next, std::size_t size,
                    sycl::event after) {
  return queue.submit([&](sycl::handler &group) {
    group.depends_on(after);
    group.parallel_for<class Diffuse>(sycl::range(size, size), [=](sycl::id<2> at) {
      const std::size_t row = at[0], column = at[1], here = row * size + column;
      if (row == 0 || column == 0 || row + 1 == size || column + 1 == size) {
        next[here] = now[here];
        return;
      }
      const float around = (now[here - size] + now[here + size]) + (now[here - 1] + now[here + 1]);
      next[here] = now[here] + plate::conductivity(row, column) * (around - 4.0f * now[here]);
    });
  });
}

} // namespace stencil
