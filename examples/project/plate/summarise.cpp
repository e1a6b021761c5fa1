// One work-item per row sums up its row, the host the rows. The kernel calls functions of other
// translation units.
#include "plate.hpp"

#include <algorithm>

namespace plate {

Summary summarise(sycl::queue &queue, const float *temperatures, std::size_t size) {
  Summary *rows = sycl::malloc_shared<Summary>(size, queue);
  const std::size_t cells = size * size;
  auto summarise_row = [=](sycl::id<1> row) {
    const std::size_t length = edge(cells);
    Summary sum{0, temperatures[row[0] * length], temperatures[row[0] * length], 0};
    for (std::size_t column = 0; column < length; ++column) {
      const float here = temperatures[row[0] * length + column];
      sum.heat += here;
      sum.coldest = sycl::fmin(sum.coldest, here);
      sum.warmest = sycl::fmax(sum.warmest, here);
      sum.flow += here * conductivity(row[0], column);
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

} // namespace plate
