// SYCL and OpenCL in one program: OpenCL's objects behind SYCL's, and SYCL objects made of OpenCL's.
//
// OpenCL's own headers are not needed; where they are included, the types are theirs. Objects that OpenCL counts come
// with a count that the caller releases. SYCL objects made of OpenCL's take a count of their own.
//
// Each platform has one `cl_context`, which all SYCL contexts of its devices share, but for those that `make_context`
// makes. An in-order SYCL queue has a `cl_command_queue` of its own, which runs commands in turn. All other queues of a
// device (of one kind of profiling) share one, which runs commands in any order: what a program enqueues there is
// ordered by events alone.
#ifndef SCYTHE_BACKEND_OPENCL_HPP
#define SCYTHE_BACKEND_OPENCL_HPP

#include <sycl/backend.hpp>
#include <sycl/buffer.hpp>
#include <sycl/device_selector.hpp>
#include <sycl/event.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/queue.hpp>

#include <vector>

typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_event *cl_event;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_program *cl_program;

#define SYCL_BACKEND_OPENCL 1

namespace sycl {

namespace detail {

template <class In, class Out = In> struct opencl_types {
  using input = In;
  using output = Out;
};
template <> struct opencl_type<platform> : opencl_types<cl_platform_id> {};
template <> struct opencl_type<device> : opencl_types<cl_device_id> {};
template <> struct opencl_type<context> : opencl_types<cl_context> {};
template <> struct opencl_type<queue> : opencl_types<cl_command_queue> {};
template <> struct opencl_type<event> : opencl_types<std::vector<cl_event>> {};
template <class T, int D, class A> struct opencl_type<buffer<T, D, A>> : opencl_types<cl_mem, std::vector<cl_mem>> {};
template <> struct opencl_type<kernel> : opencl_types<cl_kernel> {};
template <bundle_state State>
struct opencl_type<kernel_bundle<State>> : opencl_types<cl_program, std::vector<cl_program>> {};

} // namespace detail

template <> struct backend_traits<backend::opencl> {
  using errc = int;
  using memory = std::vector<cl_mem>;
  template <class T> using input_type = typename detail::opencl_type<T>::input;
  template <class T> using return_type = typename detail::opencl_type<T>::output;
};

namespace detail {

template <class T> T opencl_object(const device &d, scythe_native_kind kind) {
  void *native = nullptr;
  check(scythe_native_of_device(access_handle::of(d), kind, &native));
  return static_cast<T>(native);
}

template <class T> void expect_opencl(const T &object, const char *function, const char *what) {
  if (object.get_backend() != backend::opencl)
    fail(errc::backend_mismatch, "%s: the %s is not one of OpenCL's", function, what);
}

// The device of OpenCL's that `matches`.
template <class Predicate> device find_opencl_device(const char *what, Predicate matches) {
  for (const device &d : device::get_devices())
    if (d.get_backend() == backend::opencl && matches(d))
      return d;
  fail(errc::invalid, "%s: no SYCL device stands for the OpenCL object; ONEAPI_DEVICE_SELECTOR may leave it out", what);
}

template <backend Backend> using if_opencl = std::enable_if_t<Backend == backend::opencl, int>;

} // namespace detail

namespace detail {
// The driver's program, until the last bundle that holds it is gone.
struct native_program final : counted_object {
  explicit native_program(scythe_native_program p) : program(p) {}
  ~native_program() override { scythe_native_program_release(program); }
  scythe_native_program program;
};
} // namespace detail

// --- OpenCL's objects behind SYCL's

template <backend Backend, detail::if_opencl<Backend> = 0> cl_platform_id get_native(const platform &p) {
  detail::expect_opencl(p, "get_native", "platform");
  return detail::opencl_object<cl_platform_id>(p.get_devices().front(), SCYTHE_NATIVE_PLATFORM);
}
template <backend Backend, detail::if_opencl<Backend> = 0> cl_device_id get_native(const device &d) {
  detail::expect_opencl(d, "get_native", "device");
  return detail::opencl_object<cl_device_id>(d, SCYTHE_NATIVE_DEVICE);
}
template <backend Backend, detail::if_opencl<Backend> = 0> cl_context get_native(const context &c) {
  detail::expect_opencl(c, "get_native", "context");
  void *native = nullptr;
  detail::check(scythe_native_of_context(c.scythe_impl()->context.get(), &native));
  return static_cast<cl_context>(native);
}
template <backend Backend, detail::if_opencl<Backend> = 0> cl_command_queue get_native(const queue &q) {
  detail::expect_opencl(q, "get_native", "queue");
  void *native = nullptr;
  detail::check(scythe_native_of_queue(q.scythe_impl()->queue.get(), &native));
  return static_cast<cl_command_queue>(native);
}
// Of a command of the device's; those of host tasks have none, nor has a default-constructed event.
template <backend Backend, detail::if_opencl<Backend> = 0> std::vector<cl_event> get_native(const event &e) {
  if (!e.scythe_handle())
    return {};
  detail::expect_opencl(e, "get_native", "event");
  void *native = nullptr;
  detail::check(scythe_native_of_event(e.scythe_handle(), &native));
  return {static_cast<cl_event>(native)};
}
// The memory objects that there are now: of a buffer that `make_buffer` made, and of one that a device without shared
// memory has used. Others are addresses, of which a host task gets an object (`interop_handle::get_native_mem`).
template <backend Backend, class T, int D, class A, detail::if_opencl<Backend> = 0>
std::vector<cl_mem> get_native(const buffer<T, D, A> &b) {
  std::vector<cl_mem> list;
  auto add = [](void *ctx, void *native) {
    static_cast<std::vector<cl_mem> *>(ctx)->push_back(static_cast<cl_mem>(native));
  };
  detail::check(scythe_native_of_buffer(b.scythe_handle(), nullptr, add, &list));
  return list;
}
// Built for the first device of its context. Arguments that a program sets are its own: a submission sets all again.
template <backend Backend, detail::if_opencl<Backend> = 0> cl_kernel get_native(const kernel &k) {
  detail::expect_opencl(k, "get_native", "kernel");
  void *native = nullptr;
  if (scythe_native_kernel own = detail::native_access::native(k).get())
    detail::check(scythe_native_of_native_kernel(own, &native, nullptr));
  else
    detail::check(scythe_native_of_kernel(k.get_context().scythe_impl()->context.get(),
                                          detail::native_access::symbol(k), &native, nullptr));
  return static_cast<cl_kernel>(native);
}
// One program for each device image.
template <backend Backend, bundle_state State, detail::if_opencl<Backend> = 0>
std::vector<cl_program> get_native(const kernel_bundle<State> &bundle) {
  static_assert(State == bundle_state::executable, "get_native: OpenCL has programs of executable bundles only");
  detail::expect_opencl(bundle, "get_native", "kernel bundle");
  std::vector<cl_program> list;
  void *native = nullptr;
  if (const auto &own = bundle.scythe_impl()->native) {
    detail::check(scythe_native_of_program(static_cast<const detail::native_program *>(own.get())->program, &native));
    list.push_back(static_cast<cl_program>(native));
  }
  for (const auto &image : bundle.scythe_impl()->images) {
    if (image->ids.empty())
      continue;
    detail::check(scythe_native_of_kernel(bundle.get_context().scythe_impl()->context.get(),
                                          image->ids.front().get_name(), nullptr, &native));
    list.push_back(static_cast<cl_program>(native));
  }
  return list;
}

// --- SYCL's objects for OpenCL's

template <backend Backend, detail::if_opencl<Backend> = 0> device make_device(cl_device_id native) {
  return detail::find_opencl_device("make_device", [=](const device &d) {
    return detail::opencl_object<cl_device_id>(d, SCYTHE_NATIVE_DEVICE) == native;
  });
}
template <backend Backend, detail::if_opencl<Backend> = 0> platform make_platform(cl_platform_id native) {
  return detail::find_opencl_device("make_platform",
                                    [=](const device &d) {
                                      return detail::opencl_object<cl_platform_id>(d, SCYTHE_NATIVE_PLATFORM) == native;
                                    })
      .get_platform();
}
// Holds those of its devices that SYCL knows. OpenCL's context is kept until the process ends.
template <backend Backend, detail::if_opencl<Backend> = 0>
context make_context(cl_context native, async_handler handler = {}) {
  scythe_context made = nullptr;
  detail::check(scythe_context_from_native(SCYTHE_BACKEND_OPENCL, native, &made));
  auto impl = detail::ref<detail::context_impl>::adopt(new detail::context_impl(std::move(handler), {}));
  impl->context = detail::handle<scythe_context>::adopt(made);
  std::uint32_t count = 0;
  detail::check(scythe_context_devices(made, nullptr, 0, &count));
  std::vector<scythe_device> devices(count);
  detail::check(scythe_context_devices(made, devices.data(), count, &count));
  for (scythe_device d : devices)
    impl->devices.push_back(d);
  return context(std::move(impl));
}
// Commands go to OpenCL's queue; in order and profiling are as it has them.
template <backend Backend, detail::if_opencl<Backend> = 0>
queue make_queue(cl_command_queue native, const context &c, async_handler handler = {}) {
  detail::expect_opencl(c, "make_queue", "context");
  scythe_queue made = nullptr;
  scythe_device where = nullptr;
  std::uint32_t flags = 0;
  detail::check(scythe_queue_from_native(c.scythe_impl()->context.get(), native, &made, &where, &flags));
  property_list properties;
  if (flags == (SCYTHE_QUEUE_IN_ORDER | SCYTHE_QUEUE_PROFILING))
    properties = {property::queue::in_order(), property::queue::enable_profiling()};
  else if (flags == SCYTHE_QUEUE_IN_ORDER)
    properties = {property::queue::in_order()};
  else if (flags == SCYTHE_QUEUE_PROFILING)
    properties = {property::queue::enable_profiling()};
  return queue(detail::ref<detail::queue_impl>::adopt(
      new detail::queue_impl(c.scythe_impl(), detail::access_handle::make(where), std::move(handler), properties,
                             detail::handle<scythe_queue>::adopt(made))));
}
// Completes when all of OpenCL's have.
template <backend Backend, detail::if_opencl<Backend> = 0>
event make_event(const std::vector<cl_event> &natives, const context &c) {
  detail::expect_opencl(c, "make_event", "context");
  queue q(c, c.get_devices().front());
  std::vector<event> list;
  for (cl_event native : natives) {
    scythe_event made = nullptr;
    detail::check(scythe_event_from_native(q.scythe_impl()->queue.get(), native, &made));
    list.push_back(event(detail::handle<scythe_event>::adopt(made), q.scythe_impl()));
  }
  return list.size() == 1 ? list.front() : list.empty() ? event() : q.ext_oneapi_submit_barrier(list);
}
namespace detail {
template <class T, class A> struct native_buffer {
  static buffer<T, 1, A> make(handle<scythe_buffer> made, std::uint64_t bytes) {
    if (bytes % sizeof(T) != 0)
      fail(errc::invalid, "make_buffer: the memory object has %zu bytes, which elements of %zu bytes do not fill",
           static_cast<std::size_t>(bytes), sizeof(T));
    return buffer<T, 1, A>(std::move(made), range<1>(bytes / sizeof(T)), A(), property_list(), {}, false);
  }
};
} // namespace detail

// A buffer of one dimension whose contents are OpenCL's memory object, from `available` on: commands of the context's
// first device use the object itself, and its contents are current when the last copy of the buffer is gone.
template <backend Backend, class T, int D = 1, class A = buffer_allocator<std::remove_const_t<T>>,
          detail::if_opencl<Backend> = 0>
buffer<T, D, A> make_buffer(cl_mem native, const context &c, event available = {}) {
  static_assert(D == 1, "make_buffer: OpenCL's memory objects have one dimension");
  detail::expect_opencl(c, "make_buffer", "context");
  scythe_buffer made = nullptr;
  std::uint64_t bytes = 0;
  detail::check(
      scythe_buffer_from_native(c.scythe_impl()->context.get(), native, available.scythe_handle(), &made, &bytes));
  return detail::native_buffer<T, A>::make(detail::handle<scythe_buffer>::adopt(made), bytes);
}
namespace detail {
// A bundle without kernels of the program's own.
inline ref<const bundle_impl<void>> native_bundle(const context &c, ref<counted_object> program) {
  auto made = ref<bundle_impl<void>>::adopt(new bundle_impl<void>);
  made->context = c.scythe_impl();
  made->devices = c.get_devices();
  made->native = std::move(program);
  return ref<const bundle_impl<void>>::adopt(made.take());
}
} // namespace detail

// To be launched with `handler::set_arg` and a kernel object.
template <backend Backend, detail::if_opencl<Backend> = 0> kernel make_kernel(cl_kernel native, const context &c) {
  detail::expect_opencl(c, "make_kernel", "context");
  scythe_native_kernel made = nullptr;
  detail::check(scythe_kernel_from_native(c.scythe_impl()->context.get(), native, &made));
  auto bundle = detail::native_bundle(c, {});
  return detail::native_access::make(made, c.scythe_impl(),
                                     detail::ref<const detail::counted_object>::adopt(bundle.take()));
}
// The program's kernels have no `kernel_id`: `make_kernel` makes kernels of OpenCL's.
template <backend Backend, bundle_state State, detail::if_opencl<Backend> = 0>
kernel_bundle<State> make_kernel_bundle(cl_program native, const context &c) {
  detail::expect_opencl(c, "make_kernel_bundle", "context");
  scythe_native_program made = nullptr;
  detail::check(scythe_program_from_native(c.scythe_impl()->context.get(), native, &made));
  auto program = detail::ref<detail::counted_object>::adopt(new detail::native_program(made));
  return kernel_bundle<State>(detail::native_bundle(c, std::move(program)));
}

} // namespace sycl

#endif
