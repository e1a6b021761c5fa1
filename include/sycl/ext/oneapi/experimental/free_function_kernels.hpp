// Launches of free function kernels (`sycl_ext_oneapi_free_function_kernels`). Host code passes the
// arguments in the kernel's functor. The device pass only instantiates the function.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_FREE_FUNCTION_KERNELS_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_FREE_FUNCTION_KERNELS_HPP

#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/experimental/free_function_traits.hpp>
#include <sycl/local_accessor.hpp>

namespace sycl::detail {

template <auto *Func, class F>
inline constexpr bool prepares_scratch<free_function_call<Func, F>> = true;

template <auto *Func> struct function_launch {
  using name = free_function_name<Func>;
  using functor = free_function_functor<Func>;

  template <class... Args> static void single_task(handler &h, Args &&...args) {
    h.single_task<name>(functor::make(std::forward<Args>(args)...));
  }
  template <class... Args> static void single_task(queue &q, Args &&...args) {
    q.single_task<name>(functor::make(std::forward<Args>(args)...));
  }
  template <class To, int D, class... Args>
  static void nd_launch(To &to, const nd_range<D> &r, Args &&...args) {
    to.template parallel_for<name>(r, functor::make(std::forward<Args>(args)...));
  }
  template <int D, class L, class... Args>
  static void nd_launch_with(handler &h, const nd_range<D> &r, const L &p, Args &&...args) {
    static_assert(std::is_same_v<typename compiler_properties<typename L::scythe_pack>::type,
                                 properties_pack<>>,
                  "nd_launch: a free function kernel is compiled without the launch; give these "
                  "properties to the function with SYCL_EXT_ONEAPI_FUNCTION_PROPERTY");
    functor kernel = functor::make(std::forward<Args>(args)...);
    if constexpr (has_scratch<L>) {
      const std::size_t bytes =
          p.template get_property<ext::oneapi::experimental::work_group_scratch_size>().value;
      kernel.scratch = {local_slot::reserve(h, bytes), bytes};
    }
    h.template parallel_for<name>(r, p, kernel);
  }
};

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

#ifdef SCYTHE_DEVICE_PASS
#define SCYTHE_LAUNCH(...) sycl::detail::use_function<Func>()
#else
#define SCYTHE_LAUNCH(...) sycl::detail::function_launch<Func>::__VA_ARGS__
#endif

template <auto *Func, class... Args, sycl::detail::if_can_launch<Func, 0, Args...> = 0>
void single_task([[maybe_unused]] queue q, kernel_function_s<Func>,
                 [[maybe_unused]] Args &&...args) {
  SCYTHE_LAUNCH(single_task(q, std::forward<Args>(args)...));
}
template <auto *Func, class... Args, sycl::detail::if_can_launch<Func, 0, Args...> = 0>
void single_task([[maybe_unused]] handler &h, kernel_function_s<Func>,
                 [[maybe_unused]] Args &&...args) {
  SCYTHE_LAUNCH(single_task(h, std::forward<Args>(args)...));
}
template <auto *Func, int D, class... Args, sycl::detail::if_can_launch<Func, D, Args...> = 0>
void nd_launch([[maybe_unused]] queue q, [[maybe_unused]] nd_range<D> r, kernel_function_s<Func>,
               [[maybe_unused]] Args &&...args) {
  SCYTHE_LAUNCH(nd_launch(q, r, std::forward<Args>(args)...));
}
template <auto *Func, int D, class... Args, sycl::detail::if_can_launch<Func, D, Args...> = 0>
void nd_launch([[maybe_unused]] handler &h, [[maybe_unused]] nd_range<D> r, kernel_function_s<Func>,
               [[maybe_unused]] Args &&...args) {
  SCYTHE_LAUNCH(nd_launch(h, r, std::forward<Args>(args)...));
}
template <auto *Func, int D, class L, class... Args,
          sycl::detail::if_can_launch<Func, D, Args...> = 0>
void nd_launch([[maybe_unused]] handler &h, [[maybe_unused]] launch_config<nd_range<D>, L> c,
               kernel_function_s<Func>, [[maybe_unused]] Args &&...args) {
  SCYTHE_LAUNCH(nd_launch_with(h, c.get_range(), c.get_properties(), std::forward<Args>(args)...));
}
template <auto *Func, int D, class L, class... Args,
          sycl::detail::if_can_launch<Func, D, Args...> = 0>
void nd_launch(queue q, launch_config<nd_range<D>, L> c, kernel_function_s<Func> k,
               Args &&...args) {
  q.submit([&](handler &h) { nd_launch(h, c, k, std::forward<Args>(args)...); },
           sycl::detail::code_location());
}
#undef SCYTHE_LAUNCH

} // namespace sycl::ext::oneapi::experimental

#endif
