// `sycl::local_accessor`: memory that the work-items of one work-group share.
//
// It begins with the words of `scythe_local_accessor_head`. In host mode, the first word is an
// offset into the memory of the group that the thread runs.
#ifndef SCYTHE_LOCAL_ACCESSOR_HPP
#define SCYTHE_LOCAL_ACCESSOR_HPP

#include <sycl/atomic.hpp>
#include <sycl/detail/accessor_base.hpp>
#include <sycl/detail/range_bytes.hpp>
#include <sycl/handler.hpp>

namespace sycl {

namespace detail {
struct dynamic_local;
// A part of the local memory of a work-group.
struct local_slot {
  static void *reserve(handler &h, [[maybe_unused]] std::size_t bytes) {
#ifdef SCYTHE_HOST_MODE
    return reinterpret_cast<void *>(h.reserve_local(bytes));
#else
    // Before the launch, this word only distinguishes the accessors of a command group.
    return reinterpret_cast<void *>(h.number_local());
#endif
  }
  static void *memory(void *at) {
#ifdef SCYTHE_HOST_MODE
    return group_memory + reinterpret_cast<std::size_t>(at);
#else
    return at;
#endif
  }
};

// An iterator of local memory. It is a distinct type rather than a pointer, because programs name
// kernels after iterators and the iterators of buffer accessors are pointers. It converts to a
// pointer for operations that it does not define, such as comparisons.
template <class T> class local_iterator {
public:
  using iterator_category = std::random_access_iterator_tag;
#if __cplusplus >= 202002L
  using iterator_concept = std::contiguous_iterator_tag;
#endif
  using value_type = std::remove_cv_t<T>;
  using element_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = T *;
  using reference = T &;

  local_iterator() = default;
  explicit local_iterator(T *at) : at_(at) {}
  template <class U, class = std::enable_if_t<std::is_same_v<T, const U>>>
  local_iterator(const local_iterator<U> &other) : at_(other) {}

  operator T *() const { return at_; }
  T &operator*() const { return *at_; }
  T *operator->() const { return at_; }
  local_iterator &operator+=(difference_type n) {
    at_ += n;
    return *this;
  }
  local_iterator &operator-=(difference_type n) { return *this += -n; }
  local_iterator &operator++() { return *this += 1; }
  local_iterator &operator--() { return *this += -1; }
  local_iterator operator++(int) { return local_iterator(at_++); }
  local_iterator operator--(int) { return local_iterator(at_--); }
  friend local_iterator operator+(local_iterator i, difference_type n) { return i += n; }
  friend local_iterator operator+(difference_type n, local_iterator i) { return i += n; }
  friend local_iterator operator-(local_iterator i, difference_type n) { return i -= n; }

private:
  T *at_ = nullptr;
};
} // namespace detail

template <class T, int Dimensions> class SCYTHE_SPECIAL("local_accessor") local_accessor {
  static_assert(Dimensions >= 0 && Dimensions <= 3,
                "an accessor must have 0, 1, 2 or 3 dimensions");
  static constexpr int stored = Dimensions ? Dimensions : 1;

public:
  using value_type = T;
  using reference = T &;
  using const_reference = const T &;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using iterator = detail::local_iterator<T>;
  using const_iterator = detail::local_iterator<const T>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  template <access::decorated D> using accessor_ptr = local_ptr<T, D>;

  local_accessor() = default;
  template <int D = Dimensions, class = std::enable_if_t<D == 0>>
  explicit local_accessor(handler &h, const property_list & = {})
      : local_accessor(range<1>(1), h, 0) {}
  template <int D = Dimensions, class = std::enable_if_t<(D > 0)>>
  local_accessor(range<stored> r, handler &h, const property_list & = {})
      : local_accessor(r, h, 0) {}

  // A writable accessor converts to a read-only one.
  template <class U, class = std::enable_if_t<std::is_same_v<T, const U> && !std::is_same_v<T, U>>>
  local_accessor(const local_accessor<U, Dimensions> &other)
      : data_(other.data_), bytes_(other.bytes_), range_(other.range_) {}

  void swap(local_accessor &other) {
    local_accessor mine = *this;
    *this = other;
    other = mine;
  }
  std::size_t byte_size() const noexcept { return size() * sizeof(T); }
  std::size_t size() const noexcept { return range_.size(); }
  std::size_t max_size() const noexcept { return static_cast<std::size_t>(-1) / sizeof(T); }
  bool empty() const noexcept { return size() == 0; }
  range<stored> get_range() const noexcept { return range_; }

  SCYTHE_SUBSCRIPT T &operator[](id<stored> index) const {
    detail::check_index(index, range_);
    return memory()[detail::linear(index, range_)];
  }
  template <int D = Dimensions, class = std::enable_if_t<(D > 1)>>
  SCYTHE_SUBSCRIPT auto operator[](std::size_t index) const {
    return detail::first_subscript<T, stored>(memory(), range_, id<stored>(), range_, index);
  }
  template <int D = Dimensions, class = std::enable_if_t<D == 0>> operator T &() const {
    return *memory();
  }
  template <int D = Dimensions, class = std::enable_if_t<D == 0>>
  const local_accessor &operator=(const T &value) const {
    *memory() = value;
    return *this;
  }
  iterator begin() const noexcept { return iterator(memory()); }
  iterator end() const noexcept { return iterator(memory() + size()); }
  const_iterator cbegin() const noexcept { return const_iterator(memory()); }
  const_iterator cend() const noexcept { return const_iterator(memory() + size()); }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(cend()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(cbegin()); }
  std::size_t get_size() const noexcept { return byte_size(); }
  std::size_t get_count() const noexcept { return size(); }
  local_ptr<T> get_pointer() const noexcept { return local_ptr<T>(memory()); }
  template <access::decorated D> accessor_ptr<D> get_multi_ptr() const noexcept {
    return accessor_ptr<D>(memory());
  }

  friend bool operator==(const local_accessor &a, const local_accessor &b) {
    return a.data_ == b.data_ && a.range_ == b.range_;
  }
  friend bool operator!=(const local_accessor &a, const local_accessor &b) { return !(a == b); }
  const void *scythe_identity() const noexcept { return data_; }

private:
  template <class, int> friend class local_accessor;
  friend struct detail::dynamic_local;
  local_accessor(const range<stored> &r, handler &h, int)
      : bytes_(detail::range_bytes<T>("local_accessor", r)), range_(r) {
    data_ = static_cast<T *>(detail::local_slot::reserve(h, bytes_));
  }
  T *memory() const {
    return static_cast<T *>(detail::local_slot::memory(const_cast<std::remove_cv_t<T> *>(data_)));
  }

  T *data_ = nullptr;
  std::uint64_t bytes_ = 0;
  range<stored> range_;
};

// The same class in the spelling of SYCL 1.2.1.
template <class T, int D, access_mode Mode, access::placeholder Placeholder>
class accessor<T, D, Mode, target::local, Placeholder> : public local_accessor<T, D> {
  using base = local_accessor<T, D>;

public:
  using base::base;
  using base::operator=;
  using base::operator[];
  bool is_placeholder() const noexcept { return false; }
  std::size_t scythe_hash() const { return std::hash<const void *>()(this->scythe_identity()); }
};
namespace detail {
// A subscript that returns an element as an atomic.
template <class T, class Subscript> struct atomic_subscript {
  Subscript rest;
  SCYTHE_SUBSCRIPT auto operator[](std::size_t index) const {
    using next = decltype(rest[index]);
    if constexpr (std::is_reference_v<next>)
      return atomic<T, access::address_space::local_space>(
          local_ptr<T>(__builtin_addressof(rest[index])));
    else
      return atomic_subscript<T, next>{rest[index]};
  }
};
} // namespace detail

template <class T, int D, access::placeholder Placeholder>
class accessor<T, D, access_mode::atomic, target::local, Placeholder>
    : public local_accessor<T, D> {
  using base = local_accessor<T, D>;

public:
  using base::base;
  SCYTHE_SUBSCRIPT atomic<T, access::address_space::local_space> operator[](id<D> index) const {
    return local_ptr<T>(__builtin_addressof(base::operator[](index)));
  }
  template <int N = D, class = std::enable_if_t<(N > 1)>>
  SCYTHE_SUBSCRIPT auto operator[](std::size_t index) const {
    using rest = decltype(base::operator[](index));
    return detail::atomic_subscript<T, rest>{base::operator[](index)};
  }
  template <int N = D, class = std::enable_if_t<N == 0>>
  operator atomic<T, access::address_space::local_space>() const {
    return local_ptr<T>(__builtin_addressof(base::operator[](0)));
  }
  bool is_placeholder() const noexcept { return false; }
  std::size_t scythe_hash() const { return std::hash<const void *>()(this->scythe_identity()); }
};

} // namespace sycl

template <class T, int D> struct std::hash<sycl::local_accessor<T, D>> {
  std::size_t operator()(const sycl::local_accessor<T, D> &a) const noexcept {
    return std::hash<const void *>()(a.scythe_identity());
  }
};

#endif
