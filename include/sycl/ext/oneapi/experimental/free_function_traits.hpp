// Tells whether a function is a free function kernel (`sycl_ext_oneapi_free_function_kernels`).
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_FREE_FUNCTION_TRAITS_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_FREE_FUNCTION_TRAITS_HPP

#include <sycl/detail/free_function.hpp>

namespace sycl::detail {

// The facts about a function, which only the plug-in of clang knows.
#if defined(SCYTHE_HOST_MODE) || defined(__SCYTHE_INT_HEADER__)
inline constexpr bool knows_functions = false;
#else
inline constexpr bool knows_functions = true;
#endif
template <auto *Func> constexpr int known_shape() {
  static_assert(
      knows_functions || Func == nullptr,
      "is_kernel: only programs compiled with -fsycl and with clang as host compiler know "
      "which functions are kernels");
  return function_facts<Func>::shape;
}

// Makes the compiler instantiate the definition of a function template.
template <auto *Func> void use_function() { static_cast<void>(Func); }

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

template <auto *Func, int Dims>
struct is_nd_range_kernel
    : std::bool_constant<(Dims > 0 && sycl::detail::known_shape<Func>() == Dims)> {};
template <auto *Func, int Dims>
inline constexpr bool is_nd_range_kernel_v = is_nd_range_kernel<Func, Dims>::value;

template <auto *Func>
struct is_single_task_kernel : std::bool_constant<sycl::detail::known_shape<Func>() == 0> {};
template <auto *Func>
inline constexpr bool is_single_task_kernel_v = is_single_task_kernel<Func>::value;

template <auto *Func>
struct is_kernel : std::bool_constant<(sycl::detail::known_shape<Func>() >= 0)> {};
template <auto *Func> inline constexpr bool is_kernel_v = is_kernel<Func>::value;

// A free function kernel as an argument.
template <auto *Func> struct kernel_function_s {};
template <auto *Func> inline constexpr kernel_function_s<Func> kernel_function{};

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

template <class T> inline constexpr bool is_kernel_function = false;
template <auto *Func>
inline constexpr bool is_kernel_function<ext::oneapi::experimental::kernel_function_s<Func>> = true;

// Functions that are not kernels, or not of this shape, do not take part in overload resolution if
// the compiler knows them. Otherwise the runtime does not find their kernels.
template <auto *Func> constexpr bool may_be_kernel() {
  return !knows_functions || function_facts<Func>::shape >= 0;
}
template <auto *Func> using if_free_function = std::enable_if_t<may_be_kernel<Func>(), int>;
template <auto *Func, int Shape, class... Args> constexpr bool can_launch() {
  return std::is_invocable_v<decltype(Func), Args...> &&
         (!knows_functions || function_facts<Func>::shape == Shape);
}
template <auto *Func, int Shape, class... Args>
using if_can_launch = std::enable_if_t<can_launch<Func, Shape, Args...>(), int>;

} // namespace sycl::detail

#endif
