// What the programs of `captures.rs` begin with.
#include <array>
#include <cstdio>
#include <sycl/sycl.hpp>
#include <tuple>
#include <utility>

using u64 = unsigned long;
inline u64 mix(u64 h, u64 v) { return (h ^ v) * 0x9e3779b97f4a7c15ul + (h >> 29); }
template <class T> const T &same(const T &x) { return x; }
template <class T> T last(T x) { return x; }
template <class T, class... R> auto last(T, R... rest) { return last(rest...); }
template <class T> u64 tuple_value(const T &t) {
  return u64(std::get<0>(t) * 17 + std::get<1>(t) + long(std::get<2>(t) * 2));
}

using Pointer = int *;
using Reader = const int *;
enum class Small : char { a, b, c };
enum Wide : long { zero = 0, large = 1L << 50 };
struct Empty {};
struct Bits {
  int a : 4;
  unsigned b : 9;
  bool c : 1;
};
struct Base {
  char c;
};
struct Other {
  double d;
};
struct Derived : Base, Other, Empty {
  short s;
};
struct Nested {
  struct {
    char c;
    float f;
  } inner;
  char text[2];
  struct {
    union {
      int i;
      float f;
    } x;
  } deep;
};
struct alignas(32) Aligned {
  char c;
  long l;
};
union Choice {
  int i;
  char c;
};
struct Pointers {
  int *p;
  int *q[2];
  int n;
};
#pragma pack(push, 1)
struct Packed {
  char c;
  int i;
  short s;
};
#pragma pack(pop)
struct Two {
  int a;
  float b;
};
template <int I> class Named;

// Runs a kernel as a function, then on the device, and compares what both leave.
// Constants for attributes.
constexpr int fixed_size = 4;
template <int N> struct Sizes {
  static constexpr int twice = 2 * N;
};
constexpr int twice_half(int n) { return n / 2 * 2; }

// Stands for the work-item, which the host does not have.
struct Group {
  Group(int) {}
  Group(sycl::nd_item<1>) {}
};

class Run {
public:
  explicit Run(sycl::queue q) : q(q), shared(sycl::malloc_shared<int>(16, q)), out(sycl::malloc_shared<u64>(1, q)) {
    for (int i = 0; i < 16; ++i)
      shared[i] = i * 11 - 5;
  }
  template <class Name, class K> void single_task(int index, const K &kernel) {
    kernel();
    u64 expected = take();
    q.single_task<Name>(kernel).wait();
    compare(index, expected);
  }
  template <class K> void single_task(int index, const K &kernel) {
    kernel();
    u64 expected = take();
    q.submit([&](sycl::handler &h) { h.single_task(kernel); }).wait();
    compare(index, expected);
  }
  template <class Name, class K> void over_range(int index, const K &kernel) {
    kernel(sycl::id<1>(0));
    u64 expected = take();
    q.parallel_for<Name>(sycl::range<1>(1), kernel).wait();
    compare(index, expected);
  }
  template <class K> void over_range(int index, const K &kernel) {
    kernel(sycl::id<1>(0));
    u64 expected = take();
    q.parallel_for(sycl::range<1>(1), kernel).wait();
    compare(index, expected);
  }
  // The kernel requires work-groups of four.
  template <class Name, class K> void over_groups(int index, const K &kernel) {
    kernel(0);
    u64 expected = take();
    q.parallel_for<Name>(sycl::nd_range<1>(8, 4), kernel).wait();
    compare(index, expected);
    refused(index, [&] { q.parallel_for<Name>(sycl::nd_range<1>(8, 2), kernel).wait(); });
  }
  template <class K> void over_groups(int index, const K &kernel) {
    kernel(0);
    u64 expected = take();
    q.parallel_for(sycl::nd_range<1>(8, 4), kernel).wait();
    compare(index, expected);
  }
  template <class Name, class K> void over_number(int index, const K &kernel) {
    kernel(0);
    u64 expected = take();
    q.parallel_for<Name>(sycl::range<1>(1), kernel).wait();
    compare(index, expected);
  }
  // The kernel as a part of another one, beside an accessor.
  template <class K> void over_number(int index, const K &kernel) {
    kernel(0);
    u64 expected = take();
    {
      sycl::buffer<u64> result(out, sycl::range<1>(1));
      const char before = 'b';
      q.submit([&](sycl::handler &h) {
        sycl::accessor a(result, h, sycl::write_only);
        u64 *out = this->out;
        h.parallel_for(sycl::range<1>(1), [before, a, kernel, out](sycl::item<1> item) {
          kernel(int(item.get_linear_id()));
          a[0] = *out + u64(before) - u64('b');
        });
      });
    }
    compare(index, expected);
  }
  int result() const { return failures == 0 && kernels != 0 ? 0 : 1; }

private:
  sycl::queue q;
  int failures = 0, kernels = 0;

public:
  int *shared;
  u64 *out;

private:
  u64 take() {
    u64 value = *out;
    *out = 0;
    return value;
  }
  // The attribute is honoured: another work-group size is an error.
  template <class F> void refused(int index, F launch) {
    try {
      launch();
    } catch (const sycl::exception &e) {
      if (e.code() == sycl::errc::nd_range)
        return;
    }
    ++failures;
    std::printf("kernel %d: a work-group size that its attribute excludes was accepted\n", index);
  }
  void compare(int index, u64 expected) {
    ++kernels;
    if (*out != expected) {
      ++failures;
      std::printf("kernel %d: %lx on the host, %lx on the device\n", index, expected, *out);
    }
  }
};
