// `sycl::handler`: a command group while `queue::submit` runs it.
//
// The handler collects the command on the stack and passes it to the runtime when the group's
// function has returned. A group contains one command. A second command is an error at the call
// that adds it.
#ifndef SCYTHE_HANDLER_HPP
#define SCYTHE_HANDLER_HPP

#include <sycl/detail/buffer_fwd.hpp>
#include <sycl/detail/device_global_copy.hpp>
#include <sycl/detail/host_task.hpp>
#include <sycl/detail/inline_vector.hpp>
#include <sycl/detail/kernel_launch.hpp>
#include <sycl/detail/memory_command.hpp>
#include <sycl/detail/native_arguments.hpp>
#include <sycl/event.hpp>
#include <sycl/h_item.hpp>

namespace sycl {
class kernel;

namespace ext::oneapi::experimental {
struct work_group_scratch_size {
  using key_t = work_group_scratch_size;
  constexpr work_group_scratch_size(std::size_t bytes) : value(bytes) {}
  std::size_t value;
};
struct image_mem_handle;
struct image_descriptor;
// Graphs (`ext/oneapi/experimental/graph.hpp`).
enum class graph_state { modifiable, executable };
template <graph_state State = graph_state::modifiable> class command_graph;
template <class T> class dynamic_parameter;
} // namespace ext::oneapi::experimental

namespace detail {
struct graph_access;
template <class T> inline constexpr bool is_dynamic = false;
template <class T>
inline constexpr bool is_dynamic<ext::oneapi::experimental::dynamic_parameter<T>> = true;
// The type that `sycl::reduction` returns, and the launch of kernels with such arguments. Defined
// in `reduction.hpp`.
template <class R, class = void> inline constexpr bool is_reduction = false;
template <class R>
inline constexpr bool is_reduction<R, std::void_t<typename R::scythe_reduction>> = true;
template <class R> using if_reduction = std::enable_if_t<is_reduction<R>, int>;
// The arguments between range and kernel: a property list or a reduction, followed by more
// reductions.
template <class O, class... R>
struct launch_options
    : std::enable_if<(is_reduction<O> || is_properties<O>) && (is_reduction<R> && ... && true)> {};
template <class... O> using if_options = typename launch_options<O...>::type;
template <class... R> struct reductions;
struct local_slot;
// Launches with memory that `get_work_group_scratch_memory` returns. Defined in
// `ext/oneapi/work_group_scratch_memory.hpp`.
template <class Properties> struct scratch_launch;
template <class K> inline constexpr bool prepares_scratch = false;
// Kernel objects have the memory in their functor, like free function kernels.
template <> inline constexpr bool prepares_scratch<kernel> = true;
template <class O, class = void> inline constexpr bool has_scratch = false;
template <class O>
inline constexpr bool has_scratch<O, if_properties<O>> =
    O::template has_property<ext::oneapi::experimental::work_group_scratch_size>();
// A property of a launch that changes the launch, but not the kernel, has a member function
// `scythe_launch`.
template <class P, class = void> inline constexpr bool changes_launch = false;
template <class P>
inline constexpr bool changes_launch<P, std::void_t<decltype(&P::scythe_launch)>> = true;
template <class... P> constexpr bool any_changes(properties_pack<P...> *) {
  return (changes_launch<P> || ...);
}
template <class O, class = void> inline constexpr bool has_launch_changes = false;
template <class O>
inline constexpr bool has_launch_changes<O, if_properties<O>> =
    any_changes(static_cast<typename O::scythe_pack *>(nullptr));
template <class P, class O> void change_launch(scythe_kernel_launch &launch, const O &list) {
  if constexpr (changes_launch<P>)
    list.template get_property<typename P::key_t>().scythe_launch(launch);
}
template <class O, class... P>
void change_launch(scythe_kernel_launch &launch, const O &list, properties_pack<P...> *) {
  (change_launch<P>(launch, list), ...);
}
// The function object may also give the size by `get(properties_tag)`.
template <class K>
inline constexpr bool gives_scratch = has_scratch<typename got_properties<const K>::type>;
} // namespace detail

class handler {
  using loc = detail::code_location;
  using image_memory = const ext::oneapi::experimental::image_mem_handle &;
  using image_format = const ext::oneapi::experimental::image_descriptor &;
  using image_box = const range<3> &;

public:
  handler(const handler &) = delete;
  handler &operator=(const handler &) = delete;

  // --- Dependencies

  template <class T, int D, access_mode M, target A, access::placeholder P, class L>
  void require(const accessor<T, D, M, A, P, L> &acc) {
    // In a host task, a device accessor gives access to the native memory object of its buffer.
    detail::accessor_view::require(*this, acc,
                                   A == target::device ? unsigned(SCYTHE_REQUIREMENT_NATIVE) : 0u);
  }
  void depends_on(const event &e) {
    if (scythe_event dep = e.scythe_handle()) {
      // The event may be a temporary. Keep its command until the submission.
      scythe_event_retain(dep);
      deps_.push_back(dep);
    }
  }
  template <class V = void> void depends_on(const std::vector<detail::later_t<V, event>> &events) {
    for (const event &e : events)
      depends_on(e);
  }

