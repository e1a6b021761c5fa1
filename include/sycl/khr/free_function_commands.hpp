// Commands as free functions (`sycl_khr_free_function_commands`). The first argument is the queue,
// or the handler of a command group. Only `submit_tracked` returns an event.
#ifndef SCYTHE_KHR_FREE_FUNCTION_COMMANDS_HPP
#define SCYTHE_KHR_FREE_FUNCTION_COMMANDS_HPP

#include <sycl/accessor.hpp>
#include <sycl/queue.hpp>
#include <sycl/reduction.hpp>

namespace sycl::detail::commands {
using loc = code_location;
template <class K> using if_functor = std::enable_if_t<!std::is_same_v<K, kernel>, int>;

// Runs `f` in the given command group, or in a new command group of the queue.
template <class F> void enqueue(handler &h, F f) { f(h); }
template <class F> void enqueue(queue q, F f) { q.submit(f, loc()); }

template <class T> inline constexpr bool is_accessor = false;
template <class T, int D, access_mode M, target A, access::placeholder P, class L>
inline constexpr bool is_accessor<accessor<T, D, M, A, P, L>> = true;
template <class A> using if_accessor = std::enable_if_t<is_accessor<A>, int>;
template <class S, class D>
using if_one_accessor = std::enable_if_t<is_accessor<S> || is_accessor<D>, int>;

// A command group on a queue must require its placeholder accessors.
template <class T> void require(handler &h, const T &x) {
  if constexpr (is_accessor<T>)
    h.require(x);
  else
    (void)h, (void)x;
}
} // namespace sycl::detail::commands

