// Commands as free functions (`sycl_ext_oneapi_enqueue_functions`). The first argument is the
// queue, or the handler of a command group. Only `submit_with_event` returns an event.
#ifndef SCYTHE_EXT_ONEAPI_ENQUEUE_FUNCTIONS_HPP
#define SCYTHE_EXT_ONEAPI_ENQUEUE_FUNCTIONS_HPP

#include <sycl/accessor.hpp>
#include <sycl/ext/intel/experimental/event_mode_property.hpp>
#include <sycl/ext/oneapi/experimental/free_function_traits.hpp>
#include <sycl/queue.hpp>
#include <sycl/reduction.hpp>

namespace sycl::detail::enqueue {
using loc = code_location;
template <class... Ps> constexpr bool are_of_groups(properties_pack<Ps...> *) {
  return (std::is_same_v<typename Ps::key_t, ext::intel::experimental::event_mode> && ...);
}
template <class K>
using if_functor = std::enable_if_t<!std::is_same_v<K, kernel> && !is_kernel_function<K>, int>;

// Launches a kernel object with its arguments.
template <class F, class... Args> void with_arguments(handler &h, F launch, Args &&...args) {
  h.set_args(std::forward<Args>(args)...);
  launch(h);
}
template <class F, class... Args> void with_arguments(queue q, F launch, Args &&...args) {
  q.submit([&](handler &h) { with_arguments(h, launch, std::forward<Args>(args)...); }, loc());
}
} // namespace sycl::detail::enqueue

