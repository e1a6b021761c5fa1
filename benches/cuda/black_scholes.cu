// Prices of 2^26 pairs of options, several for each thread.
#include "device.cuh"

constexpr std::size_t n = std::size_t(1) << 26;
constexpr unsigned block = 256;
constexpr float rate = 0.02f, volatility = 0.30f;

__device__ float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float tail =
      0.39894228040143267794f * expf(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - tail : tail;
}
__device__ float scrambled_there(std::uint32_t i) {
  i = (i ^ (i >> 16)) * 0x7feb352du;
  i = (i ^ (i >> 15)) * 0x846ca68bu;
  return float((i ^ (i >> 16)) >> 8) / 16777216.0f;
}
__global__ void fill(float *price, float *strike, float *years) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  price[i] = 5.0f + 25.0f * scrambled_there(3 * i);
  strike[i] = 1.0f + 99.0f * scrambled_there(3 * i + 1);
  years[i] = 0.25f + 9.75f * scrambled_there(3 * i + 2);
}
__global__ void prices(const float *price, const float *strike, const float *years, float *call, float *put) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float s = price[i], x = strike[i], t = years[i];
    const float root = sqrtf(t);
    const float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    const float d2 = d1 - volatility * root;
    const float n1 = normal(d1), n2 = normal(d2), discount = expf(-rate * t);
    call[i] = s * n1 - x * discount * n2;
    put[i] = x * discount * (1.0f - n2) - s * (1.0f - n1);
  }
}

int main() {
  float *price = device_memory<float>(n), *strike = device_memory<float>(n), *years = device_memory<float>(n);
  float *call = device_memory<float>(n), *put = device_memory<float>(n);
  int processors = 0;
  ok(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  const unsigned groups = 32 * processors;
  fill<<<n / block, block>>>(price, strike, years);
  finish();
  measure("black_scholes", 20, [&] { prices<<<groups, block>>>(price, strike, years, call, put), finish(); });
  const std::size_t i = n / 3;
  const double s = download(price + i, 1)[0], x = download(strike + i, 1)[0], t = download(years + i, 1)[0];
  const double d1 =
      (std::log(s / x) + (double(rate) + 0.5 * double(volatility) * volatility) * t) / (volatility * std::sqrt(t));
  const double d2 = d1 - volatility * std::sqrt(t);
  auto exact = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
  const double parity = s - x * std::exp(-double(rate) * t);
  check("put and call", double(download(call + i, 1)[0]) - download(put + i, 1)[0], parity, 1e-3);
  check("call", download(call + i, 1)[0] + 1, s * exact(d1) - x * std::exp(-double(rate) * t) * exact(d2) + 1, 1e-4);
}