  // After this call, the kernel must belong to the bundle.
  template <class Bundle> void use_kernel_bundle(const Bundle &bundle) {
    if (bundle.scythe_impl()->context != queue_.context)
      detail::fail(
          errc::invalid,
          "use_kernel_bundle: the kernel bundle and the queue must belong to the same context");
#ifndef SCYTHE_DEVICE_PASS
    if (constants_.list().count)
      detail::fail(errc::invalid,
                   "use_kernel_bundle: the command group has already set specialization constants; "
                   "set them in the kernel bundle instead");
    constants_ = bundle.scythe_impl()->constants;
#endif
    bundle_ = detail::ref<const detail::counted_object>::share(bundle.scythe_impl().get());
    bundle_holds_ = &Bundle::scythe_holds;
  }

  // --- Kernels

  template <class Name = detail::unnamed, class K>
  void single_task(const K &kernel, loc where = loc::here()) {
    set_kernel<Name, SCYTHE_SHAPE_SINGLE_TASK, 1>(kernel, where);
    detail::set_single(command_.u.kernel);
  }
  template <class Name = detail::unnamed, class K>
  void parallel_for(range<1> r, const K &kernel, loc where = loc::here()) {
    launch_over<Name, no_properties>(r, kernel, where);
  }
  template <class Name = detail::unnamed, class K>
  void parallel_for(range<2> r, const K &kernel, loc where = loc::here()) {
    launch_over<Name, no_properties>(r, kernel, where);
  }
  template <class Name = detail::unnamed, class K>
  void parallel_for(range<3> r, const K &kernel, loc where = loc::here()) {
    launch_over<Name, no_properties>(r, kernel, where);
  }
  template <class Name = detail::unnamed, class K, int D>
  void parallel_for(range<D> r, id<D> offset, const K &kernel, loc where = loc::here()) {
    range_kernel<Name>(r, offset, kernel, where);
  }
  template <class Name = detail::unnamed, class K, int D>
  void parallel_for(nd_range<D> r, const K &kernel, loc where = loc::here()) {
    launch_over<Name, no_properties>(r, kernel, where);
  }

  // With properties, such as `properties{work_group_size<8>}`.
  template <class Name = detail::unnamed, class L, class K, class = detail::if_properties<L>>
  void single_task(L, const K &kernel, loc where = loc::here()) {
    if constexpr (is_kernel_object<K, L>) {
      single_task(kernel);
    } else {
      set_kernel<Name, SCYTHE_SHAPE_SINGLE_TASK, 1, L>(kernel, where);
      detail::set_single(command_.u.kernel);
    }
  }

  // With properties, reductions (`reduction.hpp`) or both. Only overloads with up to three of them
  // know the position of the call: see `code_location`.
#define SCYTHE_WITH_OPTIONS(space, ...)                                                            \
  template <class Name = detail::unnamed, __VA_ARGS__ class R, class K,                            \
            class = detail::if_options<R>>                                                         \
  void parallel_for(space r, R a, const K &kernel, loc where = loc::here()) {                      \
    with_options<Name>(r, kernel, where, a);                                                       \
  }                                                                                                \
  template <class Name = detail::unnamed, __VA_ARGS__ class R, class S, class K,                   \
            class = detail::if_options<R, S>>                                                      \
  void parallel_for(space r, R a, S b, const K &kernel, loc where = loc::here()) {                 \
    with_options<Name>(r, kernel, where, a, b);                                                    \
  }                                                                                                \
  template <class Name = detail::unnamed, __VA_ARGS__ class R, class S, class T, class K,          \
            class = detail::if_options<R, S, T>>                                                   \
  void parallel_for(space r, R a, S b, T c, const K &kernel, loc where = loc::here()) {            \
    with_options<Name>(r, kernel, where, a, b, c);                                                 \
  }                                                                                                \
  template <class Name = detail::unnamed, __VA_ARGS__ class R, class S, class T, class U,          \
            class... Rest, class = detail::if_options<R, S, T, U>>                                 \
  void parallel_for(space r, R a, S b, T c, U d, const Rest &...rest) {                            \
    const scythe_place place = command_.place;                                                     \
    if constexpr (detail::is_reduction<R>)                                                         \
      detail::reductions<R, S, T, U>::template launch_more<Name, no_properties>(                   \
          *this, r, loc::here(), a, b, c, d, rest...);                                             \
    else                                                                                           \
      detail::reductions<S, T, U>::template launch_more<Name, R>(*this, r, loc::here(), b, c, d,   \
                                                                 rest...);                         \
    command_.place = place;                                                                        \
  }
  SCYTHE_WITH_OPTIONS(range<1>, )
  SCYTHE_WITH_OPTIONS(range<2>, )
  SCYTHE_WITH_OPTIONS(range<3>, )
  SCYTHE_WITH_OPTIONS(nd_range<D>, int D, )
#undef SCYTHE_WITH_OPTIONS

