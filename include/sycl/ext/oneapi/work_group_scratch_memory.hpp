// `get_work_group_scratch_memory`: memory of a work-group whose size is a property of the launch
// (`sycl_ext_oneapi_work_group_scratch_memory`).
//
// A launch with the property `work_group_scratch_size` wraps the kernel in one with a local
// accessor. Each work-item stores its address in a variable of the work-group before it calls the
// program's kernel, and `get_work_group_scratch_memory` reads that variable. All work-items store
// the same address, so they need no barrier.
#ifndef SCYTHE_EXT_ONEAPI_WORK_GROUP_SCRATCH_MEMORY_HPP
#define SCYTHE_EXT_ONEAPI_WORK_GROUP_SCRATCH_MEMORY_HPP

#include <sycl/ext/oneapi/work_group_memory.hpp>
#include <sycl/ext/oneapi/work_group_static.hpp>

namespace sycl::ext::oneapi::experimental {

using work_group_scratch_size_key = work_group_scratch_size;

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

#ifdef SCYTHE_DEVICE_PASS
using scratch_address = __attribute__((opencl_local)) unsigned char *;
inline ext::oneapi::experimental::work_group_static<scratch_address> scratch_of_group;
SCYTHE_ANNOTATE("scythe::provides_scratch_memory")
inline void set_scratch_of_group(void *p) { scratch_of_group = (scratch_address)p; }
#else
// In host mode, a thread runs one work-group at a time.
inline thread_local void *scratch_of_group = nullptr;
inline void set_scratch_of_group(void *p) { scratch_of_group = p; }
#endif

// Free function kernels have the memory in their functor.
inline void provide_scratch(const free_function_scratch &scratch, int) {
  set_scratch_of_group(local_slot::memory(scratch.at));
}

// The kernel that prepares the memory for the program's kernel.
template <class K, int D> struct scratch_kernel {
  using scythe_wrapped = K;
  template <class Pack> using scythe_properties = Pack;

  ext::oneapi::experimental::work_group_memory<unsigned char[]> memory;
  K kernel;

  template <class... Reducers>
  SCYTHE_ANNOTATE("scythe::work_groups", "launched")
  SCYTHE_ANNOTATE("scythe::calls_kernel") void operator()(const nd_item<D> &self,
                                                          Reducers &...reducers) const {
    set_scratch_of_group(memory.get_multi_ptr().get());
    if constexpr (std::is_invocable_v<const K &, nd_item<D>, Reducers &...>)
      SCYTHE_INLINED kernel(self, reducers...);
    else
      SCYTHE_INLINED kernel(self, reducers..., kernel_handler());
  }
};
template <class K, int D> inline constexpr bool prepares_scratch<scratch_kernel<K, D>> = true;

template <class Properties> struct scratch_launch {
  static std::size_t bytes(const Properties &p) {
    return p.template get_property<ext::oneapi::experimental::work_group_scratch_size>().value;
  }
  template <class Name, int D, class K, class... Rest>
  static void over(handler &h, const nd_range<D> &r, const K &kernel, code_location where,
                   const Properties &p, const Rest &...rest) {
    using wrapper = scratch_kernel<K, D>;
    using name = wrapper_name_t<Name, K, wrapper>;
    h.template parallel_for<name>(r, p, rest..., wrapper{{bytes(p), h}, kernel}, where);
  }
  // For a kernel that gives the size itself. `L` is the property list of the launch.
  template <class Name, class L, int D, class K>
  static void by_kernel(handler &h, const nd_range<D> &r, const K &kernel, code_location where) {
    using wrapper = scratch_kernel<K, D>;
    using name = wrapper_name_t<Name, K, wrapper>;
    const std::size_t bytes =
        kernel.get(ext::oneapi::experimental::properties_tag())
            .template get_property<ext::oneapi::experimental::work_group_scratch_size>()
            .value;
    h.template launch_over<name, L>(r, wrapper{{bytes, h}, kernel}, where);
  }
};

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

// Returns the memory of the calling work-item's work-group.
SCYTHE_ANNOTATE("scythe::uses_scratch_memory") inline void *get_work_group_scratch_memory() {
#ifdef SCYTHE_DEVICE_PASS
  return (void *)static_cast<sycl::detail::scratch_address &>(sycl::detail::scratch_of_group);
#else
  return sycl::detail::scratch_of_group;
#endif
}

} // namespace sycl::ext::oneapi::experimental

#endif
