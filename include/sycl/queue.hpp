// `sycl::queue`: accepts commands for a device.
//
// The shortcut functions for kernels and memory operations build their command on the stack and
// submit it without a handler.
#ifndef SCYTHE_QUEUE_HPP
#define SCYTHE_QUEUE_HPP

#include <sycl/detail/write_back.hpp>
#include <sycl/handler.hpp>

namespace sycl {

namespace ext::oneapi::experimental {
enum class queue_state;
}

class queue {
  using loc = detail::code_location;
  using deps = detail::event_list;
  using image_memory = const ext::oneapi::experimental::image_mem_handle &;
  using image_format = const ext::oneapi::experimental::image_descriptor &;
  using image_box = const range<3> &;

public:
  // --- Construction

  // The constructors call functions with other names, because overload resolution among so many
  // constructors is slow to compile.
  SCYTHE_LIBRARY_COLD explicit queue(const property_list &p = {}) : impl_(on(device(), {}, p)) {}
  SCYTHE_LIBRARY_COLD explicit queue(const async_handler &h, const property_list &p = {})
      : impl_(on(device(), h, p)) {}
  template <class S, class = detail::if_selector<S>>
  explicit queue(const S &selector, const property_list &p = {})
      : impl_(on(device(selector), {}, p)) {}
  template <class S, class = detail::if_selector<S>>
  explicit queue(const S &selector, const async_handler &h, const property_list &p = {})
      : impl_(on(device(selector), h, p)) {}
  explicit queue(const device &d, const property_list &p = {}) : impl_(on(d, {}, p)) {}
  explicit queue(const device &d, const async_handler &h, const property_list &p = {})
      : impl_(on(d, h, p)) {}
  template <class S, class = detail::if_selector<S>>
  explicit queue(const context &c, const S &selector, const property_list &p = {})
      : impl_(in(c.scythe_impl(), c.scythe_impl()->select(selector), {}, p)) {}
  template <class S, class = detail::if_selector<S>>
  explicit queue(const context &c, const S &selector, const async_handler &h,
                 const property_list &p = {})
      : impl_(in(c.scythe_impl(), c.scythe_impl()->select(selector), h, p)) {}
  explicit queue(const context &c, const device &d, const property_list &p = {})
      : impl_(in(c.scythe_impl(), d, {}, p)) {}
  explicit queue(const context &c, const device &d, const async_handler &h,
                 const property_list &p = {})
      : impl_(in(c.scythe_impl(), d, h, p)) {}

  explicit queue(detail::ref<detail::queue_impl> impl) : impl_(std::move(impl)) {}

  backend get_backend() const noexcept { return impl_->target.get_backend(); }
  context get_context() const { return context::scythe_make(impl_->context); }
  device get_device() const { return impl_->target; }
  // Deprecated, from SYCL 1.2.1. There is no host device.
  bool is_host() const { return false; }
  bool is_in_order() const { return impl_->in_order; }
  template <class Param> typename Param::return_type get_info() const {
    if constexpr (std::is_same_v<Param, info::queue::context>)
      return get_context();
    else {
      static_assert(std::is_same_v<Param, info::queue::device>,
                    "queue::get_info: Param is not an info::queue descriptor");
      return get_device();
    }
  }
  template <class P> bool has_property() const noexcept {
    return impl_->properties.template has_property<P>();
  }
  template <class P> P get_property() const { return impl_->properties.template get_property<P>(); }

  SCYTHE_OWNER_BEFORE
  friend bool operator==(const queue &a, const queue &b) { return a.impl_.get() == b.impl_.get(); }
  friend bool operator!=(const queue &a, const queue &b) { return a.impl_.get() != b.impl_.get(); }

  // --- Waiting

  void wait() { detail::check(scythe_queue_wait(impl_->queue.get())); }
  void wait_and_throw() {
    wait();
    throw_asynchronous();
  }
  void throw_asynchronous() { impl_->throw_asynchronous(); }
  bool ext_oneapi_empty() const { return scythe_queue_is_empty(impl_->queue.get()) == 1; }
  bool khr_empty() const { return ext_oneapi_empty(); }
  // Commands start without a flush.
  void khr_flush() const {}
  void ext_oneapi_prod() {}

  // --- Command groups

