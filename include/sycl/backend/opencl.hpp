// SYCL and OpenCL in one program: OpenCL's objects behind SYCL's, and SYCL objects made of OpenCL's.
//
// OpenCL's own headers are not needed; where they are included, the types are theirs. Objects that OpenCL counts come
// with a count that the caller releases.
//
// Each platform has one `cl_context`, which all SYCL contexts of its devices share, and a device has one
// `cl_command_queue` for all SYCL queues (of one kind of profiling), which runs commands in any order: what a program
// enqueues there is ordered by events alone.
#ifndef SCYTHE_BACKEND_OPENCL_HPP
#define SCYTHE_BACKEND_OPENCL_HPP

#include <sycl/backend.hpp>
#include <sycl/device_selector.hpp>
#include <sycl/event.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/queue.hpp>

typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_event *cl_event;
typedef struct _cl_mem *cl_mem;

namespace sycl {

template <> struct backend_traits<backend::opencl> {
  using errc = int;
  using memory = cl_mem;
  template <class T> using return_type = typename detail::opencl_type<T>::type;
  template <class T> using input_type = typename detail::opencl_type<T>::type;
};

namespace detail {

template <> struct opencl_type<platform> {
  using type = cl_platform_id;
};
template <> struct opencl_type<device> {
  using type = cl_device_id;
};
template <> struct opencl_type<context> {
  using type = cl_context;
};
template <> struct opencl_type<queue> {
  using type = cl_command_queue;
};
template <> struct opencl_type<event> {
  using type = cl_event;
};

template <class T> T opencl_object(const device &d, scythe_native_kind kind) {
  void *native = nullptr;
  check(scythe_native_of_device(access_handle::of(d), kind, &native));
  return static_cast<T>(native);
}

template <class T> void expect_opencl(const T &object, const char *what) {
  if (object.get_backend() != backend::opencl)
    fail(errc::backend_mismatch, "get_native: the %s is not one of OpenCL's", what);
}

// The device of OpenCL's that `matches`.
template <class Predicate> device find_opencl_device(const char *what, Predicate matches) {
  for (const device &d : device::get_devices())
    if (d.get_backend() == backend::opencl && matches(d))
      return d;
  fail(errc::invalid, "%s: no SYCL device stands for the OpenCL object; ONEAPI_DEVICE_SELECTOR may leave it out", what);
}

} // namespace detail

template <backend Backend>
auto get_native(const platform &p) -> std::enable_if_t<Backend == backend::opencl, cl_platform_id> {
  detail::expect_opencl(p, "platform");
  return detail::opencl_object<cl_platform_id>(p.get_devices().front(), SCYTHE_NATIVE_PLATFORM);
}
template <backend Backend>
auto get_native(const device &d) -> std::enable_if_t<Backend == backend::opencl, cl_device_id> {
  detail::expect_opencl(d, "device");
  return detail::opencl_object<cl_device_id>(d, SCYTHE_NATIVE_DEVICE);
}
template <backend Backend>
auto get_native(const context &c) -> std::enable_if_t<Backend == backend::opencl, cl_context> {
  detail::expect_opencl(c, "context");
  return detail::opencl_object<cl_context>(c.get_devices().front(), SCYTHE_NATIVE_CONTEXT);
}
template <backend Backend>
auto get_native(const queue &q) -> std::enable_if_t<Backend == backend::opencl, cl_command_queue> {
  detail::expect_opencl(q, "queue");
  void *native = nullptr;
  detail::check(scythe_native_of_queue(q.scythe_impl()->queue.get(), &native));
  return static_cast<cl_command_queue>(native);
}
template <backend Backend> auto get_native(const event &e) -> std::enable_if_t<Backend == backend::opencl, cl_event> {
  detail::expect_opencl(e, "event");
  void *native = nullptr;
  detail::check(scythe_native_of_event(e.scythe_handle(), &native));
  return static_cast<cl_event>(native);
}

template <backend Backend> std::enable_if_t<Backend == backend::opencl, device> make_device(cl_device_id native) {
  return detail::find_opencl_device("make_device", [=](const device &d) {
    return detail::opencl_object<cl_device_id>(d, SCYTHE_NATIVE_DEVICE) == native;
  });
}
template <backend Backend> std::enable_if_t<Backend == backend::opencl, platform> make_platform(cl_platform_id native) {
  return detail::find_opencl_device("make_platform",
                                    [=](const device &d) {
                                      return detail::opencl_object<cl_platform_id>(d, SCYTHE_NATIVE_PLATFORM) == native;
                                    })
      .get_platform();
}
// Of the command behind `native`, an event of the context `c`. It takes a count of its own.
template <backend Backend>
std::enable_if_t<Backend == backend::opencl, event> make_event(cl_event native, const context &c) {
  detail::expect_opencl(c, "context");
  queue q(c, c.get_devices().front());
  scythe_event made = nullptr;
  detail::check(scythe_event_from_native(q.scythe_impl()->queue.get(), native, &made));
  return event(detail::handle<scythe_event>::adopt(made), q.scythe_impl());
}

} // namespace sycl

#endif
