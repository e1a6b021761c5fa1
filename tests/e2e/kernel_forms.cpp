// All ways to write a kernel: what it takes, how it is named, and what it captures.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <array>
#include <tuple>
#include <utility>
#include <vector>

class named_at_namespace_scope;
namespace names {
struct nested;
template <class T, int N> class generic;
} // namespace names

namespace {

int *memory = nullptr;

// The sum of 16 elements, zero at first, after `launch` has used them. Submissions stand outside of
// macros here: with a foreign host compiler, unnamed kernels are found by their line.
template <class F> int sum_after(sycl::queue &q, F launch) {
  for (int i = 0; i < 16; ++i)
    memory[i] = 0;
  launch(memory);
  q.wait();
  int sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += memory[i];
  return sum;
}

void expect(int got, int expected, int line = __builtin_LINE()) {
  if (got != expected)
    std::printf("line %d: the sum is %d, expected %d\n", line, got, expected);
  CHECK(got == expected);
}

void parameters(sycl::queue &q) {
  expect(sum_after(q,
                   [&](int *p) {
                     q.parallel_for(16, [=](sycl::id<1> i) { p[i] = static_cast<int>(i); });
                   }),
         120);
  expect(sum_after(q,
                   [&](int *p) {
                     q.parallel_for(16, [=](sycl::item<1> i) { p[i] = static_cast<int>(i); });
                   }),
         120);
  expect(sum_after(
             q, [&](int *p) { q.parallel_for(16, [=](auto i) { p[i] = static_cast<int>(i); }); }),
         120);
  expect(sum_after(q,
                   [&](int *p) {
                     q.parallel_for(16, [=](std::size_t i) { p[i] = static_cast<int>(i); });
                   }),
         120);
  expect(sum_after(q, [&](int *p) { q.parallel_for(16, [=](int i) { p[i] = i; }); }), 120);
  expect(sum_after(q,
                   [&](int *p) {
                     q.parallel_for(sycl::range(16),
                                    [=](sycl::item<1, false> i) { p[i.get_linear_id()] = 2; });
                   }),
         32);
  expect(sum_after(q,
                   [&](int *p) {
                     q.parallel_for(sycl::range(4, 4), [=](sycl::id<2> i) {
                       p[i[0] * 4 + i[1]] = static_cast<int>(i[0]);
                     });
                   }),
         24);
  expect(sum_after(q,
                   [&](int *p) {
                     q.parallel_for({2, 2, 4}, [=](auto item) {
                       p[item.get_linear_id()] = static_cast<int>(item[2]);
                     });
                   }),
         24);
  expect(sum_after(q,
                   [&](int *p) {
                     q.parallel_for(sycl::nd_range<1>(16, 4), [=](auto it) {
                       p[it.get_global_id(0)] = static_cast<int>(it.get_group(0));
                     });
                   }),
         24);
  expect(sum_after(q, [&](int *p) { q.single_task([=]() { p[3] = 7; }); }), 7);
  expect(sum_after(q,
                   [&](int *p) {
                     int counter = 0;
                     q.single_task([=]() mutable { p[3] = ++counter; });
                   }),
         1);
}

struct functor {
  int *out;
  int factor;
  void operator()(sycl::id<1> i) const { out[i] = static_cast<int>(i) * factor; }
};

template <class T> struct generic_functor {
  T *out;
  T value;
  void operator()(sycl::item<1> i) const { out[i] = value; }
};

template <class T> int from_a_template(sycl::queue &q, T value) {
  return sum_after(q, [&](int *p) {
    q.parallel_for(16, [=](sycl::id<1> i) { p[i] = static_cast<int>(value); });
  });
}

inline int from_an_inline_function(sycl::queue &q) {
  return sum_after(q, [&](int *p) { q.parallel_for(16, [=](sycl::id<1> i) { p[i] = 3; }); });
}

void names_of_kernels(sycl::queue &q) {
  expect(sum_after(q, [&](int *p) { q.single_task<class declared_in_place>([=] { p[0] = 1; }); }),
         1);
  expect(sum_after(q, [&](int *p) { q.single_task<named_at_namespace_scope>([=] { p[0] = 2; }); }),
         2);
  expect(sum_after(q, [&](int *p) { q.single_task<names::nested>([=] { p[0] = 3; }); }), 3);
  expect(sum_after(q, [&](int *p) { q.single_task<names::generic<int, 4>>([=] { p[0] = 4; }); }),
         4);
  expect(
      sum_after(
          q, [&](int *p) { q.single_task<names::generic<names::nested, 5>>([=] { p[0] = 5; }); }),
      5);
  struct local_name;
  expect(sum_after(q, [&](int *p) { q.single_task<local_name>([=] { p[0] = 6; }); }), 6);

  expect(sum_after(q, [&](int *p) { q.parallel_for(16, functor{p, 2}); }), 240);
  expect(
      sum_after(
          q, [&](int *p) { q.parallel_for<class named_functor>(sycl::range(16), functor{p, 3}); }),
      360);
  expect(sum_after(q, [&](int *p) { q.parallel_for(16, generic_functor<int>{p, 5}); }), 80);
  struct local_functor {
    int *out;
    void operator()(sycl::id<1> i) const { out[i] = 1; }
  };
  expect(sum_after(q, [&](int *p) { q.parallel_for(16, local_functor{p}); }), 16);
  CHECK(from_a_template(q, 2) == 32 && from_a_template(q, 3L) == 48 &&
        from_a_template(q, 1.5f) == 16);
  CHECK(from_an_inline_function(q) == 48);

  // One lambda, submitted twice from one place.
  for (int round = 0; round < 2; ++round)
    expect(
        sum_after(q, [&](int *p) { q.parallel_for(16, [=](sycl::id<1> i) { p[i] = round + 1; }); }),
        16 * (round + 1));
}

struct bytes {
  char tag;
  double d;
  short s[3];
};
struct with_pointer {
  char tag;
  int *p;
  struct {
    int *q;
    long n;
  } inner[2];
};

void captures(sycl::queue &q) {
  // Not const: whether a constant is captured at all is a compiler's choice.
  char c = 1;
  short s = 2;
  long l = 3;
  float f = 4;
  double d = 5;
  bool yes = true;
  bytes b{6, 7, {8, 9, 10}};
  std::array<int, 5> a{11, 12, 13, 14, 15};
  std::pair<int, float> pair(16, 17.0f);
  std::tuple<char, double> tuple(18, 19.0);
  int raw[4] = {20, 21, 22, 23};
  expect(sum_after(q,
                   [&](int *p) {
                     q.single_task([=] {
                       p[0] = c + s + static_cast<int>(l) + static_cast<int>(f) +
                              static_cast<int>(d) + yes;
                       p[1] = b.tag + static_cast<int>(b.d) + b.s[0] + b.s[2];
                       p[2] = a[0] + a[4];
                       p[3] = pair.first + static_cast<int>(pair.second);
                       p[4] = std::get<0>(tuple) + static_cast<int>(std::get<1>(tuple));
                       p[5] = raw[0] + raw[3];
                     });
                   }),
         (15 + 1) + (6 + 7 + 8 + 10) + (11 + 15) + (16 + 17) + (18 + 19) + (20 + 23));

  const auto nested = [](int *p) { return with_pointer{1, p, {{p + 1, 2}, {p + 2, 3}}}; };
  expect(sum_after(q,
                   [&](int *p) {
                     const with_pointer w = nested(p);
                     q.single_task([=] {
                       *w.p = w.tag;
                       *w.inner[0].q = static_cast<int>(w.inner[0].n);
                       *w.inner[1].q = static_cast<int>(w.inner[1].n);
                     });
                   }),
         6);

  // More than a launch keeps in place.
  std::array<int, 400> big{};
  for (int i = 0; i < 400; ++i)
    big[i] = i;
  expect(
      sum_after(q, [&](int *p) { q.parallel_for(16, [=](sycl::id<1> i) { p[i] = big[i * 25]; }); }),
      25 * 120);
  expect(sum_after(q,
                   [&](int *p) {
                     q.submit([&](sycl::handler &h) {
                       h.parallel_for(16, [=](sycl::id<1> i) { p[i] = big[i + 384]; });
                     });
                   }),
         (384 + 399) * 8);

  // Nothing at all.
  q.single_task([] {}).wait();
  q.parallel_for(1000, [](sycl::id<1>) {}).wait();
}

void private_arrays(sycl::queue &q) {
  expect(sum_after(q,
                   [&](int *p) {
                     q.parallel_for(16, [=](sycl::id<1> i) {
                       int history[8] = {};
                       for (int k = 0; k < 100; ++k)
                         history[(k * static_cast<int>(i[0] + 1)) % 8] += k;
                       p[i] = history[static_cast<int>(i[0]) % 8] % 7;
                     });
                   }),
         [] {
           int sum = 0;
           for (int i = 0; i < 16; ++i) {
             int history[8] = {};
             for (int k = 0; k < 100; ++k)
               history[(k * (i + 1)) % 8] += k;
             sum += history[i % 8] % 7;
           }
           return sum;
         }());
}

// Variables of host functions whose address a kernel takes. The function itself throws and
// allocates, which is no concern of the device.
void static_variables(sycl::queue &q) {
  static const int table[2] = {3, 4};
  static constexpr int factor = 5;
  int *m = memory;
  m[1] = 1;
  q.single_task([=] {
    const int *p = &factor, *t = table;
    m[0] = t[m[1]] * *p;
  });
  q.wait();
  if (std::vector<int>(2).size() != 2)
    throw sycl::exception(sycl::errc::invalid, "no memory");
  CHECK(m[0] == 20);
}

// A type that is no class names a kernel as well as any.
enum color { red };
void names_that_are_no_classes(sycl::queue &q) {
  const int sum = sum_after(q, [&](int *m) {
    q.single_task<bool>([=] { m[0] = 1; });
    q.single_task<int>([=] { m[1] = 2; });
    q.parallel_for<float>(sycl::range<1>(1), [=](sycl::id<1>) { m[2] = 4; });
    q.parallel_for<int *>(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) { m[3] = 8; });
    q.submit([&](sycl::handler &h) { h.single_task<const char *>([=] { m[4] = 16; }); });
    q.submit([&](sycl::handler &h) {
      h.parallel_for_work_group<unsigned long>(sycl::range<1>(1),
                                               [=](sycl::group<1>) { m[5] = 32; });
    });
    q.single_task<void>([=] { m[6] = 64; });
    q.single_task<color>([=] { m[7] = 128; });
    q.single_task<names::nested *>([=] { m[8] = 256; });
    q.parallel_for<double>(sycl::range<1>(4), sycl::reduction(m + 9, sycl::plus<>()),
                           [=](sycl::id<1>, auto &sum) { sum += 128; });
  });
  CHECK(sum == 1023);
#ifndef SCYTHE_HOST_MODE
  CHECK(sycl::get_kernel_id<bool>() != sycl::get_kernel_id<int>());
#endif
}

} // namespace

int main() {
  sycl::queue q;
  memory = sycl::malloc_shared<int>(16, q);
  parameters(q);
  names_of_kernels(q);
  names_that_are_no_classes(q);
  captures(q);
  private_arrays(q);
  static_variables(q);
  sycl::free(memory, q);
  return check::result();
}
