// Floating-point numbers of 8 bits: all codes, rounding against a search over all codes, integers,
// pairs.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/float_8bit.hpp>

namespace syclex = sycl::ext::oneapi::experimental;
using sycl::ext::oneapi::bfloat16;
using syclex::rounding;
using syclex::saturation;

namespace {

template <class T> T of_code(int code) {
  T x;
  x.vals[0] = std::uint8_t(code);
  return x;
}

// Every number that is not NaN keeps its code.
template <class T> int round_trip_faults() {
  int faults = 0;
  for (int code = 0; code < 256; ++code) {
    const T x = of_code<T>(code);
    const float f = float(x);
    if (f != f)
      continue;
    const float in[1] = {f};
    faults += T(in, rounding::to_even, saturation::none).vals[0] != code;
    faults += T(in, rounding::toward_zero, saturation::none).vals[0] != code;
    faults += T(in, rounding::upward, saturation::none).vals[0] != code;
  }
  return faults;
}

// The nearest number, found among all, with an even code if there are two.
template <class T> int nearest(float x, int most) {
  int best = 0;
  float error = x;
  for (int code = 1; code <= most; ++code) {
    const float d = sycl::fabs(float(of_code<T>(code)) - x);
    if (d < error || (d == error && code % 2 == 0)) {
      best = code;
      error = d;
    }
  }
  return best;
}

template <class T> int rounding_faults(float least, int most) {
  int faults = 0;
  float x = least / 4;
  for (int i = 0; i < 160; ++i, x *= 1.19921875f) {
    const float in[1] = {x}, negative[1] = {-x};
    const int code = nearest<T>(x, most);
    faults += T(x).vals[0] != code || T(-x).vals[0] != (code | 0x80);
    const float up = float(T(in, rounding::upward)), down = float(T(in, rounding::toward_zero));
    const float largest = float(of_code<T>(most));
    faults += x <= largest ? up < x || down > x : up != largest || down != largest;
    faults +=
        T(negative, rounding::upward).vals[0] != (T(in, rounding::toward_zero).vals[0] | 0x80);
  }
  return faults;
}

int special_faults(float infinity, float nan) {
  int faults =
      syclex::fp8_e4m3(infinity).vals[0] != 0x7e || syclex::fp8_e4m3(-1e9f).vals[0] != 0xfe;
  faults += (syclex::fp8_e4m3(nan).vals[0] & 0x7f) != 0x7f;
  faults += syclex::fp8_e5m2(infinity).vals[0] != 0x7b;
  const float large[1] = {infinity}, over[1] = {70000.0f};
  faults += syclex::fp8_e5m2(large, rounding::to_even, saturation::none).vals[0] != 0x7c;
  faults += syclex::fp8_e5m2(over, rounding::to_even, saturation::none).vals[0] != 0x7c;
  faults += float(of_code<syclex::fp8_e5m2>(0xfc)) != -infinity;
  faults += !(float(of_code<syclex::fp8_e4m3>(0x7f)) != float(of_code<syclex::fp8_e4m3>(0x7f)));
  faults += float(of_code<syclex::fp8_e4m3>(1)) != 1.0f / 512 ||
            float(of_code<syclex::fp8_e4m3>(0x7e)) != 448.0f;
  faults += float(of_code<syclex::fp8_e5m2>(1)) != 1.0f / 65536 ||
            float(of_code<syclex::fp8_e5m2>(0x7b)) != 57344.0f;
  faults += syclex::fp8_e8m0(1.0f).vals[0] != 127 || syclex::fp8_e8m0(1.01f).vals[0] != 128;
  const float near[1] = {1.99f};
  faults += syclex::fp8_e8m0(near, rounding::toward_zero).vals[0] != 127;
  faults += syclex::fp8_e8m0(infinity).vals[0] != 254 || syclex::fp8_e8m0(nan).vals[0] != 255;
  faults += float(of_code<syclex::fp8_e8m0>(130)) != 8.0f || !bool(of_code<syclex::fp8_e8m0>(0));
  return faults;
}

int integer_faults() {
  int faults = int(syclex::fp8_e4m3(7)) != 7 || int(syclex::fp8_e4m3(-1000)) != -448;
  faults += unsigned(syclex::fp8_e4m3(-3.0f)) != 0 || int(syclex::fp8_e4m3(2.75f)) != 2;
  faults += (signed char)(syclex::fp8_e4m3(448.0f)) != 127;
  faults += (long long)(syclex::fp8_e5m2(1ll << 60)) != 57344;
  faults += syclex::fp8_e8m0(5u).vals[0] != 130 || syclex::fp8_e8m0(~0ull).vals[0] != 127 + 64;
  faults += unsigned(syclex::fp8_e8m0(~0ull)) != ~0u;
  faults += bool(syclex::fp8_e4m3(-0.0f)) || !bool(syclex::fp8_e5m2(1.0f));
  syclex::fp8_e4m3 x;
  x = 3.0f;
  x = short(2);
  return faults + (float(x) != 2.0f);
}

int pair_faults() {
  static_assert(sizeof(syclex::fp8_e4m3_x2) == 2 && alignof(syclex::fp8_e4m3_x2) == 2);
  static_assert(std::is_trivially_copyable_v<syclex::fp8_e5m2_x2>);
  const syclex::fp8_e4m3_x pair(1.0f, -2.0f);
  const auto values = static_cast<sycl::marray<float, 2>>(pair);
  int faults = values[0] != 1.0f || values[1] != -2.0f;
  const bfloat16 in[2] = {bfloat16(0.5f), bfloat16(100.0f)};
  const auto out = static_cast<sycl::marray<bfloat16, 2>>(syclex::fp8_e5m2_x2(in));
  faults += float(out[0]) != 0.5f || float(out[1]) != 96.0f;
  // Random rounding chooses both neighbours, the nearer one more often.
  std::uint32_t seed = 1;
  int down = 0;
  for (int i = 0; i < 400; ++i) {
    const bfloat16 one[1] = {bfloat16(1.0625f)};
    const float x = float(syclex::fp8_e5m2(one, syclex::stochastic_seed(&seed)));
    faults += x != 1.0f && x != 1.25f;
    down += x == 1.0f;
  }
  return faults + (down < 250 || down > 350);
}

template <class Half> int half_faults() {
  const Half in[1] = {Half(3.0f)};
  return float(Half(syclex::fp8_e4m3(in))) != 3.0f || float(Half(syclex::fp8_e8m0(4))) != 4.0f;
}

} // namespace

