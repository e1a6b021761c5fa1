// Prices of 2^26 pairs of options, several for each work-item.
#include "device.hpp"

constexpr std::size_t n = std::size_t(1) << 26;
constexpr unsigned block = 256;
constexpr float rate = 0.02f, volatility = 0.30f;

static inline float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * sycl::fabs(d));
  const float tail =
      0.39894228040143267794f * sycl::exp(-0.5f * d * d) *
      (k * (0.31938153f +
            k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - tail : tail;
}

int main() {
  sycl::queue &q = queue();
  float *price = device_memory<float>(n), *strike = device_memory<float>(n),
        *years = device_memory<float>(n);
  float *call = device_memory<float>(n), *put = device_memory<float>(n);
  q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) {
     price[i] = 5.0f + 25.0f * scrambled(3 * std::uint32_t(i));
     strike[i] = 1.0f + 99.0f * scrambled(3 * std::uint32_t(i) + 1);
     years[i] = 0.25f + 9.75f * scrambled(3 * std::uint32_t(i) + 2);
   }).wait();
  const std::size_t groups = 32 * q.get_device().get_info<sycl::info::device::max_compute_units>();
  measure("black_scholes", 20, [&] {
    q.parallel_for(sycl::nd_range<1>(groups * block, block), [=](sycl::nd_item<1> item) {
       for (unsigned i = item.get_global_id(0); i < n; i += unsigned(item.get_global_range(0))) {
         const float s = price[i], x = strike[i], t = years[i];
         const float root = sycl::sqrt(t);
         const float d1 =
             (sycl::log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
         const float d2 = d1 - volatility * root;
         const float n1 = normal(d1), n2 = normal(d2), discount = sycl::exp(-rate * t);
         call[i] = s * n1 - x * discount * n2;
         put[i] = x * discount * (1.0f - n2) - s * (1.0f - n1);
       }
     }).wait();
  });
  const std::size_t i = n / 3;
  const double s = download(price + i, 1)[0], x = download(strike + i, 1)[0],
               t = download(years + i, 1)[0];
  const double d1 = (std::log(s / x) + (double(rate) + 0.5 * double(volatility) * volatility) * t) /
                    (volatility * std::sqrt(t));
  const double d2 = d1 - volatility * std::sqrt(t);
  auto exact = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
  const double parity = s - x * std::exp(-double(rate) * t);
  check("put and call", double(download(call + i, 1)[0]) - download(put + i, 1)[0], parity, 1e-3);
  check("call", download(call + i, 1)[0] + 1,
        s * exact(d1) - x * std::exp(-double(rate) * t) * exact(d2) + 1, 1e-4);
}