namespace sycl::ext::oneapi::experimental {

// A range with properties of the launch.
template <class Range, class Properties = empty_properties_t> class launch_config {
public:
  launch_config(Range r, Properties p = {}) : range_(r), properties_(p) {}
  Range get_range() const { return range_; }
  Properties get_properties() const { return properties_; }

private:
  Range range_;
  Properties properties_;
};

// --- Command groups

template <class F>
void submit(queue q, F &&group,
            sycl::detail::enqueue::loc where = sycl::detail::enqueue::loc::here()) {
  q.submit(std::forward<F>(group), where);
}
template <class F>
event submit_with_event(queue q, F &&group,
                        sycl::detail::enqueue::loc where = sycl::detail::enqueue::loc::here()) {
  return q.submit(std::forward<F>(group), where);
}
template <class F, class Properties>
event submit_with_event(queue q, Properties, F &&group,
                        sycl::detail::enqueue::loc where = sycl::detail::enqueue::loc::here()) {
  static_assert(sycl::detail::enqueue::are_of_groups(
                    static_cast<typename Properties::scythe_pack *>(nullptr)),
                "submit: a command group takes no property but event_mode; pass kernel properties "
                "with the kernel");
  return q.submit(std::forward<F>(group), where);
}

template <class F, class Properties>
void submit(queue q, Properties, F &&group,
            sycl::detail::enqueue::loc where = sycl::detail::enqueue::loc::here()) {
  submit_with_event(q, Properties(), std::forward<F>(group), where);
}

// --- Kernels: each for a queue and for a handler

#define SCYTHE_KERNELS(place)                                                                      \
  template <class Name = sycl::detail::unnamed, class K, sycl::detail::enqueue::if_functor<K> = 0> \
  void single_task(place to, const K &k,                                                           \
                   sycl::detail::enqueue::loc where = sycl::detail::enqueue::loc::here()) {        \
    to.template single_task<Name>(k, where);                                                       \
  }                                                                                                \
  template <class Name = sycl::detail::unnamed, int D, class K,                                    \
            sycl::detail::enqueue::if_functor<K> = 0>                                              \
  void parallel_for(place to, range<D> r, const K &k,                                              \
                    sycl::detail::enqueue::loc where = sycl::detail::enqueue::loc::here()) {       \
    to.template parallel_for<Name>(r, k, where);                                                   \
  }                                                                                                \
  template <class Name = sycl::detail::unnamed, int D, class L, class K,                           \
            sycl::detail::enqueue::if_functor<K> = 0>                                              \
  void parallel_for(place to, launch_config<range<D>, L> c, const K &k,                            \
                    sycl::detail::enqueue::loc where = sycl::detail::enqueue::loc::here()) {       \
    to.template parallel_for<Name>(c.get_range(), c.get_properties(), k, where);                   \
  }                                                                                                \
  template <class Name = sycl::detail::unnamed, int D, class K,                                    \
            sycl::detail::enqueue::if_functor<K> = 0>                                              \
  void nd_launch(place to, nd_range<D> r, const K &k,                                              \
                 sycl::detail::enqueue::loc where = sycl::detail::enqueue::loc::here()) {          \
    to.template parallel_for<Name>(r, k, where);                                                   \
  }                                                                                                \
  template <class Name = sycl::detail::unnamed, int D, class L, class K,                           \
            sycl::detail::enqueue::if_functor<K> = 0>                                              \
  void nd_launch(place to, launch_config<nd_range<D>, L> c, const K &k,                            \
                 sycl::detail::enqueue::loc where = sycl::detail::enqueue::loc::here()) {          \
    to.template parallel_for<Name>(c.get_range(), c.get_properties(), k, where);                   \
  }                                                                                                \
  template <class Name = sycl::detail::unnamed, int D, class K, class R, class... Rest,            \
            sycl::detail::enqueue::if_functor<K> = 0,                                              \
            sycl::detail::if_reduction<std::decay_t<R>> = 0>                                       \
  void parallel_for(place to, range<D> r, const K &k, R &&first, Rest &&...rest) {                 \
    to.template parallel_for<Name>(r, first, rest..., k);                                          \
  }                                                                                                \
  template <class Name = sycl::detail::unnamed, int D, class L, class K, class R, class... Rest,   \
            sycl::detail::enqueue::if_functor<K> = 0,                                              \
            sycl::detail::if_reduction<std::decay_t<R>> = 0>                                       \
  void parallel_for(place to, launch_config<range<D>, L> c, const K &k, R &&first,                 \
                    Rest &&...rest) {                                                              \
    to.template parallel_for<Name>(c.get_range(), c.get_properties(), first, rest..., k);          \
  }                                                                                                \
  template <class Name = sycl::detail::unnamed, int D, class K, class R, class... Rest,            \
            sycl::detail::enqueue::if_functor<K> = 0,                                              \
            sycl::detail::if_reduction<std::decay_t<R>> = 0>                                       \
  void nd_launch(place to, nd_range<D> r, const K &k, R &&first, Rest &&...rest) {                 \
    to.template parallel_for<Name>(r, first, rest..., k);                                          \
  }                                                                                                \
  template <class Name = sycl::detail::unnamed, int D, class L, class K, class R, class... Rest,   \
            sycl::detail::enqueue::if_functor<K> = 0,                                              \
            sycl::detail::if_reduction<std::decay_t<R>> = 0>                                       \
  void nd_launch(place to, launch_config<nd_range<D>, L> c, const K &k, R &&first,                 \
                 Rest &&...rest) {                                                                 \
    to.template parallel_for<Name>(c.get_range(), c.get_properties(), first, rest..., k);          \
  }                                                                                                \
  template <class... Args> void single_task(place to, const kernel &k, Args &&...args) {           \
    sycl::detail::enqueue::with_arguments(                                                         \
        to, [&](handler &h) { h.single_task(k); }, std::forward<Args>(args)...);                   \
  }                                                                                                \
  template <int D, class... Args>                                                                  \
  void parallel_for(place to, range<D> r, const kernel &k, Args &&...args) {                       \
    sycl::detail::enqueue::with_arguments(                                                         \
        to, [&](handler &h) { h.parallel_for(r, k); }, std::forward<Args>(args)...);               \
  }                                                                                                \
  template <int D, class L, class... Args>                                                         \
  void parallel_for(place to, launch_config<range<D>, L> c, const kernel &k, Args &&...args) {     \
    sycl::detail::enqueue::with_arguments(                                                         \
        to, [&](handler &h) { h.parallel_for(c.get_range(), c.get_properties(), k); },             \
        std::forward<Args>(args)...);                                                              \
  }                                                                                                \
  template <int D, class... Args>                                                                  \
  void nd_launch(place to, nd_range<D> r, const kernel &k, Args &&...args) {                       \
    sycl::detail::enqueue::with_arguments(                                                         \
        to, [&](handler &h) { h.parallel_for(r, k); }, std::forward<Args>(args)...);               \
  }                                                                                                \
  template <int D, class L, class... Args>                                                         \
  void nd_launch(place to, launch_config<nd_range<D>, L> c, const kernel &k, Args &&...args) {     \
    sycl::detail::enqueue::with_arguments(                                                         \
        to, [&](handler &h) { h.parallel_for(c.get_range(), c.get_properties(), k); },             \
        std::forward<Args>(args)...);                                                              \
  }
SCYTHE_KERNELS(queue)
SCYTHE_KERNELS(handler &)
#undef SCYTHE_KERNELS

// --- Memory

enum class prefetch_type { device, host };

#define SCYTHE_MEMORY(place)                                                                       \
  template <class V = void> void memcpy(place to, void *dst, const void *src, std::size_t bytes) { \
    to.memcpy(dst, src, bytes);                                                                    \
  }                                                                                                \
  template <class T> void copy(place to, const T *src, T *dst, std::size_t count) {                \
    to.copy(src, dst, count);                                                                      \
  }                                                                                                \
  template <class V = void> void memset(place to, void *ptr, int value, std::size_t bytes) {       \
    to.memset(ptr, value, bytes);                                                                  \
  }                                                                                                \
  template <class T> void fill(place to, T *ptr, const T &pattern, std::size_t count) {            \
    to.fill(ptr, pattern, count);                                                                  \
  }                                                                                                \
  template <class V = void> void mem_advise(place to, void *ptr, std::size_t bytes, int advice) {  \
    to.mem_advise(ptr, bytes, advice);                                                             \
  }
SCYTHE_MEMORY(queue)
SCYTHE_MEMORY(handler &)
#undef SCYTHE_MEMORY

// Memory moves to the host when the host accesses it.
template <class V = void>
void prefetch(handler &h, void *ptr, std::size_t bytes,
              prefetch_type type = prefetch_type::device) {
  if (type == prefetch_type::device)
    h.prefetch(ptr, bytes);
}
template <class V = void>
void prefetch(queue q, void *ptr, std::size_t bytes, prefetch_type type = prefetch_type::device) {
  q.submit([&](handler &h) { prefetch(h, ptr, bytes, type); }, sycl::detail::enqueue::loc());
}

// --- Order

template <class V = void> void barrier(queue q) { q.ext_oneapi_submit_barrier(); }
template <class V = void> void barrier(handler &h) { h.ext_oneapi_barrier(); }
template <class V = void>
void partial_barrier(queue q, const std::vector<sycl::detail::later_t<V, event>> &events) {
  q.ext_oneapi_submit_barrier(events);
}
template <class V = void>
void partial_barrier(handler &h, const std::vector<sycl::detail::later_t<V, event>> &events) {
  h.ext_oneapi_barrier(events);
}

} // namespace sycl::ext::oneapi::experimental

#include <sycl/ext/oneapi/experimental/free_function_kernels.hpp>

#endif
