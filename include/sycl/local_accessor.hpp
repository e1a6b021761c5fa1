// `sycl::local_accessor`: memory that the work-items of one work-group share.
//
// It begins with the words of `scythe_local_accessor_head`. In host mode the first of them is an offset into the memory
// of the group that the thread runs.
#ifndef SCYTHE_LOCAL_ACCESSOR_HPP
#define SCYTHE_LOCAL_ACCESSOR_HPP

#include <sycl/detail/accessor_base.hpp>
#include <sycl/handler.hpp>

namespace sycl {

template <class T, int Dimensions> class SCYTHE_SPECIAL("local_accessor") local_accessor {
  static_assert(Dimensions >= 0 && Dimensions <= 3, "accessors have 0 to 3 dimensions");
  static constexpr int stored = Dimensions ? Dimensions : 1;

public:
  using value_type = T;
  using reference = T &;
  using const_reference = const T &;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using iterator = T *;
  using const_iterator = const T *;
  template <access::decorated D> using accessor_ptr = local_ptr<T, D>;

  local_accessor() = default;
  template <int D = Dimensions, class = std::enable_if_t<D == 0>>
  explicit local_accessor(handler &h, const property_list & = {}) : local_accessor(range<1>(1), h, 0) {}
  template <int D = Dimensions, class = std::enable_if_t<(D > 0)>>
  local_accessor(range<stored> r, handler &h, const property_list & = {}) : local_accessor(r, h, 0) {}

  std::size_t byte_size() const noexcept { return size() * sizeof(T); }
  std::size_t size() const noexcept { return range_.size(); }
  std::size_t max_size() const noexcept { return static_cast<std::size_t>(-1) / sizeof(T); }
  bool empty() const noexcept { return size() == 0; }
  range<stored> get_range() const noexcept { return range_; }

  T &operator[](id<stored> index) const { return memory()[detail::linear(index, range_)]; }
  template <int D = Dimensions, class = std::enable_if_t<(D > 1)>> auto operator[](std::size_t index) const {
    return detail::subscript<T, stored, stored - 1>(memory(), range_, id<stored>(), index);
  }
  template <int D = Dimensions, class = std::enable_if_t<D == 0>> operator T &() const { return *memory(); }
  template <int D = Dimensions, class = std::enable_if_t<D == 0>>
  const local_accessor &operator=(const T &value) const {
    *memory() = value;
    return *this;
  }
  iterator begin() const noexcept { return memory(); }
  iterator end() const noexcept { return memory() + size(); }
  const_iterator cbegin() const noexcept { return memory(); }
  const_iterator cend() const noexcept { return memory() + size(); }
  local_ptr<T> get_pointer() const noexcept { return local_ptr<T>(memory()); }
  template <access::decorated D> accessor_ptr<D> get_multi_ptr() const noexcept { return accessor_ptr<D>(memory()); }

  friend bool operator==(const local_accessor &a, const local_accessor &b) {
    return a.data_ == b.data_ && a.range_ == b.range_;
  }
  friend bool operator!=(const local_accessor &a, const local_accessor &b) { return !(a == b); }

private:
  local_accessor(const range<stored> &r, handler &h, int) : bytes_(r.size() * sizeof(T)), range_(r) {
#ifdef SCYTHE_HOST_MODE
    data_ = reinterpret_cast<T *>(h.reserve_local(bytes_));
#else
    (void)h;
#endif
  }
  T *memory() const {
#ifdef SCYTHE_HOST_MODE
    return reinterpret_cast<T *>(detail::group_memory + reinterpret_cast<std::size_t>(data_));
#else
    return data_;
#endif
  }

  T *data_ = nullptr;
  std::uint64_t bytes_ = 0;
  range<stored> range_;
};

} // namespace sycl

#endif
