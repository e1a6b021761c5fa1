// A plate of changing material, and facts about its temperatures: the shared library.
#pragma once

#include <sycl/sycl.hpp>

#include <cstddef>

namespace plate {

// How well the plate conducts heat at a place. Kernels of both libraries call it; those of the
// static library find it when the program runs.
SYCL_EXTERNAL float conductivity(std::size_t row, std::size_t column);

// How many cells the edge of a plate is long that has this many cells.
SYCL_EXTERNAL std::size_t edge(std::size_t cells);

struct Summary {
  double heat;
  float coldest, warmest;
  // Temperatures weighted by how well each place conducts.
  double flow;
};

Summary summarise(sycl::queue &queue, const float *temperatures, std::size_t size);

} // namespace plate
