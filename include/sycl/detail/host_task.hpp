// Host tasks at the C edge: a closure on the heap, whose exceptions go to the queue's asynchronous errors.
#ifndef SCYTHE_DETAIL_HOST_TASK_HPP
#define SCYTHE_DETAIL_HOST_TASK_HPP

#include <sycl/detail/queue_impl.hpp>
#include <sycl/interop_handle.hpp>

namespace sycl::detail {

template <class F> struct host_task_closure {
  F task;
  ref<async_errors> errors;
  backend where;
  scythe_device device;
  handle<scythe_queue> queue;

  static void call(void *ctx) {
    auto *self = static_cast<host_task_closure *>(ctx);
    try {
      if constexpr (std::is_invocable_v<F &, interop_handle>)
        self->task(interop_handle(self->where, self->device, self->queue.get()));
      else
        self->task();
    } catch (...) {
      self->errors->push(std::current_exception());
    }
  }
  static void destroy(void *ctx) { delete static_cast<host_task_closure *>(ctx); }
};

// From here on the command owns the closure. A submission that fails leaves it to the caller.
template <class F> void set_host_task(scythe_command &command, F &&task, queue_impl &queue) {
  using function = std::decay_t<F>;
  static_assert(std::is_invocable_v<function &> || std::is_invocable_v<function &, interop_handle>,
                "a host task must be callable without arguments or with a sycl::interop_handle");
  using closure = host_task_closure<function>;
  command.u.host_task.call = &closure::call;
  command.u.host_task.destroy = &closure::destroy;
  command.u.host_task.ctx = new closure{std::forward<F>(task), queue.errors, queue.target.get_backend(),
                                        access_handle::of(queue.target), queue.queue};
}

// Keeps `object` until `done` has completed.
inline void release_after(queue_impl &queue, scythe_event done, std::shared_ptr<const void> object) {
  scythe_command command;
  command.kind = SCYTHE_COMMAND_HOST_TASK;
  command.flags = 0;
  command.requirements = nullptr;
  command.requirement_count = 0;
  command.deps = &done;
  command.dep_count = 1;
  set_host_task(command, [object] {}, queue);
  try {
    queue.submit(command);
  } catch (...) {
    command.u.host_task.destroy(command.u.host_task.ctx);
    throw;
  }
}

} // namespace sycl::detail

#endif