  template <class F> event submit(F &&group, loc where = loc::here()) {
    // The casts accept functions and objects, const or not.
    using function = std::remove_reference_t<F>;
    return run_group([](void *f, handler &h) { (*(function *)f)(h); },
                     (void *)__builtin_addressof(group), where);
  }
  // Uses `secondary` if this queue cannot run the command group.
  template <class F> event submit(F &&group, queue &secondary, loc where = loc::here()) {
    try {
      return submit(group, where);
    } catch (const exception &) {
      return secondary.submit(group, where);
    }
  }

  // --- Kernels

  template <class Name = detail::unnamed, class K>
  event single_task(const K &kernel, loc where = loc::here()) {
    return launch<Name, SCYTHE_SHAPE_SINGLE_TASK, 1>(kernel, none(), where,
                                                     [](auto &l) { detail::set_single(l); });
  }
  template <class Name = detail::unnamed, class K>
  event single_task(deps after, const K &kernel, loc where = loc::here()) {
    return launch<Name, SCYTHE_SHAPE_SINGLE_TASK, 1>(kernel, after, where,
                                                     [](auto &l) { detail::set_single(l); });
  }
  template <class Name = detail::unnamed, class K>
  event parallel_for(range<1> r, const K &kernel, loc where = loc::here()) {
    return over_range<Name>(r, none(), kernel, where);
  }
  template <class Name = detail::unnamed, class K>
  event parallel_for(range<2> r, const K &kernel, loc where = loc::here()) {
    return over_range<Name>(r, none(), kernel, where);
  }
  template <class Name = detail::unnamed, class K>
  event parallel_for(range<3> r, const K &kernel, loc where = loc::here()) {
    return over_range<Name>(r, none(), kernel, where);
  }
  template <class Name = detail::unnamed, class K>
  event parallel_for(range<1> r, deps after, const K &kernel, loc where = loc::here()) {
    return over_range<Name>(r, after, kernel, where);
  }
  template <class Name = detail::unnamed, class K>
  event parallel_for(range<2> r, deps after, const K &kernel, loc where = loc::here()) {
    return over_range<Name>(r, after, kernel, where);
  }
  template <class Name = detail::unnamed, class K>
  event parallel_for(range<3> r, deps after, const K &kernel, loc where = loc::here()) {
    return over_range<Name>(r, after, kernel, where);
  }
  template <class Name = detail::unnamed, class K, int D>
  event parallel_for(nd_range<D> r, const K &kernel, loc where = loc::here()) {
    return over_nd_range<Name>(r, none(), kernel, where);
  }
  template <class Name = detail::unnamed, class K, int D>
  event parallel_for(nd_range<D> r, deps after, const K &kernel, loc where = loc::here()) {
    return over_nd_range<Name>(r, after, kernel, where);
  }

  // With an offset, which SYCL 2020 deprecates. Braces are no offset.
  template <class Name = detail::unnamed, int D, class Offset, class K,
            class = std::enable_if_t<std::is_same_v<Offset, id<D>>>>
  event parallel_for(range<D> r, Offset offset, const K &kernel, loc where = loc::here()) {
    return parallel_for<Name>(r, offset, none(), kernel, where);
  }
  template <class Name = detail::unnamed, int D, class Offset, class K,
            class = std::enable_if_t<std::is_same_v<Offset, id<D>>>>
  event parallel_for(range<D> r, Offset offset, deps after, const K &kernel,
                     loc where = loc::here()) {
    return behind(after, [&](auto &h) { h.template parallel_for<Name>(r, offset, kernel, where); });
  }

