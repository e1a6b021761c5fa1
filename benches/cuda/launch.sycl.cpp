// What each of 20,000 empty kernels costs, from the first submission to the end of the last one.
#include "device.hpp"

int main() {
  sycl::queue &q = queue();
  constexpr int count = 20000;
  measure("launch", 20, [&] {
    for (int i = 0; i < count; ++i)
      q.single_task([] {});
    q.wait();
  });
}
