#include "expected.hpp"

namespace expected {

float conductivity(std::size_t row, std::size_t column) {
  return row % 8 == 7 ? 0.0625f : 0.25f - 0.125f * static_cast<float>(column % 2);
}

std::vector<float> plate(std::size_t size, int steps) {
  std::vector<float> now(size * size), next;
  for (std::size_t row = size / 4; row < 3 * size / 4; ++row)
    for (std::size_t column = size / 4; column < 3 * size / 4; ++column)
      now[row * size + column] = 100.0f;
  for (int step = 0; step < steps; ++step) {
    next = now;
    for (std::size_t row = 1; row + 1 < size; ++row)
      for (std::size_t column = 1; column + 1 < size; ++column) {
        const std::size_t here = row * size + column;
        const float around =
            (now[here - size] + now[here + size]) + (now[here - 1] + now[here + 1]);
        next[here] = now[here] + conductivity(row, column) * (around - 4.0f * now[here]);
      }
    now.swap(next);
  }
  return now;
}

} // namespace expected
