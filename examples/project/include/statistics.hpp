// Facts about a plate: the shared library.
#pragma once

#include <sycl/sycl.hpp>

#include <cstddef>

namespace statistics {

struct Summary {
  double heat;
  float coldest, warmest;
  // Temperatures weighted by how well each place conducts, which only the static library knows.
  double flow;
};

// How many cells the edge of a plate is long that has this many cells. Kernels of the library call it.
SYCL_EXTERNAL std::size_t edge(std::size_t cells);

Summary summarise(sycl::queue &queue, const float *plate, std::size_t size);

} // namespace statistics
