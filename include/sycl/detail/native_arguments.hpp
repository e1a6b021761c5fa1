// The arguments of a kernel object, set by `handler::set_arg`. They are copied and kept until the
// submission.
#ifndef SCYTHE_DETAIL_NATIVE_ARGUMENTS_HPP
#define SCYTHE_DETAIL_NATIVE_ARGUMENTS_HPP

#include <sycl/access.hpp>
#include <sycl/detail/abi.h>
#include <sycl/exception.hpp>
#include <sycl/ext/oneapi/experimental/raw_kernel_arg.hpp>

#include <type_traits>

namespace sycl {

template <class T, int Dimensions> class local_accessor;

namespace detail {

// The kind of an argument of type `T` for the driver, and its number of bytes. For native kernels,
// the runtime reads only the head of an accessor.
template <class T> struct native_argument {
  // Structures with accessors are not trivially copyable in host code.
  static_assert(
      std::is_trivially_destructible_v<T>,
      "set_arg: the argument must be an accessor, a pointer or a value that devices can copy");
  static constexpr scythe_native_arg_kind kind =
      std::is_pointer_v<T> ? SCYTHE_NATIVE_ARG_POINTER : SCYTHE_NATIVE_ARG_VALUE;
  static constexpr std::size_t bytes = sizeof(T);
};
template <class T, int D, access_mode M, target G, access::placeholder P, class L>
struct native_argument<accessor<T, D, M, G, P, L>> {
  static_assert(G == target::device, "set_arg: an accessor argument must have target::device");
  static constexpr scythe_native_arg_kind kind = SCYTHE_NATIVE_ARG_ACCESSOR;
  static constexpr std::size_t bytes = sizeof(accessor<T, D, M, G, P, L>);
};
template <class T, int D> struct native_argument<local_accessor<T, D>> {
  static constexpr scythe_native_arg_kind kind = SCYTHE_NATIVE_ARG_LOCAL;
  static constexpr std::size_t bytes = sizeof(local_accessor<T, D>);
};

// A simple array instead of `std::vector`, because every program with a handler compiles this class
// and `std::vector` takes much longer to compile.
class native_arguments {
public:
  native_arguments() = default;
  native_arguments(const native_arguments &) = delete;
  native_arguments &operator=(const native_arguments &) = delete;
  ~native_arguments() {
    if (list_)
      clear();
  }
  template <class T> void set(int index, const T &value) {
    using argument = native_argument<T>;
    set(index, argument::kind, __builtin_addressof(value), argument::bytes);
  }
  void set(int index, const ext::oneapi::raw_kernel_arg &value) {
    set(index, SCYTHE_NATIVE_ARG_VALUE, value.bytes_, value.count_);
  }
  const scythe_native_arg *data() const noexcept { return list_; }
  // Returns the number of arguments. Throws if one is not set.
  std::size_t size() const {
    for (std::size_t i = 0; i < size_; ++i)
      if (!list_[i].data)
        fail(errc::kernel_argument,
             "kernel argument %zu of %zu is not set; call set_arg for every argument", i, size_);
    return size_;
  }

private:
  SCYTHE_LIBRARY_COLD void set(int index, scythe_native_arg_kind kind, const void *value,
                               std::size_t bytes) {
    if (index < 0 || index > 1023)
      fail(errc::kernel_argument, "set_arg: the argument index is %d, expected 0 to 1023", index);
    const auto at = static_cast<std::size_t>(index);
    if (at >= size_)
      grow(at + 1);
    auto *copy = static_cast<unsigned char *>(::operator new(bytes));
    __builtin_memcpy(copy, value, bytes);
    ::operator delete(const_cast<void *>(list_[at].data));
    list_[at] = {static_cast<std::uint32_t>(kind), 0, bytes, copy};
  }
  void grow(std::size_t size) {
    auto *bigger = new scythe_native_arg[size]();
    for (std::size_t i = 0; i < size_; ++i)
      bigger[i] = list_[i];
    delete[] list_;
    list_ = bigger;
    size_ = size;
  }
  SCYTHE_LIBRARY_COLD void clear() {
    for (std::size_t i = 0; i < size_; ++i)
      ::operator delete(const_cast<void *>(list_[i].data));
    delete[] list_;
  }

  scythe_native_arg *list_ = nullptr;
  std::size_t size_ = 0;
};

#if !defined(SCYTHE_DEVICE_PASS) && !defined(SCYTHE_HOST_MODE)
// Copies the arguments to the functor of a free function kernel.
struct functor_filler {
  const native_arguments &arguments;
  unsigned char *functor;
  std::size_t index; // of the next argument, or of one with the wrong size
  bool differs;

  static void take(void *self, std::uint64_t offset, std::uint64_t size) {
    auto &f = *static_cast<functor_filler *>(self);
    const scythe_native_arg &argument = f.arguments.data()[f.index];
    f.differs = f.differs || argument.size != size;
    if (f.differs)
      return;
    __builtin_memcpy(f.functor + offset, argument.data, size);
    ++f.index;
  }
};

// Throws if a kernel object cannot be launched in this way.
SCYTHE_LIBRARY_COLD void check_function(const scythe_kernel_function &function, const char *symbol,
                                        scythe_kernel_shape shape, unsigned dims,
                                        std::size_t arguments) {
  if (!function.functor_size)
    fail(errc::invalid,
         "kernel '%s' is a function object: launch the lambda or functor; only free "
         "function kernels and kernels made by make_kernel are launched as objects",
         symbol);
  if (function.dims != (shape == SCYTHE_SHAPE_SINGLE_TASK ? 0 : dims) ||
      shape == SCYTHE_SHAPE_RANGE)
    fail(errc::invalid, "kernel '%s' requires %s, but it is launched in another way", symbol,
         function.dims == 0   ? "a single_task"
         : function.dims == 1 ? "an nd_range of 1 dimension"
         : function.dims == 2 ? "an nd_range of 2 dimensions"
                              : "an nd_range of 3 dimensions");
  if (arguments != function.arg_count)
    fail(errc::kernel_argument, "kernel '%s' has %u arguments, but %zu are set", symbol,
         function.arg_count, arguments);
}
#endif

} // namespace detail
} // namespace sycl

#endif