  // Hierarchical kernels. Without a size, a group has one work-item and `parallel_for_work_item`
  // gives the range.
  template <class Name = detail::unnamed, class K, int D>
  void parallel_for_work_group(range<D> groups, const K &kernel, loc where = loc::here()) {
    hierarchical<Name, no_properties>(groups, one_each(groups), kernel, where);
  }
  template <class Name = detail::unnamed, class K, int D>
  void parallel_for_work_group(range<D> groups, range<D> group_size, const K &kernel,
                               loc where = loc::here()) {
    hierarchical<Name, no_properties>(groups, group_size, kernel, where);
  }
  template <class Name = detail::unnamed, class K, int D, class L, class = detail::if_properties<L>>
  void parallel_for_work_group(range<D> groups, L, const K &kernel, loc where = loc::here()) {
    hierarchical<Name, L>(groups, one_each(groups), kernel, where);
  }
  template <class Name = detail::unnamed, class K, int D, class L, class = detail::if_properties<L>>
  void parallel_for_work_group(range<D> groups, range<D> group_size, L, const K &kernel,
                               loc where = loc::here()) {
    hierarchical<Name, L>(groups, group_size, kernel, where);
  }

  // --- Specialization constants

  template <auto &Id>
  void set_specialization_constant([[maybe_unused]] detail::specialization_type<Id> value) {
#ifndef SCYTHE_DEVICE_PASS
    check_own_constants("set_specialization_constant");
    constants_.set<Id>(value);
#endif
  }
  template <auto &Id> detail::specialization_type<Id> get_specialization_constant() const {
#ifndef SCYTHE_DEVICE_PASS
    check_own_constants("get_specialization_constant");
    return constants_.list().get<Id>();
#else
    return Id.scythe_default();
#endif
  }

  // --- Kernel objects (`kernel.hpp`): free function kernels, and kernels made by `make_kernel`

  template <class T> void set_arg(int index, T &&value) {
    if constexpr (detail::is_dynamic<std::decay_t<T>>)
      value.scythe_bind(*this, index);
    else
      arguments_.set(index, value);
  }
  template <class... T> void set_args(T &&...values) {
    int index = 0;
    (set_arg(index++, values), ...);
  }
  void single_task(const kernel &k);
  void parallel_for(range<1> r, const kernel &k);
  void parallel_for(range<2> r, const kernel &k);
  void parallel_for(range<3> r, const kernel &k);
  template <int D> void parallel_for(range<D> r, id<D> offset, const kernel &k);
  template <int D> void parallel_for(nd_range<D> r, const kernel &k);

  // --- Host tasks

  template <class F> void host_task(F &&task) {
    set_kind(SCYTHE_COMMAND_EMPTY);
    if constexpr (!std::is_invocable_v<std::decay_t<F> &, interop_handle>)
      command_.flags |= SCYTHE_COMMAND_ON_HOST;
    detail::set_host_task(command_, std::forward<F>(task), queue_);
    // Set the kind only now, when there is a closure that the handler's destructor may have to
    // free.
    command_.kind = SCYTHE_COMMAND_HOST_TASK;
  }

  // Calls `task(interop_handle)` when the command's dependencies have completed. The command
  // completes when those that the task enqueued in the native queue have completed.
  template <class F> void ext_oneapi_enqueue_native_command(F &&task) {
    static_assert(std::is_invocable_v<std::decay_t<F> &, interop_handle &>,
                  "enqueue_native_command: the function must be callable with an interop_handle");
    host_task(detail::native_command<std::decay_t<F>>{std::forward<F>(task)});
  }
  template <class F> void ext_codeplay_enqueue_native_command(F &&task) {
    ext_oneapi_enqueue_native_command(std::forward<F>(task));
  }

  // --- Memory

