// The polynomials of the maths functions, and the bits of 2/pi.
//
// coefficients.py writes this file. Edit coefficients.py instead.
#ifndef SCYTHE_COEFFICIENTS_HPP
#define SCYTHE_COEFFICIENTS_HPP

#include "maths_base.hpp"

namespace scythe_device_library {

// (exp(r) - 1 - r) / r², from -0.3469 to 0.3469; error 2^-26.9.
SCYTHE_INLINE float exp_tail(float x) {
  return polynomial(x, 0x1.0000000000000p-1f, 0x1.5554dc0000000p-3f, 0x1.5555180000000p-5f,
                    0x1.120bde0000000p-7f, 0x1.6d117a0000000p-10f);
}
// (exp(r) - 1 - r) / r², from -0.3469 to 0.3469; error 2^-56.1.
SCYTHE_INLINE double exp_tail(double x) {
  return polynomial(x, 0x1.0000000000001p-1, 0x1.5555555555556p-3, 0x1.5555555553d38p-5,
                    0x1.11111111109a6p-7, 0x1.6c16c1789caa1p-10, 0x1.a01a01a7ce75dp-13,
                    0x1.a019b8cbe6585p-16, 0x1.71de0d863c737p-19, 0x1.2891d2ecb3ed9p-22,
                    0x1.af39091a8441ap-26);
}
// (2^r - 1) / r, from -0.5000 to 0.5000; error 2^-27.1.
SCYTHE_INLINE float exp2_tail(float x) {
  return polynomial(x, 0x1.62e4300000000p-1f, 0x1.ebfbe00000000p-3f, 0x1.c6af6c0000000p-5f,
                    0x1.3b2a540000000p-7f, 0x1.5f08900000000p-10f, 0x1.44138a0000000p-13f);
}
// (2^r - 1) / r, from -0.5000 to 0.5000; error 2^-55.5.
SCYTHE_INLINE double exp2_tail(double x) {
  return polynomial(x, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c598p-3, 0x1.c6b08d704a0c2p-5,
                    0x1.3b2ab6fba1ddap-7, 0x1.5d87fe78a5276p-10, 0x1.430913096fd9fp-13,
                    0x1.ffcbfc670dcd4p-17, 0x1.62bfd47773353p-20, 0x1.b524fae627834p-24,
                    0x1.e6063f7217bc6p-28, 0x1.e9d3fe3952179p-32);
}
// (10^r - 1) / r, from -0.1507 to 0.1507; error 2^-27.5.
SCYTHE_INLINE float exp10_tail(float x) {
  return polynomial(x, 0x1.26bb1c0000000p+1f, 0x1.53524c0000000p+1f, 0x1.046fb40000000p+1f,
                    0x1.2bd7020000000p+0f, 0x1.155a980000000p-1f, 0x1.a94bfc0000000p-3f);
}
// (10^r - 1) / r, from -0.1507 to 0.1507; error 2^-54.4.
SCYTHE_INLINE double exp10_tail(double x) {
  return polynomial(x, 0x1.26bb1bbb55516p+1, 0x1.53524c73cea6fp+1, 0x1.0470591de2ca6p+1,
                    0x1.2bd7609fd6a0fp+0, 0x1.1429ffd1d3cecp-1, 0x1.a7ed709afa867p-3,
                    0x1.16e4dfcb2aecbp-4, 0x1.411669a51232cp-6, 0x1.48979243c2b58p-8,
                    0x1.2f67bf1746c73p-10, 0x1.fbe38135f698ap-13);
}
// (log(1 + f) - f) / f², from -0.2929 to 0.4142; error 2^-26.4.
SCYTHE_INLINE float log_tail(float x) {
  return polynomial(x, -0x1.fffffe0000000p-2f, 0x1.5555540000000p-2f, -0x1.00020c0000000p-2f,
                    0x1.99a0120000000p-3f, -0x1.5483820000000p-3f, 0x1.22ea580000000p-3f,
                    -0x1.0cda380000000p-3f, 0x1.048f860000000p-3f, -0x1.3a50100000000p-4f);
}
// (log((1 + s) / (1 - s)) - 2 s) / s³ in t = s², from 0.0000 to 0.0295; error 2^-56.6.
SCYTHE_INLINE double log_ratio_tail(double x) {
  return polynomial(x, 0x1.5555555555558p-1, 0x1.99999999952b2p-2, 0x1.2492492df6947p-2,
                    0x1.c71c62debf86bp-3, 0x1.7462b69705382p-3, 0x1.39fe208c33457p-3,
                    0x1.2b5b5fb2eac92p-3);
}
// (log((1 + s) / (1 - s)) - 2 s - 2/3 s³) / s⁵ in t = s², from 0.0000 to 0.0295; error 2^-65.3.
SCYTHE_INLINE double log_ratio_rest(double x) {
  return polynomial(x, 0x1.999999999999ap-2, 0x1.2492492492522p-2, 0x1.c71c71c6ea871p-3,
                    0x1.745d177aad02ap-3, 0x1.3b1395c881220p-3, 0x1.1118c9ee5b8a4p-3,
                    0x1.df7c5bc7c7563p-4, 0x1.e032e4d8436a1p-4);
}
// (log(1 + f) - f + f²/2) / f³, from -0.2929 to 0.4142; error 2^-28.4.
SCYTHE_INLINE float log_cubic_tail(float x) {
  return polynomial(x, 0x1.5555560000000p-2f, -0x1.fffff20000000p-3f, 0x1.9999a80000000p-3f,
                    -0x1.555c540000000p-3f, 0x1.2496880000000p-3f, -0x1.fdfb800000000p-4f,
                    0x1.c41b880000000p-4f, -0x1.b411740000000p-4f, 0x1.af58460000000p-4f,
                    -0x1.fc07100000000p-5f);
}
// (sin(r) - r) / r³ in t = r², |r| up to pi/2, from 0.0000 to 2.5600; error 2^-26.3.
SCYTHE_INLINE float sin_tail(float x) {
  return polynomial(x, -0x1.5555560000000p-3f, 0x1.1111100000000p-7f, -0x1.a018e80000000p-13f,
                    0x1.71912a0000000p-19f, -0x1.9d148a0000000p-26f);
}
// (sin(r) - r) / r³ in t = r², |r| up to pi/2, from 0.0000 to 2.5600; error 2^-55.3.
SCYTHE_INLINE double sin_tail(double x) {
  return polynomial(x, -0x1.5555555555555p-3, 0x1.1111111111111p-7, -0x1.a01a01a01a009p-13,
                    0x1.71de3a556b663p-19, -0x1.ae64567e45ebap-26, 0x1.612460a1d9171p-33,
                    -0x1.ae7ed91e21397p-41, 0x1.95053ba32833fp-49, -0x1.271425336b593p-57);
}
// (sin(r) - r) / r³ in t = r², |r| up to pi/4, from 0.0000 to 0.6400; error 2^-26.2.
SCYTHE_INLINE float sin_short_tail(float x) {
  return polynomial(x, -0x1.5555520000000p-3f, 0x1.110bc80000000p-7f, -0x1.9a96f80000000p-13f);
}
// (sin(r) - r) / r³ in t = r², |r| up to pi/4, from 0.0000 to 0.6400; error 2^-57.2.
SCYTHE_INLINE double sin_short_tail(double x) {
  return polynomial(x, -0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a0197d4p-13,
                    0x1.71de3a54361f8p-19, -0x1.ae6453ca65b3dp-26, 0x1.612146c012422p-33,
                    -0x1.aaf7413aa6338p-41);
}
// (cos(r) - 1 + r²/2) / r⁴ in t = r², |r| up to pi/4, from 0.0000 to 0.6400; error 2^-30.2.
SCYTHE_INLINE float cos_short_tail(float x) {
  return polynomial(x, 0x1.5555540000000p-5f, -0x1.6c12860000000p-10f, 0x1.9baff20000000p-16f);
}
// (cos(r) - 1 + r²/2) / r⁴ in t = r², |r| up to pi/4, from 0.0000 to 0.6400; error 2^-59.9.
SCYTHE_INLINE double cos_short_tail(double x) {
  return polynomial(x, 0x1.5555555555555p-5, -0x1.6c16c16c16c16p-10, 0x1.a01a01a019c6cp-16,
                    -0x1.27e4fb76fff37p-22, 0x1.1eed8dcb66c6fp-29, -0x1.939487f8b82d5p-37,
                    0x1.ab5b60f370243p-45);
}
// (sin(pi r) - pi r) / r³ in t = r², |r| up to 1/2, from 0.0000 to 0.2500; error 2^-25.0.
SCYTHE_INLINE float sinpi_tail(float x) {
  return polynomial(x, -0x1.4abbce0000000p+2f, 0x1.466bc60000000p+1f, -0x1.32d2140000000p-1f,
                    0x1.5037040000000p-4f, -0x1.d04a000000000p-8f);
}
// (sin(pi r) - pi r) / r³ in t = r², |r| up to 1/2, from 0.0000 to 0.2500; error 2^-54.1.
SCYTHE_INLINE double sinpi_tail(double x) {
  return polynomial(x, -0x1.4abbce625be53p+2, 0x1.466bc6775aae2p+1, -0x1.32d2cce62bd7cp-1,
                    0x1.50783487edb3cp-4, -0x1.e3074fdd8bd87p-8, 0x1.e8f43419874c7p-12,
                    -0x1.6fad6c65af106p-16, 0x1.aac5c5a7945bcp-21, -0x1.7ff5f2829eb30p-26);
}
// (atan(x) - x) / x³ in t = x², |x| up to tan(pi/8), from 0.0000 to 0.1716; error 2^-28.4.
SCYTHE_INLINE float atan_tail(float x) {
  return polynomial(x, -0x1.5555540000000p-2f, 0x1.9997300000000p-3f, -0x1.2420280000000p-3f,
                    0x1.b80f240000000p-4f, -0x1.0841e60000000p-4f);
}
// (atan(x) - x) / x³ in t = x², |x| up to tan(pi/8), from 0.0000 to 0.1716; error 2^-58.1.
SCYTHE_INLINE double atan_tail(double x) {
  return polynomial(x, -0x1.5555555555555p-2, 0x1.9999999999953p-3, -0x1.249249248d7d1p-3,
                    0x1.c71c71c3035c8p-4, -0x1.745d165db0b8dp-4, 0x1.3b1392d24f335p-4,
                    -0x1.110e878213482p-4, 0x1.e19a07798598ep-5, -0x1.ac7a3950dffbap-5,
                    0x1.74dc387c1a6f4p-5, -0x1.1b2f96cc7eca8p-5, 0x1.0aca40aeebce0p-6);
}
// (asin(x) - x) / x³ in t = x², |x| up to 1/2, from 0.0000 to 0.2500; error 2^-28.4.
SCYTHE_INLINE float asin_tail(float x) {
  return polynomial(x, 0x1.5555540000000p-3f, 0x1.3334300000000p-4f, 0x1.6d5bba0000000p-5f,
                    0x1.fd8da20000000p-6f, 0x1.18f91e0000000p-6f, 0x1.13fed40000000p-5f);
}
// (asin(x) - x) / x³ in t = x², |x| up to 1/2, from 0.0000 to 0.2500; error 2^-57.4.
SCYTHE_INLINE double asin_tail(double x) {
  return polynomial(x, 0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5,
                    0x1.f1c71c1db0623p-6, 0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6,
                    0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7, 0x1.52420b04b37bep-7,
                    0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7,
                    0x1.d72b2bc8155f8p-6);
}
// (sinh(x) - x) / x³ in t = x², |x| up to 1, from 0.0000 to 1.0000; error 2^-27.7.
SCYTHE_INLINE float sinh_tail(float x) {
  return polynomial(x, 0x1.5555560000000p-3f, 0x1.11111e0000000p-7f, 0x1.a009000000000p-13f,
                    0x1.78a70e0000000p-19f);
}
// (sinh(x) - x) / x³ in t = x², |x| up to 1, from 0.0000 to 1.0000; error 2^-56.4.
SCYTHE_INLINE double sinh_tail(double x) {
  return polynomial(x, 0x1.5555555555555p-3, 0x1.11111111110fdp-7, 0x1.a01a01a01ee70p-13,
                    0x1.71de3a4e14f40p-19, 0x1.ae6460fae3728p-26, 0x1.611cb330c1fe8p-33,
                    0x1.b41232cf9950fp-41);
}
// (tanh(x) - x) / x³ in t = x², |x| up to 5/8, from 0.0000 to 0.3907; error 2^-28.0.
SCYTHE_INLINE float tanh_tail(float x) {
  return polynomial(x, -0x1.5555560000000p-2f, 0x1.1110ea0000000p-3f, -0x1.ba08c20000000p-5f,
                    0x1.64a9400000000p-6f, -0x1.1168b40000000p-7f, 0x1.2c7d780000000p-9f);
}
// (tanh(x) - x) / x³ in t = x², |x| up to 5/8, from 0.0000 to 0.3907; error 2^-56.6.
SCYTHE_INLINE double tanh_tail(double x) {
  return polynomial(x, -0x1.5555555555555p-2, 0x1.111111111110dp-3, -0x1.ba1ba1ba1afebp-5,
                    0x1.664f488279052p-6, -0x1.226e354dd9537p-7, 0x1.d6d3cc54881a6p-9,
                    -0x1.7da2fd57b4ba8p-10, 0x1.35520349c652dp-11, -0x1.f4fcb12f4874fp-13,
                    0x1.92d2c296fec28p-14, -0x1.370cf1457d475p-15, 0x1.99aa1869814dep-17,
                    -0x1.4746ccbd089e4p-19);
}
// erf(x) / x - 1 in t = x², |x| up to 1, from 0.0000 to 1.0000; error 2^-27.5.
SCYTHE_INLINE float erf_tail(float x) {
  return polynomial(x, 0x1.06eba80000000p-3f, -0x1.81273e0000000p-2f, 0x1.ce2d100000000p-4f,
                    -0x1.b7faba0000000p-6f, 0x1.5412700000000p-8f, -0x1.a450880000000p-11f,
                    0x1.4a56900000000p-14f);
}
// erf(x) / x - 1 in t = x², |x| up to 1, from 0.0000 to 1.0000; error 2^-55.8.
SCYTHE_INLINE double erf_tail(double x) {
  return polynomial(x, 0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b30p-4,
                    -0x1.b82ce31284e00p-6, 0x1.565bcd0dbaa38p-8, -0x1.c02db3dac435fp-11,
                    0x1.f9a321d5b8e1ep-14, -0x1.f4d1e3183f7aep-17, 0x1.b9df224ca4b97p-20,
                    -0x1.5f1ecb6f0764cp-23, 0x1.f7b4bf3b13964p-27, -0x1.389d4f2641625p-30,
                    0x1.05ffd737fb32ep-34);
}
// (1 + 2 x) exp(x²) erfc(x) in u = (x - 3.75) / (x + 3.75), x from 0.4, from -0.8072 to 0.7638;
// error 2^-24.0.
SCYTHE_INLINE float erfc_scaled(float x) {
  return polynomial(x, 0x1.3ccda00000000p+0f, -0x1.1f36960000000p-3f, 0x1.d6050c0000000p-9f,
                    0x1.51098a0000000p-4f, -0x1.bdb27c0000000p-4f, 0x1.79c9cc0000000p-4f,
                    -0x1.e0677e0000000p-5f, 0x1.d510620000000p-6f, -0x1.4365800000000p-7f,
                    0x1.56a9220000000p-10f, 0x1.bb8d820000000p-12f);
}
// (1 + 2 x) exp(x²) erfc(x) in u = (x - 3.75) / (x + 3.75), x from 0.4, from -0.8072 to 0.7638;
// error 2^-53.0.
SCYTHE_INLINE double erfc_scaled(double x) {
  return polynomial(
      x, 0x1.3ccda0b5d5dc2p+0, -0x1.1f367683f89a1p-3, 0x1.d5f294815b91ap-9, 0x1.510169d096251p-4,
      -0x1.bda9309a2c17fp-4, 0x1.7a14188aa74e7p-4, -0x1.e0d0fa6d4b251p-5, 0x1.d0b0037a1497dp-6,
      -0x1.3f603c5918225p-7, 0x1.cc3a105da9158p-10, 0x1.33fb489d785e0p-12, -0x1.303fd130cd843p-12,
      0x1.b13ec76898b25p-15, 0x1.7795e6b2d402cp-16, -0x1.7fc32abfca426p-17, -0x1.06d94b5a0ce30p-20,
      0x1.d242cc044b34fp-20, -0x1.a55ddb29cf1ffp-25, -0x1.0158edf41a264p-22, 0x1.19d3de10c3417p-26,
      0x1.a27e7bd465c1fp-26, -0x1.01d837a9119a6p-30);
}
// log2(1 + f) / f, from -0.2929 to 0.4142; error 2^-18.9.
SCYTHE_INLINE float native_log2(float x) {
  return polynomial(x, 0x1.7154900000000p+0f, -0x1.7156200000000p-1f, 0x1.ec25d80000000p-2f,
                    -0x1.70272c0000000p-2f, 0x1.2f39fa0000000p-2f, -0x1.12652e0000000p-2f,
                    0x1.58724a0000000p-3f);
}
// (2^r - 1) / r, from -0.5000 to 0.5000; error 2^-22.6.
SCYTHE_INLINE float native_exp2(float x) {
  return polynomial(x, 0x1.62e4300000000p-1f, 0x1.ebfa4c0000000p-3f, 0x1.c6afee0000000p-5f,
                    0x1.3cbf600000000p-7f, 0x1.5ec8660000000p-10f);
}
// (sin(r) - r) / r³ in t = r², |r| up to pi/2, from 0.0000 to 2.5000; error 2^-25.2.
SCYTHE_INLINE float native_sin(float x) {
  return polynomial(x, -0x1.5555540000000p-3f, 0x1.1110460000000p-7f, -0x1.9fb3ea0000000p-13f,
                    0x1.616bd40000000p-19f);
}
// log2(1 + f) / f, from -0.2929 to 0.4142; error 2^-13.3.
SCYTHE_INLINE float half_log2(float x) {
  return polynomial(x, 0x1.7150e20000000p+0f, -0x1.70f6500000000p-1f, 0x1.f165440000000p-2f,
                    -0x1.8f07140000000p-2f, 0x1.004b7e0000000p-2f);
}
// (2^r - 1) / r, from -0.5000 to 0.5000; error 2^-12.6.
SCYTHE_INLINE float half_exp2(float x) {
  return polynomial(x, 0x1.62e4300000000p-1f, 0x1.efb0380000000p-3f, 0x1.c8bdfa0000000p-5f);
}
// (sin(r) - r) / r³ in t = r², |r| up to pi/2, from 0.0000 to 2.5000; error 2^-18.3.
SCYTHE_INLINE float half_sin(float x) {
  return polynomial(x, -0x1.5554a60000000p-3f, 0x1.10c26a0000000p-7f, -0x1.8af98c0000000p-13f);
}

// 2/pi after two words of zeros, most significant bits first.
constexpr unsigned two_over_pi[] = {
    0x00000000u, 0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
    0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu,
    0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u,
    0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu,
    0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u,
    0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u};

} // namespace scythe_device_library

#endif
