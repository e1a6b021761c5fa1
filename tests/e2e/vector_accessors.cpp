// Vectors that are loaded from and stored to accessors.
//
// MODES: device,gxx
// LEVELS: O2
#include <sycl/sycl.hpp>

#include "check.hpp"

int main() {
  sycl::queue q;
  int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  {
    sycl::buffer<int> b(numbers, 8);
    q.submit([&](sycl::handler &h) {
      sycl::accessor in(b, h, sycl::read_only);
      sycl::accessor out(b, h);
      h.single_task([=] {
        sycl::vec<int, 4> v;
        v.load(1, in);
        v += 1;
        v.store(0, out);
      });
    });
  }
  CHECK(numbers[0] == 6 && numbers[3] == 9 && numbers[4] == 5);
  return check::result();
}
