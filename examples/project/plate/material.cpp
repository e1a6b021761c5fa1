// A function of device code that other translation units, and another library, call.
#include "plate.hpp"

namespace plate {

float conductivity(std::size_t row, std::size_t column) {
  // A strip of every eight rows insulates.
  return row % 8 == 7 ? 0.0625f : 0.25f - 0.125f * static_cast<float>(column % 2);
}

} // namespace plate
