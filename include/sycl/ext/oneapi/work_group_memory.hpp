// `work_group_memory`: memory of a work-group without the size that a local accessor carries
// (`sycl_ext_oneapi_work_group_memory`).
//
// It begins with the words of `scythe_local_accessor_head`, as local accessors do.
#ifndef SCYTHE_EXT_ONEAPI_WORK_GROUP_MEMORY_HPP
#define SCYTHE_EXT_ONEAPI_WORK_GROUP_MEMORY_HPP

#include <sycl/ext/oneapi/properties.hpp>
#include <sycl/local_accessor.hpp>

namespace sycl::ext::oneapi::experimental {

struct indeterminate_t {};
inline constexpr indeterminate_t indeterminate{};

template <class DataT, class PropertyListT = empty_properties_t>
class SCYTHE_SPECIAL("local_accessor") work_group_memory {
  static_assert(std::is_same_v<PropertyListT, empty_properties_t>,
                "work_group_memory: there are no properties of this class");
  static constexpr bool unbounded = std::is_array_v<DataT> && std::extent_v<DataT> == 0;

public:
  using value_type = std::remove_all_extents_t<DataT>;

  // An object without memory, which another object must be assigned to.
  work_group_memory(const indeterminate_t &) {}
  work_group_memory(const work_group_memory &) = default;
  template <class T = DataT, class = std::enable_if_t<!unbounded && std::is_same_v<T, DataT>>>
  work_group_memory(handler &h) : work_group_memory(indeterminate, sizeof(T), h) {}
  template <class T = DataT, class = std::enable_if_t<unbounded && std::is_same_v<T, DataT>>>
  work_group_memory(std::size_t count, handler &h)
      : work_group_memory(indeterminate,
                          sycl::detail::checked_bytes<std::remove_extent_t<T>>(count), h) {}

  work_group_memory &operator=(const work_group_memory &) = default;
  template <class T = DataT, class = std::enable_if_t<!std::is_array_v<T>>>
  const work_group_memory &operator=(const T &value) const {
    *data() = value;
    return *this;
  }
  operator DataT &() const { return *data(); }
  DataT *operator&() const { return data(); }
  template <access::decorated D = access::decorated::no>
  multi_ptr<value_type, access::address_space::local_space, D> get_multi_ptr() const {
    return multi_ptr<value_type, access::address_space::local_space, D>(
        reinterpret_cast<value_type *>(data()));
  }

private:
  friend struct sycl::detail::dynamic_local;
  work_group_memory(indeterminate_t, std::size_t bytes, handler &h)
      : at_(sycl::detail::local_slot::reserve(h, bytes)), bytes_(bytes) {}
  DataT *data() const { return reinterpret_cast<DataT *>(sycl::detail::local_slot::memory(at_)); }

  void *at_ = nullptr;
  std::uint64_t bytes_ = 0;
};

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {
template <class T, class L>
struct native_argument<ext::oneapi::experimental::work_group_memory<T, L>> {
  static constexpr scythe_native_arg_kind kind = SCYTHE_NATIVE_ARG_LOCAL;
  static constexpr std::size_t bytes = sizeof(ext::oneapi::experimental::work_group_memory<T, L>);
};
} // namespace sycl::detail

#endif
