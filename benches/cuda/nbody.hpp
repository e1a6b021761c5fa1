// One step of gravity between all pairs of bodies, for both languages.
#ifndef SCYTHE_BENCHES_CUDA_NBODY_HPP
#define SCYTHE_BENCHES_CUDA_NBODY_HPP

#include "side.hpp"

constexpr unsigned n = 65536, block = 256;
struct alignas(16) body {
  float x, y, z, mass;
};

// Measures `step(in, out)`, which computes and waits, and checks the acceleration of one body.
template <class Step> void measure_step(Step step) {
  std::vector<body> bodies(n);
  for (unsigned i = 0; i < n; ++i)
    bodies[i] = {scrambled(4 * i), scrambled(4 * i + 1), scrambled(4 * i + 2),
                 scrambled(4 * i + 3)};
  const body *in = upload(bodies);
  body *out = device_memory<body>(n);
  measure("nbody", 10, [&] { step(in, out); });
  double x = 0;
  for (unsigned j = 0; j < n; ++j) {
    double dx = double(bodies[j].x) - bodies[7].x, dy = double(bodies[j].y) - bodies[7].y;
    double dz = double(bodies[j].z) - bodies[7].z, near = dx * dx + dy * dy + dz * dz + 1e-6;
    x += bodies[j].mass / (near * std::sqrt(near)) * dx;
  }
  check("nbody", download(out + 7, 1)[0].x, x, 1e-3);
}

#endif
