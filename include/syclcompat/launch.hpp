// `launch<function>`: runs a function as a kernel. With a size in bytes, the function gets a
// pointer to local memory as its last argument.
#ifndef SYCLCOMPAT_LAUNCH_HPP
#define SYCLCOMPAT_LAUNCH_HPP

#include <syclcompat/device.hpp>
#include <syclcompat/dims.hpp>

namespace syclcompat {

// The work-items of the global size, rounded up to whole work-groups.
template <int D> sycl::nd_range<D> compute_nd_range(sycl::range<D> global, sycl::range<D> local) {
  for (int d = 0; d < D; ++d) {
    if (local[d] == 0)
      throw std::invalid_argument("compute_nd_range: the size of work-groups must not be zero");
    global[d] = (global[d] + local[d] - 1) / local[d] * local[d];
  }
  return {global, local};
}
inline sycl::nd_range<1> compute_nd_range(int global, int local) {
  if (global <= 0 || local <= 0)
    throw std::invalid_argument("compute_nd_range: the sizes must be positive");
  return compute_nd_range<1>(sycl::range<1>(std::size_t(global)),
                             sycl::range<1>(std::size_t(local)));
}

namespace detail {
template <auto F, class... Args>
using if_kernel = std::enable_if_t<std::is_invocable_v<decltype(F), Args...>, int>;
template <auto F, class... Args>
using if_local_kernel = std::enable_if_t<std::is_invocable_v<decltype(F), Args..., char *>, int>;

inline sycl::nd_range<3> nd_range_of(const dim3 &grid, const dim3 &threads) {
  return {sycl::range<3>(grid * threads), sycl::range<3>(threads)};
}

template <auto F, int D, class Properties, class... Args>
sycl::event run(sycl::queue &q, const sycl::nd_range<D> &range, Properties properties,
                Args... args) {
  return q.parallel_for(range, properties, [args...](sycl::nd_item<D>) { F(args...); });
}
template <auto F, int D, class Properties, class... Args>
sycl::event run_with_local(sycl::queue &q, const sycl::nd_range<D> &range, Properties properties,
                           std::size_t bytes, Args... args) {
  return q.submit([&](sycl::handler &h) {
    const sycl::local_accessor<char> memory(bytes ? bytes : 1, h);
    h.parallel_for(range, properties, [args..., memory](sycl::nd_item<D>) {
      F(args..., memory.template get_multi_ptr<sycl::access::decorated::no>().get());
    });
  });
}
using no_properties = sycl::ext::oneapi::experimental::empty_properties_t;
} // namespace detail

template <auto F, int D, class... Args, detail::if_kernel<F, Args...> = 0>
sycl::event launch(const sycl::nd_range<D> &range, sycl::queue q, Args... args) {
  return detail::run<F>(q, range, detail::no_properties{}, args...);
}
template <auto F, int D, class... Args, detail::if_kernel<F, Args...> = 0>
sycl::event launch(const sycl::nd_range<D> &range, Args... args) {
  return launch<F>(range, get_default_queue(), args...);
}
template <auto F, class... Args, detail::if_kernel<F, Args...> = 0>
sycl::event launch(const dim3 &grid, const dim3 &threads, sycl::queue q, Args... args) {
  return launch<F>(detail::nd_range_of(grid, threads), q, args...);
}
template <auto F, class... Args, detail::if_kernel<F, Args...> = 0>
sycl::event launch(const dim3 &grid, const dim3 &threads, Args... args) {
  return launch<F>(detail::nd_range_of(grid, threads), get_default_queue(), args...);
}
template <auto F, int D, class... Args, detail::if_local_kernel<F, Args...> = 0>
sycl::event launch(const sycl::nd_range<D> &range, std::size_t bytes, sycl::queue q, Args... args) {
  return detail::run_with_local<F>(q, range, detail::no_properties{}, bytes, args...);
}
template <auto F, int D, class... Args, detail::if_local_kernel<F, Args...> = 0>
sycl::event launch(const sycl::nd_range<D> &range, std::size_t bytes, Args... args) {
  return launch<F>(range, bytes, get_default_queue(), args...);
}
template <auto F, class... Args, detail::if_local_kernel<F, Args...> = 0>
sycl::event launch(const dim3 &grid, const dim3 &threads, std::size_t bytes, sycl::queue q,
                   Args... args) {
  return launch<F>(detail::nd_range_of(grid, threads), bytes, q, args...);
}
template <auto F, class... Args, detail::if_local_kernel<F, Args...> = 0>
sycl::event launch(const dim3 &grid, const dim3 &threads, std::size_t bytes, Args... args) {
  return launch<F>(detail::nd_range_of(grid, threads), bytes, get_default_queue(), args...);
}

} // namespace syclcompat

#endif
