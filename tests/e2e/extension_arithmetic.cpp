// Arithmetic of extensions, on the device and on the host: `ternary_bitwise`, saturating
// conversions, `fma_relu`.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cstdint>
#include <sycl/ext/oneapi/experimental/fma_relu.hpp>
#include <sycl/ext/oneapi/experimental/saturating_conversion.hpp>
#include <sycl/ext/oneapi/experimental/ternary_bitwise.hpp>
#include <utility>

namespace syclex = sycl::ext::oneapi::experimental;
using sycl::ext::oneapi::bfloat16;

namespace {

// Each table applied to the columns of all inputs is the table itself.
template <std::size_t... Table> bool all_tables(std::index_sequence<Table...>) {
  return ((syclex::ternary_bitwise<Table, std::uint8_t>(0xAA, 0xCC, 0xF0) == Table) && ...);
}

int bitwise_faults() {
  int faults = !all_tables(std::make_index_sequence<256>());
  const std::uint64_t a = 0x123456789abcdef0, b = 0xfedcba9876543210, c = 0x00ff00ff00ff00ff;
  faults += syclex::ternary_bitwise<0xCA>(a, b, c) != ((a & b) | (~a & c)) &&
            syclex::ternary_bitwise<0xCA>(a, b, c) != ((c & b) | (~c & a));
  faults += syclex::ternary_bitwise<0x96>(a, b, c) != (a ^ b ^ c);
  faults += syclex::ternary_bitwise<0xE8>(std::int16_t(-5), std::int16_t(9), std::int16_t(3)) !=
            std::int16_t((-5 & 9) | (9 & 3) | (-5 & 3));
  const sycl::vec<int, 4> v = syclex::ternary_bitwise<0x96>(
      sycl::vec<int, 4>(1, 2, 3, 4), sycl::vec<int, 4>(5), sycl::vec<int, 4>(-1));
  faults += v[0] != (1 ^ 5 ^ -1) || v[3] != (4 ^ 5 ^ -1);
  const sycl::marray<unsigned, 3> m = syclex::ternary_bitwise<0x80>(
      sycl::marray<unsigned, 3>(7u), sycl::marray<unsigned, 3>(3u), sycl::marray<unsigned, 3>(6u));
  return faults + (m[0] != 2 || m[2] != 2);
}

struct conversion {
  float from;
  int to_signed, to_unsigned;
};

int conversion_faults(float infinity, float nan) {
  const conversion list[] = {{0.5f, 0, 0},         {1.5f, 2, 2},         {2.5f, 2, 2},
                             {-0.5f, 0, 0},        {-1.5f, -2, 0},       {127.5f, 127, 128},
                             {126.5f, 126, 126},   {-128.5f, -128, 0},   {254.5f, 127, 254},
                             {255.5f, 127, 255},   {1e30f, 127, 255},    {-1e30f, -128, 0},
                             {infinity, 127, 255}, {-infinity, -128, 0}, {nan, 0, 0}};
  int faults = 0;
  for (const conversion &c : list)
    faults += syclex::float_to_int8_rn(c.from) != c.to_signed ||
              syclex::float_to_uint8_rn(c.from) != c.to_unsigned;
  const sycl::vec<float, 4> v(1.0f, -2.0f, 300.0f, -300.0f);
  faults += std::uint32_t(syclex::float4_to_int8x4_rn(v)) != 0x807ffe01u;
  return faults + (syclex::float4_to_uint8x4_rn(v) != 0x00ff0001u);
}

std::uint16_t bits(bfloat16 x) { return __builtin_bit_cast(std::uint16_t, x); }

int relu_faults(float nan) {
  int faults =
      syclex::fma_relu(sycl::half(2.0f), sycl::half(3.0f), sycl::half(1.0f)) != sycl::half(7.0f);
  faults +=
      syclex::fma_relu(sycl::half(2.0f), sycl::half(-3.0f), sycl::half(1.0f)) != sycl::half(0.0f);
  faults += float(syclex::fma_relu(bfloat16(2.0f), bfloat16(3.0f), bfloat16(1.0f))) != 7.0f;
  faults += float(syclex::fma_relu(bfloat16(2.0f), bfloat16(3.0f), bfloat16(-7.0f))) != 0.0f;
  faults += float(syclex::fma_relu(bfloat16(nan), bfloat16(3.0f), bfloat16(-7.0f))) != 0.0f;
  const std::uint16_t two = bits(2.0f), three = bits(3.0f), minus = bits(-9.0f);
  faults += syclex::fma_relu(two, three, two) != bits(8.0f);
  const std::uint32_t pair = (std::uint32_t(two) << 16) | three;
  const std::uint32_t sum = (std::uint32_t(three) << 16) | minus;
  faults += syclex::fma_relu(pair, pair, sum) != (std::uint32_t(bits(7.0f)) << 16 | bits(0.0f));
  return faults;
}

} // namespace

int main() {
  sycl::queue q;
  int *faults = sycl::malloc_shared<int>(3, q);
  float *special = sycl::malloc_shared<float>(2, q);
  special[0] = __builtin_inff();
  special[1] = __builtin_nanf("");
  q.single_task([=] {
     faults[0] = bitwise_faults();
     faults[1] = conversion_faults(special[0], special[1]);
   }).wait();
  CHECK(faults[0] == 0);
  CHECK(faults[1] == 0);
  if (q.get_device().has(sycl::aspect::fp16)) {
    q.single_task([=] { faults[2] = relu_faults(special[1]); }).wait();
    CHECK(faults[2] == 0);
  }
  CHECK(bitwise_faults() == 0);
  CHECK(conversion_faults(special[0], special[1]) == 0);
  CHECK(relu_faults(special[1]) == 0);
  sycl::free(special, q);
  sycl::free(faults, q);
  return check::result();
}
