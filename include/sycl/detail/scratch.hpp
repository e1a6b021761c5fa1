// Device memory that reductions use while they run.
//
// A queue keeps blocks for later reductions. A block begins with a counter, which is zero whenever
// no kernel uses the block. The counter is set when the block is created, and kernels reset it to
// zero.
#ifndef SCYTHE_DETAIL_SCRATCH_HPP
#define SCYTHE_DETAIL_SCRATCH_HPP

#include <sycl/detail/memory_command.hpp>
#include <sycl/detail/queue_impl.hpp>

namespace sycl::detail {

// The counter, padded to a separate cache line.
inline constexpr std::size_t scratch_head = 64;

struct scratch_block {
  ref<context_impl> context;
  void *memory = nullptr;
  std::size_t bytes = 0;
  // The event of the last kernel on this block, or of the command that sets a new block's counter.
  handle<scythe_event> last;
  scratch_block *next = nullptr;

  ~scratch_block() {
    if (last)
      scythe_event_wait(last.get());
    if (memory)
      scythe_usm_free(context->context.get(), memory);
  }
};

SCYTHE_LIBRARY_COLD void destroy_scratch(scratch_block *first) {
  while (first) {
    scratch_block *next = first->next;
    delete first;
    first = next;
  }
}

SCYTHE_LIBRARY_COLD scratch_block *make_scratch(queue_impl &queue, std::size_t bytes) {
  struct made {
    scratch_block *block = new scratch_block;
    ~made() { delete block; }
  } owned;
  scratch_block *block = owned.block;
  block->context = queue.context;
  block->bytes = bytes;
  check(scythe_usm_alloc(queue.context->context.get(), access_handle::of(queue.target),
                         SCYTHE_USM_DEVICE, bytes, scratch_head, &block->memory));
  if (!block->memory)
    fail(errc::memory_allocation,
         "reduction: cannot allocate %zu bytes of scratch memory on device '%s'", bytes,
         queue.name().c_str());
  const unsigned char zero = 0;
  scythe_command clear;
  clear.kind = SCYTHE_COMMAND_FILL;
  clear.flags = SCYTHE_COMMAND_UNRECORDED;
  clear.requirements = nullptr;
  clear.requirement_count = 0;
  clear.deps = nullptr;
  clear.dep_count = 0;
  clear.place = {};
  set_fill(clear, block->memory, &zero, 1, scratch_head);
  block->last = queue.submit(clear);
  if (scythe_queue_is_recording(queue.queue.get())) {
    // A command of a graph cannot wait for a command outside of it.
    check(scythe_event_wait(block->last.get()));
    block->last = {};
  }
  owned.block = nullptr;
  return block;
}

// Returns a block of at least `bytes` bytes that only the caller uses. `return_scratch` returns it.
inline scratch_block *take_scratch(queue_impl &queue, std::size_t bytes) {
  // The graph keeps the block.
  if (scythe_queue_is_recording(queue.queue.get()))
    return make_scratch(queue, bytes);
  constexpr int most_in_flight = 64;
  scratch_block *busy = nullptr;
  int blocks = 0;
  {
    spin_guard guard(queue.scratch_lock);
    for (scratch_block **at = &queue.scratch; *at; at = &(*at)->next, ++blocks) {
      scratch_block *block = *at;
      if (block->bytes < bytes)
        continue;
      // In an in-order queue, the next command starts after the block's last command.
      if (queue.in_order || scythe_event_status(block->last.get()) == 2) {
        *at = block->next;
        block->next = nullptr;
        return block;
      }
      busy = block;
    }
    if (blocks >= most_in_flight && busy) {
      for (scratch_block **at = &queue.scratch; *at; at = &(*at)->next)
        if (*at == busy) {
          *at = busy->next;
          break;
        }
      busy->next = nullptr;
    } else {
      busy = nullptr;
    }
  }
  // The kernel waits for the block's last kernel through a dependency.
  return busy ? busy : make_scratch(queue, bytes);
}

// Records the event of the kernel that uses the block. Returns whether a graph took the block.
inline bool note_scratch_use(scratch_block *block, const handle<scythe_event> &done) {
  if (scythe_graph_keep(done.get(), block,
                        [](void *own) { delete static_cast<scratch_block *>(own); }))
    return true;
  block->last = done;
  return false;
}

inline void return_scratch(queue_impl &queue, scratch_block *block) {
  spin_guard guard(queue.scratch_lock);
  queue.free_scratch = &destroy_scratch;
  block->next = queue.scratch;
  queue.scratch = block;
}

} // namespace sycl::detail

#endif
