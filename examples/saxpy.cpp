// y = a * x + y in unified shared memory: host and device use the same pointers, and events order
// the commands.
// OUTPUT: saxpy: all elements are correct
// ARGS: 1000000
// VALGRIND: args 4096
#include <sycl/sycl.hpp>

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
  const std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1 << 22;
  const float a = 2.5f;

  sycl::queue queue;
  float *x = sycl::malloc_shared<float>(n, queue);
  float *y = sycl::malloc_shared<float>(n, queue);
  if (!x || !y) {
    std::printf("cannot allocate two arrays of %zu floats\n", n);
    return 1;
  }

  sycl::event x_ready = queue.parallel_for(
      sycl::range(n), [=](sycl::id<1> i) { x[i] = static_cast<float>(i % 128); });
  sycl::event y_ready = queue.fill(y, 1.0f, n);
  sycl::event done = queue.parallel_for(sycl::range(n), {x_ready, y_ready},
                                        [=](sycl::id<1> i) { y[i] = a * x[i] + y[i]; });
  done.wait();

  int wrong = 0;
  for (std::size_t i = 0; i < n; ++i)
    wrong += y[i] != a * static_cast<float>(i % 128) + 1.0f;
  sycl::free(x, queue);
  sycl::free(y, queue);
  if (wrong) {
    std::printf("%d of %zu elements are wrong\n", wrong, n);
    return 1;
  }
  std::printf("saxpy: all elements are correct\n");
}
