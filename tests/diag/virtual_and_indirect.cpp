// Virtual calls and calls through pointers; calls that are known at compile time are fine.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

struct Base {
  virtual int f() const { return 1; }
};
struct Derived final : Base {
  int f() const override { return 2; }
};
int plain(int i) { return i; }
template <int (*F)(int)> int fixed(int i) { return F(i); }
int through(const Base &b) {
  return b.f(); // ERROR: SYCL kernel cannot call a virtual function [scythe-E0102]
}
int known(const Derived &d) { return d.f() + d.Base::f(); }

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(4, q);
  int (*pointer)(int) = plain;
  q.single_task<class a>([=] {
    Derived d;
    p[0] = through(d);
    p[1] = known(d);
    p[2] = pointer(3); // ERROR: SYCL kernel cannot call through a function pointer [scythe-E0103]
    p[3] = fixed<plain>(3);
    int (Derived::*member)() const = nullptr;
    if (p[0])
      member = &Derived::f;
    p[0] = (d.*member)(); // ERROR: SYCL kernel cannot call through a function pointer [scythe-E0103]
  });
  // On the host all of it is legal.
  Derived d;
  return through(d) + pointer(1);
}
