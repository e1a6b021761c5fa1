// Turns a functor into a launch. The device pass instantiates the kernel's entry point. The other
// compilations describe the launch to the runtime. In host mode the description contains a function
// that runs a part of the range.
#ifndef SCYTHE_DETAIL_KERNEL_LAUNCH_HPP
#define SCYTHE_DETAIL_KERNEL_LAUNCH_HPP

#include <sycl/detail/abi_order.hpp>
#include <sycl/detail/kernel_name.hpp>
#include <sycl/ext/oneapi/kernel_properties.hpp>
#include <sycl/item.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/specialization_id.hpp>

namespace sycl::detail {

// Calls a kernel over a `range` with the argument that it accepts: an item, an id or, in one
// dimension, an integer. A generic lambda with a parameter `auto &` accepts constant values only.
template <int D, class K, class... Handler>
SCYTHE_ALWAYS_INLINE void call_with_item(K &kernel, const work_item &self, Handler... h) {
  if constexpr (std::is_invocable_v<K &, item<D>, Handler...>)
    SCYTHE_INLINED kernel(item<D>(self), h...);
  else if constexpr (std::is_invocable_v<K &, item<D, false>, Handler...>)
    SCYTHE_INLINED kernel(item<D, false>(self), h...);
  else if constexpr (std::is_invocable_v<K &, id<D>, Handler...>)
    SCYTHE_INLINED kernel(item<D>(self).get_id(), h...);
  else if constexpr (std::is_invocable_v<K &, const item<D>, Handler...>)
    SCYTHE_INLINED kernel(static_cast<const item<D>>(item<D>(self)), h...);
  else {
    static_assert(sizeof...(Handler) == 0,
                  "parallel_for over a range: the kernel must be callable with sycl::item or "
                  "sycl::id of the same number of dimensions");
    // Try again with a kernel_handler, through which kernels read specialization constants.
    call_with_item<D>(kernel, self, kernel_handler());
  }
}

template <int D, class K>
SCYTHE_ALWAYS_INLINE void call_with_nd_item(K &kernel, const work_item &self) {
  if constexpr (std::is_invocable_v<K &, nd_item<D>>) {
    SCYTHE_INLINED kernel(nd_item<D>(self));
  } else if constexpr (std::is_invocable_v<K &, const nd_item<D>>) {
    SCYTHE_INLINED kernel(static_cast<const nd_item<D>>(nd_item<D>(self)));
  } else if constexpr (std::is_invocable_v<K &, nd_item<D>, kernel_handler>) {
    SCYTHE_INLINED kernel(nd_item<D>(self), kernel_handler());
  } else {
    static_assert(std::is_invocable_v<K &, const nd_item<D>, kernel_handler>,
                  "parallel_for over an nd_range: the kernel must be callable with sycl::nd_item "
                  "of the same number of dimensions");
    SCYTHE_INLINED kernel(static_cast<const nd_item<D>>(nd_item<D>(self)), kernel_handler());
  }
}

template <class K> SCYTHE_ALWAYS_INLINE void call_alone(K &kernel) {
  if constexpr (std::is_invocable_v<K &, kernel_handler>)
    kernel(kernel_handler());
  else
    kernel();
}

#if defined(SCYTHE_DEVICE_PASS)

template <class Name, class K, class... Props>
[[clang::sycl_kernel_entry_point(Name)]] SCYTHE_ANNOTATE("scythe::kernel", "single_task")
    SCYTHE_PROPERTIES("function_attributes", Props) void single_task_entry(K kernel) {
  call_alone(kernel);
}
template <class Name, int D, class K, class... Props>
[[clang::sycl_kernel_entry_point(Name)]] SCYTHE_ANNOTATE("scythe::kernel", "range")
    SCYTHE_PROPERTIES("function_attributes", Props) void range_entry(K kernel) {
  call_with_item<D>(kernel, work_item{});
}
template <class Name, int D, class K, class... Props>
[[clang::sycl_kernel_entry_point(Name)]] SCYTHE_ANNOTATE("scythe::kernel", "nd_range")
    SCYTHE_PROPERTIES("function_attributes", Props) void nd_range_entry(K kernel) {
  call_with_nd_item<D>(kernel, work_item{});
}

template <class Name, scythe_kernel_shape Shape, int D, class K, class... Props>
void emit_entry(const K &kernel, properties_pack<Props...>) {
  if constexpr (Shape == SCYTHE_SHAPE_SINGLE_TASK)
    single_task_entry<Name, K, Props...>(kernel);
  else if constexpr (Shape == SCYTHE_SHAPE_RANGE)
    range_entry<Name, D, K, Props...>(kernel);
  else
    nd_range_entry<Name, D, K, Props...>(kernel);
}

// Never runs. It makes the compiler emit the entry point with the kernel's properties.
template <class Name, scythe_kernel_shape Shape, int D, class L = ext::oneapi::property_list<>,
          class K>
void describe_kernel(scythe_kernel_launch &, const K &kernel, code_location) {
  emit_entry<Name, Shape, D>(kernel, kernel_properties<L, K>{});
}

template <class K> using launched_functor = K;

#elif defined(SCYTHE_HOST_MODE)

// The functor of a launch in host mode: the kernel, the local memory size of its work-groups, and
// its specialization constants.
template <class K> struct launched_functor {
  K kernel;
  std::size_t local_bytes = 0;
  specialization_list constants = {};
};

// The local memory of the work-group that this thread runs. Local accessors hold offsets into it.
inline thread_local unsigned char *group_memory = nullptr;

class group_memory_scope {
public:
  explicit group_memory_scope(std::size_t bytes) {
    if (bytes)
      group_memory = memory_ =
          static_cast<unsigned char *>(::operator new(bytes, std::align_val_t(64)));
  }
  group_memory_scope(const group_memory_scope &) = delete;
  group_memory_scope &operator=(const group_memory_scope &) = delete;
  ~group_memory_scope() {
    group_memory = nullptr;
    ::operator delete(memory_, std::align_val_t(64));
  }

private:
  unsigned char *memory_ = nullptr;
};

template <class F>
void for_each_in_box(const std::uint64_t begin[3], const std::uint64_t end[3], F f) {
  for (std::uint64_t z = begin[2]; z < end[2]; ++z)
    for (std::uint64_t y = begin[1]; y < end[1]; ++y)
      for (std::uint64_t x = begin[0]; x < end[0]; ++x)
        f(x, y, z);
}

// State that the work-items of one work-group share while they run.
template <class K> struct host_group_run {
  K &kernel;
  work_item self;
};

// Runs work-items until none is left. See `scythe_host_items`.
template <int D, class K>
void run_items(void *ctx, std::uint64_t *next, std::uint64_t count) noexcept {
  const auto &run = *static_cast<const host_group_run<K> *>(ctx);
  const std::uint64_t *size = run.self.box->local_size;
  while (*next < count) {
    const std::uint64_t index = (*next)++;
    work_item self = run.self;
    self.local[0] = index % size[0];
    self.local[1] = index / size[0] % size[1];
    self.local[2] = index / size[0] / size[1];
    host_work_item = &self;
    call_with_nd_item<D>(run.kernel, self);
    host_work_item = nullptr;
  }
}

// Runs a part of a launch. An exception that leaves a kernel cannot be reported, so it terminates
// the program.
template <scythe_kernel_shape Shape, int D, class K>
void run_on_host(const void *functor, const scythe_host_box *box) noexcept {
  const auto &launched = *static_cast<const launched_functor<K> *>(functor);
  K kernel(launched.kernel);
  const specialization_scope constants(launched.constants);
  if constexpr (Shape == SCYTHE_SHAPE_SINGLE_TASK) {
    (void)box;
    call_alone(kernel);
  } else {
    work_item self;
    self.box = box;
    group_memory_scope memory(launched.local_bytes);
    for_each_in_box(box->begin, box->end, [&](std::size_t x, std::size_t y, std::size_t z) {
      self.group[0] = x;
      self.group[1] = y;
      self.group[2] = z;
      if constexpr (Shape == SCYTHE_SHAPE_RANGE) {
        host_work_item = &self;
        call_with_item<D>(kernel, self);
      } else {
        host_group_run<K> run{kernel, self};
        check(scythe_host_group_run(&run_items<D, K>, &run, self.local_linear_size()));
      }
    });
    host_work_item = nullptr;
  }
}

template <class Name, scythe_kernel_shape Shape, int D, class L = ext::oneapi::property_list<>,
          class K>
void describe_kernel(scythe_kernel_launch &launch, const K &, code_location) {
  static_assert(std::is_trivially_destructible_v<K>,
                "a kernel and its captures must be device copyable, but this functor has a "
                "non-trivial destructor");
  launch.name = nullptr;
  launch.tu = 0;
  launch.slot = nullptr;
  launch.host = &run_on_host<Shape, D, K>;
  launch.constants = nullptr;
  launch.constant_count = 0;
  launch.cooperation = SCYTHE_COOPERATION_NONE;
  launch.shape = Shape;
  launch.dims = D;
  launch.functor_size = sizeof(launched_functor<K>);
}

#else

template <class K> using launched_functor = K;

SCYTHE_LIBRARY void describe(scythe_kernel_launch &launch, std::uint64_t tu, const char *name,
                             scythe_kernel_slot *slot, scythe_kernel_shape shape, unsigned dims,
                             std::size_t functor_size) {
  launch.name = name;
  launch.tu = tu;
  launch.slot = slot;
  launch.host = nullptr;
  launch.constants = nullptr;
  launch.constant_count = 0;
  launch.cooperation = SCYTHE_COOPERATION_NONE;
  launch.shape = shape;
  launch.dims = dims;
  launch.functor_size = functor_size;
}
template <class Name, scythe_kernel_shape Shape, int D, class L = ext::oneapi::property_list<>,
          class K>
void describe_kernel(scythe_kernel_launch &launch, const K &, code_location where) {
#ifdef __SCYTHE_INT_HEADER__
  check_functor<Name, K>();
#endif
  describe(launch, unit_id, kernel_symbol<Name, K>(where), &kernel_slot<Name>, Shape, D, sizeof(K));
}

#endif

#ifndef SCYTHE_DEVICE_PASS
// Properties with requirements on the device have a function `scythe_check`, which throws if the
// device does not meet them.
template <class P, class = void> inline constexpr bool has_device_check = false;
template <class P>
inline constexpr bool has_device_check<P, std::void_t<decltype(&P::scythe_check)>> = true;
template <class P, class Device> void check_property([[maybe_unused]] const Device &d) {
  if constexpr (has_device_check<P>)
    P::scythe_check(d);
}
template <class Device> void check_properties(const Device &, properties_pack<>) {}
template <class Device, class... P> void check_properties(const Device &d, properties_pack<P...>) {
  (check_property<P>(d), ...);
}
template <class L, class K, class Device> void check_kernel(const Device &d) {
  check_properties(d, typename kernel_pack<L, K>::type());
}
#else
template <class L, class K, class Device> void check_kernel(const Device &) {}
#endif

inline void set_single(scythe_kernel_launch &launch) {
  for (int i = 0; i < 3; ++i) {
    launch.global_size[i] = launch.local_size[i] = 1;
    launch.global_offset[i] = 0;
  }
}
template <int D>
SCYTHE_SHARED void set_range(scythe_kernel_launch &launch, const range<D> &r, const id<D> &offset) {
  to_abi_order(launch.global_size, r, 1);
  to_abi_order(launch.global_offset, offset, 0);
  for (std::uint64_t &size : launch.local_size)
    size = 1;
}
SCYTHE_LIBRARY_INSTANCE(void set_range(scythe_kernel_launch &, const range<1> &, const id<1> &))
SCYTHE_LIBRARY_INSTANCE(void set_range(scythe_kernel_launch &, const range<2> &, const id<2> &))
SCYTHE_LIBRARY_INSTANCE(void set_range(scythe_kernel_launch &, const range<3> &, const id<3> &))
// In host mode no device code specifies the size that a kernel requires.
template <class Required, int D> void check_group_size([[maybe_unused]] const range<D> &size) {
#ifdef SCYTHE_HOST_MODE
  if constexpr (!std::is_void_v<Required>) {
    bool same = Required::dimensions == D;
    for (int d = 0; same && d < D; ++d)
      same = Required()[d] == size[d];
    if (!same)
      fail(errc::nd_range,
           "parallel_for: the kernel's work_group_size property requires work-groups of size (%s), "
           "but the nd_range has another local size",
           Required::meta_value);
  }
#endif
}
// `Pack` contains the kernel's properties.
template <int D, class Pack = properties_pack<>>
SCYTHE_SHARED void set_nd_range(scythe_kernel_launch &launch, const nd_range<D> &r) {
  if constexpr (!std::is_void_v<property_in<ext::oneapi::experimental::use_root_sync_key, Pack>>) {
    launch.cooperation = SCYTHE_COOPERATION_ROOT;
#ifdef SCYTHE_HOST_MODE
    if (r.get_group_range().size() > 1)
      fail(errc::nd_range,
           "parallel_for: a kernel with use_root_sync can only run as one work-group in host mode, "
           "but the nd_range has %zu work-groups",
           r.get_group_range().size());
#endif
  }
  check_group_size<property_in<ext::oneapi::work_group_size, Pack>>(r.get_local_range());
  to_abi_order(launch.global_size, r.get_global_range(), 1);
  to_abi_order(launch.local_size, r.get_local_range(), 1);
  to_abi_order(launch.global_offset, r.get_offset(), 0);
}
SCYTHE_LIBRARY_INSTANCE(void set_nd_range<1>(scythe_kernel_launch &, const nd_range<1> &))
SCYTHE_LIBRARY_INSTANCE(void set_nd_range<2>(scythe_kernel_launch &, const nd_range<2> &))
SCYTHE_LIBRARY_INSTANCE(void set_nd_range<3>(scythe_kernel_launch &, const nd_range<3> &))
// Sets the sizes of a kernel that was described as a kernel over an nd_range. `Pack` contains the
// properties of the program's function object.
template <int D, class Pack>
SCYTHE_SHARED void set_hierarchical(scythe_kernel_launch &launch, const range<D> &groups,
                                    const range<D> &group_size) {
  check_group_size<property_in<ext::oneapi::work_group_size, Pack>>(group_size);
  launch.shape = SCYTHE_SHAPE_HIERARCHICAL;
  set_range(launch, groups, id<D>());
  to_abi_order(launch.local_size, group_size, 1);
}

} // namespace sycl::detail

#endif
