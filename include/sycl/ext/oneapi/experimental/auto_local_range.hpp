// `auto_range`: an nd_range whose work-groups the implementation chooses
// (`sycl_ext_oneapi_auto_local_range`).
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_AUTO_LOCAL_RANGE_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_AUTO_LOCAL_RANGE_HPP

#include <sycl/range.hpp>

namespace sycl::ext::oneapi::experimental {

// `nd_range` replaces this value by sizes that divide its global range.
template <int Dimensions> range<Dimensions> auto_range() {
  range<Dimensions> r;
  for (int d = 0; d < Dimensions; ++d)
    r[d] = static_cast<std::size_t>(-1);
  return r;
}

} // namespace sycl::ext::oneapi::experimental

#endif
