// Heat that spreads through a plate of changing material: the static library.
#pragma once

#include <sycl/sycl.hpp>

#include <cstddef>

namespace stencil {

// How well the plate conducts heat at a place. Defined in material.cpp; kernels of both libraries call it.
SYCL_EXTERNAL float conductivity(std::size_t row, std::size_t column);

// Warms the middle of a cold plate of `size` times `size` cells.
sycl::event heat(sycl::queue &queue, float *plate, std::size_t size);

// One step from `now` to `next`. The rim keeps its temperature.
sycl::event diffuse(sycl::queue &queue, const float *now, float *next, std::size_t size, sycl::event after);

} // namespace stencil
