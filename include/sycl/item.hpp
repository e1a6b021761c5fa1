// `sycl::item`: one work-item of a `parallel_for` over a `range`.
#ifndef SCYTHE_ITEM_HPP
#define SCYTHE_ITEM_HPP

#include <sycl/detail/work_item.hpp>

namespace sycl {

template <int Dimensions = 1, bool WithOffset = true>
class item : public detail::converts_to_index<item<Dimensions, WithOffset>, Dimensions> {
public:
  static constexpr int dimensions = Dimensions;

  item() = delete;
  // An item without offset is one whose offset is zero.
  template <bool Other, class = std::enable_if_t<WithOffset && !Other>>
  item(const item<Dimensions, Other> &other) : self_(other.self_) {}

  id<Dimensions> get_id() const {
    return detail::in_sycl_order<id<Dimensions>, Dimensions>([this](int d) { return self_.global_id(d); });
  }
  std::size_t get_id(int dimension) const { return self_.global_id(Dimensions - 1 - dimension); }
  std::size_t operator[](int dimension) const { return get_id(dimension); }
  range<Dimensions> get_range() const {
    return detail::in_sycl_order<range<Dimensions>, Dimensions>([this](int d) { return self_.global_size(d); });
  }
  std::size_t get_range(int dimension) const { return self_.global_size(Dimensions - 1 - dimension); }
  template <bool W = WithOffset, class = std::enable_if_t<W>> id<Dimensions> get_offset() const {
    return detail::in_sycl_order<id<Dimensions>, Dimensions>([this](int d) { return self_.global_offset(d); });
  }
  std::size_t get_linear_id() const {
    if constexpr (WithOffset)
      return detail::linear(get_id() - get_offset(), get_range());
    else
      return detail::linear(get_id(), get_range());
  }

  friend bool operator==(const item &a, const item &b) {
    return a.get_id() == b.get_id() && a.get_range() == b.get_range();
  }
  friend bool operator!=(const item &a, const item &b) { return !(a == b); }

  explicit item(const detail::work_item &self) : self_(self) {}

private:
  template <int, bool> friend class item;
  detail::work_item self_;
};

} // namespace sycl

#endif