  void memcpy(void *dst, const void *src, std::size_t bytes) {
    set_kind(SCYTHE_COMMAND_MEMCPY);
    detail::set_memcpy(command_, dst, src, bytes);
  }
  template <class T> void copy(const T *src, T *dst, std::size_t count) {
    memcpy(dst, src, detail::checked_bytes<T>(count));
  }
  // Device globals (`ext/oneapi/device_global.hpp`).
  template <class T, class L>
  void memcpy(ext::oneapi::experimental::device_global<T, L> &dst, const void *src,
              std::size_t bytes = sizeof(T), std::size_t offset = 0) {
    memcpy(detail::device_global_access::for_writes(queue_.queue.get(), dst, offset, bytes), src,
           bytes);
  }
  template <class T, class L>
  void memcpy(void *dst, const ext::oneapi::experimental::device_global<T, L> &src,
              std::size_t bytes = sizeof(T), std::size_t offset = 0) {
    memcpy(dst, detail::device_global_access::for_reads(queue_.queue.get(), src, offset, bytes),
           bytes);
  }
  template <class T, class L>
  void copy(const std::remove_all_extents_t<T> *src,
            ext::oneapi::experimental::device_global<T, L> &dst,
            std::size_t count = detail::device_global_access::elements<T>, std::size_t start = 0) {
    using element = std::remove_all_extents_t<T>;
    memcpy(dst, src, detail::checked_bytes<element>(count), detail::checked_bytes<element>(start));
  }
  template <class T, class L>
  void copy(const ext::oneapi::experimental::device_global<T, L> &src,
            std::remove_all_extents_t<T> *dst,
            std::size_t count = detail::device_global_access::elements<T>, std::size_t start = 0) {
    using element = std::remove_all_extents_t<T>;
    memcpy(dst, src, detail::checked_bytes<element>(count), detail::checked_bytes<element>(start));
  }
  void memset(void *dst, int value, std::size_t bytes) {
    set_kind(SCYTHE_COMMAND_FILL);
    detail::set_fill(command_, dst, keep(static_cast<unsigned char>(value)), 1, bytes);
  }
  template <class T> void fill(void *dst, const T &pattern, std::size_t count) {
    set_kind(SCYTHE_COMMAND_FILL);
    detail::set_fill(command_, dst, keep(pattern), sizeof(T), detail::checked_bytes<T>(count));
  }
  void prefetch(const void *ptr, std::size_t bytes) {
    set_kind(SCYTHE_COMMAND_PREFETCH);
    detail::set_prefetch(command_, ptr, bytes);
  }
  void mem_advise(const void *ptr, std::size_t bytes, int advice) {
    set_kind(SCYTHE_COMMAND_ADVISE);
    detail::set_advise(command_, ptr, bytes, advice);
  }

  template <class T, int D, access_mode M, target A, access::placeholder P, class L, class U>
  void copy(const accessor<T, D, M, A, P, L> &src, U *dst) {
    detail::check_copied_elements<T, U>();
    set_kind(SCYTHE_COMMAND_COPY);
    command_.u.copy.src = detail::accessor_view::of(src);
    command_.u.copy.dst = detail::plain_view(dst, command_.u.copy.src);
  }
  template <class T, int D, access_mode M, target A, access::placeholder P, class L, class U>
  void copy(const U *src, const accessor<T, D, M, A, P, L> &dst) {
    detail::check_copied_elements<T, U>();
    static_assert(M != access_mode::read, "copy: the destination must be writable");
    set_kind(SCYTHE_COMMAND_COPY);
    command_.u.copy.dst = detail::accessor_view::of(dst);
    command_.u.copy.src = detail::plain_view(const_cast<U *>(src), command_.u.copy.dst);
  }
  template <class T, int D, access_mode M, target A, access::placeholder P, class L, class U>
  void copy(const accessor<T, D, M, A, P, L> &src, std::shared_ptr<U> dst) {
    copy(src, dst.get());
    keep_until_done(new detail::kept_pointer<U>(std::move(dst)));
  }
  template <class T, int D, access_mode M, target A, access::placeholder P, class L, class U>
  void copy(std::shared_ptr<U> src, const accessor<T, D, M, A, P, L> &dst) {
    copy(static_cast<const typename std::shared_ptr<U>::element_type *>(src.get()), dst);
    keep_until_done(new detail::kept_pointer<U>(std::move(src)));
  }
  template <class T, int D, access_mode M, target A, access::placeholder P, class L, class U, int E,
            access_mode N, target B, access::placeholder Q, class J>
  void copy(const accessor<T, D, M, A, P, L> &src, const accessor<U, E, N, B, Q, J> &dst) {
    static_assert(sizeof(T) == sizeof(U),
                  "copy: the elements of source and destination must have the same size");
    static_assert(N != access_mode::read, "copy: the destination must be writable");
    set_kind(SCYTHE_COMMAND_EMPTY);
    detail::set_copy(command_, detail::accessor_view::of(src), detail::accessor_view::of(dst),
                     D == E);
  }
  template <class T, int D, access_mode M, target A, access::placeholder P, class L, class V>
  void fill(const accessor<T, D, M, A, P, L> &dst, const V &value) {
    static_assert(M != access_mode::read, "fill: the destination must be writable");
    set_kind(SCYTHE_COMMAND_FILL_VIEW);
    command_.u.fill.dst = detail::accessor_view::of(dst);
    command_.u.fill.pattern = keep(static_cast<const T &>(value));
  }
  template <class T, int D, access_mode M, target A, access::placeholder P, class L>
  void update_host(const accessor<T, D, M, A, P, L> &acc) {
    set_kind(SCYTHE_COMMAND_UPDATE_HOST);
    command_.u.copy.src = command_.u.copy.dst = detail::accessor_view::of(acc);
  }

