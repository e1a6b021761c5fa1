// Forward progress (`sycl_ext_oneapi_forward_progress`): the guarantees of devices for work-groups,
// sub-groups and work-items that wait for others, and kernels that require a guarantee.
//
// Work-groups on the CPU device run on threads of the operating system, and work-groups on NVIDIA
// GPUs stay on their multiprocessor. Both continue after they have started, whatever other
// work-groups do. This is parallel progress. Sub-groups make parallel progress if the device
// reports that they are independent. Work-items have no guarantee, and neither have work-groups of
// OpenCL devices, because drivers do not report one. No device guarantees concurrent progress,
// because none starts all work-groups of a kernel at once.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_FORWARD_PROGRESS_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_FORWARD_PROGRESS_HPP

#include <sycl/device.hpp>
#include <sycl/ext/oneapi/kernel_properties.hpp>

namespace sycl {

namespace ext::oneapi::experimental {
// From the strongest to the weakest.
enum class forward_progress_guarantee { concurrent, parallel, weakly_parallel };
// From the narrowest to the broadest.
enum class execution_scope { work_item, sub_group, work_group, root_group };
} // namespace ext::oneapi::experimental

namespace detail::progress {

using guarantee = ext::oneapi::experimental::forward_progress_guarantee;
using scope = ext::oneapi::experimental::execution_scope;

// Returns the guarantee for threads of execution of one scope within `coordination`: the weakest
// guarantee of the scopes in between.
template <class Device> guarantee strongest(const Device &d, scope of, scope coordination) {
  bool parallel = of != scope::work_item;
  if (of <= scope::sub_group)
    parallel =
        parallel && d.template get_info<info::device::sub_group_independent_forward_progress>();
  if (coordination == scope::root_group)
    parallel = parallel && d.get_backend() != backend::opencl;
  return parallel ? guarantee::parallel : guarantee::weakly_parallel;
}

// Descriptors of `device::get_info`.
template <scope Of, scope Coordination> struct capabilities {
  static_assert(Coordination > Of,
                "the coordination scope must be broader than the scope of the query");
  using return_type = list_for<Of, guarantee>;
  static return_type scythe_query(const device &d) {
    return_type list{guarantee::weakly_parallel};
    if (strongest(d, Of, Coordination) == guarantee::parallel)
      list.push_back(guarantee::parallel);
    return list;
  }
};

// Keys of the kernel properties.
template <scope Of> struct key_of {
  static constexpr scope of = Of;
};

} // namespace detail::progress

namespace ext::oneapi {

namespace experimental {

namespace info::device {
template <execution_scope CoordinationScope>
struct work_group_progress_capabilities
    : sycl::detail::progress::capabilities<execution_scope::work_group, CoordinationScope> {};
template <execution_scope CoordinationScope>
struct sub_group_progress_capabilities
    : sycl::detail::progress::capabilities<execution_scope::sub_group, CoordinationScope> {};
template <execution_scope CoordinationScope>
struct work_item_progress_capabilities
    : sycl::detail::progress::capabilities<execution_scope::work_item, CoordinationScope> {};
} // namespace info::device

} // namespace experimental

// A kernel with this property can only be submitted to devices that give the guarantee.
template <class Key, experimental::forward_progress_guarantee Guarantee,
          experimental::execution_scope CoordinationScope>
struct property_value<Key,
                      std::integral_constant<experimental::forward_progress_guarantee, Guarantee>,
                      std::integral_constant<experimental::execution_scope, CoordinationScope>> {
  static_assert(CoordinationScope > Key::of,
                "the coordination scope must be broader than the scope of the property");
  using key_t = Key;
  static constexpr experimental::forward_progress_guarantee guarantee = Guarantee;
  static constexpr experimental::execution_scope coordinationScope = CoordinationScope;

  static void scythe_check(const device &d) {
    if (Guarantee < sycl::detail::progress::strongest(d, Key::of, CoordinationScope))
      sycl::detail::fail(errc::feature_not_supported,
                         "device '%s' does not provide the forward progress guarantee that the "
                         "kernel's property requires",
                         sycl::detail::device_label(d).c_str());
  }
};

namespace experimental {

#define SCYTHE_PROGRESS(scope)                                                                     \
  struct scope##_progress_key : sycl::detail::progress::key_of<execution_scope::scope> {           \
    template <forward_progress_guarantee Guarantee, execution_scope CoordinationScope>             \
    using value_t = property_value<scope##_progress_key,                                           \
                                   std::integral_constant<forward_progress_guarantee, Guarantee>,  \
                                   std::integral_constant<execution_scope, CoordinationScope>>;    \
  };                                                                                               \
  template <forward_progress_guarantee Guarantee, execution_scope CoordinationScope>               \
  inline constexpr scope##_progress_key::value_t<Guarantee, CoordinationScope> scope##_progress{};
SCYTHE_PROGRESS(work_group)
SCYTHE_PROGRESS(sub_group)
SCYTHE_PROGRESS(work_item)
#undef SCYTHE_PROGRESS

} // namespace experimental
} // namespace ext::oneapi
} // namespace sycl

#endif
