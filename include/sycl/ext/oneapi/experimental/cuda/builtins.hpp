// `ldg`: a load from memory that no work-item of the kernel writes
// (`sycl_ext_oneapi_cuda_tex_cache_read`). It is a plain load on every device. NVIDIA's compilers
// select the read-only cache if they see no writes.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_CUDA_BUILTINS_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_CUDA_BUILTINS_HPP

#include <sycl/detail/config.hpp>

namespace sycl::ext::oneapi::experimental::cuda {

template <class T> T ldg(const T *ptr) { return *ptr; }

} // namespace sycl::ext::oneapi::experimental::cuda

#endif
