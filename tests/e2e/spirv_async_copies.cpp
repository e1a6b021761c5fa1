// Copies that a work-group makes, as SPIR-V's own instructions: `__ocl_event_t` is SPIR-V's event.
//
// MODES: device,gxx
// LEVELS: O0,O2
// BACKENDS: cpu,opencl,cuda
#include <CL/__spirv/spirv_ops.hpp>

#include <sycl/sycl.hpp>

#include "check.hpp"

#include <vector>

namespace {

// All that the headers name is there for the host's compiler, too.
static_assert(sizeof(__ocl_sampler_t) == sizeof(void *) &&
              sizeof(__ocl_image2d_ro_t) == sizeof(void *));
static_assert(sizeof(__ocl_sampled_image3d_ro_t) == sizeof(void *) &&
              sizeof(__ocl_image1d_array_wo_t) == sizeof(void *));

// Pointers to the two kinds of memory: for the host there is one kind.
#ifdef __SYCL_DEVICE_ONLY__
template <class T> using global = __attribute__((opencl_global)) T *;
template <class T> using local = __attribute__((opencl_local)) T *;
#else
template <class T> using global = T *;
template <class T> using local = T *;
#endif

// Not captured by any compiler here.
constexpr std::size_t count = 24, step = 3, groups = 3, size = 64;

// From local to global memory, in steps, with elements of every size.
template <class T> void back() {
  std::vector<T> to(count * step, T(1));
  {
    sycl::buffer<T> target(to.data(), to.size());
    sycl::queue().submit([&](sycl::handler &h) {
      sycl::accessor out(target, h, sycl::read_write);
      sycl::local_accessor<T> own(count, h);
      h.parallel_for(sycl::nd_range<2>({4, 2}, {4, 2}), [=](sycl::nd_item<2> item) {
        using sycl::access::decorated;
        const std::size_t self = item.get_local_linear_id();
        for (std::size_t i = self; i < count; i += 8)
          own[i] = static_cast<T>(i + 2);
        sycl::group_barrier(item.get_group());
        auto from = (local<T>)own.template get_multi_ptr<decorated::no>().get();
        auto place = (global<T>)out.template get_multi_ptr<decorated::no>().get();
        __ocl_event_t event = __spirv_OpGroupAsyncCopy(__spv::Scope::Workgroup, place, from, count,
                                                       step, __ocl_event_t());
        __spirv_OpGroupWaitEvents(__spv::Scope::Workgroup, 1, &event);
      });
    });
  }
  for (std::size_t i = 0; i < to.size(); ++i)
    CHECK(to[i] == (i % step ? T(1) : static_cast<T>(i / step + 2)));
}

} // namespace

int main() {
  back<signed char>();
  back<unsigned short>();
  back<float>();
  back<long>();
  std::vector<int> from(groups * size), to(groups * size);
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<int>(i);
  {
    sycl::buffer<int> source(from.data(), from.size()), target(to.data(), to.size());
    sycl::queue().submit([&](sycl::handler &h) {
      sycl::accessor in(source, h, sycl::read_write);
      sycl::accessor out(target, h, sycl::write_only);
      sycl::local_accessor<int> even(size / 2, h), odd(size / 2, h);
      h.parallel_for(sycl::nd_range<1>(groups * size / 2, size / 2), [=](sycl::nd_item<1> item) {
        using sycl::access::decorated;
        const std::size_t group = item.get_group(0), here = item.get_local_id(0);
        auto first = (global<int>)in.get_multi_ptr<decorated::no>().get() + group * size;
        auto evens = (local<int>)even.get_multi_ptr<decorated::no>().get();
        auto odds = (local<int>)odd.get_multi_ptr<decorated::no>().get();
        __ocl_event_t events[2];
        events[0] = __spirv_OpGroupAsyncCopy(__spv::Scope::Workgroup, evens, first, size / 2, 2,
                                             __ocl_event_t());
        events[1] = __spirv_GroupAsyncCopy(__spv::Scope::Workgroup, odds, first + 1, size / 2, 2,
                                           __ocl_event_t());
        __spirv_OpGroupWaitEvents(__spv::Scope::Workgroup, 2, events);
        out[group * size + here] = even[size / 2 - 1 - here];
        out[group * size + size / 2 + here] = odd[size / 2 - 1 - here];
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t group = i / size * size, place = i % size, half = size / 2;
    const std::size_t expected =
        group + (place < half ? 2 * (half - 1 - place) : 2 * (size - 1 - place) + 1);
    wrong += to[i] != static_cast<int>(expected);
  }
  CHECK(wrong == 0);
  return check::result();
}
