// Arithmetic that is right only in the work-items that use it: differences of work-item numbers
// that wrap in others, with the work-group sizes that the compiler knows, by attribute or because a
// launch is repeated.
//
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cstdint>
#include <utility>

using number = std::uint32_t;

number distance(number l, number g) { return l > g ? l - g : g - l; }
number third(std::uint64_t l, std::uint64_t g) { return l >= g ? number((l - g) / 3) : 100; }
// An index that is negative, or beyond 32 bits, in the work-items that do not use it.
int element(const int *table, int l, int g) { return l >= g ? table[l - g] : -1; }
int element_above(const int *table, number l, number g) { return l > g ? table[l - g - 1u] : -2; }

template <int Size> struct sized;

template <int Size> void test(sycl::queue &q, const int *table) {
  constexpr number count = Size * 12;
  int *out = sycl::malloc_shared<int>(4 * count, q);
  q.parallel_for<sized<Size>>(sycl::nd_range<1>(count, Size),
                              [=](sycl::nd_item<1> item) [[sycl::reqd_work_group_size(Size)]] {
                                const number l = item.get_local_id(0), g = item.get_group(0);
                                int *mine = out + 4 * item.get_global_id(0);
                                mine[0] = distance(l, g);
                                mine[1] = third(item.get_local_id(0), item.get_group(0));
                                mine[2] = element(table, l, g);
                                mine[3] = element_above(table, l, g);
                              })
      .wait();
  number wrong = 0;
  for (number i = 0; i < count; ++i) {
    const number l = i % Size, g = i / Size;
    const int expected[] = {int(distance(l, g)), int(third(l, g)), element(table, l, g),
                            element_above(table, l, g)};
    for (number k = 0; k < 4; ++k)
      wrong += out[4 * i + k] != expected[k];
  }
  if (wrong)
    std::printf("size %d: %u of %u wrong\n", Size, wrong, 4 * count);
  CHECK(wrong == 0);
  sycl::free(out, q);
}

template <int... Sizes>
void test_all(sycl::queue &q, const int *table, std::integer_sequence<int, Sizes...>) {
  (test<Sizes + 1>(q, table), ...);
}

// Each column shifted by its own distance: the first lanes of a row have nothing to the left.
void shifted(sycl::queue &q, const int *table) {
  constexpr std::size_t width = 8, height = 24;
  int *out = sycl::malloc_shared<int>(width * height, q);
  // Often enough for a form of the kernel that is made for the size.
  for (int launch = 0; launch < 40; ++launch) {
    q.parallel_for(sycl::nd_range<2>({height, width}, {4, width}), [=](sycl::nd_item<2> item) {
       const int x = item.get_local_id(1), y = item.get_group(0);
       int sum = 0;
       for (int k = 0; k < 3; ++k)
         if (x >= y + k)
           sum += table[x - y - k];
       out[item.get_global_linear_id()] = sum;
     }).wait();
    int wrong = 0;
    for (int i = 0; i < int(width * height); ++i) {
      const int x = i % int(width), y = i / int(width) / 4;
      int sum = 0;
      for (int k = 0; k < 3; ++k)
        sum += x >= y + k ? table[x - y - k] : 0;
      wrong += out[i] != sum;
    }
    CHECK(wrong == 0);
  }
  sycl::free(out, q);
}

int main() {
  sycl::queue q;
  int *table = sycl::malloc_shared<int>(64, q);
  for (int i = 0; i < 64; ++i)
    table[i] = i * i + 1;
  test_all(q, table, std::make_integer_sequence<int, 20>());
  shifted(q, table);
  sycl::free(table, q);
  return check::result();
}
