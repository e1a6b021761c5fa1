// The forces between bodies for all contenders. The text is OpenCL C, and C++ if `global` is an
// empty macro.

// Stores the force of all `n` bodies on body `i`.
static inline void force_on(size_t i, global const float *x, global const float *y,
                            global const float *z, global const float *m, global float *fx,
                            global float *fy, global float *fz, unsigned n, float softening) {
  float xi = x[i], yi = y[i], zi = z[i];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
#ifdef _OPENMP
#pragma omp simd reduction(+ : ax, ay, az)
#endif
  for (unsigned j = 0; j < n; ++j) {
    float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
    float square = dx * dx + dy * dy + dz * dz + softening;
    float inverse = 1.0f / sqrt(square);
    float weight = m[j] * inverse * inverse * inverse;
    ax += dx * weight;
    ay += dy * weight;
    az += dz * weight;
  }
  fx[i] = ax;
  fy[i] = ay;
  fz[i] = az;
}

#ifdef __OPENCL_VERSION__
kernel void forces(global const float *x, global const float *y, global const float *z,
                   global const float *m, global float *fx, global float *fy, global float *fz,
                   uint n, float softening) {
  force_on(get_global_id(0), x, y, z, m, fx, fy, fz, n, softening);
}
#endif
