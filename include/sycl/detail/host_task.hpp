// Host tasks in the C interface: a closure on the heap, whose exceptions become asynchronous errors
// of the queue.
#ifndef SCYTHE_DETAIL_HOST_TASK_HPP
#define SCYTHE_DETAIL_HOST_TASK_HPP

#include <sycl/detail/queue_impl.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/specialization_id.hpp>

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

// A host task that enqueues commands in the native queue and waits for them.
template <class F> struct native_command {
  F task;
  void operator()(interop_handle handle) {
    task(handle);
    handle.scythe_finish();
  }
};

// The command owns the closure after this call. If the submission fails, the caller owns it again.
template <class F> void set_host_task(scythe_command &command, F &&task, queue_impl &queue) {
  using function = std::decay_t<F>;
  static_assert(
      std::is_invocable_v<function &> || std::is_invocable_v<function &, interop_handle>,
      "host_task: the host task must be callable without arguments or with a sycl::interop_handle");
  using closure = host_task_closure<function>;
  command.u.host_task.call = &closure::call;
  command.u.host_task.destroy = &closure::destroy;
  command.u.host_task.ctx =
      new closure{std::forward<F>(task), queue.errors, queue.target.get_backend(),
                  access_handle::of(queue.target), queue.queue};
}

// An object that a command keeps until it has completed, and the action that follows.
struct kept_object : counted_object {
  ref<kept_object> next;

  // Called after the command has completed.
  virtual void finish() noexcept {}
};
template <class T> struct kept_pointer final : kept_object {
  explicit kept_pointer(std::shared_ptr<T> p) : pointer(std::move(p)) {}
  std::shared_ptr<T> pointer;
};

#ifdef SCYTHE_HOST_MODE
// The values that a kernel in host mode reads while it runs.
struct kept_specializations final : kept_object {
  explicit kept_specializations(const specialization_values &v) : values(v) {}
  specialization_values values;
};
#endif

// A closure that finishes kept objects. It is written by hand, because a lambda takes much longer
// to compile.
struct finishing {
  ref<kept_object> objects;

  static void call(void *ctx) {
    for (kept_object *o = static_cast<finishing *>(ctx)->objects.get(); o; o = o->next.get())
      o->finish();
  }
  static void destroy(void *ctx) { delete static_cast<finishing *>(ctx); }
};

// Keeps `objects` until `done` has completed, then finishes them and replaces `done` by the event
// to wait for. If a graph has recorded the command, it keeps them. If the queue records profiling
// times, `done` stays the event of the command.
inline void release_after(queue_impl &queue, handle<scythe_event> &done, ref<kept_object> objects) {
  if (scythe_graph_keep(done.get(), objects.get(), [](void *own) {
        ref<kept_object>::adopt(static_cast<kept_object *>(own));
      })) {
    objects.take();
    return;
  }
  scythe_event after = done.get();
  scythe_command command;
  command.kind = SCYTHE_COMMAND_HOST_TASK;
  command.flags = 0;
  command.requirements = nullptr;
  command.requirement_count = 0;
  command.deps = &after;
  command.dep_count = 1;
  command.place = {};
  command.u.host_task.call = &finishing::call;
  command.u.host_task.destroy = &finishing::destroy;
  command.u.host_task.ctx = new finishing{std::move(objects)};
  try {
    handle<scythe_event> finished = queue.submit(command);
    if (!queue.properties.has_property<property::queue::enable_profiling>())
      done = std::move(finished);
  } catch (...) {
    command.u.host_task.destroy(command.u.host_task.ctx);
    throw;
  }
}

} // namespace sycl::detail

#endif
