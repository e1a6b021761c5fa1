// Interoperation of SYCL and OpenCL: the OpenCL objects behind SYCL objects, and SYCL objects made
// from OpenCL objects.
//
// `sycl.hpp` includes this file. It consists of templates in which everything depends on the
// parameters, so that programs without OpenCL do not compile it. For the same reason it declares
// OpenCL's types itself. If the program includes OpenCL's headers, as `sycl/backend/opencl.hpp`
// does, it uses their types.
//
// OpenCL objects are returned with a reference that the caller releases. SYCL objects made from
// OpenCL objects take their own reference.
//
// Each platform has one `cl_context`, which all SYCL contexts of its devices share, except those
// that `make_context` creates. An in-order SYCL queue has its own `cl_command_queue`, which runs
// commands in order. All other queues of a device with the same profiling mode share one, which
// runs commands out of order. Only events order the commands that a program enqueues there.
#ifndef SCYTHE_DETAIL_OPENCL_INTEROP_HPP
#define SCYTHE_DETAIL_OPENCL_INTEROP_HPP

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
template <class T, int D, class A>
struct opencl_type<buffer<T, D, A>> : opencl_types<cl_mem, std::vector<cl_mem>> {};
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

template <backend Backend> using if_opencl = std::enable_if_t<Backend == backend::opencl, int>;

template <class T, class A> struct native_buffer {
  static buffer<T, 1, A> make(handle<scythe_buffer> made, std::uint64_t bytes) {
    if (bytes % sizeof(T) != 0)
      fail(errc::invalid,
           "make_buffer: the memory object has %zu bytes, which is not a multiple of the element "
           "size %zu",
           static_cast<std::size_t>(bytes), sizeof(T));
    return buffer<T, 1, A>(std::move(made), range<1>(bytes / sizeof(T)), A(), property_list(), {},
                           false);
  }
};

