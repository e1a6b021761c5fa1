// SPIR-V enumerations in C++, with SPIR-V's values. The operations of `spirv_ops.hpp` take them.
#ifndef SCYTHE_CL_SPIRV_TYPES_HPP
#define SCYTHE_CL_SPIRV_TYPES_HPP

#include <cstdint>

namespace __spv {

// A number that is passed to an operation unchanged.
template <class Enum> class operand {
public:
  constexpr operand(Enum value) : value_(value) {}
  constexpr explicit operand(std::uint32_t value) : value_(static_cast<Enum>(value)) {}
  constexpr operator std::uint32_t() const { return static_cast<std::uint32_t>(value_); }

private:
  Enum value_;
};

namespace numbers {
enum scope : std::uint32_t {
  CrossDevice = 0,
  Device = 1,
  Workgroup = 2,
  Subgroup = 3,
  Invocation = 4
};
enum storage : std::uint32_t {
  UniformConstant = 0,
  Input = 1,
  Uniform = 2,
  Output = 3,
  WorkgroupStorage = 4,
  CrossWorkgroup = 5,
  Private = 6,
  Function = 7,
  Generic = 8,
  PushConstant = 9,
  AtomicCounter = 10,
  Image = 11,
};
enum semantics : std::uint32_t {
  None = 0x0,
  Acquire = 0x2,
  Release = 0x4,
  AcquireRelease = 0x8,
  SequentiallyConsistent = 0x10,
  UniformMemory = 0x40,
  SubgroupMemory = 0x80,
  WorkgroupMemory = 0x100,
  CrossWorkgroupMemory = 0x200,
  AtomicCounterMemory = 0x400,
  ImageMemory = 0x800,
};
} // namespace numbers

struct Scope : operand<numbers::scope> {
  using Flag = numbers::scope;
  static constexpr Flag CrossDevice = numbers::CrossDevice, Device = numbers::Device,
                        Workgroup = numbers::Workgroup, Subgroup = numbers::Subgroup,
                        Invocation = numbers::Invocation;
  using operand::operand;
};

struct StorageClass : operand<numbers::storage> {
  using Flag = numbers::storage;
  static constexpr Flag UniformConstant = numbers::UniformConstant, Input = numbers::Input,
                        Uniform = numbers::Uniform, Output = numbers::Output,
                        Workgroup = numbers::WorkgroupStorage,
                        CrossWorkgroup = numbers::CrossWorkgroup, Private = numbers::Private,
                        Function = numbers::Function, Generic = numbers::Generic,
                        PushConstant = numbers::PushConstant,
                        AtomicCounter = numbers::AtomicCounter, Image = numbers::Image;
  using operand::operand;
};

struct MemorySemanticsMask : operand<numbers::semantics> {
  using Flag = numbers::semantics;
  static constexpr Flag None = numbers::None, Acquire = numbers::Acquire,
                        Release = numbers::Release, AcquireRelease = numbers::AcquireRelease,
                        SequentiallyConsistent = numbers::SequentiallyConsistent,
                        UniformMemory = numbers::UniformMemory,
                        SubgroupMemory = numbers::SubgroupMemory,
                        WorkgroupMemory = numbers::WorkgroupMemory,
                        CrossWorkgroupMemory = numbers::CrossWorkgroupMemory,
                        AtomicCounterMemory = numbers::AtomicCounterMemory,
                        ImageMemory = numbers::ImageMemory;
  using operand::operand;
};

enum class GroupOperation : std::uint32_t { Reduce = 0, InclusiveScan = 1, ExclusiveScan = 2 };

} // namespace __spv

// OpenCL's opaque types, as `__ocl_<name>`. The event type represents copies by a work-group, and
// null is no event. Samplers and images are only names: the headers implement SYCL's images
// themselves, and no operation takes these types.
typedef struct __scythe_event *__ocl_event_t;
typedef struct __scythe_sampler *__ocl_sampler_t;
#define SCYTHE_OCL_IMAGE(shape)                                                                    \
  typedef struct __scythe_##shape##_ro *__ocl_##shape##_ro_t;                                      \
  typedef struct __scythe_##shape##_wo *__ocl_##shape##_wo_t;                                      \
  typedef struct __scythe_##shape##_rw *__ocl_##shape##_rw_t;                                      \
  typedef struct __scythe_sampled_##shape##_ro *__ocl_sampled_##shape##_ro_t;
SCYTHE_OCL_IMAGE(image1d)
SCYTHE_OCL_IMAGE(image1d_array)
SCYTHE_OCL_IMAGE(image1d_buffer)
SCYTHE_OCL_IMAGE(image2d)
SCYTHE_OCL_IMAGE(image2d_array)
SCYTHE_OCL_IMAGE(image3d)
#undef SCYTHE_OCL_IMAGE

namespace cl {
namespace __spirv = ::__spv;
}

#endif
