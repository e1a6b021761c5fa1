// `work_group_static`: a variable with one instance for each work-group, without a kernel argument
// (`sycl_ext_oneapi_work_group_static`).
//
// The compiler moves these variables to local memory. In a block they are static without the
// keyword. In host mode, each thread runs one work-group at a time and has its own instances. There
// a variable in a block needs the keyword, because C++ would make one for each work-item.
#ifndef SCYTHE_EXT_ONEAPI_WORK_GROUP_STATIC_HPP
#define SCYTHE_EXT_ONEAPI_WORK_GROUP_STATIC_HPP

#include <sycl/group.hpp>

#include <new>

#ifdef SCYTHE_HOST_MODE
namespace sycl::detail {
// The instance of the calling thread for a variable. The list is freed when the thread ends.
struct thread_instance {
  const void *variable;
  void *memory;
  thread_instance *next;
};
struct thread_instances {
  thread_instance *first = nullptr;
  ~thread_instances() {
    while (thread_instance *i = first) {
      first = i->next;
      ::operator delete(i->memory, std::align_val_t(64));
      delete i;
    }
  }
};
inline thread_local thread_instances instances_of_thread;

inline void *instance_of_thread(const void *variable, std::size_t bytes) {
  // A variable on the stack is near the caller's frame.
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto at = reinterpret_cast<std::uintptr_t>(variable);
  if (at - frame < (std::size_t(1) << 16))
    fail(errc::feature_not_supported,
         "work_group_static: in host mode, a variable in a block must be declared static");
  for (thread_instance *i = instances_of_thread.first; i; i = i->next)
    if (i->variable == variable)
      return i->memory;
  void *const memory = ::operator new(bytes, std::align_val_t(64));
  instances_of_thread.first = new thread_instance{variable, memory, instances_of_thread.first};
  return memory;
}
} // namespace sycl::detail
#endif

namespace sycl::ext::oneapi::experimental {

template <class T>
class SCYTHE_SPECIAL("work_group_static")
    SCYTHE_ANNOTATE("__sycl_detail__::add_ir_global_variable_attributes",
                    "scythe-work-group-static", "") work_group_static final {
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>,
                "work_group_static: T must be trivially constructible and destructible");

public:
  work_group_static() = default;
  work_group_static(const work_group_static &) = delete;
  work_group_static &operator=(const work_group_static &) = delete;

  operator T &() const noexcept { return *data(); }
  template <class U = T, class = std::enable_if_t<!std::is_array_v<U>>>
  const work_group_static &operator=(const U &value) const noexcept {
    *data() = value;
    return *this;
  }
  T *operator&() const noexcept { return data(); }

private:
  T *data() const {
#ifdef SCYTHE_HOST_MODE
    return static_cast<T *>(sycl::detail::instance_of_thread(this, sizeof(T)));
#else
    return const_cast<T *>(__builtin_addressof(storage_));
#endif
  }
  T storage_;
};

} // namespace sycl::ext::oneapi::experimental

// Programs for DPC++ expect both kinds of memory in this header.
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp>

#endif
