// The position of the user's call, taken by a default argument. With a separate host compiler, it
// helps to identify unnamed kernels. Error messages show it.
#ifndef SCYTHE_DETAIL_CODE_LOCATION_HPP
#define SCYTHE_DETAIL_CODE_LOCATION_HPP

namespace sycl::detail {

struct code_location {
  const char *file;
  unsigned line;

  static constexpr code_location here(const char *file = __builtin_FILE(),
                                      unsigned line = __builtin_LINE()) noexcept {
    return {file, line};
  }
};

} // namespace sycl::detail

#endif
