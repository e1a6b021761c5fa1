// Programs that look wrong but are not: what code generation never emits is no device code.
// RUN: device-pass -w %s 2>&1 | check-diagnostics %s
// NO-DIAGNOSTICS:
#include <array>
#include <cmath>
#include <complex>
#include <iostream>
#include <stdexcept>
#include <string>
#include <sycl/sycl.hpp>
#include <type_traits>
#include <utility>

int throws(int i) { throw i; }
constexpr int checked(int i) { return i < 0 ? throw std::runtime_error("negative") : i; }
constexpr int folded = checked(3);
int global = 0;

template <bool Device> int choose(int i) {
  if constexpr (Device)
    return i;
  else
    return throws(i);
}
int on_host_only(int i) {
  std::string text = "host";
  std::cout << text << std::endl;
  return new int(i) != nullptr;
}
template <class T> struct Traits {
  static_assert(sizeof(T) > 0);
  using type = decltype(throws(1));
};
struct Functor {
  int *p;
  void operator()(sycl::id<1> i) const { p[i] = static_cast<int>(i[0]); }
  void operator()(const std::string &) const { throw 1; }
};

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(64, q);
  float *f = sycl::malloc_shared<float>(64, q);
  std::array<int, 4> array{1, 2, 3, 4};
  q.single_task<class k>([=] {
    p[0] = choose<true>(1);
    p[1] = sizeof(throws(1)) + noexcept(throws(1)) + sizeof(new int);
    if (false)
      p[2] = throws(1);
    if (__builtin_is_constant_evaluated())
      p[3] = throws(1);
    p[4] = true ? 1 : throws(1);
    p[5] = false && throws(1);
    constexpr int at_compile_time = checked(7);
    p[6] = at_compile_time + folded;
    Traits<int>::type t = 3;
    p[7] = t;
    auto never_called = [=] { throw 1; };
    (void)never_called;
    p[8] = array[2] + std::get<1>(array);
    std::complex<float> c(1.f, 2.f);
    c = c * c + std::complex<float>(0.f, 1.f);
    f[0] = c.real() + std::sqrt(f[1]) + std::exp(f[2]) + std::fma(f[0], f[1], f[2]);
    std::pair<int, int> pair = std::make_pair(1, 2);
    p[9] = std::max(pair.first, std::min(pair.second, 7));
    std::swap(p[1], p[2]);
    while (false)
      throws(1);
  });
  q.parallel_for(sycl::range<1>(64), Functor{p});
  global = on_host_only(1);
  return throws(global);
}
