// `sycl::nd_range`: the work-items of a launch and the size of its work-groups.
#ifndef SCYTHE_ND_RANGE_HPP
#define SCYTHE_ND_RANGE_HPP

#include <sycl/id.hpp>

namespace sycl {

namespace detail {
// Sizes of work-groups that divide `global`, with at most 256 work-items, which all devices accept.
template <int D> range<D> chosen_local(const range<D> &global) {
  range<D> local;
  std::size_t left = 256;
  for (int d = D - 1; d >= 0; --d) {
    std::size_t size = global[d] < left ? global[d] : left;
    while (size > 1 && global[d] % size != 0)
      --size;
    local[d] = size ? size : 1;
    left /= local[d];
  }
  return local;
}
} // namespace detail

template <int Dimensions = 1> class nd_range {
public:
  static constexpr int dimensions = Dimensions;

  // No work-items, as `range()`.
  nd_range() = default;
  nd_range(range<Dimensions> global, range<Dimensions> local, id<Dimensions> offset = {})
      : global_(global), local_(local), offset_(offset) {
    // The value of `auto_range` (`ext/oneapi/experimental/auto_local_range.hpp`).
    if (local[0] == static_cast<std::size_t>(-1))
      local_ = detail::chosen_local(global);
  }

  range<Dimensions> get_global_range() const { return global_; }
  range<Dimensions> get_local_range() const { return local_; }
  range<Dimensions> get_group_range() const {
    range<Dimensions> groups = global_;
    for (int i = 0; i < Dimensions; ++i)
      groups[i] = local_[i] ? global_[i] / local_[i] : 0;
    return groups;
  }
  id<Dimensions> get_offset() const { return offset_; }

  friend bool operator==(const nd_range &a, const nd_range &b) {
    return a.global_ == b.global_ && a.local_ == b.local_ && a.offset_ == b.offset_;
  }
  friend bool operator!=(const nd_range &a, const nd_range &b) { return !(a == b); }

private:
  range<Dimensions> global_;
  range<Dimensions> local_;
  id<Dimensions> offset_;
};

} // namespace sycl

#endif
