// SPIR-V's operations as C++ functions, which are declared and not defined: in device code a call is the instruction.
//
// Work-item queries are `__spirv_BuiltIn<Query>`, barriers `__spirv_ControlBarrier` and `__spirv_MemoryBarrier`, group
// functions `__spirv_Group<Operation>`, OpenCL's extended instructions `__spirv_ocl_<name>`. Only device code has them.
#ifndef SCYTHE_CL_SPIRV_OPS_HPP
#define SCYTHE_CL_SPIRV_OPS_HPP

#include <CL/__spirv/spirv_types.hpp>
#include <sycl/detail/builtins_device.hpp>
#include <sycl/detail/spirv.hpp>
#include <sycl/detail/spirv_group.hpp>

#ifdef SCYTHE_DEVICE_PASS

#define SCYTHE_LOCAL __attribute__((opencl_local))
#define SCYTHE_GLOBAL __attribute__((opencl_global))
// All work-items of the group make the copy together: `stride` is that of the global memory. With an event `after`, the
// copy is part of that event. OpenCL's devices have these.
template <class T>
SCYTHE_DEVICE_LIBRARY extern __ocl_event_t __spirv_OpGroupAsyncCopy(std::uint32_t scope, SCYTHE_LOCAL T *to,
                                                                    SCYTHE_GLOBAL T *from, __SIZE_TYPE__ count,
                                                                    __SIZE_TYPE__ stride, __ocl_event_t after) noexcept;
template <class T>
SCYTHE_DEVICE_LIBRARY extern __ocl_event_t __spirv_OpGroupAsyncCopy(std::uint32_t scope, SCYTHE_GLOBAL T *to,
                                                                    SCYTHE_LOCAL T *from, __SIZE_TYPE__ count,
                                                                    __SIZE_TYPE__ stride, __ocl_event_t after) noexcept;
SCYTHE_DEVICE_LIBRARY extern void __spirv_OpGroupWaitEvents(std::uint32_t scope, std::uint32_t count,
                                                            __ocl_event_t *events) noexcept;
#undef SCYTHE_LOCAL
#undef SCYTHE_GLOBAL

#endif

#endif
