// Implicit calls: constructors, destructors, default arguments, conversions, operators.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

struct Destroyed {
  int i = 0;
  ~Destroyed() { throw 1; } // ERROR: SYCL kernel cannot use exceptions [scythe-E0101]
};
struct Member {
  Destroyed d;
};
int from_default(int i) {
  throw i; // ERROR: SYCL kernel cannot use exceptions [scythe-E0101]
}
int with_default(int i = from_default(1)) { return i; } 
int initial() {
  throw 2; // ERROR: SYCL kernel cannot use exceptions [scythe-E0101]
}
struct Initialised {
  int i = initial();
};
struct Converted {
  operator int() const {
    throw 3; // ERROR: SYCL kernel cannot use exceptions [scythe-E0101]
  }
};
struct Built {
  Built(int) {
    throw 4; // ERROR: SYCL kernel cannot use exceptions [scythe-E0101]
  }
};
int take(Built) { return 0; }
struct Index {
  int operator[](int) const {
    throw 5; // ERROR: SYCL kernel cannot use exceptions [scythe-E0101]
  }
};

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(6, q);
  q.single_task<class k>([=] {
    Member m;
    p[0] = m.d.i;
    p[1] = with_default();
    p[2] = Initialised().i;
    p[3] = Converted();
    p[4] = take(5);
    p[5] = Index()[0];
    auto inner = [=] {
      throw 6; // ERROR: SYCL kernel cannot use exceptions [scythe-E0101]
    };
    inner();
  });
}
