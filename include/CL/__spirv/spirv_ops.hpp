// SPIR-V operations as C++ functions. They are declared and not defined: a call in device code
// becomes the instruction.
//
// Work-item queries are `__spirv_BuiltIn<Query>`, barriers are `__spirv_ControlBarrier` and
// `__spirv_MemoryBarrier`, group functions are `__spirv_Group<Operation>`, and OpenCL's extended
// instructions are `__spirv_ocl_<name>`. Host code may name them, because host compilers see
// kernels. A call from host code is a compile-time error.
#ifndef SCYTHE_CL_SPIRV_OPS_HPP
#define SCYTHE_CL_SPIRV_OPS_HPP

#include <CL/__spirv/spirv_types.hpp>
#include <sycl/detail/builtins_device.hpp>
#include <sycl/detail/spirv.hpp>
#include <sycl/detail/spirv_group.hpp>

#ifdef SCYTHE_DEVICE_PASS

#define SCYTHE_LOCAL __attribute__((opencl_local))
#define SCYTHE_GLOBAL __attribute__((opencl_global))
// All work-items of the group make the copy together. `stride` applies to the global memory. If
// `after` is an event, the copy becomes part of that event. Elements are numbers or vectors of
// numbers. Both spellings mean the same.
#define SCYTHE_ASYNC_COPIES(name)                                                                  \
  template <class T>                                                                               \
  SCYTHE_DEVICE_LIBRARY extern __ocl_event_t name##AsyncCopy(                                      \
      std::uint32_t scope, SCYTHE_LOCAL T *to, SCYTHE_GLOBAL T *from, __SIZE_TYPE__ count,         \
      __SIZE_TYPE__ stride, __ocl_event_t after) noexcept;                                         \
  template <class T>                                                                               \
  SCYTHE_DEVICE_LIBRARY extern __ocl_event_t name##AsyncCopy(                                      \
      std::uint32_t scope, SCYTHE_GLOBAL T *to, SCYTHE_LOCAL T *from, __SIZE_TYPE__ count,         \
      __SIZE_TYPE__ stride, __ocl_event_t after) noexcept;                                         \
  SCYTHE_DEVICE_LIBRARY extern void name##WaitEvents(std::uint32_t scope, std::uint32_t count,     \
                                                     __ocl_event_t *events) noexcept;
SCYTHE_ASYNC_COPIES(__spirv_OpGroup)
SCYTHE_ASYNC_COPIES(__spirv_Group)
#undef SCYTHE_ASYNC_COPIES
#undef SCYTHE_LOCAL
#undef SCYTHE_GLOBAL

#else

// Host compilers see kernels and need these names. A call from code for the host is an error.
#define SCYTHE_DEVICE_ONLY                                                                         \
  __attribute__((error("SPIR-V operations can only be called in device code"))) extern
#define SCYTHE_QUERY(name)                                                                         \
  SCYTHE_DEVICE_ONLY __SIZE_TYPE__ __spirv_BuiltIn##name(int dimension) noexcept;
SCYTHE_QUERY(GlobalInvocationId)
SCYTHE_QUERY(GlobalSize)
SCYTHE_QUERY(GlobalOffset)
SCYTHE_QUERY(LocalInvocationId)
SCYTHE_QUERY(WorkgroupSize)
SCYTHE_QUERY(WorkgroupId)
SCYTHE_QUERY(NumWorkgroups)
#undef SCYTHE_QUERY
#define SCYTHE_QUERY(name) SCYTHE_DEVICE_ONLY std::uint32_t __spirv_BuiltIn##name() noexcept;
SCYTHE_QUERY(SubgroupSize)
SCYTHE_QUERY(SubgroupMaxSize)
SCYTHE_QUERY(NumSubgroups)
SCYTHE_QUERY(SubgroupId)
SCYTHE_QUERY(SubgroupLocalInvocationId)
#undef SCYTHE_QUERY
SCYTHE_DEVICE_ONLY void __spirv_ControlBarrier(std::uint32_t execution, std::uint32_t memory,
                                               std::uint32_t semantics) noexcept;
SCYTHE_DEVICE_ONLY void __spirv_MemoryBarrier(std::uint32_t scope,
                                              std::uint32_t semantics) noexcept;
#define SCYTHE_ASYNC_COPIES(name)                                                                  \
  template <class To, class From>                                                                  \
  SCYTHE_DEVICE_ONLY __ocl_event_t name##AsyncCopy(std::uint32_t scope, To *to, From *from,        \
                                                   __SIZE_TYPE__ count, __SIZE_TYPE__ stride,      \
                                                   __ocl_event_t after) noexcept;                  \
  SCYTHE_DEVICE_ONLY void name##WaitEvents(std::uint32_t scope, std::uint32_t count,               \
                                           __ocl_event_t *events) noexcept;
SCYTHE_ASYNC_COPIES(__spirv_OpGroup)
SCYTHE_ASYNC_COPIES(__spirv_Group)
#undef SCYTHE_ASYNC_COPIES
// Collectives and similar operations that take a scope and return the type of their operand.
#define SCYTHE_COLLECTIVE(name)                                                                    \
  template <class T>                                                                               \
  SCYTHE_DEVICE_ONLY T __spirv_Group##name(std::uint32_t scope, std::uint32_t operation,           \
                                           T x) noexcept;
SCYTHE_COLLECTIVE(IAdd)
SCYTHE_COLLECTIVE(IMulKHR)
SCYTHE_COLLECTIVE(SMin)
SCYTHE_COLLECTIVE(SMax)
SCYTHE_COLLECTIVE(UMin)
SCYTHE_COLLECTIVE(UMax)
SCYTHE_COLLECTIVE(BitwiseAndKHR)
SCYTHE_COLLECTIVE(BitwiseOrKHR)
SCYTHE_COLLECTIVE(BitwiseXorKHR)
SCYTHE_COLLECTIVE(FAdd)
SCYTHE_COLLECTIVE(FMulKHR)
SCYTHE_COLLECTIVE(FMin)
SCYTHE_COLLECTIVE(FMax)
SCYTHE_COLLECTIVE(LogicalAndKHR)
SCYTHE_COLLECTIVE(LogicalOrKHR)
SCYTHE_COLLECTIVE(LogicalXorKHR)
#undef SCYTHE_COLLECTIVE
SCYTHE_DEVICE_ONLY bool __spirv_GroupAll(std::uint32_t scope, bool x) noexcept;
SCYTHE_DEVICE_ONLY bool __spirv_GroupAny(std::uint32_t scope, bool x) noexcept;
template <class T, class Id>
SCYTHE_DEVICE_ONLY T __spirv_GroupBroadcast(std::uint32_t scope, T x, Id id) noexcept;
template <class T>
SCYTHE_DEVICE_ONLY T __spirv_GroupNonUniformShuffle(std::uint32_t scope, T x,
                                                    std::uint32_t id) noexcept;
template <class T>
SCYTHE_DEVICE_ONLY T __spirv_GroupNonUniformShuffleXor(std::uint32_t scope, T x,
                                                       std::uint32_t mask) noexcept;
template <class T>
SCYTHE_DEVICE_ONLY T __spirv_GroupNonUniformShuffleUp(std::uint32_t scope, T x,
                                                      std::uint32_t delta) noexcept;
template <class T>
SCYTHE_DEVICE_ONLY T __spirv_GroupNonUniformShuffleDown(std::uint32_t scope, T x,
                                                        std::uint32_t delta) noexcept;
#undef SCYTHE_DEVICE_ONLY

#endif

#endif
