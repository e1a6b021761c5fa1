// throw and try, in the kernel itself and three calls away; the chain leads back to the kernel.
// RUN: not device-pass -w %s 2> messages
// RUN: check-diagnostics %s < messages
// RUN: FileCheck --check-prefix=CHAIN %s < messages
#include <sycl/sycl.hpp>

void innermost(int i) {
  if (i > 3)
    throw i; // ERROR: SYCL kernel cannot use exceptions [scythe-E0101]
}
template <class T> void middle(T i) {
  innermost(i); // NOTE: called by 'middle<int>'
}
struct Outer {
  void run(int i) const { middle(i); } // NOTE: called by 'run'
};
int caught(int i) {
  try { // ERROR: SYCL kernel cannot use exceptions [scythe-E0101]
    return i;
  } catch (...) {
    return 0;
  }
}
// CHAIN: note: called by kernel 'catcher'
// CHAIN-NEXT: error: SYCL kernel cannot use exceptions
// CHAIN-NEXT: note: write an error code to memory that the host reads after the kernel, or use 'assert'
// CHAIN-NEXT: note: called by 'middle<int>'
// CHAIN-NEXT: note: called by 'run'
// CHAIN-NEXT: note: called by 'operator()'
// CHAIN-NEXT: note: called by kernel 'thrower'

// The host may throw as it likes.
void host_only() {
  try {
    throw 1;
  } catch (int) {
  }
}

int main() {
  sycl::queue q;
  Outer outer;
  q.single_task<class thrower>([=] { // NOTE: called by kernel 'thrower'
    outer.run(4); // NOTE: called by 'operator()'
  });
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<class catcher>([=] { // NOTE: called by kernel 'catcher'
    p[0] = caught(1);
  });
  host_only();
}