  // With properties, such as `properties{work_group_size<8>}`.
  template <class Name = detail::unnamed, class L, class K, class = detail::if_properties<L>>
  event single_task(L, const K &kernel, loc where = loc::here()) {
    return launch<Name, SCYTHE_SHAPE_SINGLE_TASK, 1, L>(kernel, none(), where,
                                                        [](auto &l) { detail::set_single(l); });
  }
  template <class Name = detail::unnamed, class L, class K, class = detail::if_properties<L>>
  event single_task(deps after, L, const K &kernel, loc where = loc::here()) {
    return launch<Name, SCYTHE_SHAPE_SINGLE_TASK, 1, L>(kernel, after, where,
                                                        [](auto &l) { detail::set_single(l); });
  }
  // With properties, reductions (`reduction.hpp`) or both.
#define SCYTHE_WITH_OPTIONS(space, ...)                                                            \
  template <class Name = detail::unnamed, __VA_ARGS__ class R, class K,                            \
            class = detail::if_options<R>>                                                         \
  event parallel_for(space r, R a, const K &kernel, loc where = loc::here()) {                     \
    return with_options<Name>(none(), r, kernel, where, a);                                        \
  }                                                                                                \
  template <class Name = detail::unnamed, __VA_ARGS__ class R, class K,                            \
            class = detail::if_options<R>>                                                         \
  event parallel_for(space r, deps after, R a, const K &kernel, loc where = loc::here()) {         \
    return with_options<Name>(after, r, kernel, where, a);                                         \
  }                                                                                                \
  template <class Name = detail::unnamed, __VA_ARGS__ class R, class S, class K,                   \
            class = detail::if_options<R, S>>                                                      \
  event parallel_for(space r, R a, S b, const K &kernel, loc where = loc::here()) {                \
    return with_options<Name>(none(), r, kernel, where, a, b);                                     \
  }                                                                                                \
  template <class Name = detail::unnamed, __VA_ARGS__ class R, class S, class K,                   \
            class = detail::if_options<R, S>>                                                      \
  event parallel_for(space r, deps after, R a, S b, const K &kernel, loc where = loc::here()) {    \
    return with_options<Name>(after, r, kernel, where, a, b);                                      \
  }                                                                                                \
  template <class Name = detail::unnamed, __VA_ARGS__ class R, class S, class T, class K,          \
            class = detail::if_options<R, S, T>>                                                   \
  event parallel_for(space r, R a, S b, T c, const K &kernel, loc where = loc::here()) {           \
    return with_options<Name>(none(), r, kernel, where, a, b, c);                                  \
  }                                                                                                \
  template <class Name = detail::unnamed, __VA_ARGS__ class R, class S, class T, class K,          \
            class = detail::if_options<R, S, T>>                                                   \
  event parallel_for(space r, deps after, R a, S b, T c, const K &kernel,                          \
                     loc where = loc::here()) {                                                    \
    return with_options<Name>(after, r, kernel, where, a, b, c);                                   \
  }                                                                                                \
  template <class Name = detail::unnamed, __VA_ARGS__ class R, class S, class T, class U,          \
            class... Rest, class = detail::if_options<R, S, T, U>>                                 \
  event parallel_for(space r, R a, S b, T c, U d, const Rest &...rest) {                           \
    return reduce_more<Name>(none(), r, a, b, c, d, rest...);                                      \
  }                                                                                                \
  template <class Name = detail::unnamed, __VA_ARGS__ class R, class S, class T, class U,          \
            class... Rest, class = detail::if_options<R, S, T, U>>                                 \
  event parallel_for(space r, deps after, R a, S b, T c, U d, const Rest &...rest) {               \
    return reduce_more<Name>(after, r, a, b, c, d, rest...);                                       \
  }
  SCYTHE_WITH_OPTIONS(range<1>, )
  SCYTHE_WITH_OPTIONS(range<2>, )
  SCYTHE_WITH_OPTIONS(range<3>, )
  SCYTHE_WITH_OPTIONS(nd_range<D>, int D, )
#undef SCYTHE_WITH_OPTIONS

  // --- USM and plain memory

  event memcpy(void *dst, const void *src, std::size_t bytes, deps after = none()) {
    scythe_command c = plain(SCYTHE_COMMAND_MEMCPY);
    detail::set_memcpy(c, dst, src, bytes);
    return submit_now(c, after);
  }
  template <class T> event copy(const T *src, T *dst, std::size_t count, deps after = none()) {
    return memcpy(dst, src, detail::checked_bytes<T>(count), after);
  }
  event memset(void *dst, int value, std::size_t bytes, deps after = none()) {
    const auto pattern = static_cast<unsigned char>(value);
    scythe_command c = plain(SCYTHE_COMMAND_FILL);
    detail::set_fill(c, dst, &pattern, 1, bytes);
    return submit_now(c, after);
  }
  template <class T>
  event fill(void *dst, const T &pattern, std::size_t count, deps after = none()) {
    scythe_command c = plain(SCYTHE_COMMAND_FILL);
    detail::set_fill(c, dst, &pattern, sizeof(T), detail::checked_bytes<T>(count));
    return submit_now(c, after);
  }
  event prefetch(const void *ptr, std::size_t bytes, deps after = none()) {
    scythe_command c = plain(SCYTHE_COMMAND_PREFETCH);
    detail::set_prefetch(c, ptr, bytes);
    return submit_now(c, after);
  }
  event mem_advise(const void *ptr, std::size_t bytes, int advice, deps after = none()) {
    scythe_command c = plain(SCYTHE_COMMAND_ADVISE);
    detail::set_advise(c, ptr, bytes, advice);
    return submit_now(c, after);
  }

