// The prices of 2^21 options by the formula of Black and Scholes, the normal distribution by a
// polynomial: exponential, logarithm, division and square root.
#include "harness.hpp"

constexpr std::size_t n = std::size_t(1) << 21;
constexpr float rate = 0.02f, volatility = 0.30f;

#ifdef PEER_OPENCL
static const char *source = R"(
float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float tail = 0.39894228f * exp(-0.5f * d * d) *
               (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f +
                   k * 1.330274429f)))));
  return d > 0.0f ? 1.0f - tail : tail;
}
kernel void prices(global const float *price, global const float *strike,
    global const float *years, global float *call,
                   global float *put, float rate, float volatility) {
  size_t i = get_global_id(0);
  float s = price[i], x = strike[i], t = years[i];
  float root = sqrt(t);
  float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
  float d2 = d1 - volatility * root;
  float n1 = normal(d1), n2 = normal(d2), discounted = x * exp(-rate * t);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
})";
#endif

#if defined(PEER_OPENCL) || defined(PEER_OPENMP)
namespace maths = std;
#else
namespace maths = sycl;
#endif

inline float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * maths::fabs(d));
  float tail =
      0.39894228f * maths::exp(-0.5f * d * d) *
      (k * (0.31938153f +
            k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0.0f ? 1.0f - tail : tail;
}
inline void price_option(float s, float x, float t, float &call, float &put) {
  float root = maths::sqrt(t);
  float d1 =
      (maths::log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
  float d2 = d1 - volatility * root;
  float n1 = normal(d1), n2 = normal(d2), discounted = x * maths::exp(-rate * t);
  call = s * n1 - discounted * n2;
  put = discounted * (1.0f - n2) - s * (1.0f - n1);
}

// The same in double precision, for the check.
inline double exact_call(double s, double x, double t) {
  auto distribution = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
  double r = rate, v = volatility;
  double d1 = (std::log(s / x) + (r + 0.5 * v * v) * t) / (v * std::sqrt(t)),
         d2 = d1 - v * std::sqrt(t);
  return s * distribution(d1) - x * std::exp(-r * t) * distribution(d2);
}

int main() {
  float *price = allocate<float>(n), *strike = allocate<float>(n), *years = allocate<float>(n);
  float *call = allocate<float>(n), *put = allocate<float>(n);
#ifdef PEER_OPENCL
  cl_kernel kernel = opencl::kernel(opencl::build(source), "prices");
#endif
  auto prepare = [&] {
    for (std::uint32_t i = 0; i < n; ++i) {
      price[i] = 5.0f + 25.0f * fraction(3 * i);
      strike[i] = 1.0f + 99.0f * fraction(3 * i + 1);
      years[i] = 0.25f + 9.75f * fraction(3 * i + 2);
      call[i] = put[i] = 0.0f;
    }
  };
  auto run = [&] {
#if defined(PEER_OPENCL)
    opencl::launch(kernel, {n}, {}, price, strike, years, call, put, rate, volatility);
    opencl::finish();
#elif defined(PEER_OPENMP)
#pragma omp parallel for simd
    for (std::size_t i = 0; i < n; ++i)
      price_option(price[i], strike[i], years[i], call[i], put[i]);
#else
    queue()
        .parallel_for(
            sycl::range<1>(n),
            [=](sycl::id<1> i) { price_option(price[i], strike[i], years[i], call[i], put[i]); })
        .wait();
#endif
  };
  auto check = [&] {
    for (std::size_t i = 0; i < n; i += 97) {
      double exact = exact_call(price[i], strike[i], years[i]);
      // What a call and a put of the same terms differ by.
      double parity = double(price[i]) - strike[i] * std::exp(-double(rate) * years[i]);
      if (!near(call[i], exact, 1e-4, i) || !near(double(call[i]) - put[i], parity, 1e-4, i))
        return false;
    }
    return true;
  };
  return measure(8, prepare, run, check);
}
