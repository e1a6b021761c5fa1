// The position of the user's call, taken by a default argument. It travels with the command, and
// error messages show it. With a separate host compiler, it also helps to identify unnamed kernels.
#ifndef SCYTHE_DETAIL_CODE_LOCATION_HPP
#define SCYTHE_DETAIL_CODE_LOCATION_HPP

#include <sycl/detail/abi.h>

namespace sycl::detail {

struct code_location {
  const char *file;
  unsigned line;

  constexpr scythe_place abi() const noexcept { return {file, line, 0}; }
  static constexpr code_location here(const char *file = __builtin_FILE(),
                                      unsigned line = __builtin_LINE()) noexcept {
    return {file, line};
  }
};

} // namespace sycl::detail

#endif