  // --- Device globals (`ext/oneapi/device_global.hpp`)

  template <class T, class L>
  event memcpy(ext::oneapi::experimental::device_global<T, L> &dst, const void *src,
               std::size_t bytes = sizeof(T), std::size_t offset = 0, deps after = none()) {
    return memcpy(detail::device_global_access::for_writes(impl_->queue.get(), dst, offset, bytes),
                  src, bytes, after);
  }
  template <class T, class L>
  event memcpy(void *dst, const ext::oneapi::experimental::device_global<T, L> &src,
               std::size_t bytes = sizeof(T), std::size_t offset = 0, deps after = none()) {
    return memcpy(dst,
                  detail::device_global_access::for_reads(impl_->queue.get(), src, offset, bytes),
                  bytes, after);
  }
  template <class T, class L>
  event copy(const std::remove_all_extents_t<T> *src,
             ext::oneapi::experimental::device_global<T, L> &dst,
             std::size_t count = detail::device_global_access::elements<T>, std::size_t start = 0,
             deps after = none()) {
    using element = std::remove_all_extents_t<T>;
    return memcpy(dst, src, detail::checked_bytes<element>(count),
                  detail::checked_bytes<element>(start), after);
  }
  template <class T, class L>
  event copy(const ext::oneapi::experimental::device_global<T, L> &src,
             std::remove_all_extents_t<T> *dst,
             std::size_t count = detail::device_global_access::elements<T>, std::size_t start = 0,
             deps after = none()) {
    using element = std::remove_all_extents_t<T>;
    return memcpy(dst, src, detail::checked_bytes<element>(count),
                  detail::checked_bytes<element>(start), after);
  }

  // --- Placeholder accessors

  template <class T, int D, access_mode M, target A, access::placeholder P, class L, class U>
  event copy(accessor<T, D, M, A, P, L> src, U dst, deps after = none()) {
    return with(after, src, [&](handler &h) {
      if constexpr (!std::is_pointer_v<U> && !detail::is_shared_ptr<U>)
        h.require(dst);
      h.copy(src, dst);
    });
  }
  template <class T, int D, access_mode M, target A, access::placeholder P, class L, class U>
  event copy(const U *src, accessor<T, D, M, A, P, L> dst, deps after = none()) {
    return with(after, dst, [&](handler &h) { h.copy(src, dst); });
  }
  template <class T, int D, access_mode M, target A, access::placeholder P, class L, class U>
  event copy(std::shared_ptr<U> src, accessor<T, D, M, A, P, L> dst, deps after = none()) {
    return with(after, dst, [&](handler &h) { h.copy(src, dst); });
  }
  template <class T, int D, access_mode M, target A, access::placeholder P, class L, class V>
  event fill(accessor<T, D, M, A, P, L> dst, const V &value, deps after = none()) {
    return with(after, dst, [&](handler &h) { h.fill(dst, value); });
  }
  template <class T, int D, access_mode M, target A, access::placeholder P, class L>
  event update_host(accessor<T, D, M, A, P, L> acc, deps after = none()) {
    return with(after, acc, [&](handler &h) { h.update_host(acc); });
  }

  template <class V = void>
  event ext_oneapi_memcpy2d(void *dst, std::size_t dst_pitch, const void *src,
                            std::size_t src_pitch, std::size_t width, std::size_t height,
                            deps after = none()) {
    return behind(after, [&](handler &h) {
      h.ext_oneapi_memcpy2d(dst, dst_pitch, src, src_pitch, width, height);
    });
  }
  template <class T>
  event ext_oneapi_copy2d(const T *src, std::size_t src_pitch, T *dst, std::size_t dst_pitch,
                          std::size_t width, std::size_t height, deps after = none()) {
    return behind(after, [&](handler &h) {
      h.ext_oneapi_copy2d(src, src_pitch, dst, dst_pitch, width, height);
    });
  }
  template <class V = void>
  event ext_oneapi_memset2d(void *dst, std::size_t pitch, int value, std::size_t width,
                            std::size_t height, deps after = none()) {
    return behind(after,
                  [&](handler &h) { h.ext_oneapi_memset2d(dst, pitch, value, width, height); });
  }
  template <class T>
  event ext_oneapi_fill2d(void *dst, std::size_t pitch, const T &pattern, std::size_t width,
                          std::size_t height, deps after = none()) {
    return behind(after,
                  [&](handler &h) { h.ext_oneapi_fill2d(dst, pitch, pattern, width, height); });
  }

