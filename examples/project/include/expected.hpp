// The same computation without SYCL.
#pragma once

#include <cstddef>
#include <vector>

namespace expected {

float conductivity(std::size_t row, std::size_t column);

std::vector<float> plate(std::size_t size, int steps);

} // namespace expected