  // A command that waits for `events`, or for all commands in the queue. Commands submitted later
  // wait for it.
  void ext_oneapi_barrier() {
    set_kind(SCYTHE_COMMAND_EMPTY);
    command_.flags = SCYTHE_COMMAND_BARRIER;
  }
  template <class V = void>
  void ext_oneapi_barrier(const std::vector<detail::later_t<V, event>> &events) {
    set_kind(SCYTHE_COMMAND_EMPTY);
    command_.flags = SCYTHE_COMMAND_HOLD;
    depends_on(events);
  }

  // Rows of `width` in memory whose rows begin `pitch` apart, in elements if there is a type and in
  // bytes otherwise.
  template <class V = void>
  void ext_oneapi_memcpy2d(void *dst, std::size_t dst_pitch, const void *src, std::size_t src_pitch,
                           std::size_t width, std::size_t height) {
    set_kind(SCYTHE_COMMAND_COPY);
    command_.u.copy.dst = detail::pitched_view(dst, 1, dst_pitch, width, height);
    command_.u.copy.src = detail::pitched_view(src, 1, src_pitch, width, height);
  }
  template <class T>
  void ext_oneapi_copy2d(const T *src, std::size_t src_pitch, T *dst, std::size_t dst_pitch,
                         std::size_t width, std::size_t height) {
    detail::checked_bytes<T>(src_pitch < dst_pitch ? dst_pitch : src_pitch);
    ext_oneapi_memcpy2d(dst, dst_pitch * sizeof(T), src, src_pitch * sizeof(T), width * sizeof(T),
                        height);
  }
  template <class V = void>
  void ext_oneapi_memset2d(void *dst, std::size_t pitch, int value, std::size_t width,
                           std::size_t height) {
    ext_oneapi_fill2d(dst, pitch, static_cast<unsigned char>(value), width, height);
  }
  template <class T>
  void ext_oneapi_fill2d(void *dst, std::size_t pitch, const T &pattern, std::size_t width,
                         std::size_t height) {
    set_kind(SCYTHE_COMMAND_FILL_VIEW);
    command_.u.fill.dst = detail::pitched_view(dst, sizeof(T), pitch, width, height);
    command_.u.fill.pattern = keep(pattern);
  }

  // Bindless images (`detail/bindless_copy.hpp`): whole images and, so that the arguments can be
  // lists in braces, boxes.
  template <class... Args> void ext_oneapi_copy(const Args &...args);
  template <class V = void>
  void ext_oneapi_copy(const void *src, image_box src_at, image_box src_size, image_memory dst,
                       image_box dst_at, image_format dst_format, image_box size);
  template <class V = void>
  void ext_oneapi_copy(image_memory src, image_box src_at, image_format src_format, void *dst,
                       image_box dst_at, image_box dst_size, image_box size);
  template <class V = void>
  void ext_oneapi_copy(image_memory src, image_box src_at, image_format src_format,
                       image_memory dst, image_box dst_at, image_format dst_format, image_box size);
  template <class V = void>
  void ext_oneapi_copy(image_memory src, image_box src_at, image_format src_format, void *dst,
                       image_box dst_at, image_format dst_format, std::size_t dst_pitch,
                       image_box size);
  template <class V = void>
  void ext_oneapi_copy(const void *src, image_box src_at, image_format src_format,
                       std::size_t src_pitch, image_memory dst, image_box dst_at,
                       image_format dst_format, image_box size);
  template <class V = void>
  void ext_oneapi_copy(const void *src, image_box src_at, void *dst, image_box dst_at,
                       image_format of_device, std::size_t pitch, image_box host_size,
                       image_box size);
  template <class V = void>
  void ext_oneapi_copy(const void *src, image_box src_at, image_format src_format,
                       std::size_t src_pitch, void *dst, image_box dst_at, image_format dst_format,
                       std::size_t dst_pitch, image_box size);
  template <class... Args> void ext_oneapi_wait_external_semaphore(const Args &...args);
  template <class... Args> void ext_oneapi_signal_external_semaphore(const Args &...args);

  // Launches a graph (`ext/oneapi/experimental/graph.hpp`).
  void ext_oneapi_graph(const ext::oneapi::experimental::command_graph<
                        ext::oneapi::experimental::graph_state::executable> &graph);
  template <class A> void require(const ext::oneapi::experimental::dynamic_parameter<A> &value) {
    if (!in_graph_)
      detail::fail(errc::invalid, "require: a dynamic_parameter can be required only in a command "
                                  "group that is added to a graph with add");
    requirements_.push_back(value.scythe_requirement_of());
  }

  const detail::queue_impl &scythe_queue() const noexcept { return queue_; }

private:
  friend class queue;
  friend class stream;
  friend struct detail::accessor_view;
  friend struct detail::graph_access;
  friend struct detail::local_slot;
  template <class> friend struct detail::scratch_launch;
  template <class...> friend struct detail::reductions;