  // Bindless images (`detail/bindless_copy.hpp`). The last argument may be an event or several.
  template <class... Args> event ext_oneapi_copy(const Args &...args);
  template <class V = void>
  event ext_oneapi_copy(const void *src, image_box src_at, image_box src_size, image_memory dst,
                        image_box dst_at, image_format dst_format, image_box size,
                        deps after = none());
  template <class V = void>
  event ext_oneapi_copy(image_memory src, image_box src_at, image_format src_format, void *dst,
                        image_box dst_at, image_box dst_size, image_box size, deps after = none());
  template <class V = void>
  event ext_oneapi_copy(image_memory src, image_box src_at, image_format src_format,
                        image_memory dst, image_box dst_at, image_format dst_format, image_box size,
                        deps after = none());
  template <class V = void>
  event ext_oneapi_copy(image_memory src, image_box src_at, image_format src_format, void *dst,
                        image_box dst_at, image_format dst_format, std::size_t dst_pitch,
                        image_box size, deps after = none());
  template <class V = void>
  event ext_oneapi_copy(const void *src, image_box src_at, image_format src_format,
                        std::size_t src_pitch, image_memory dst, image_box dst_at,
                        image_format dst_format, image_box size, deps after = none());
  template <class V = void>
  event ext_oneapi_copy(const void *src, image_box src_at, void *dst, image_box dst_at,
                        image_format of_device, std::size_t pitch, image_box host_size,
                        image_box size, deps after = none());
  template <class V = void>
  event ext_oneapi_copy(const void *src, image_box src_at, image_format src_format,
                        std::size_t src_pitch, void *dst, image_box dst_at, image_format dst_format,
                        std::size_t dst_pitch, image_box size, deps after = none());
  template <class... Args> event ext_oneapi_wait_external_semaphore(const Args &...args);
  template <class... Args> event ext_oneapi_signal_external_semaphore(const Args &...args);

  // --- Ordering

  // For in-order queues. The result has no value if there was no command, and is then a completed
  // event.
  template <class V = void> detail::last_event ext_oneapi_get_last_event() const {
    scythe_event last = nullptr;
    detail::check(scythe_queue_last_event(impl_->queue.get(), &last));
    return last ? detail::last_event(event(detail::handle<scythe_event>::adopt(last), impl_))
                : detail::last_event();
  }
  void ext_oneapi_set_external_event(const event &e) {
    detail::check(scythe_queue_set_external_event(impl_->queue.get(), e.scythe_handle()));
  }
  event ext_oneapi_submit_barrier() {
    return submit([](handler &h) { h.ext_oneapi_barrier(); }, loc());
  }
  template <class V = void>
  event ext_oneapi_submit_barrier(const std::vector<detail::later_t<V, event>> &events) {
    return submit([&](handler &h) { h.ext_oneapi_barrier(events); }, loc());
  }

  // --- Graphs (`ext/oneapi/experimental/graph.hpp`)

  event ext_oneapi_graph(const ext::oneapi::experimental::command_graph<
                             ext::oneapi::experimental::graph_state::executable> &graph,
                         deps after = none());
  ext::oneapi::experimental::queue_state ext_oneapi_get_state() const;
  template <class V = ext::oneapi::experimental::command_graph<>> V ext_oneapi_get_graph() const;

  const detail::ref<detail::queue_impl> &scythe_impl() const noexcept { return impl_; }

private:
  SCYTHE_LIBRARY_COLD static detail::ref<detail::queue_impl>
  in(const detail::ref<detail::context_impl> &c, const device &d, const async_handler &h,
     const property_list &p) {
    return detail::ref<detail::queue_impl>::adopt(new detail::queue_impl(c, d, h, p));
  }
  SCYTHE_LIBRARY_COLD static detail::ref<detail::queue_impl>
  on(const device &d, const async_handler &h, const property_list &p) {
    return in(detail::default_context(d), d, h, p);
  }
  SCYTHE_LIBRARY event run_group(void (*group)(void *, handler &), void *object, loc where) {
    handler h(*impl_.get(), where);
    group(object, h);
    return h.submit();
  }
  static deps none() { return deps(std::initializer_list<event>()); }

  using no_properties = ext::oneapi::property_list<>;

