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
  // Converts an item without offset to an item with offset zero.
  template <bool Other, class = std::enable_if_t<WithOffset && !Other>>
  item(const item<Dimensions, Other> &other) : id_(other.id_), range_(other.range_) {}

  id<Dimensions> get_id() const { return id_; }
  std::size_t get_id(int dimension) const { return id_[dimension]; }
  std::size_t operator[](int dimension) const { return id_[dimension]; }
  range<Dimensions> get_range() const { return range_; }
  std::size_t get_range(int dimension) const { return range_[dimension]; }
  template <bool W = WithOffset, class = std::enable_if_t<W>> id<Dimensions> get_offset() const {
    return offset_;
  }
  std::size_t get_linear_id() const {
    if constexpr (WithOffset)
      return detail::linear(id_ - offset_, range_);
    else
      return detail::linear(id_, range_);
  }

  friend bool operator==(const item &a, const item &b) {
    return a.get_id() == b.get_id() && a.get_range() == b.get_range();
  }
  friend bool operator!=(const item &a, const item &b) { return !(a == b); }

  explicit item(const detail::work_item &self)
      : id_(detail::in_sycl_order<id<Dimensions>, Dimensions>(
            [&](int d) { return self.global_id(d); })),
        range_(detail::in_sycl_order<range<Dimensions>, Dimensions>(
            [&](int d) { return self.global_size(d); })) {
    if constexpr (WithOffset)
      offset_ = detail::in_sycl_order<id<Dimensions>, Dimensions>(
          [&](int d) { return self.global_offset(d); });
  }
  // Makes an item of `r` that is independent of the running work-item.
  item(const id<Dimensions> &i, const range<Dimensions> &r) : id_(i), range_(r) {}

private:
  template <int, bool> friend class item;
  id<Dimensions> id_;
  range<Dimensions> range_;
  id<Dimensions> offset_;
};

} // namespace sycl

#endif
