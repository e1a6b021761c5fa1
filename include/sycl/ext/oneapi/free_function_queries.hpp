// The current work-item for functions that do not receive an item
// (`sycl_ext_oneapi_free_function_queries`, `sycl_khr_work_item_queries`). Only kernels may call
// these functions, with the number of dimensions of the launch.
#ifndef SCYTHE_EXT_ONEAPI_FREE_FUNCTION_QUERIES_HPP
#define SCYTHE_EXT_ONEAPI_FREE_FUNCTION_QUERIES_HPP

#include <sycl/item.hpp>
#include <sycl/nd_item.hpp>

namespace sycl {

namespace ext::oneapi {

namespace this_work_item {
template <int Dimensions> nd_item<Dimensions> get_nd_item() {
  return nd_item<Dimensions>(sycl::detail::this_work_item());
}
template <int Dimensions> group<Dimensions> get_work_group() {
  return group<Dimensions>(sycl::detail::this_work_item());
}
inline sub_group get_sub_group() { return sub_group(sycl::detail::this_work_item()); }
} // namespace this_work_item

// The names in earlier versions of the extension.
namespace experimental {
template <int Dimensions> nd_item<Dimensions> this_nd_item() {
  return this_work_item::get_nd_item<Dimensions>();
}
template <int Dimensions> group<Dimensions> this_group() {
  return this_work_item::get_work_group<Dimensions>();
}
inline sub_group this_sub_group() { return this_work_item::get_sub_group(); }
template <int Dimensions> item<Dimensions> this_item() {
  return item<Dimensions>(sycl::detail::this_work_item());
}
template <int Dimensions> id<Dimensions> this_id() { return this_item<Dimensions>().get_id(); }
} // namespace experimental

} // namespace ext::oneapi

namespace khr {
template <int Dimensions> nd_item<Dimensions> this_nd_item() {
  return ext::oneapi::this_work_item::get_nd_item<Dimensions>();
}
template <int Dimensions> group<Dimensions> this_group() {
  return ext::oneapi::this_work_item::get_work_group<Dimensions>();
}
inline sycl::sub_group this_sub_group() { return ext::oneapi::this_work_item::get_sub_group(); }
} // namespace khr

} // namespace sycl

#endif
