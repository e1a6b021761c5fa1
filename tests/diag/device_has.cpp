// A use that `device_has` does not list is a warning with its call chain, also without -g.
// RUN: device-pass %s > messages
// RUN: check-diagnostics %s < messages
// RUN: FileCheck --check-prefix=TEXT --match-full-lines --strict-whitespace %s < messages
#include <sycl/sycl.hpp>

float deep(float x) {
  return x * 4.0; // WARNING: function 'wide_kernel' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-device-has]
}
template <class T> T middle(T x) { return deep(x) + 1; }

[[sycl::device_has(sycl::aspect::fp16)]] SYCL_EXTERNAL void elsewhere();
struct Helper {
  double member = 0; // a reference, a copy and a member use its type
};
void by_reference(const Helper &) {}
template <class T> float nested(float x) { return static_cast<float>(T(x) * 2); } // WARNING: function 'bar<double>' uses aspect 'fp64'

[[sycl::device_has()]] void foo(Helper *p) { by_reference(*p); } // WARNING: function 'foo' uses aspect 'fp64'
template <class T> [[sycl::device_has(sycl::aspect::atomic64)]] float bar(float x) { return nested<T>(x); }
template <sycl::aspect... As> [[sycl::device_has(As...)]] void pack() {
  elsewhere(); // WARNING: function 'pack<sycl::aspect::fp64>' uses aspect 'fp16'
}
struct Functor {
  float *p;
  [[sycl::device_has(sycl::aspect::fp16, sycl::aspect::fp64)]] void operator()() const { p[0] = deep(p[1]); }
};

int main() {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(4, q);
  Helper *h = nullptr;
  q.single_task<class wide_kernel>([=]() [[sycl::device_has(sycl::aspect::fp16)]] { p[0] = middle(p[1]); });
  q.single_task<class declared>(Functor{p});
  q.single_task<class others>([=] {
    foo(h);
    p[2] = bar<double>(p[3]) + bar<float>(p[1]);
    pack<sycl::aspect::fp16>();
    pack<sycl::aspect::fp64>();
    // Constants are what they are converted to.
    constexpr double pi = 3.14;
    p[0] = 4.0 * 2;
    p[1] = pi;
  });
  // Where several types are in one function, each is reported once.
  q.parallel_for<class several>(sycl::range<1>(4), [=](sycl::id<1> i) [[sycl::device_has()]] {
    double first = p[i]; // WARNING: function 'several' uses aspect 'fp64'
    double second = first;
    long *wide = reinterpret_cast<long *>(p);
    sycl::atomic_ref<long, sycl::memory_order::relaxed, sycl::memory_scope::device> counter(*wide); // WARNING: function 'several' uses aspect 'atomic64'
    sycl::atomic_ref<float, sycl::memory_order::relaxed, sycl::memory_scope::device> narrow(p[i]);
    narrow.store(counter.load() + static_cast<float>(second));
  });
  return 0;
}
// TEXT:[[FILE]]:8:14: warning: function 'wide_kernel' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-device-has]
// TEXT-NEXT:use is from this call chain:
// TEXT-NEXT:  wide_kernel()
// TEXT-NEXT:  middle<float>() [[FILE]]:33:92
// TEXT-NEXT:  deep() [[FILE]]:10:43
// TEXT:[[FILE]]:22:3: warning: function 'pack<sycl::aspect::fp64>' uses aspect 'fp16' not listed in 'sycl::device_has' [-Wsycl-device-has]
// TEXT-NEXT:use is from this call chain:
// TEXT-NEXT:  pack<sycl::aspect::fp64>()
// TEXT-NEXT:  elsewhere() [[FILE]]:22:3
