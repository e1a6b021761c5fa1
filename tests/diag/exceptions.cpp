// throw and try, in the kernel itself and three calls away; the chain leads back to the kernel.
#include <sycl/sycl.hpp>

void innermost(int i) {
  if (i > 3)
    throw i; // ERROR: SYCL kernel cannot use exceptions
}
template <class T> void middle(T i) {
  innermost(i); // NOTE: called by 'middle<int>'
}
struct Outer {
  void run(int i) const { middle(i); } // NOTE: called by 'run'
};
int caught(int i) {
  try { // ERROR: SYCL kernel cannot use exceptions
    return i;
  } catch (...) {
    return 0;
  }
}
// CHAIN: SYCL kernel cannot use exceptions => called by 'middle<int>' => called by 'run' => called by 'operator()' => called by kernel 'thrower'

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
    outer.run(4);                    // NOTE: called by 'operator()'
  });
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<class catcher>([=] { // NOTE: called by kernel 'catcher'
    p[0] = caught(1);
  });
  host_only();
}
