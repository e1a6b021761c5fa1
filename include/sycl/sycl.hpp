// All of SYCL.
#ifndef SCYTHE_SYCL_HPP
#define SCYTHE_SYCL_HPP

#include <sycl/access.hpp>
#include <sycl/accessor.hpp>
#include <sycl/aspect.hpp>
#include <sycl/async_work_group_copy.hpp>
#include <sycl/atomic_ref.hpp>
#include <sycl/backend.hpp>
#include <sycl/buffer.hpp>
#include <sycl/builtins.hpp>
#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/device_copyable.hpp>
#include <sycl/device_selector.hpp>
#include <sycl/event.hpp>
#include <sycl/exception.hpp>
#include <sycl/functional.hpp>
#include <sycl/group.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/group_local_memory.hpp>
#include <sycl/h_item.hpp>
#include <sycl/handler.hpp>
#include <sycl/host_accessor.hpp>
#include <sycl/id.hpp>
#include <sycl/info.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/item.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/local_accessor.hpp>
#include <sycl/memory_enums.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/nd_range.hpp>
#include <sycl/platform.hpp>
#include <sycl/property_list.hpp>
#include <sycl/queue.hpp>
#include <sycl/range.hpp>
#include <sycl/sub_group.hpp>
#include <sycl/usm.hpp>
#include <sycl/version.hpp>

#endif
