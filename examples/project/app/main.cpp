// Lets heat spread with the static library, summarises with the shared one, and compares with plain
// C++.
#include "expected.hpp"
#include "plate.hpp"
#include "stencil.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

// The largest difference between two plates, found by a kernel of the program itself.
float difference(sycl::queue &queue, const float *a, const float *b, std::size_t count) {
  float *largest = sycl::malloc_shared<float>(1, queue);
  auto compare = [=] {
    float found = 0;
    for (std::size_t i = 0; i < count; ++i)
      found = sycl::fmax(found, sycl::fabs(a[i] - b[i]));
    *largest = found;
  };
  queue.single_task(compare).wait();
  const float result = *largest;
  sycl::free(largest, queue);
  return result;
}

bool close(const char *what, double seen, double wanted) {
  const bool fits = std::fabs(seen - wanted) <= 1e-4 * std::max(1.0, std::fabs(wanted));
  if (!fits)
    std::printf("%s is %g, expected %g\n", what, seen, wanted);
  return fits;
}

} // namespace

int main() {
  constexpr std::size_t size = 64;
  constexpr int steps = 20;
  sycl::queue queue;
  float *now = sycl::malloc_shared<float>(size * size, queue);
  float *next = sycl::malloc_shared<float>(size * size, queue);
  sycl::event last = stencil::heat(queue, now, size);
  for (int step = 0; step < steps; ++step) {
    last = stencil::diffuse(queue, now, next, size, last);
    std::swap(now, next);
  }
  last.wait();

  const std::vector<float> wanted = expected::plate(size, steps);
  double heat = 0, flow = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    heat += wanted[i];
    flow += wanted[i] * expected::conductivity(i / size, i % size);
  }
  const auto [coldest, warmest] = std::minmax_element(wanted.begin(), wanted.end());
  float *reference = sycl::malloc_shared<float>(size * size, queue);
  std::copy(wanted.begin(), wanted.end(), reference);

  const plate::Summary sum = plate::summarise(queue, now, size);
  bool right = close("the largest difference", difference(queue, now, reference, wanted.size()), 0);
  right &= close("the heat", sum.heat, heat);
  right &= close("the coldest cell", sum.coldest, *coldest);
  right &= close("the warmest cell", sum.warmest, *warmest);
  right &= close("the flow", sum.flow, flow);
  for (float *memory : {now, next, reference})
    sycl::free(memory, queue);
  if (right)
    std::printf("heat %.1f between %.2f and %.2f degrees: right\n", sum.heat, sum.coldest,
                sum.warmest);
  return right ? 0 : 1;
}