int main() {
  sycl::queue q;
  int *faults = sycl::malloc_shared<int>(6, q);
  float *special = sycl::malloc_shared<float>(2, q);
  special[0] = __builtin_inff();
  special[1] = __builtin_nanf("");
  const bool has_half = q.get_device().has(sycl::aspect::fp16);
  faults[5] = 0;
  q.single_task<class numbers>([=] {
     faults[0] = round_trip_faults<syclex::fp8_e4m3>() + round_trip_faults<syclex::fp8_e5m2>() +
                 round_trip_faults<syclex::fp8_e8m0>();
     faults[1] = rounding_faults<syclex::fp8_e4m3>(1.0f / 512, 0x7e) +
                 rounding_faults<syclex::fp8_e5m2>(1.0f / 65536, 0x7b);
     faults[2] = special_faults(special[0], special[1]);
     faults[3] = integer_faults();
     faults[4] = pair_faults();
   }).wait();
  if (has_half)
    q.single_task<class halves>([=] { faults[5] = half_faults<sycl::half>(); }).wait();
  for (int i = 0; i < 6; ++i)
    CHECK(faults[i] == 0);
  CHECK(round_trip_faults<syclex::fp8_e4m3>() == 0);
  CHECK(rounding_faults<syclex::fp8_e4m3>(1.0f / 512, 0x7e) == 0);
  CHECK(rounding_faults<syclex::fp8_e5m2>(1.0f / 65536, 0x7b) == 0);
  CHECK(special_faults(special[0], special[1]) == 0);
  CHECK(integer_faults() == 0);
  CHECK(pair_faults() == 0);
  CHECK(half_faults<sycl::half>() == 0);
  sycl::free(special, q);
  sycl::free(faults, q);
  return check::result();
}
