// SPIR-V's operations by their C++ names, as `CL/__spirv/spirv_ops.hpp` declares them, and code
// that the optimiser makes integers of that SPIR-V does not have.
//
// MODES: device
// LEVELS: O2
// VALGRIND: no
#include <CL/__spirv/spirv_ops.hpp>

#include <sycl/sycl.hpp>

#include "check.hpp"

namespace {

struct triple {
  signed char a, b, c;
};

short chosen(int which) {
  switch (which) {
  case 0:
    return 7;
  case 1:
    return -3;
  case 2:
    return 1000;
  default:
    return 1;
  }
}

// Three bytes are copied as one integer, and three results of 16 bits are kept in one; neither has
// a width of SPIR-V's.
void integers_of_other_widths() {
  triple from[2] = {{1, -2, 3}, {4, 5, 6}}, to[2] = {{0, 0, 0}, {9, 9, 9}};
  short results[8] = {};
  {
    sycl::buffer<triple> source(from, 2), target(to, 2);
    sycl::buffer<short> result(results, 8);
    sycl::queue q;
    q.submit([&](sycl::handler &h) {
      sycl::accessor in(source, h, sycl::read_only);
      sycl::accessor out(target, h, sycl::read_write);
      h.single_task([=] {
        const triple own = in[0];
        out[0] = own;
      });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor out(result, h, sycl::write_only);
      h.parallel_for(8, [=](sycl::item<1> i) { out[i] = chosen(static_cast<int>(i) / 2); });
    });
  }
  CHECK(to[0].a == 1 && to[0].b == -2 && to[0].c == 3);
  CHECK(to[1].a == 9 && to[1].b == 9 && to[1].c == 9);
  for (int i = 0; i < 8; ++i)
    CHECK(results[i] == chosen(i / 2));
}

// The upper half of a product of 64-bit integers, which the optimiser computes in 128 bits.
void upper_halves_of_products() {
  const unsigned long factors[] = {
      0, 1, 0xffffffff, 0x100000001, 0x123456789abcdef0, 0xffffffffffffffff};
  constexpr int count = 6;
  unsigned long high[count * count] = {};
  long signed_high[count * count] = {};
  {
    sycl::buffer<unsigned long> from(factors, count), to(high, count * count);
    sycl::buffer<long> signed_to(signed_high, count * count);
    sycl::queue().submit([&](sycl::handler &h) {
      sycl::accessor f(from, h, sycl::read_only);
      sycl::accessor t(to, h, sycl::write_only);
      sycl::accessor s(signed_to, h, sycl::write_only);
      h.parallel_for(sycl::range<2>(count, count), [=](sycl::id<2> at) {
        const unsigned long x = f[at[0]], y = f[at[1]];
        t[at[0] * count + at[1]] = sycl::mul_hi(x, y);
        s[at[0] * count + at[1]] = sycl::mul_hi(static_cast<long>(x), static_cast<long>(y)) >> 5;
      });
    });
  }
  for (int i = 0; i < count * count; ++i) {
    const unsigned long x = factors[i / count], y = factors[i % count];
    CHECK(high[i] == static_cast<unsigned long>(static_cast<unsigned __int128>(x) * y >> 64));
    CHECK(signed_high[i] ==
          static_cast<long>(static_cast<__int128>(static_cast<long>(x)) * static_cast<long>(y) >>
                            64) >>
              5);
  }
}

} // namespace

int main() {
  upper_halves_of_products();
  integers_of_other_widths();
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
        const std::size_t here = __spirv_BuiltInGlobalInvocationId(0),
                          local = __spirv_BuiltInLocalInvocationId(0);
        const std::uint32_t semantics = __spv::MemorySemanticsMask::SequentiallyConsistent |
                                        __spv::MemorySemanticsMask::WorkgroupMemory;
        shared[local] = static_cast<int>(here);
        __spirv_ControlBarrier(__spv::Scope::Workgroup, cl::__spirv::Scope::Workgroup, semantics);
        n[here] = shared[(local + 1) % size];
        s[here] =
            __spirv_GroupIAdd(__spv::Scope::Workgroup,
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