  SCYTHE_LIBRARY handler(detail::queue_impl &queue, loc where) : queue_(queue) {
    command_.kind = SCYTHE_COMMAND_EMPTY;
    command_.flags = 0;
    command_.place = where.abi();
  }
  SCYTHE_LIBRARY ~handler() {
    for (scythe_event dep : deps_)
      scythe_event_release(dep);
    if (has_command_ && command_.kind == SCYTHE_COMMAND_HOST_TASK && !submitted_)
      command_.u.host_task.destroy(command_.u.host_task.ctx);
    if (has_command_ && command_.kind == SCYTHE_COMMAND_GRAPH)
      scythe_graph_exec_release(command_.u.graph);
    if (kept_ != kept_inline_)
      delete[] kept_;
    if (return_scratch_ && scratch_)
      return_scratch_(queue_, scratch_);
  }

  SCYTHE_LIBRARY void require(scythe_buffer buffer, unsigned mode, unsigned flags) {
    if (!buffer)
      detail::fail(
          errc::invalid,
          "handler::require: the accessor was default-constructed and refers to no buffer");
    requirements_.push_back({buffer, mode, flags});
  }
  // Returns a distinct number for each local accessor.
  std::size_t number_local() { return ++local_bytes_; }
#ifdef SCYTHE_HOST_MODE
  // Returns the offset of a new local accessor in the local memory of a work-group.
  std::size_t reserve_local(std::size_t bytes) {
    std::uint64_t limit = 0;
    scythe_device_info(detail::access_handle::of(queue_.target), SCYTHE_DEVICE_LOCAL_MEM_SIZE,
                       &limit, sizeof limit, nullptr);
    const std::size_t at = (local_bytes_ + 63) / 64 * 64;
    if (bytes > limit || at > limit - bytes)
      detail::fail(errc::memory_allocation, "local_accessor: more than the device's local memory");
    local_bytes_ = at + bytes;
    return at;
  }
#endif

  void native_range(const kernel &k, unsigned dims, std::size_t x, std::size_t y, std::size_t z);
  SCYTHE_LIBRARY_COLD void launch_native(const detail::handle<scythe_native_kernel> &kernel,
                                         scythe_kernel_shape shape, unsigned dims,
                                         const scythe_kernel_launch &sizes) {
    set_kind(SCYTHE_COMMAND_NATIVE_KERNEL);
    native_kernel_ = kernel;
    scythe_native_launch &launch = command_.u.native;
    launch.kernel = native_kernel_.get();
    launch.args = arguments_.data();
    launch.arg_count = arguments_.size();
    launch.shape = shape;
    launch.dims = dims;
    for (int i = 0; i < 3; ++i) {
      launch.global_size[i] = sizes.global_size[i];
      launch.local_size[i] = sizes.local_size[i];
      launch.global_offset[i] = sizes.global_offset[i];
    }
  }

