// `sycl::interop_handle`: an argument of host tasks that gives access to the native objects of the
// backend.
//
// The getters return the types that `detail/opencl_interop.hpp` or `backend/cuda.hpp` defines.
// Programs name them with `backend_return_t`.
#ifndef SCYTHE_INTEROP_HANDLE_HPP
#define SCYTHE_INTEROP_HANDLE_HPP

#include <sycl/backend.hpp>
#include <sycl/detail/info_query.hpp>
#include <sycl/detail/memory_command.hpp>
#include <sycl/exception.hpp>

namespace sycl {

class context;
class device;
class queue;

class interop_handle {
public:
  interop_handle() = delete;
  interop_handle(backend where, scythe_device device, scythe_queue queue)
      : backend_(where), device_(device), queue_(queue) {}
  backend get_backend() const noexcept { return backend_; }

  template <backend Backend> backend_return_t<Backend, queue> get_native_queue() const {
    expect(Backend);
    void *native = nullptr;
    detail::check(scythe_native_of_queue(queue_, &native));
    return static_cast<backend_return_t<Backend, queue>>(native);
  }
  template <backend Backend> backend_return_t<Backend, device> get_native_device() const {
    return of_device<Backend, backend_return_t<Backend, device>>(SCYTHE_NATIVE_DEVICE);
  }
  template <backend Backend> backend_return_t<Backend, context> get_native_context() const {
    expect(Backend);
    void *native = nullptr;
    detail::check(scythe_native_context_of_queue(queue_, &native));
    return detail::native_cast<backend_return_t<Backend, context>>(native);
  }
  // Returns the memory object or CUDA address of the buffer on the device. If the device has none,
  // returns an object over the buffer's contents, which the task must release before it ends. An
  // OpenCL object comes with a reference for the caller. The accessor must be a device accessor of
  // the command.
  template <backend Backend, class Accessor> auto get_native_mem(const Accessor &accessor) const {
    expect(Backend);
    const scythe_view view = detail::accessor_view::of(accessor);
    std::uint64_t bytes = view.elem_size;
    for (std::uint64_t n : view.memory_range)
      bytes *= n;
    void *data = nullptr, *native = nullptr;
    auto take = [](void *place, void *object) { *static_cast<void **>(place) = object; };
    detail::check(scythe_native_of_buffer(view.buffer, queue_, take, &native));
    if (!native) {
      detail::check(scythe_buffer_host_address(view.buffer, &data));
      detail::check(scythe_native_memory(queue_, data, bytes, &native));
    }
    using memory = typename backend_traits<Backend>::memory;
    if constexpr (std::is_scalar_v<memory>)
      return detail::native_cast<memory>(native);
    else
      return memory{detail::native_cast<typename memory::value_type>(native)};
  }

  // Waits for the commands in the native queue.
  void scythe_finish() const { detail::check(scythe_native_finish(queue_)); }

private:
  template <backend Backend, class T> T of_device(scythe_native_kind kind) const {
    expect(Backend);
    void *native = nullptr;
    detail::check(scythe_native_of_device(device_, kind, &native));
    return detail::native_cast<T>(native);
  }
  void expect(backend asked) const {
    if (asked != backend_)
      detail::fail(
          errc::backend_mismatch,
          "interop_handle: the requested backend is not the backend of the command's device");
  }

  backend backend_;
  scythe_device device_;
  scythe_queue queue_;
};

} // namespace sycl

#endif