// The implementation of the functions below. `V` is void.
template <class V> struct opencl_interop {
  using platform_type = later_t<V, platform>;
  using device_type = later_t<V, device>;
  using context_type = later_t<V, context>;
  using queue_type = later_t<V, queue>;
  using event_type = later_t<V, event>;
  using kernel_type = later_t<V, kernel>;

  // Keeps the native program until the last bundle that contains it is destroyed.
  struct native_program final : later_t<V, counted_object> {
    explicit native_program(scythe_native_program p) : program(p) {}
    ~native_program() override { scythe_native_program_release(program); }
    scythe_native_program program;
  };

  template <class T> static T of_device(const device_type &d, scythe_native_kind kind) {
    void *object = nullptr;
    check(scythe_native_of_device(access_handle::of(d), kind, &object));
    return static_cast<T>(object);
  }
  template <class T> static void expect(const T &object, const char *function, const char *what) {
    if (object.get_backend() != backend::opencl)
      fail(errc::backend_mismatch, "%s: the %s does not belong to the OpenCL backend", function,
           what);
  }
  static scythe_context handle_of(const context_type &c) { return c.scythe_impl()->context.get(); }
  // Finds the OpenCL device whose object of that kind is `native`.
  template <class T>
  static device_type find(const char *function, scythe_native_kind kind, T native) {
    for (const auto &d : device_type::get_devices())
      if (d.get_backend() == backend::opencl && of_device<T>(d, kind) == native)
        return d;
    fail(errc::invalid,
         "%s: no SYCL device corresponds to the OpenCL object; check whether "
         "ONEAPI_DEVICE_SELECTOR excludes its device",
         function);
  }

  // --- OpenCL objects of SYCL objects

  static cl_platform_id native(const platform_type &p) {
    expect(p, "get_native", "platform");
    return of_device<cl_platform_id>(p.get_devices().front(), SCYTHE_NATIVE_PLATFORM);
  }
  static cl_device_id native(const device_type &d) {
    expect(d, "get_native", "device");
    return of_device<cl_device_id>(d, SCYTHE_NATIVE_DEVICE);
  }
  static cl_context native(const context_type &c) {
    expect(c, "get_native", "context");
    void *object = nullptr;
    check(scythe_native_of_context(handle_of(c), &object));
    return static_cast<cl_context>(object);
  }
  static cl_command_queue native(const queue_type &q) {
    expect(q, "get_native", "queue");
    void *object = nullptr;
    check(scythe_native_of_queue(q.scythe_impl()->queue.get(), &object));
    return static_cast<cl_command_queue>(object);
  }
  // Returns the event of a device command. Host tasks and default-constructed events have none.
  static std::vector<later_t<V, cl_event>> native(const event_type &e) {
    if (!e.scythe_handle())
      return {};
    expect(e, "get_native", "event");
    void *object = nullptr;
    check(scythe_native_of_event(e.scythe_handle(), &object));
    return {static_cast<cl_event>(object)};
  }
  // Returns the existing memory objects: those of a buffer from `make_buffer`, and those of a
  // buffer that a device without shared memory has used. Other buffers are addresses, for which a
  // host task gets an object from `interop_handle::get_native_mem`.
  template <class T, int D, class A>
  static std::vector<later_t<V, cl_mem>> native(const buffer<T, D, A> &b) {
    std::vector<later_t<V, cl_mem>> list;
    auto add = [](void *ctx, void *object) {
      static_cast<std::vector<later_t<V, cl_mem>> *>(ctx)->push_back(static_cast<cl_mem>(object));
    };
    check(scythe_native_of_buffer(b.scythe_handle(), nullptr, add, &list));
    return list;
  }
  // Returns the kernel, built for the first device of its context. Arguments that a program sets do
  // not affect SYCL, because each submission sets all arguments again.
  static cl_kernel native(const kernel_type &k) {
    expect(k, "get_native", "kernel");
    void *object = nullptr;
    if (scythe_native_kernel own = native_access::native(k).get())
      check(scythe_native_of_native_kernel(own, &object, nullptr));
    else
      check(scythe_native_of_kernel(handle_of(k.get_context()), native_access::symbol(k), &object,
                                    nullptr));
    return static_cast<cl_kernel>(object);
  }
  // Returns one program for each device image.
  template <bundle_state State>
  static std::vector<later_t<V, cl_program>> native(const kernel_bundle<State> &bundle) {
    static_assert(State == bundle_state::executable,
                  "get_native: the kernel bundle must be in bundle_state::executable");
    expect(bundle, "get_native", "kernel bundle");
    std::vector<later_t<V, cl_program>> list;
    void *object = nullptr;
    if (const auto &own = bundle.scythe_impl()->native) {
      check(scythe_native_of_program(static_cast<const native_program *>(own.get())->program,
                                     &object));
      list.push_back(static_cast<cl_program>(object));
    }
    for (const auto &image : bundle.scythe_impl()->images) {
      if (image->ids.empty())
        continue;
      check(scythe_native_of_kernel(handle_of(bundle.get_context()), image->ids.front().get_name(),
                                    nullptr, &object));
      list.push_back(static_cast<cl_program>(object));
    }
    return list;
  }

  // --- SYCL objects from OpenCL objects

  static context_type make_context(cl_context native, async_handler &&handler) {
    scythe_context made = nullptr;
    check(scythe_context_from_native(SCYTHE_BACKEND_OPENCL, native, &made));
    auto impl =
        ref<later_t<V, context_impl>>::adopt(new later_t<V, context_impl>(std::move(handler), {}));
    impl->context = handle<later_t<V, scythe_context>>::adopt(made);
    std::uint32_t count = 0;
    check(scythe_context_devices(made, nullptr, 0, &count));
    std::vector<later_t<V, scythe_device>> devices(count);
    check(scythe_context_devices(made, devices.data(), count, &count));
    for (auto d : devices)
      impl->devices.push_back(d);
    return context_type(std::move(impl));
  }
  static queue_type make_queue(cl_command_queue native, const context_type &c,
                               async_handler &&handler) {
    expect(c, "make_queue", "context");
    scythe_queue made = nullptr;
    scythe_device where = nullptr;
    std::uint32_t flags = 0;
    check(scythe_queue_from_native(handle_of(c), native, &made, &where, &flags));
    later_t<V, property_list> properties;
    if (flags == (SCYTHE_QUEUE_IN_ORDER | SCYTHE_QUEUE_PROFILING))
      properties = {property::queue::in_order(), property::queue::enable_profiling()};
    else if (flags == SCYTHE_QUEUE_IN_ORDER)
      properties = {property::queue::in_order()};
    else if (flags == SCYTHE_QUEUE_PROFILING)
      properties = {property::queue::enable_profiling()};
    using impl = later_t<V, queue_impl>;
    return queue_type(
        ref<impl>::adopt(new impl(c.scythe_impl(), access_handle::make(where), std::move(handler),
                                  properties, handle<later_t<V, scythe_queue>>::adopt(made))));
  }
  static event_type make_event(const std::vector<later_t<V, cl_event>> &natives,
                               const context_type &c) {
    expect(c, "make_event", "context");
    queue_type q(c, c.get_devices().front());
    std::vector<event_type> list;
    for (auto native : natives) {
      scythe_event made = nullptr;
      check(scythe_event_from_native(q.scythe_impl()->queue.get(), native, &made));
      list.push_back(event_type(handle<later_t<V, scythe_event>>::adopt(made), q.scythe_impl()));
    }
    return list.size() == 1 ? list.front()
           : list.empty()   ? event_type()
                            : q.ext_oneapi_submit_barrier(list);
  }
  template <class T, class A>
  static auto make_buffer(cl_mem native, const context_type &c, const event_type &available) {
    expect(c, "make_buffer", "context");
    scythe_buffer made = nullptr;
    std::uint64_t bytes = 0;
    check(
        scythe_buffer_from_native(handle_of(c), native, available.scythe_handle(), &made, &bytes));
    return native_buffer<T, A>::make(handle<later_t<V, scythe_buffer>>::adopt(made), bytes);
  }
  // Creates a bundle without kernels of the SYCL program.
  static ref<const bundle_impl<V>> make_bundle(const context_type &c,
                                               ref<later_t<V, counted_object>> program) {
    auto made = ref<bundle_impl<V>>::adopt(new bundle_impl<V>);
    made->context = c.scythe_impl();
    made->devices = c.get_devices();
    made->native = std::move(program);
    return ref<const bundle_impl<V>>::adopt(made.take());
  }
  static kernel_type make_kernel(cl_kernel native, const context_type &c) {
    expect(c, "make_kernel", "context");
    scythe_native_kernel made = nullptr;
    check(scythe_kernel_from_native(handle_of(c), native, &made));
    return native_access::make(
        made, c.scythe_impl(),
        ref<const later_t<V, counted_object>>::adopt(make_bundle(c, {}).take()));
  }
  template <bundle_state State>
  static kernel_bundle<State> make_kernel_bundle(cl_program native, const context_type &c) {
    expect(c, "make_kernel_bundle", "context");
    scythe_native_program made = nullptr;
    check(scythe_program_from_native(handle_of(c), native, &made));
    return kernel_bundle<State>(
        make_bundle(c, ref<later_t<V, counted_object>>::adopt(new native_program(made))));
  }
};

