// SPIR-V's operations by their C++ names, as `CL/__spirv/spirv_ops.hpp` declares them.
//
// modes: device
// levels: O2
#include <CL/__spirv/spirv_ops.hpp>

#include "check.hpp"

int main() {
  constexpr std::size_t groups = 4, size = 32;
  int sums[groups * size] = {}, neighbours[groups * size] = {};
  float roots[groups * size] = {};
  {
    sycl::buffer<int> sum(sums, groups * size), neighbour(neighbours, groups * size);
    sycl::buffer<float> root(roots, groups * size);
    sycl::queue().submit([&](sycl::handler &h) {
      sycl::accessor s(sum, h, sycl::write_only), n(neighbour, h, sycl::write_only);
      sycl::accessor r(root, h, sycl::write_only);
      sycl::local_accessor<int> shared(size, h);
      h.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> item) {
        // The host's compiler must see the same captures in the same order.
        (void)item, (void)s, (void)n, (void)r, (void)shared;
#ifdef __SYCL_DEVICE_ONLY__
        const std::size_t here = __spirv_BuiltInGlobalInvocationId(0), local = __spirv_BuiltInLocalInvocationId(0);
        const std::uint32_t semantics =
            __spv::MemorySemanticsMask::SequentiallyConsistent | __spv::MemorySemanticsMask::WorkgroupMemory;
        shared[local] = static_cast<int>(here);
        __spirv_ControlBarrier(__spv::Scope::Workgroup, cl::__spirv::Scope::Workgroup, semantics);
        n[here] = shared[(local + 1) % size];
        s[here] = __spirv_GroupIAdd(__spv::Scope::Workgroup,
                                    static_cast<std::uint32_t>(__spv::GroupOperation::InclusiveScan), 1);
        r[here] = __spirv_ocl_sqrt(static_cast<float>(here * here));
#endif
      });
    });
  }
  for (std::size_t i = 0; i < groups * size; ++i) {
    CHECK(sums[i] == static_cast<int>(i % size) + 1);
    CHECK(neighbours[i] == static_cast<int>(i / size * size + (i + 1) % size));
    CHECK(roots[i] == static_cast<float>(i));
  }
  return check::result();
}
