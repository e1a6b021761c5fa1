// One work-item per row sums up its row, the host the rows. The kernel calls a function of this library and one of the
// other.
#include "statistics.hpp"
#include "stencil.hpp"

#include <algorithm>

namespace statistics {

Summary summarise(sycl::queue &queue, const float *plate, std::size_t size) {
  Summary *rows = sycl::malloc_shared<Summary>(size, queue);
  const std::size_t cells = size * size;
  auto summarise_row = [=](sycl::id<1> row) {
    const std::size_t length = edge(cells);
    Summary sum{0, plate[row[0] * length], plate[row[0] * length], 0};
    for (std::size_t column = 0; column < length; ++column) {
      const float here = plate[row[0] * length + column];
      sum.heat += here;
      sum.coldest = sycl::fmin(sum.coldest, here);
      sum.warmest = sycl::fmax(sum.warmest, here);
      sum.flow += here * stencil::conductivity(row[0], column);
    }
    rows[row] = sum;
  };
  queue.parallel_for<class SummariseRow>(sycl::range(size), summarise_row).wait();
  Summary all = rows[0];
  for (std::size_t row = 1; row < size; ++row) {
    all.heat += rows[row].heat;
    all.coldest = std::min(all.coldest, rows[row].coldest);
    all.warmest = std::max(all.warmest, rows[row].warmest);
    all.flow += rows[row].flow;
  }
  sycl::free(rows, queue);
  return all;
}

} // namespace statistics