  void launch_object(const kernel &k, scythe_kernel_shape shape, unsigned dims,
                     const scythe_kernel_launch &sizes);
#ifdef SCYTHE_DEVICE_PASS
  void launch_function(const char *, scythe_kernel_shape, unsigned, const scythe_kernel_launch &) {}
#elif defined(SCYTHE_HOST_MODE)
  [[noreturn]] void launch_function(const char *, scythe_kernel_shape, unsigned,
                                    const scythe_kernel_launch &) {
    detail::fail(errc::kernel, "the program was compiled without -fsycl and has no kernel objects");
  }
#else
  // Launches a free function kernel with the arguments that the program has set.
  SCYTHE_LIBRARY_COLD void launch_function(const char *symbol, scythe_kernel_shape shape,
                                           unsigned dims, const scythe_kernel_launch &sizes) {
    scythe_kernel_function function{};
    detail::check(scythe_kernel_arguments(symbol, 0, &function, nullptr, nullptr));
    detail::check_function(function, symbol, shape, dims, arguments_.size());
    set_kind(SCYTHE_COMMAND_KERNEL);
    unsigned char *functor = keep_zeroes(function.functor_size);
    if (scratch_bytes_) {
      const std::size_t scratch[] = {number_local(), scratch_bytes_};
      __builtin_memcpy(functor, scratch, sizeof scratch);
    }
    detail::functor_filler filler{arguments_, functor, 0, false};
    detail::check(scythe_kernel_arguments(symbol, 0, &function, &filler.take, &filler));
    if (filler.differs)
      detail::fail(errc::kernel_argument,
                   "argument %zu of kernel '%s' has another size than the value that set_arg got",
                   filler.index, symbol);
    scythe_kernel_launch &launch = command_.u.kernel;
    launch = sizes;
    detail::describe(launch, 0, symbol, nullptr, shape, dims, function.functor_size);
    launch.functor = functor;
    check_bundle();
  }
#endif
  SCYTHE_LIBRARY void set_kind(scythe_command_kind kind) {
    if (has_command_)
      detail::fail(errc::invalid, "a command group must contain one command, but this one already "
                                  "has a kernel, host task or memory operation");
    has_command_ = true;
    command_.kind = kind;
  }
  using no_properties = ext::oneapi::property_list<>;
  template <class Name, int D, class L = no_properties, class K>
  void range_kernel(const range<D> &r, const id<D> &offset, const K &kernel, loc where) {
    set_kernel<Name, SCYTHE_SHAPE_RANGE, D, L>(kernel, where);
    detail::set_range(command_.u.kernel, r, offset);
  }
  // `L` is the property list of the launch. A kernel object is already compiled.
  template <class K, class L>
  static constexpr bool is_kernel_object = [] {
    constexpr bool is_object = std::is_same_v<K, kernel>;
    static_assert(!is_object ||
                      std::is_same_v<detail::kernel_properties<L, K>, detail::properties_pack<>>,
                  "a sycl::kernel object is already compiled; remove the properties that affect "
                  "compilation, or launch the kernel's function object");
    return is_object;
  }();
  template <class Name, class Space, class K, class O, class... R>
  void with_options(const Space &r, const K &kernel, loc where, const O &option, const R &...rest) {
    if constexpr (detail::has_scratch<O> && std::is_same_v<K, class kernel>)
      scratch_bytes_ =
          option.template get_property<ext::oneapi::experimental::work_group_scratch_size>().value;
    if constexpr (detail::has_scratch<O> && !detail::prepares_scratch<K>)
      detail::scratch_launch<O>::template over<Name>(*this, r, kernel, where, option, rest...);
    else if constexpr (detail::is_reduction<O>)
      detail::reductions<O, R...>::template launch<Name, no_properties>(*this, r, kernel, where,
                                                                        option, rest...);
    else if constexpr (sizeof...(R) != 0) {
      static_assert(!detail::has_launch_changes<O>,
                    "parallel_for: a launch with reductions cannot form clusters of work-groups");
      detail::reductions<R...>::template launch<Name, O>(*this, r, kernel, where, rest...);
    } else if constexpr (is_kernel_object<K, O>)
      parallel_for(r, kernel);
    else {
      launch_over<Name, O>(r, kernel, where);
      if constexpr (detail::has_launch_changes<O>)
        detail::change_launch(command_.u.kernel, option,
                              static_cast<typename O::scythe_pack *>(nullptr));
    }
  }
  template <int D> static range<D> one_each(range<D> r) {
    for (int d = 0; d < D; ++d)
      r[d] = 1;
    return r;
  }
  template <class Name, class L, int D, class K>
  void hierarchical(const range<D> &groups, const range<D> &group_size, const K &kernel,
                    loc where) {
    static_assert(std::is_invocable_v<const K &, const group<D> &> ||
                      std::is_invocable_v<const K &, const group<D> &, kernel_handler>,
                  "parallel_for_work_group: the kernel must be callable with sycl::group of the "
                  "same number of dimensions");
    using wrapper = detail::hierarchical_kernel<K, D>;
    using name = detail::wrapper_name_t<Name, K, wrapper>;
    set_kernel<name, SCYTHE_SHAPE_ND_RANGE, D, L>(wrapper{kernel, group_size}, where);
    detail::set_hierarchical<D, typename detail::kernel_pack<L, K>::type>(command_.u.kernel, groups,
                                                                          group_size);
  }
  template <class Name, class L, int D, class K>
  void launch_over(const range<D> &r, const K &kernel, loc where) {
    range_kernel<Name, D, L>(r, id<D>(), kernel, where);
  }
  template <class Name, class L, int D, class K>
  void launch_over(const nd_range<D> &r, const K &kernel, loc where) {
    if constexpr (detail::gives_scratch<K>) {
      using list = typename detail::got_properties<const K>::type;
      detail::scratch_launch<list>::template by_kernel<Name, L>(*this, r, kernel, where);
    } else {
      set_kernel<Name, SCYTHE_SHAPE_ND_RANGE, D, L>(kernel, where);
      detail::set_nd_range<D, typename detail::kernel_pack<L, K>::type>(command_.u.kernel, r);
    }
  }
  template <class Name, scythe_kernel_shape Shape, int D, class L = no_properties, class K>
  void set_kernel(const K &kernel, loc where) {
    detail::check_kernel<L, K>(queue_.target);
    set_kind(SCYTHE_COMMAND_KERNEL);
    detail::describe_kernel<detail::kernel_name_t<Name, K>, Shape, D, L>(command_.u.kernel, kernel,
                                                                         where);
#ifdef SCYTHE_HOST_MODE
    using launched = detail::launched_functor<K>;
    auto *kept =
        static_cast<unsigned char *>(const_cast<void *>(keep(launched{kernel, local_bytes_})));
    command_.u.kernel.functor = kept;
    command_.place = where.abi();
    constants_of_functor_ = &reinterpret_cast<launched *>(kept)->constants;
#else
    take_functor(__builtin_addressof(kernel), sizeof(K), where);
#endif
  }
  // Keeps the bytes of a functor or pattern until the submission, because the user's object may be
  // destroyed before.
  template <class T> const void *keep(const T &object) {
    return keep(__builtin_addressof(object), sizeof(T));
  }
  SCYTHE_LIBRARY const void *keep(const void *object, std::size_t bytes) {
    if (bytes > sizeof(kept_inline_))
      kept_ = new unsigned char[bytes];
    __builtin_memcpy(kept_, object, bytes);
    return kept_;
  }
  unsigned char *keep_zeroes(std::size_t bytes) {
    if (bytes > sizeof(kept_inline_))
      kept_ = new unsigned char[bytes];
    __builtin_memset(kept_, 0, bytes);
    return kept_;
  }
  // Stores the functor of a kernel that is already described, and the position of its launch.
  SCYTHE_LIBRARY void take_functor(const void *functor, std::size_t bytes, loc where) {
    command_.u.kernel.functor = keep(functor, bytes);
    command_.place = where.abi();
    check_bundle();
  }
  // Throws if the kernel is not in the bundle of the command group.
  SCYTHE_LIBRARY void check_bundle() {
    if (bundle_holds_ &&
        !bundle_holds_(bundle_.get(), command_.u.kernel.name, command_.u.kernel.tu, queue_.target))
      detail::fail(errc::kernel_not_supported,
                   "the command group's kernel bundle does not contain kernel '%s' for device '%s'",
                   command_.u.kernel.name, queue_.name().c_str());
  }

