// Copies that a work-group makes, as SPIR-V's own instructions: `__ocl_event_t` is SPIR-V's event.
//
// modes: device
// levels: O0,O2
// backends: opencl
#include <CL/__spirv/spirv_ops.hpp>

#include "check.hpp"

#include <vector>

int main() {
  constexpr std::size_t groups = 3, size = 64;
  std::vector<int> from(groups * size), to(groups * size);
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<int>(i);
  {
    sycl::buffer<int> source(from.data(), from.size()), target(to.data(), to.size());
    sycl::queue().submit([&](sycl::handler &h) {
      sycl::accessor in(source, h, sycl::read_only);
      sycl::accessor out(target, h, sycl::write_only);
      sycl::local_accessor<int> even(size / 2, h), odd(size / 2, h);
      h.parallel_for(sycl::nd_range<1>(groups * size / 2, size / 2), [=](sycl::nd_item<1> item) {
        // The host's compiler must see the same captures in the same order.
        (void)in, (void)out, (void)even, (void)odd, (void)item;
#ifdef __SYCL_DEVICE_ONLY__
        using global = __attribute__((opencl_global)) int *;
        using local = __attribute__((opencl_local)) int *;
        const std::size_t group = item.get_group(0), here = item.get_local_id(0);
        auto first = (global)(in.get_multi_ptr<sycl::access::decorated::no>().get_raw() + group * size);
        auto evens = (local)even.get_multi_ptr<sycl::access::decorated::no>().get_raw();
        auto odds = (local)odd.get_multi_ptr<sycl::access::decorated::no>().get_raw();
        __ocl_event_t events[2];
        events[0] = __spirv_OpGroupAsyncCopy(__spv::Scope::Workgroup, evens, first, size / 2, 2, __ocl_event_t());
        events[1] = __spirv_OpGroupAsyncCopy(__spv::Scope::Workgroup, odds, first + 1, size / 2, 2, __ocl_event_t());
        __spirv_OpGroupWaitEvents(__spv::Scope::Workgroup, 2, events);
        out[group * size + here] = even[size / 2 - 1 - here];
        out[group * size + size / 2 + here] = odd[size / 2 - 1 - here];
#endif
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t group = i / size * size, place = i % size, half = size / 2;
    const std::size_t expected = group + (place < half ? 2 * (half - 1 - place) : 2 * (size - 1 - place) + 1);
    wrong += to[i] != static_cast<int>(expected);
  }
  CHECK(wrong == 0);
  return check::result();
}
