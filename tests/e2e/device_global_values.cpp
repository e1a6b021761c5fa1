// Initial values of variables of device code, which C++20 allows: numbers, arrays, classes, and
// those of others.
// FLAGS: -std=c++20
// LEVELS: O2
#include <sycl/sycl.hpp>

#include "check.hpp"

using namespace sycl::ext::oneapi::experimental;

struct color {
  float red = 0.5f;
  int parts[3] = {1, 2, 3};
  constexpr color() = default;
  constexpr color(float r, int first) : red(r), parts{first, 20, 30} {}
};
constexpr color blue(0.25f, 10);

device_global<int> three{3};
static device_global<float> half{0.5};
device_global<int[2][3]> table{1, 2, 3, 4, 5, 6};
device_global<color> standard;
device_global<color> made{0.75f, 7};
device_global<color[2]> colors{blue, blue};
device_global<bool, decltype(properties(device_image_scope))> flag{true};
device_global<double[2], decltype(properties(device_image_scope))> pair{1.5, 2.5};
device_global<int> copied(three);
device_global<long> converted(three);
device_global<int> unused{9};

template <class T, class L> T value(sycl::queue &q, const device_global<T, L> &global) {
  T out;
  q.copy(global, &out).wait();
  return out;
}

int main() {
  sycl::queue q;
  CHECK(value(q, three) == 3 && value(q, unused) == 9 && value(q, flag));
  float *seen = sycl::malloc_shared<float>(16, q);
  q.single_task([=] {
     seen[0] = three;
     seen[1] = half;
     seen[2] = table[1][0] + table[0][2];
     seen[3] = standard.get().red + standard.get().parts[2];
     seen[4] = made.get().red + made.get().parts[0];
     seen[5] = colors[1].red + colors[1].parts[0];
     seen[6] = flag ? 1 : 0;
     seen[7] = static_cast<float>(pair[0] + pair[1]);
     seen[8] = copied;
     seen[9] = static_cast<float>(converted);
     three = 4;
   }).wait();
  CHECK(seen[0] == 3 && seen[1] == 0.5f && seen[2] == 7 && seen[3] == 3.5f && seen[4] == 7.75f &&
        seen[5] == 10.25f);
  CHECK(seen[6] == 1 && seen[7] == 4 && seen[8] == 3 && seen[9] == 3);
  CHECK(value(q, three) == 4 && value(q, copied) == 3);
  double numbers[2];
  q.copy(pair, numbers).wait();
  CHECK(numbers[1] == 2.5);
  sycl::free(seen, q);
  return check::result();
}
