// `uniform`: a value that all work-items of a group share (`sycl_ext_oneapi_uniform`). The compiler
// finds uniform values itself, so the class adds nothing to the value.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_UNIFORM_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_UNIFORM_HPP

#include <sycl/h_item.hpp>
#include <sycl/item.hpp>
#include <sycl/nd_item.hpp>

namespace sycl::detail {
template <class T> inline constexpr bool is_work_item_type = std::is_same_v<T, sub_group>;
template <int D, bool O> inline constexpr bool is_work_item_type<item<D, O>> = true;
template <int D> inline constexpr bool is_work_item_type<nd_item<D>> = true;
template <int D> inline constexpr bool is_work_item_type<h_item<D>> = true;
template <int D> inline constexpr bool is_work_item_type<group<D>> = true;
template <int D> inline constexpr bool is_work_item_type<nd_range<D>> = true;
} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

template <class T> class uniform {
  static_assert(!sycl::detail::is_work_item_type<T>,
                "uniform: T must not be a type that identifies a work-item or a group");

public:
  explicit uniform(T value) noexcept : value_(value) {}
  uniform(const uniform &) = default;
  uniform &operator=(const uniform &) = delete;
  operator const T() const { return value_; }

private:
  T value_;
};

} // namespace sycl::ext::oneapi::experimental

#endif
