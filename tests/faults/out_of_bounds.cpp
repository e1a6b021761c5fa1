// A kernel that writes behind the end of its memory if the program has an argument.
// TOOL: memcheck

#include <sycl/sycl.hpp>

int main(int argc, char **) {
  constexpr size_t size = 256;
  sycl::queue q;
  int *p = sycl::malloc_device<int>(size, q);
  const size_t beyond = argc > 1 ? 4096 : 0;
  q.parallel_for(size, [=](sycl::id<1> i) {
     const size_t at = i[0] == 7 ? i[0] + beyond : i[0];
     p[at] = 1; // FAULT
   }).wait_and_throw();
  sycl::free(p, q);
}
