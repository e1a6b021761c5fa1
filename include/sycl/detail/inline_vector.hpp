// A growing array of plain values. The first `N` need no allocation, so the requirements and
// dependencies of a command group live on the stack of `queue::submit`.
#ifndef SCYTHE_DETAIL_INLINE_VECTOR_HPP
#define SCYTHE_DETAIL_INLINE_VECTOR_HPP

#include <cstddef>

namespace sycl::detail {

template <class T, std::size_t N> class inline_vector {
  static_assert(__is_trivially_copyable(T) && __is_trivially_constructible(T));

public:
  inline_vector() noexcept {}
  inline_vector(const inline_vector &) = delete;
  inline_vector &operator=(const inline_vector &) = delete;
  ~inline_vector() {
    if (data_ != first_)
      delete[] data_;
  }
  void push_back(T value) {
    if (size_ == capacity_)
      grow();
    data_[size_++] = value;
  }
  std::size_t size() const noexcept { return size_; }
  const T *data() const noexcept { return data_; }
  T *begin() noexcept { return data_; }
  T *end() noexcept { return data_ + size_; }
  const T *begin() const noexcept { return data_; }
  const T *end() const noexcept { return data_ + size_; }

private:
  void grow() {
    T *bigger = new T[2 * capacity_];
    for (std::size_t i = 0; i < size_; ++i)
      bigger[i] = data_[i];
    if (data_ != first_)
      delete[] data_;
    data_ = bigger;
    capacity_ *= 2;
  }

  T *data_ = first_;
  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  T first_[N];
};

} // namespace sycl::detail

#endif
