// The common part of accessors of all targets: a box of elements in row-major memory, subscripts
// and iterators.
//
// The data pointer is the first word. The runtime stores the buffer's address for the kernel there.
// Indexing only adds the box's offset and multiplies by the memory's range, so that the optimiser
// sees base plus index.
//
// On the host, an accessor for kernels has no address. A host task that uses such an accessor
// accesses the buffer's host copy, which the runtime updates for all requirements of a host task.
#ifndef SCYTHE_DETAIL_ACCESSOR_BASE_HPP
#define SCYTHE_DETAIL_ACCESSOR_BASE_HPP

#include <sycl/access.hpp>
#include <sycl/detail/abi.h>
#include <sycl/detail/bounds.hpp>
#include <sycl/detail/buffer_fwd.hpp>
#include <sycl/exception.hpp>
#include <sycl/id.hpp>
#include <sycl/multi_ptr.hpp>

#include <type_traits>

namespace sycl::detail {

// The result of `acc[i]` for an accessor with more than one dimension. It takes the other `Left`
// indices.
template <class T, int D, int Left> class subscript {
public:
  subscript(T *data, const range<D> &memory, const id<D> &offset, std::size_t linear)
      : data_(data), memory_(memory), offset_(offset), linear_(linear) {}
  decltype(auto) operator[](std::size_t index) const {
    constexpr int dimension = D - Left;
    const std::size_t next = linear_ * memory_[dimension] + index + offset_[dimension];
    if constexpr (Left == 1)
      return (data_[next]);
    else
      return subscript<T, D, Left - 1>(data_, memory_, offset_, next);
  }

private:
  T *data_;
  range<D> memory_;
  id<D> offset_;
  std::size_t linear_;
};

#ifdef __SCYTHE_CHECK_ACCESSORS__
// The same with a check of all indices when the last one is known.
template <class T, int D, int Left> class checked_subscript {
public:
  SCYTHE_SUBSCRIPT checked_subscript(T *data, const range<D> &memory, const id<D> &offset,
                                     const range<D> &box, const id<D> &index)
      : data_(data), memory_(memory), offset_(offset), box_(box), index_(index) {}
  SCYTHE_SUBSCRIPT decltype(auto) operator[](std::size_t index) const {
    id<D> next = index_;
    next[D - Left] = index;
    if constexpr (Left == 1) {
      check_index(next, box_);
      return (data_[linear(next + offset_, memory_)]);
    } else {
      return checked_subscript<T, D, Left - 1>(data_, memory_, offset_, box_, next);
    }
  }

private:
  T *data_;
  range<D> memory_;
  id<D> offset_;
  range<D> box_;
  id<D> index_;
};
#endif

// Applies the first of several subscripts to a box of elements.
template <class T, int D>
SCYTHE_SUBSCRIPT auto first_subscript(T *data, const range<D> &memory, const id<D> &offset,
                                      [[maybe_unused]] const range<D> &box, std::size_t index) {
#ifdef __SCYTHE_CHECK_ACCESSORS__
  id<D> first;
  first[0] = index;
  return checked_subscript<T, D, D - 1>(data, memory, offset, box, first);
#else
  return subscript<T, D, D - 1>(data, memory, offset, index + offset[0]);
#endif
}

// Visits the elements of a box in row-major order.
template <class T, int D> class box_iterator {
public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T *;
  using reference = T &;

  box_iterator() = default;
  box_iterator(T *data, const range<D> &memory, const id<D> &offset, const range<D> &box,
               std::size_t position)
      : data_(data), memory_(memory), offset_(offset), box_(box), position_(position) {}

  reference operator*() const { return at(position_); }
  pointer operator->() const { return &at(position_); }
  reference operator[](difference_type n) const {
    return at(position_ + static_cast<std::size_t>(n));
  }
  box_iterator &operator+=(difference_type n) {
    position_ += static_cast<std::size_t>(n);
    return *this;
  }
  box_iterator &operator-=(difference_type n) { return *this += -n; }
  box_iterator &operator++() { return *this += 1; }
  box_iterator &operator--() { return *this += -1; }
  box_iterator operator++(int) {
    box_iterator old = *this;
    ++*this;
    return old;
  }
  box_iterator operator--(int) {
    box_iterator old = *this;
    --*this;
    return old;
  }
  friend box_iterator operator+(box_iterator i, difference_type n) { return i += n; }
  friend box_iterator operator+(difference_type n, box_iterator i) { return i += n; }
  friend box_iterator operator-(box_iterator i, difference_type n) { return i -= n; }
  friend difference_type operator-(const box_iterator &a, const box_iterator &b) {
    return static_cast<difference_type>(a.position_ - b.position_);
  }
  friend bool operator==(const box_iterator &a, const box_iterator &b) {
    return a.position_ == b.position_;
  }
  friend bool operator!=(const box_iterator &a, const box_iterator &b) {
    return a.position_ != b.position_;
  }
  friend bool operator<(const box_iterator &a, const box_iterator &b) {
    return a.position_ < b.position_;
  }
  friend bool operator>(const box_iterator &a, const box_iterator &b) { return b < a; }
  friend bool operator<=(const box_iterator &a, const box_iterator &b) { return !(b < a); }
  friend bool operator>=(const box_iterator &a, const box_iterator &b) { return !(a < b); }

private:
  reference at(std::size_t position) const {
    id<D> index;
    for (int d = D - 1; d >= 0; --d) {
      index[d] = position % box_[d] + offset_[d];
      position /= box_[d];
    }
    return data_[linear(index, memory_)];
  }
  T *data_ = nullptr;
  range<D> memory_;
  id<D> offset_;
  range<D> box_;
  std::size_t position_ = 0;
};

#ifndef SCYTHE_DEVICE_PASS
SCYTHE_LIBRARY_COLD void *host_copy(scythe_buffer buffer) {
  void *data = nullptr;
  check(scythe_buffer_host_address(buffer, &data));
  return data;
}
#endif

// Matches a buffer with elements of type `T`, ignoring constness, and `D` dimensions. Const
// elements only allow reads.
template <class B, class T, int D, access_mode Mode> struct buffer_for {};
template <class U, class T, int D, class A, access_mode Mode>
struct buffer_for<buffer<U, D, A>, T, D, Mode>
    : std::enable_if<std::is_same_v<std::remove_const_t<U>, std::remove_const_t<T>> &&
                     (Mode == access_mode::read || !std::is_const_v<U>)> {};
template <class B, class T, int D, access_mode Mode>
using if_buffer_for = typename buffer_for<B, T, D, Mode>::type;

// Returns the range of all elements of `b` for an accessor of `D` dimensions.
template <int D, class B> range<D ? D : 1> whole_range(const B &b) {
  if constexpr (D == 0)
    return range<1>(b.size() ? 1 : 0);
  else
    return b.get_range();
}

// `T` is const if the accessor is read-only. `D` is 1 for an accessor of dimension 0.
template <class T, int D> class accessor_base {
public:
  using value_type = T;
  using reference = T &;
  using const_reference = const T &;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;
  // One-dimensional boxes are contiguous.
  using iterator = std::conditional_t<D == 1, T *, box_iterator<T, D>>;
  using const_iterator = std::conditional_t<D == 1, const T *, box_iterator<const T, D>>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  std::size_t byte_size() const noexcept { return size() * sizeof(T); }
  std::size_t size() const noexcept { return box_.size(); }
  std::size_t max_size() const noexcept { return static_cast<std::size_t>(-1) / sizeof(T); }
  bool empty() const noexcept { return size() == 0; }
  std::size_t get_size() const noexcept { return byte_size(); }
  std::size_t get_count() const noexcept { return size(); }
  range<D> get_range() const noexcept { return box_; }
  id<D> get_offset() const noexcept { return offset_; }

  SCYTHE_SUBSCRIPT T &operator[](id<D> index) const {
    check_index(index, box_);
    if constexpr (D == 1)
      return data()[index[0] + offset_[0]];
    else
      return data()[linear(index + offset_, memory_)];
  }
  template <int N = D, class = std::enable_if_t<(N > 1)>>
  SCYTHE_SUBSCRIPT auto operator[](std::size_t index) const {
    return first_subscript<T, D>(data(), memory_, offset_, box_, index);
  }

  iterator begin() const noexcept { return iterator_at<iterator, T>(0); }
  iterator end() const noexcept { return iterator_at<iterator, T>(size()); }
  const_iterator cbegin() const noexcept { return iterator_at<const_iterator, const T>(0); }
  const_iterator cend() const noexcept { return iterator_at<const_iterator, const T>(size()); }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(cend()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(cbegin()); }

protected:
  accessor_base() = default;
  accessor_base(scythe_buffer buffer, const range<D> &memory, const range<D> &box,
                const id<D> &offset)
      : buffer_(buffer), box_(box), memory_(memory), offset_(offset) {
    for (int i = 0; i < D; ++i)
      if (offset[i] > memory[i] || box[i] > memory[i] - offset[i])
        fail(
            errc::invalid,
            "accessor: offset %zu plus range %zu in dimension %d exceeds the buffer's range of %zu",
            offset[i], box[i], i, memory[i]);
  }
  template <class U>
  accessor_base(const accessor_base<U, D> &other)
      : data_(const_cast<std::remove_const_t<T> *>(other.data_)), buffer_(other.buffer_),
        box_(other.box_), memory_(other.memory_), offset_(other.offset_) {}

  // Returns the buffer's first element, even if the box begins elsewhere.
  T *data() const {
#ifndef SCYTHE_DEVICE_PASS
    if (__builtin_expect(!data_ && buffer_, 0))
      return static_cast<T *>(host_copy(buffer_));
#endif
    return data_;
  }
  // Returns the box's first element.
  T *first() const { return data() + linear(offset_, memory_); }
  bool same(const accessor_base &other) const {
    return buffer_ == other.buffer_ && data_ == other.data_ && box_ == other.box_ &&
           offset_ == other.offset_;
  }
  std::size_t hash() const {
    const std::size_t bytes =
        reinterpret_cast<std::size_t>(buffer_) ^ reinterpret_cast<std::size_t>(data_);
    return (bytes * 31 + box_.size()) * 31 + linear(offset_, memory_);
  }

  T *data_ = nullptr;
  scythe_buffer buffer_ = nullptr;
  range<D> box_;
  range<D> memory_;
  id<D> offset_;

private:
  template <class, int> friend class accessor_base;
  friend struct accessor_view;
  template <class I, class U> I iterator_at(std::size_t position) const {
    if constexpr (D == 1)
      return first() + position;
    else
      return box_iterator<U, D>(data(), memory_, offset_, box_, position);
  }
};

// The base of an accessor of a buffer.
template <class T, int D, access_mode Mode> struct accessor_base_for {
  static_assert(D >= 0 && D <= 3, "an accessor must have 0, 1, 2 or 3 dimensions");
  static_assert(Mode == access_mode::read || !std::is_const_v<T>,
                "an accessor of const elements must use access_mode::read");
  using type = accessor_base<std::conditional_t<Mode == access_mode::read, const T, T>, D ? D : 1>;
};
template <class T, int D, access_mode Mode>
using accessor_base_of = typename accessor_base_for<T, D, Mode>::type;

} // namespace sycl::detail

#endif
