// new, delete and malloc. Placement new and an operator new of a class are allowed.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <cstdlib>
#include <new>
#include <sycl/sycl.hpp>

struct Pooled {
  int value;
  static void *operator new(std::size_t, char *pool) { return pool; }
};

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(4, q);
  q.single_task<class k>([=] {
    int *a = new int(3); // ERROR: SYCL kernel cannot allocate storage [scythe-E0107]
    delete a; // ERROR: SYCL kernel cannot allocate storage [scythe-E0107]
    int *b = new int[4]{}; // ERROR: SYCL kernel cannot allocate storage [scythe-E0107]
    delete[] b; // ERROR: SYCL kernel cannot allocate storage [scythe-E0107]
    void *c = std::malloc(4); // ERROR: SYCL kernel cannot allocate storage [scythe-E0107]
    std::free(c); // ERROR: SYCL kernel cannot allocate storage [scythe-E0107]
    p[0] = *new (p + 1) int(4);
    alignas(8) char pool[8];
    p[2] = (new (pool) Pooled{5})->value;
  });
  delete new int;
}