template <backend Backend> using opencl = opencl_interop<typename later_for<Backend, void>::type>;

} // namespace detail

// Returns the OpenCL object of a platform, device, context, queue, event, buffer, kernel or bundle.
template <backend Backend, class T, detail::if_opencl<Backend> = 0>
backend_return_t<Backend, T> get_native(const T &object) {
  return detail::opencl<Backend>::native(object);
}

template <backend Backend, detail::if_opencl<Backend> = 0>
platform make_platform(cl_platform_id native) {
  return detail::opencl<Backend>::find("make_platform", SCYTHE_NATIVE_PLATFORM, native)
      .get_platform();
}
template <backend Backend, detail::if_opencl<Backend> = 0> device make_device(cl_device_id native) {
  return detail::opencl<Backend>::find("make_device", SCYTHE_NATIVE_DEVICE, native);
}
// The context contains the devices that SYCL knows. OpenCL's context is kept until the process
// ends.
template <backend Backend, detail::if_opencl<Backend> = 0>
context make_context(cl_context native, async_handler handler = {}) {
  return detail::opencl<Backend>::make_context(native, std::move(handler));
}
// The SYCL queue submits commands to OpenCL's queue, and takes its order and profiling mode from
// it.
template <backend Backend, detail::if_opencl<Backend> = 0>
queue make_queue(cl_command_queue native, const context &c, async_handler handler = {}) {
  return detail::opencl<Backend>::make_queue(native, c, std::move(handler));
}
// The event completes when all OpenCL events have completed.
template <backend Backend, detail::if_opencl<Backend> = 0>
event make_event(const std::vector<cl_event> &natives, const context &c) {
  return detail::opencl<Backend>::make_event(natives, c);
}
// Creates a one-dimensional buffer whose contents are the OpenCL memory object, available after
// `available`. Commands of the context's first device use the object itself. Its contents are up to
// date when the last copy of the buffer is destroyed.
template <backend Backend, class T, int D = 1, class A = buffer_allocator<std::remove_const_t<T>>,
          detail::if_opencl<Backend> = 0>
buffer<T, D, A> make_buffer(cl_mem native, const context &c, event available = {}) {
  static_assert(D == 1, "make_buffer: a buffer of an OpenCL memory object must have one dimension");
  return detail::opencl<Backend>::template make_buffer<T, A>(native, c, available);
}
// The kernel is launched with `handler::set_arg` and a kernel object.
template <backend Backend, detail::if_opencl<Backend> = 0>
kernel make_kernel(cl_kernel native, const context &c) {
  return detail::opencl<Backend>::make_kernel(native, c);
}
// The kernels of this bundle have no `kernel_id`. Use `make_kernel` to create kernels from
// OpenCL's.
template <backend Backend, bundle_state State, detail::if_opencl<Backend> = 0>
kernel_bundle<State> make_kernel_bundle(cl_program native, const context &c) {
  return detail::opencl<Backend>::template make_kernel_bundle<State>(native, c);
}

} // namespace sycl

#endif