  // Takes ownership of a new object.
  void keep_until_done(detail::kept_object *object) {
    object->next = std::move(kept_alive_);
    kept_alive_ = detail::ref<detail::kept_object>::adopt(object);
    release_after_ = &detail::release_after;
  }

  SCYTHE_LIBRARY event submit() {
    command_.requirements = requirements_.data();
    command_.requirement_count = requirements_.size();
    command_.deps = deps_.data();
    command_.dep_count = deps_.size();
    pass_constants();
    detail::handle<scythe_event> done = queue_.submit(command_);
    submitted_ = true;
    if (scratch_ && note_scratch_use_(scratch_, done))
      scratch_ = nullptr;
    if (release_after_)
      release_after_(queue_, done, std::move(kept_alive_));
    return event(std::move(done), detail::ref<detail::queue_impl>::share(&queue_), deps_.data(),
                 deps_.size());
  }

  SCYTHE_LIBRARY_COLD void check_own_constants(const char *function) const {
    if (bundle_)
      detail::fail(errc::invalid,
                   "%s: the command group uses a kernel bundle; set the specialization constant in "
                   "the bundle instead",
                   function);
  }
  // A command group may set the values after it launches the kernel.
  void pass_constants() {
#ifdef SCYTHE_HOST_MODE
    if (const auto list = constants_.list(); list.count && constants_of_functor_) {
      auto *kept = new detail::kept_specializations(constants_);
      *constants_of_functor_ = kept->values.list();
      keep_until_done(kept);
    }
#elif !defined(SCYTHE_DEVICE_PASS)
    if (command_.kind == SCYTHE_COMMAND_KERNEL) {
      command_.u.kernel.constants = constants_.list().values;
      command_.u.kernel.constant_count = constants_.list().count;
    }
#endif
  }

  detail::queue_impl &queue_;
#ifndef SCYTHE_DEVICE_PASS
  detail::specialization_values constants_;
  // Host mode: the list in the launched functor that receives the values.
  detail::specialization_list *constants_of_functor_ = nullptr;
#endif
  detail::inline_vector<scythe_requirement, 6> requirements_;
  detail::inline_vector<scythe_event, 6> deps_;
  detail::ref<detail::kept_object> kept_alive_;
  // Set together with the object above, so that programs without kept objects do not compile the
  // function.
  void (*release_after_)(detail::queue_impl &, detail::handle<scythe_event> &,
                         detail::ref<detail::kept_object>) = nullptr;
  // Memory that a reduction borrows from the queue (`detail/scratch.hpp`).
  detail::scratch_block *scratch_ = nullptr;
  bool (*note_scratch_use_)(detail::scratch_block *,
                            const detail::handle<scythe_event> &) = nullptr;
  void (*return_scratch_)(detail::queue_impl &, detail::scratch_block *) = nullptr;
  // The bundle of the group, and the function that finds a kernel in it.
  detail::ref<const detail::counted_object> bundle_;
  bool (*bundle_holds_)(const detail::counted_object *, const char *, std::uint64_t,
                        const device &) = nullptr;
  // The arguments of a kernel object, and the handle of a native kernel.
  detail::native_arguments arguments_;
  detail::handle<scythe_native_kernel> native_kernel_;
  std::size_t local_bytes_ = 0;
  // The scratch memory of a kernel object's work-groups.
  std::size_t scratch_bytes_ = 0;
  // The dynamic parameters among the arguments of a command of a graph.
  detail::ref<detail::counted_object> dynamic_;
  bool in_graph_ = false;
  bool has_command_ = false;
  bool submitted_ = false;
  scythe_command command_;
  unsigned char *kept_ = kept_inline_;
  alignas(16) unsigned char kept_inline_[256];
};

} // namespace sycl

#endif