  template <class Name, int D, class L = no_properties, class K>
  event over_range(const range<D> &r, deps after, const K &kernel, loc where) {
    return launch<Name, SCYTHE_SHAPE_RANGE, D, L>(
        kernel, after, where, [&](auto &l) { detail::set_range(l, r, id<D>()); });
  }
  template <class Name, int D, class L = no_properties, class K>
  event over_nd_range(const nd_range<D> &r, deps after, const K &kernel, loc where) {
    if constexpr (detail::gives_scratch<K>)
      return behind(after, [&](auto &h) { h.template launch_over<Name, L>(r, kernel, where); });
    else
      return launch<Name, SCYTHE_SHAPE_ND_RANGE, D, L>(kernel, after, where, [&](auto &l) {
        detail::set_nd_range<D, typename detail::kernel_pack<L, K>::type>(l, r);
      });
  }
  template <class Name, scythe_kernel_shape Shape, int D, class L = no_properties, class K,
            class Sizes>
  event launch(const K &kernel, deps after, loc where, Sizes set_sizes) {
    detail::check_kernel<L, K>(impl_->target);
    return command(SCYTHE_COMMAND_KERNEL, after, where, [&](scythe_command &c) {
      detail::describe_kernel<detail::kernel_name_t<Name, K>, Shape, D, L>(c.u.kernel, kernel,
                                                                           where);
      set_sizes(c.u.kernel);
#ifndef SCYTHE_HOST_MODE
      c.u.kernel.functor = __builtin_addressof(kernel);
    });
#else
      // The kernel with its local memory. A shortcut function has none.
      detail::launched_functor<K> launched{kernel};
      c.u.kernel.functor = &launched;
      return submit_now(c, after, where);
    });
#endif
  }
  template <class Name, class Space, class K, class... O>
  event with_options(deps after, const Space &r, const K &kernel, loc where, const O &...options) {
    if constexpr (sizeof...(O) == 1 && (detail::is_properties<O> && ...) &&
                  !(detail::has_scratch<O> || ...) && !(detail::has_launch_changes<O> || ...))
      return launch_over<Name, O...>(r, after, kernel, where);
    else
      return behind(after,
                    [&](auto &h) { h.template with_options<Name>(r, kernel, where, options...); });
  }
  template <class Name, class L, int D, class K>
  event launch_over(const range<D> &r, deps after, const K &kernel, loc where) {
    return over_range<Name, D, L>(r, after, kernel, where);
  }
  template <class Name, class L, int D, class K>
  event launch_over(const nd_range<D> &r, deps after, const K &kernel, loc where) {
    return over_nd_range<Name, D, L>(r, after, kernel, where);
  }
  // The kernel is the last of `args`.
  template <class Name, class Space, class... Args>
  event reduce_more(deps after, const Space &r, const Args &...args) {
    return behind(after, [&](auto &h) { h.template parallel_for<Name>(r, args...); });
  }
  // A command without accesses to buffers.
  static scythe_command plain(scythe_command_kind kind) {
    scythe_command c;
    c.kind = kind;
    c.flags = 0;
    c.requirements = nullptr;
    c.requirement_count = 0;
    return c;
  }
  // Builds a command in place with `set` and submits it.
  template <class Set> event command(scythe_command_kind kind, deps after, loc where, Set set) {
    scythe_command c = plain(kind);
    if constexpr (std::is_void_v<decltype(set(c))>) {
      set(c);
      return submit_now(c, after, where);
    } else {
      return set(c);
    }
  }
  SCYTHE_LIBRARY event submit_now(scythe_command &c, deps after, loc where = loc()) {
    c.place = where.abi();
    detail::inline_vector<scythe_event, 6> events;
    for (const event &e : after)
      if (e.scythe_handle())
        events.push_back(e.scythe_handle());
    c.deps = events.data();
    c.dep_count = events.size();
    return event(impl_->submit(c), impl_, events.data(), events.size());
  }
  template <class F> event behind(deps after, F f) {
    return submit(
        [&](handler &h) {
          for (const event &e : after)
            h.depends_on(e);
          f(h);
        },
        loc());
  }
  template <class Accessor, class F> event with(deps after, const Accessor &acc, F f) {
    return behind(after, [&](handler &h) {
      h.require(acc);
      f(h);
    });
  }

  detail::ref<detail::queue_impl> impl_;
  // Programs rely on the size of DPC++'s queue, which is that of a shared pointer: oneDPL keeps
  // other objects in the memory of a queue.
  [[maybe_unused]] void *reserved_ = nullptr;
};
static_assert(sizeof(queue) == 2 * sizeof(void *));

} // namespace sycl

template <> struct std::hash<sycl::queue> {
  std::size_t operator()(const sycl::queue &q) const noexcept {
    return std::hash<const void *>()(q.scythe_impl().get());
  }
};

#endif
