// SYCLcompat's functions of numbers, on the device and on the host.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <syclcompat/syclcompat.hpp>

namespace {

int vector_faults() {
  int faults = syclcompat::vectorized_max<sycl::short2>(0x0005fffeu, 0xfff00003u) != 0x00050003u;
  faults += syclcompat::vectorized_min<sycl::short2>(0x0005fffeu, 0xfff00003u) != 0xfff0fffeu;
  faults += syclcompat::vectorized_isgreater<sycl::short2>(0x0005fffeu, 0xfff00003u) != 0xffff0000u;
  faults += syclcompat::vectorized_isgreater<sycl::ushort2, unsigned>(0x0005fffeu, 0xfff00003u) !=
            0x0000ffffu;
  faults += syclcompat::vectorized_sum_abs_diff<sycl::uchar4>(0x01020304u, 0x04030201u) != 8;
  faults += syclcompat::vectorized_binary<sycl::uchar4>(0xff01f010u, 0x02020202u,
                                                        syclcompat::add_sat()) != 0xff03f212u;
  faults += syclcompat::vectorized_binary<sycl::uchar4>(0x02010010u, 0x02020202u,
                                                        syclcompat::abs_diff()) != 0x0001020eu;
  faults +=
      syclcompat::vectorized_unary<sycl::short2>(0xfffb0003u, syclcompat::abs()) != 0x00050003u;
  return faults;
}

int extended_faults() {
  int faults = syclcompat::extend_add_sat<int>(0x7fffffff, 1) != 0x7fffffff;
  faults += syclcompat::extend_add<unsigned>(-1, 3) != 2;
  faults += syclcompat::extend_sub_sat<unsigned>(1, 2) != 0;
  faults += syclcompat::extend_absdiff<int>(-3, 4u) != 7;
  faults += syclcompat::extend_min<int>(-3, 4u) != -3 || syclcompat::extend_max<int>(-3, 4u) != 4;
  faults += syclcompat::extend_add<int>(1, 2, 5, sycl::minimum<>()) != 3;
  faults += syclcompat::extend_sub_sat<int>(10, 2, 5, sycl::plus<>()) != 13;
  return faults;
}

int number_faults() {
  using pair = sycl::vec<float, 2>;
  const pair product = syclcompat::cmul(pair(1.0f, 2.0f), pair(3.0f, 4.0f));
  int faults = product[0] != -5.0f || product[1] != 10.0f;
  const pair quotient = syclcompat::cdiv(product, pair(3.0f, 4.0f));
  faults += sycl::fabs(quotient[0] - 1.0f) > 1e-5f || sycl::fabs(quotient[1] - 2.0f) > 1e-5f;
  faults += sycl::fabs(syclcompat::cabs(pair(3.0f, 4.0f)) - 5.0f) > 1e-5f;
  faults += syclcompat::conj(pair(3.0f, 4.0f))[1] != -4.0f;
  const float vector[] = {2.0f, 3.0f, 6.0f};
  faults += sycl::fabs(syclcompat::fast_length(vector, 3) - 7.0f) > 1e-3f;
  faults += sycl::fabs(syclcompat::length(vector, 3) - 7.0f) > 1e-5f;
  faults += syclcompat::max(3, 2.5f) != 3.0f || syclcompat::min(3, -2) != -2;
  faults += syclcompat::clamp(7, 1, 5) != 5 || syclcompat::relu(-2.0f) != 0.0f;
  return faults;
}

int bit_faults() {
  int faults = syclcompat::reverse_bits(0x00000003u) != 0xc0000000u;
  faults += syclcompat::ffs(0) != 0 || syclcompat::ffs(8) != 4 || syclcompat::ffs(-1ll) != 1;
  faults += syclcompat::byte_level_permute(0x33221100u, 0x77665544u, 0x7420u) != 0x77442200u;
  faults += syclcompat::funnelshift_l(0x80000000u, 1u, 1) != 3;
  faults += syclcompat::funnelshift_r(0x2u, 1u, 1) != 0x80000001u;
  faults +=
      syclcompat::funnelshift_rc(5u, 7u, 40) != 7 || syclcompat::funnelshift_lc(5u, 7u, 40) != 5;
  faults += syclcompat::bfe(0x00000f50u, 4, 4) != 5 || syclcompat::bfe(int(0xf80), 7, 5) != -1;
  faults += syclcompat::bfi(0x3u, 0xf0u, 0, 4) != 0xf3u;
  faults += syclcompat::dp4a(0x01ff02feu, 0x02030405u, 10) != 10 + 2 + 255 * 3 + 8 + 254 * 5;
  faults += syclcompat::dp4a(int(0x01ff02fe), int(0x02030405), 10) != 10 + 2 - 3 + 8 - 10;
  faults += syclcompat::dp2a_lo(int(0xffff0002), int(0x04030201), 1) != 1 - 2 + 2;
  faults += syclcompat::dp2a_hi(int(0xffff0002), int(0x04030201), 1) != 1 - 4 + 6;
  return faults;
}

int double_faults() {
  const double d = syclcompat::cast_ints_to_double(0x40000000, 5);
  return syclcompat::cast_double_to_int(d) != 0x40000000 ||
         syclcompat::cast_double_to_int(d, false) != 5;
}

} // namespace

int main() {
  sycl::queue q;
  int *faults = sycl::malloc_shared<int>(5, q);
  q.single_task([=] {
     faults[0] = vector_faults();
     faults[1] = extended_faults();
     faults[2] = number_faults();
     faults[3] = bit_faults();
   }).wait();
  CHECK(faults[0] == 0);
  CHECK(faults[1] == 0);
  CHECK(faults[2] == 0);
  CHECK(faults[3] == 0);
  CHECK(vector_faults() == 0);
  CHECK(extended_faults() == 0);
  CHECK(number_faults() == 0);
  CHECK(bit_faults() == 0);
  CHECK(double_faults() == 0);
  sycl::free(faults, q);
  return check::result();
}
