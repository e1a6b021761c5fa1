// The Mandelbrot set for all contenders. The text is OpenCL C and C++.

// Returns the number of steps until the point has left the circle.
static inline int escape(int x, int y, unsigned n, int limit) {
  float re = -2.0f + 3.0f * (float)x / (float)n, im = -1.5f + 3.0f * (float)y / (float)n;
  float a = 0.0f, b = 0.0f;
  int k = 0;
  while (k < limit && a * a + b * b <= 4.0f) {
    float next = a * a - b * b + re;
    b = 2.0f * a * b + im;
    a = next;
    ++k;
  }
  return k;
}

#ifdef __OPENCL_VERSION__
kernel void mandelbrot(global int *steps, uint n, int limit) {
  size_t x = get_global_id(0), y = get_global_id(1);
  steps[y * n + x] = escape((int)x, (int)y, n, limit);
}
#endif
