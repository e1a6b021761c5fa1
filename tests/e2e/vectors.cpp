// Vectors, views of their elements and mathematical arrays give in kernels what they give on the
// host, and the host gives what the specification says.
//
// LEVELS: O2
// VALGRIND: no
#define SYCL_SIMPLE_SWIZZLES
#include <sycl/sycl.hpp>

#include "check.hpp"
#include "elements.hpp"

#include <cstring>

namespace {

constexpr sycl::float4 constant(1, 2, 3, 4);
static_assert(constant.y() == 2 && constant[3] == 4 && sycl::int4(1, sycl::int2(2, 3), 4).z() == 3);
static_assert(sizeof(sycl::float3) == 16 && alignof(sycl::float3) == 16 &&
              alignof(sycl::double16) == 64);
static_assert(std::is_trivially_copyable_v<sycl::half8> && sizeof(sycl::mfloat3) == 12);
static_assert(std::is_same_v<decltype(sycl::vec(1.0f, 2.0f)), sycl::float2>);
static_assert(std::is_same_v<sycl::cl_half4, sycl::half4> &&
              std::is_same_v<sycl::cl_uint16, sycl::uint16>);

// Everything at once in one structure, so that bytes can be compared.
struct results {
  sycl::float4 sum, product, reversed, assigned, converted;
  sycl::int4 compared, rounded_up, rounded_down, rounded, cut;
  sycl::char4 wrapped;
  sycl::half2 halves;
  sycl::ulong3 shifted;
  sycl::mint3 remainders;
  sycl::marray<bool, 3> equal;
  sycl::float4 listed;
  sycl::mfloat4 listed_array;
  float loaded, stored;
};

void compute(float seed, results &r) {
  const sycl::float4 a(seed, 2, 3, 4);
  r.sum = a + 1 - a.wzyx();
  r.product = 2.0 * a * a;
  r.reversed = a.wzyx();
  r.assigned = a;
  r.assigned.xy() = a.zw();
  r.assigned.hi() *= 3;
  r.assigned.swizzle<1>() -= 1;
  r.compared = a < 3.0f;
  const sycl::float4 halves(seed + 0.5f, -1.5f, 2.5f, -0.5f);
  r.rounded_up = halves.convert<int, sycl::rounding_mode::rtp>();
  r.rounded_down = halves.convert<int, sycl::rounding_mode::rtn>();
  r.rounded = halves.convert<int>();
  r.cut = halves.wzyx().convert<int, sycl::rounding_mode::rtz>();
  r.converted = sycl::int4(16777217, -16777217, 3, 0).convert<float, sycl::rounding_mode::rtz>();
  r.wrapped = sycl::char4(1, 2, 3, 127) + 1;
  ++r.wrapped;
  r.halves = sycl::half2(seed, 0.5f) / 2;
  r.shifted = sycl::ulong3(1, 2, 3) << 40;
  r.remainders = sycl::mint3(4, 5, 6) * 3 % 4;
  r.listed = {seed, seed, seed, seed};
  (r.listed += {seed, 2, 3.0f, 4}) *= {a.lo(), a.hi()};
  r.listed.hi() -= {seed, 1};
  r.listed.swizzle<0>() /= {2};
  r.listed_array = {seed, 2, 3, 4};
  r.listed_array *= {2, 2, seed, 2};
  r.equal = r.remainders == 2;
  float memory[6] = {0, 1, 2, 3, 4, 5};
  sycl::float2 pair;
  pair.load(2, memory);
  pair.store(0, memory);
  r.loaded = memory[0] * 10 + memory[1];
  constexpr auto own = sycl::access::address_space::private_space;
  pair.load<own>(1, sycl::multi_ptr<const float, own>(memory));
  pair.store<own>(2, sycl::multi_ptr<float, own>(memory));
  r.stored = memory[4] * 10 + memory[5];
}

} // namespace

int main() {
  results here, *there;
  std::memset(&here, 0, sizeof(here));
  compute(1, here);
  CHECK(is(here.sum, -2, 0, 2, 4) && is(here.product, 2, 8, 18, 32) &&
        is(here.reversed, 4, 3, 2, 1));
  CHECK(is(here.assigned, 3, 3, 9, 12) && is(here.compared, -1, -1, 0, 0));
  CHECK(is(here.rounded_up, 2, -1, 3, 0) && is(here.rounded_down, 1, -2, 2, -1));
  CHECK(is(here.rounded, 2, -2, 2, 0) && is(here.cut, 0, 2, -1, 1));
  CHECK(is(here.converted, 16777216, -16777216, 3, 0) && is(here.wrapped, 3, 4, 5, -127));
  CHECK(is(here.halves, 0.5, 0.25) && is(here.shifted, 1ul << 40, 2ul << 40, 3ul << 40));
  CHECK(is(here.remainders, 0, 3, 2) && is(here.equal, 0, 0, 1) && here.loaded == 45 &&
        here.stored == 23);

  CHECK(is(here.listed, 1, 6, 11, 19) && is(here.listed_array, 2, 4, 3, 8));
  sycl::int3 bits(5, 6, 7);
  ((((bits %= {4, 4, 4}) |= {8, 8, 8}) &= {9, 12, 15}) ^= {1, 1, 1}) <<= {1, 2, 0};
  bits >>= {0, 1, 0};
  CHECK(is(bits, 16, 18, 10));

  // Views: what does not exist of three elements is left alone.
  sycl::float3 three(1, 2, 3);
  three.hi() = sycl::float2(7, 8);
  CHECK(is(three, 1, 2, 7) && three.odd()[0] == 2 && is(three.zyx().xy(), 7, 2));
  sycl::vec<int, 1> one = 5;
  const int as_int = one;
  CHECK(as_int == 5 && one + 1 == 6 && static_cast<double>(one) == 5.0);
  // An element is converted, in braces too.
  const double third = 1.0 / 3;
  const sycl::vec<float, 1> narrowed{third};
  CHECK(narrowed[0] == static_cast<float>(third));
  sycl::vec<std::byte, 2> bytes(std::byte(3), std::byte(5));
  CHECK((bytes & std::byte(1))[1] == std::byte(1) && is(bytes == bytes, -1, -1));
  CHECK(is(sycl::float2(1.5f, -0.0f).as<sycl::int2>(), 0x3fc00000, -2147483648.0));
  CHECK(sycl::bit_cast<std::uint16_t>(sycl::half(1)) == 0x3c00 &&
        std::numeric_limits<sycl::half>::max() == 65504);

  sycl::queue q;
  if (!q.get_device().has(sycl::aspect::fp16))
    return check::result();
  there = sycl::malloc_shared<results>(1, q);
  std::memset(static_cast<void *>(there), 0, sizeof(*there));
  const sycl::float4 captured(1, 0, 0, 0);
  q.single_task([=] { compute(captured.x(), *there); }).wait();
  CHECK(std::memcmp(&here, there, sizeof(here)) == 0);
  sycl::free(there, q);
  return check::result();
}
