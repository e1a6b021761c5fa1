// Interoperation of SYCL and CUDA: the driver's objects behind SYCL objects, and SYCL objects made
// from the driver's.
//
// This header does not need CUDA's headers, but uses their types if the program includes them. CUDA
// does not count references. The native objects belong to SYCL and are valid as long as the SYCL
// object they come from.
//
// Contexts are primary contexts, which CUDA's runtime library uses as well. An in-order queue is
// one stream: work that a program adds to the stream runs after the commands submitted before.
// Other queues distribute their commands over several streams, and the program gets the first. Only
// events order work that a program adds to that stream. USM addresses are `CUdeviceptr`s.
#ifndef SCYTHE_BACKEND_CUDA_HPP
#define SCYTHE_BACKEND_CUDA_HPP

#include <cstdint>
#include <sycl/backend.hpp>
#include <sycl/device_selector.hpp>
#include <sycl/event.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/queue.hpp>

typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef unsigned long long CUdeviceptr;

namespace sycl {

namespace detail {

// The CUDA type that corresponds to a SYCL class.
template <class T> struct cuda_type;
template <> struct cuda_type<device> {
  using type = CUdevice;
};
template <> struct cuda_type<context> {
  using type = CUcontext;
};
template <> struct cuda_type<queue> {
  using type = CUstream;
};
template <> struct cuda_type<event> {
  using type = CUevent;
};

inline void *cuda_object(const device &d, scythe_native_kind kind) {
  void *native = nullptr;
  check(scythe_native_of_device(access_handle::of(d), kind, &native));
  return native;
}

template <class T> void expect_cuda(const T &object, const char *what) {
  if (object.get_backend() != backend::ext_oneapi_cuda)
    fail(errc::backend_mismatch, "get_native: the %s does not belong to the CUDA backend", what);
}

} // namespace detail

template <> struct backend_traits<backend::ext_oneapi_cuda> {
  using errc = int;
  using memory = CUdeviceptr;
  template <class T> using return_type = typename detail::cuda_type<T>::type;
  template <class T> using input_type = typename detail::cuda_type<T>::type;
};

template <backend Backend>
auto get_native(const device &d)
    -> std::enable_if_t<Backend == backend::ext_oneapi_cuda, CUdevice> {
  detail::expect_cuda(d, "device");
  return detail::native_cast<CUdevice>(detail::cuda_object(d, SCYTHE_NATIVE_DEVICE));
}
template <backend Backend>
auto get_native(const context &c)
    -> std::enable_if_t<Backend == backend::ext_oneapi_cuda, CUcontext> {
  detail::expect_cuda(c, "context");
  return static_cast<CUcontext>(
      detail::cuda_object(c.get_devices().front(), SCYTHE_NATIVE_CONTEXT));
}
template <backend Backend>
auto get_native(const queue &q) -> std::enable_if_t<Backend == backend::ext_oneapi_cuda, CUstream> {
  detail::expect_cuda(q, "queue");
  void *native = nullptr;
  detail::check(scythe_native_of_queue(q.scythe_impl()->queue.get(), &native));
  return static_cast<CUstream>(native);
}
template <backend Backend>
auto get_native(const event &e) -> std::enable_if_t<Backend == backend::ext_oneapi_cuda, CUevent> {
  detail::expect_cuda(e, "event");
  void *native = nullptr;
  detail::check(scythe_native_of_event(e.scythe_handle(), &native));
  return static_cast<CUevent>(native);
}

template <backend Backend>
std::enable_if_t<Backend == backend::ext_oneapi_cuda, device> make_device(CUdevice native) {
  for (const device &d : device::get_devices())
    if (d.get_backend() == backend::ext_oneapi_cuda &&
        get_native<backend::ext_oneapi_cuda>(d) == native)
      return d;
  detail::fail(errc::invalid,
               "make_device: no SYCL device corresponds to CUDA device %d; check whether "
               "ONEAPI_DEVICE_SELECTOR excludes it",
               native);
}
// Makes an event that completes with `native`. The program has recorded `native` and must keep it
// until it has completed.
template <backend Backend>
std::enable_if_t<Backend == backend::ext_oneapi_cuda, event> make_event(CUevent native,
                                                                        const context &c) {
  detail::expect_cuda(c, "context");
  queue q(c, c.get_devices().front());
  scythe_event made = nullptr;
  detail::check(scythe_event_from_native(q.scythe_impl()->queue.get(), native, &made));
  return event(detail::handle<scythe_event>::adopt(made), q.scythe_impl());
}

} // namespace sycl

#endif
