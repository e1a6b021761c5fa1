#include "stencil.hpp"

namespace stencil {

sycl::event heat(sycl::queue &queue, float *temperatures, std::size_t size) {
  return queue.parallel_for(sycl::range(size, size), [=](sycl::id<2> at) {
    const bool middle =
        at[0] >= size / 4 && at[0] < 3 * size / 4 && at[1] >= size / 4 && at[1] < 3 * size / 4;
    temperatures[at[0] * size + at[1]] = middle ? 100.0f : 0.0f;
  });
}

} // namespace stencil