namespace sycl::khr {

// --- Command groups

template <class F>
void submit(const queue &q, F &&group,
            sycl::detail::commands::loc where = sycl::detail::commands::loc::here()) {
  queue(q).submit(std::forward<F>(group), where);
}
template <class F>
event submit_tracked(const queue &q, F &&group,
                     sycl::detail::commands::loc where = sycl::detail::commands::loc::here()) {
  return queue(q).submit(std::forward<F>(group), where);
}

// --- Kernels: each for a queue and for a handler

#define SCYTHE_KERNELS(place, to)                                                                  \
  template <class K, sycl::detail::commands::if_functor<K> = 0>                                    \
  void launch_task(place x, const K &k,                                                            \
                   sycl::detail::commands::loc where = sycl::detail::commands::loc::here()) {      \
    to.single_task(k, where);                                                                      \
  }                                                                                                \
  template <class... Args> void launch_task(place x, const kernel &k, Args &&...args) {            \
    sycl::detail::commands::enqueue(to, [&](handler &h) {                                          \
      h.set_args(std::forward<Args>(args)...);                                                     \
      h.single_task(k);                                                                            \
    });                                                                                            \
  }
SCYTHE_KERNELS(const queue &, queue(x))
SCYTHE_KERNELS(handler &, x)
#undef SCYTHE_KERNELS

// Ranges convert from numbers and lists, so each number of dimensions has its own overload.
#define SCYTHE_KERNELS(place, to, D)                                                               \
  template <class K, sycl::detail::commands::if_functor<K> = 0>                                    \
  void launch(place x, range<D> r, const K &k,                                                     \
              sycl::detail::commands::loc where = sycl::detail::commands::loc::here()) {           \
    to.parallel_for(r, k, where);                                                                  \
  }                                                                                                \
  template <class... Args> void launch(place x, range<D> r, const kernel &k, Args &&...args) {     \
    sycl::detail::commands::enqueue(to, [&](handler &h) {                                          \
      h.set_args(std::forward<Args>(args)...);                                                     \
      h.parallel_for(r, k);                                                                        \
    });                                                                                            \
  }                                                                                                \
  template <class K, class A>                                                                      \
  void launch_reduce(place x, range<D> r, const K &k, A &&a,                                       \
                     sycl::detail::commands::loc where = sycl::detail::commands::loc::here()) {    \
    to.parallel_for(r, std::forward<A>(a), k, where);                                              \
  }                                                                                                \
  template <class K, class A, class B, sycl::detail::if_reduction<std::decay_t<B>> = 0>            \
  void launch_reduce(place x, range<D> r, const K &k, A &&a, B &&b,                                \
                     sycl::detail::commands::loc where = sycl::detail::commands::loc::here()) {    \
    to.parallel_for(r, std::forward<A>(a), std::forward<B>(b), k, where);                          \
  }                                                                                                \
  template <class K, class A, class B, class C, class... R,                                        \
            sycl::detail::if_reduction<std::decay_t<C>> = 0>                                       \
  void launch_reduce(place x, range<D> r, const K &k, A &&a, B &&b, C &&c, R &&...more) {          \
    to.parallel_for(r, a, b, c, more..., k);                                                       \
  }                                                                                                \
  template <class K, sycl::detail::commands::if_functor<K> = 0>                                    \
  void launch_grouped(place x, range<D> r, range<D> size, const K &k,                              \
                      sycl::detail::commands::loc where = sycl::detail::commands::loc::here()) {   \
    to.parallel_for(nd_range<D>(r, size), k, where);                                               \
  }                                                                                                \
  template <class... Args>                                                                         \
  void launch_grouped(place x, range<D> r, range<D> size, const kernel &k, Args &&...args) {       \
    sycl::detail::commands::enqueue(to, [&](handler &h) {                                          \
      h.set_args(std::forward<Args>(args)...);                                                     \
      h.parallel_for(nd_range<D>(r, size), k);                                                     \
    });                                                                                            \
  }                                                                                                \
  template <class K, class A>                                                                      \
  void launch_grouped_reduce(place x, range<D> r, range<D> size, const K &k, A &&a,                \
                             sycl::detail::commands::loc where =                                   \
                                 sycl::detail::commands::loc::here()) {                            \
    to.parallel_for(nd_range<D>(r, size), std::forward<A>(a), k, where);                           \
  }                                                                                                \
  template <class K, class A, class B, sycl::detail::if_reduction<std::decay_t<B>> = 0>            \
  void launch_grouped_reduce(place x, range<D> r, range<D> size, const K &k, A &&a, B &&b,         \
                             sycl::detail::commands::loc where =                                   \
                                 sycl::detail::commands::loc::here()) {                            \
    to.parallel_for(nd_range<D>(r, size), std::forward<A>(a), std::forward<B>(b), k, where);       \
  }                                                                                                \
  template <class K, class A, class B, class C, class... R,                                        \
            sycl::detail::if_reduction<std::decay_t<C>> = 0>                                       \
  void launch_grouped_reduce(place x, range<D> r, range<D> size, const K &k, A &&a, B &&b, C &&c,  \
                             R &&...more) {                                                        \
    to.parallel_for(nd_range<D>(r, size), a, b, c, more..., k);                                    \
  }
SCYTHE_KERNELS(const queue &, queue(x), 1)
SCYTHE_KERNELS(const queue &, queue(x), 2)
SCYTHE_KERNELS(const queue &, queue(x), 3)
SCYTHE_KERNELS(handler &, x, 1)
SCYTHE_KERNELS(handler &, x, 2)
SCYTHE_KERNELS(handler &, x, 3)
#undef SCYTHE_KERNELS

// --- Memory

#define SCYTHE_MEMORY(place, to)                                                                   \
  template <class V = void> void memcpy(place x, void *dst, const void *src, std::size_t bytes) {  \
    to.memcpy(dst, src, bytes);                                                                    \
  }                                                                                                \
  template <class T> void copy(place x, const T *src, T *dst, std::size_t count) {                 \
    to.copy(src, dst, count);                                                                      \
  }                                                                                                \
  template <class V = void> void memset(place x, void *ptr, int value, std::size_t bytes) {        \
    to.memset(ptr, value, bytes);                                                                  \
  }                                                                                                \
  template <class T> void fill(place x, T *ptr, const T &pattern, std::size_t count) {             \
    to.fill(ptr, pattern, count);                                                                  \
  }                                                                                                \
  template <class V = void> void prefetch(place x, void *ptr, std::size_t bytes) {                 \
    to.prefetch(ptr, bytes);                                                                       \
  }                                                                                                \
  template <class V = void> void mem_advise(place x, void *ptr, std::size_t bytes, int advice) {   \
    to.mem_advise(ptr, bytes, advice);                                                             \
  }
SCYTHE_MEMORY(const queue &, queue(x))
SCYTHE_MEMORY(handler &, x)
#undef SCYTHE_MEMORY

template <class S, class D, sycl::detail::commands::if_one_accessor<S, D> = 0>
void copy(handler &h, S src, D dst) {
  h.copy(src, dst);
}
template <class S, class D, sycl::detail::commands::if_one_accessor<S, D> = 0>
void copy(const queue &q, S src, D dst) {
  sycl::detail::commands::enqueue(q, [&](handler &h) {
    sycl::detail::commands::require(h, src);
    sycl::detail::commands::require(h, dst);
    h.copy(src, dst);
  });
}
template <class A, class T, sycl::detail::commands::if_accessor<A> = 0>
void fill(handler &h, A dst, const T &value) {
  h.fill(dst, value);
}
template <class A, class T, sycl::detail::commands::if_accessor<A> = 0>
void fill(const queue &q, A dst, const T &value) {
  queue(q).fill(dst, value);
}
template <class A, sycl::detail::commands::if_accessor<A> = 0> void update_host(handler &h, A a) {
  h.update_host(a);
}
template <class A, sycl::detail::commands::if_accessor<A> = 0>
void update_host(const queue &q, A a) {
  queue(q).update_host(a);
}

// --- Order: a barrier waits for all commands of the queue, or for events. Later commands wait for
// the barrier.

template <class V = void> void command_barrier(handler &h) { h.ext_oneapi_barrier(); }
template <class V = void> void command_barrier(const queue &q) {
  queue(q).ext_oneapi_submit_barrier();
}
template <class V = void>
void event_barrier(handler &h, const std::vector<sycl::detail::later_t<V, event>> &events) {
  h.ext_oneapi_barrier(events);
}
template <class V = void>
void event_barrier(const queue &q, const std::vector<sycl::detail::later_t<V, event>> &events) {
  queue(q).ext_oneapi_submit_barrier(events);
}

} // namespace sycl::khr

#endif
