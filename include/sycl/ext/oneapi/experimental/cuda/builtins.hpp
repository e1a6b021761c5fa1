// `ldg`: a load from memory that no work-item of the kernel writes
// (`sycl_ext_oneapi_cuda_tex_cache_read`). Code for NVIDIA GPUs that is compiled ahead of time
// loads objects of 1, 2, 4, 8 and 16 bytes through the read-only cache. All other loads are plain.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_CUDA_BUILTINS_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_CUDA_BUILTINS_HPP

#include <sycl/detail/config.hpp>

#include <type_traits>

namespace sycl::ext::oneapi::experimental::cuda {

#ifdef __SYCL_NVPTX__
namespace detail {

// The compiler would split a vector, and its parts would be plain loads.
struct two_words {
  long long a, b;
};

// Loads `Bits` through the read-only cache.
template <class Bits> Bits load_read_only(const void *p) {
  const auto *const bits = static_cast<const Bits *>(p);
  if constexpr (sizeof(Bits) == 1)
    return __nvvm_ldg_c(bits);
  else if constexpr (sizeof(Bits) == 2)
    return __nvvm_ldg_s(bits);
  else if constexpr (sizeof(Bits) == 4)
    return __nvvm_ldg_i(bits);
  else if constexpr (sizeof(Bits) == 8)
    return __nvvm_ldg_ll(bits);
  else
    return {__nvvm_ldg_ll(&bits->a), __nvvm_ldg_ll(&bits->b)};
}

} // namespace detail
#endif

template <class T> T ldg(const T *ptr) {
#ifdef __SYCL_NVPTX__
  if constexpr (std::is_trivially_copyable_v<T> && alignof(T) >= sizeof(T)) {
    if constexpr (sizeof(T) == 1)
      return __builtin_bit_cast(T, detail::load_read_only<char>(ptr));
    else if constexpr (sizeof(T) == 2)
      return __builtin_bit_cast(T, detail::load_read_only<short>(ptr));
    else if constexpr (sizeof(T) == 4)
      return __builtin_bit_cast(T, detail::load_read_only<int>(ptr));
    else if constexpr (sizeof(T) == 8)
      return __builtin_bit_cast(T, detail::load_read_only<long long>(ptr));
    else if constexpr (sizeof(T) == 16)
      return __builtin_bit_cast(T, detail::load_read_only<detail::two_words>(ptr));
  }
#endif
  return *ptr;
}

} // namespace sycl::ext::oneapi::experimental::cuda

#endif
