// typeid and dynamic_cast; a cast to a base class needs no type information.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>
#include <typeinfo>

struct Base {
  virtual ~Base() = default;
};
struct Derived : Base {};

int cast(Base *b) {
  return dynamic_cast<Derived *>(b) != nullptr; // ERROR: SYCL kernel cannot use rtti [scythe-E0108]
}

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(4, q);
  q.single_task<class k>([=] {
    p[0] = typeid(int) == typeid(long); // ERROR: SYCL kernel cannot use rtti [scythe-E0108] // ERROR: SYCL kernel cannot use rtti [scythe-E0108]
    p[1] = cast(nullptr);
    Derived *d = nullptr;
    p[2] = dynamic_cast<Base *>(d) == nullptr;
  });
  return typeid(q) == typeid(int);
}
