// The arguments of a kernel of the driver's own, as `handler::set_arg` gives them: copies, until the submission.
#ifndef SCYTHE_DETAIL_NATIVE_ARGUMENTS_HPP
#define SCYTHE_DETAIL_NATIVE_ARGUMENTS_HPP

#include <sycl/access.hpp>
#include <sycl/detail/abi.h>
#include <sycl/exception.hpp>

#include <memory>
#include <type_traits>
#include <vector>

namespace sycl {

template <class T, int Dimensions> class local_accessor;

namespace detail {

// What an argument of type `T` is to the driver, and how many bytes of it the runtime reads.
template <class T> struct native_argument {
  static_assert(std::is_trivially_copyable_v<T>, "set_arg: an argument must be an accessor, a pointer or plain data");
  static constexpr scythe_native_arg_kind kind =
      std::is_pointer_v<T> ? SCYTHE_NATIVE_ARG_POINTER : SCYTHE_NATIVE_ARG_VALUE;
  static constexpr std::size_t bytes = sizeof(T);
};
template <class T, int D, access_mode M, target G, access::placeholder P, class L>
struct native_argument<accessor<T, D, M, G, P, L>> {
  static_assert(G == target::device, "set_arg: an accessor must be of the device");
  static constexpr scythe_native_arg_kind kind = SCYTHE_NATIVE_ARG_ACCESSOR;
  static constexpr std::size_t bytes = sizeof(scythe_accessor_head);
};
template <class T, int D> struct native_argument<local_accessor<T, D>> {
  static constexpr scythe_native_arg_kind kind = SCYTHE_NATIVE_ARG_LOCAL;
  static constexpr std::size_t bytes = sizeof(scythe_local_accessor_head);
};

class native_arguments {
public:
  template <class T> void set(int index, const T &value) {
    using argument = native_argument<T>;
    set(index, argument::kind, __builtin_addressof(value), argument::bytes);
  }
  const scythe_native_arg *data() const noexcept { return list_.data(); }
  // Checks that none was left out.
  std::size_t size() const {
    for (const scythe_native_arg &arg : list_)
      if (!arg.data)
        fail(errc::kernel_argument, "argument %zu of %zu was not set", static_cast<std::size_t>(&arg - list_.data()),
             list_.size());
    return list_.size();
  }

private:
  SCYTHE_COLD void set(int index, scythe_native_arg_kind kind, const void *value, std::size_t bytes) {
    if (index < 0 || index > 1023)
      fail(errc::kernel_argument, "set_arg: index %d is not one from 0 to 1023", index);
    const auto at = static_cast<std::size_t>(index);
    if (at >= list_.size()) {
      list_.resize(at + 1);
      copies_.resize(at + 1);
    }
    copies_[at].reset(new unsigned char[bytes]);
    __builtin_memcpy(copies_[at].get(), value, bytes);
    list_[at] = {static_cast<std::uint32_t>(kind), 0, bytes, copies_[at].get()};
  }
  std::vector<scythe_native_arg> list_;
  std::vector<std::unique_ptr<unsigned char[]>> copies_;
};

} // namespace detail
} // namespace sycl

#endif
