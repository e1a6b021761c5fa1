// A stencil of seven points in three dimensions, for both languages: each work-item goes up through
// 48 planes.
#ifndef SCYTHE_BENCHES_CUDA_STENCIL3D_HPP
#define SCYTHE_BENCHES_CUDA_STENCIL3D_HPP

#include "side.hpp"

constexpr std::size_t n = 768;
constexpr unsigned depth = 48;

// Measures `stencil(in, out)`, which computes and waits, and checks one result.
template <class Stencil> void measure_stencil(Stencil stencil) {
  std::vector<float> start(n * n * n);
  for (std::size_t i = 0; i < start.size(); ++i)
    start[i] = scrambled(std::uint32_t(i));
  const float *in = upload(start);
  float *out = device_memory<float>(n * n * n);
  measure("stencil3d", 20, [&] { stencil(in, out); });
  const std::size_t i = (300 * n + 200) * n + 100;
  double sum = double(start[i - 1]) + start[i + 1] + start[i - n] + start[i + n] +
               start[i - n * n] + start[i + n * n];
  check("stencil3d", download(out + i, 1)[0], 0.5 * start[i] + 0.08 * sum, 1e-5);
}

#endif
