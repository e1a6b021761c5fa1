#include "plate.hpp"

namespace plate {

std::size_t edge(std::size_t cells) {
  std::size_t length = 0;
  while (length * length < cells)
    ++length;
  return length;
}

} // namespace plate
