// Heat that spreads through a plate: the static library.
#pragma once

#include <sycl/sycl.hpp>

#include <cstddef>

namespace stencil {

// Warms the middle of a cold plate of `size` times `size` cells.
sycl::event heat(sycl::queue &queue, float *temperatures, std::size_t size);

// One step from `now` to `next`. The rim keeps its temperature.
sycl::event diffuse(sycl::queue &queue, const float *now, float *next, std::size_t size,
                    sycl::event after);

} // namespace stencil
