// The backends that a platform can stand on.
#ifndef SCYTHE_BACKEND_HPP
#define SCYTHE_BACKEND_HPP

namespace sycl {

// The numbers of `scythe_backend_kind`.
enum class backend : unsigned {
  host = 0,
  scythe_cpu = 1,
  opencl = 2,
  ext_oneapi_cuda = 3,
};

} // namespace sycl

#endif
