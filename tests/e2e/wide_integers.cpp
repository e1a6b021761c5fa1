// Integers of more than 64 bits, which SPIR-V does not have, and the products and sums that the
// optimiser computes in them.
//
// MODES: device
// LEVELS: O2
// BACKENDS: cpu,opencl,cuda
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <array>
#include <vector>

namespace {

using word = unsigned long long;
using sword = long long;
__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 swide;

constexpr wide join(word high, word low) { return wide(high) << 64 | low; }

// Results of all operations on one pair of numbers. What is narrow is kept in the lower word.
constexpr std::size_t results = 41;
struct answers {
  std::array<word, 2 * results> words = {};
  std::size_t count = 0;
  void add(wide x) {
    words[count++] = static_cast<word>(x);
    words[count++] = static_cast<word>(x >> 64);
  }
};

struct record {
  char letter;
  wide number;
  short place;
};

void compute(answers &out, wide x, wide y) {
  const auto n = static_cast<unsigned>(y & 127);
  const auto sx = static_cast<swide>(x), sy = static_cast<swide>(y);
  const word a = static_cast<word>(x), b = static_cast<word>(y);
  const sword sa = static_cast<sword>(a), sb = static_cast<sword>(b);
  out.add(x + y);
  out.add(x - y);
  out.add(x * y);
  out.add((x & y) ^ (x | ~y));
  out.add(x << n);
  out.add(x >> n);
  out.add(static_cast<wide>(sx >> n));
  out.add(x << 64 | y >> 64);
  out.add(x << 3 ^ y >> 77);
  out.add(static_cast<wide>(sx >> 90));
  // Comparisons, and a choice by one.
  out.add(wide(x < y) | wide(x <= y) << 1 | wide(x == y) << 2 | wide(x != y) << 3);
  out.add(wide(sx < sy) | wide(sx >= sy) << 1 | wide(sx > 0) << 2 | wide(sy < -5) << 3);
  out.add(x < y ? x : y);
  out.add(static_cast<wide>(sx > sy ? sx : sy));
  // Products of words, with and without sign, and with what is carried.
  out.add(static_cast<wide>(swide(sa) * sb));
  out.add(wide(a) * b + static_cast<unsigned>(x >> 70));
  out.add(static_cast<wide>(swide(sa) * static_cast<swide>(b)));
  out.add((wide(a) + b) >> 64);
  out.add((wide(a) * 0x9e3779b97f4a7c15ull) >> 70);
  out.add(static_cast<wide>(swide(sa) + sb) >> 1);
  out.add(static_cast<wide>(swide(static_cast<int>(sa)) * static_cast<int>(sb)));
  // The sum of the numbers below one, which the optimiser knows without a loop.
  word sum = 0;
  for (word i = 0; i < (b & 0xffff); ++i)
    sum += i * i;
  out.add(sum);
  // In a loop, numbers that depend on each other.
  wide p = x, q = y;
  for (unsigned i = 0; i < n; ++i) {
    const wide next = p * 6364136223846793005u + q;
    q = p ^ (q >> 13);
    p = next;
  }
  out.add(p);
  out.add(q);
  // Overflow is asked for.
  word product, total;
  sword sproduct;
  const bool over = __builtin_mul_overflow(a, b, &product),
             carried = __builtin_add_overflow(a, b, &total);
  const bool sover = __builtin_mul_overflow(sa, sb, &sproduct);
  out.add(join(over | carried << 1 | sover << 2, product ^ total ^ static_cast<word>(sproduct)));
  unsigned small;
  const bool less =
      __builtin_sub_overflow(static_cast<unsigned>(a), static_cast<unsigned>(b), &small);
  out.add(join(less, small));
  int medium;
  const bool more = __builtin_mul_overflow(static_cast<int>(sa), static_cast<int>(sb), &medium);
  out.add(join(more, static_cast<unsigned>(medium)));
  out.add(-x);
  // Quotients and remainders, of numbers of one word and of two.
  const wide d = y | 1;
  const auto sd = static_cast<swide>(d);
  out.add(x / d);
  out.add(x % d);
  out.add(wide(a) * b % (b | 1));
  out.add(x / (a >> 7 | 1) ^ x % (a >> 40 | 1));
  // The smallest number by -1 does not fit.
  out.add(sd == -1 ? 0 : static_cast<wide>(sx / sd));
  out.add(sd == -1 ? 0 : static_cast<wide>(sx % sd));
  // Overflow of the widest numbers.
  wide r;
  swide s;
  unsigned flags = __builtin_add_overflow(x, y, &r);
  out.add(r);
  flags |= static_cast<unsigned>(__builtin_sub_overflow(x, y, &r)) << 1;
  flags |= static_cast<unsigned>(__builtin_mul_overflow(x, y, &r)) << 2;
  out.add(r);
  flags |= static_cast<unsigned>(__builtin_add_overflow(sx, sy, &s)) << 3;
  flags |= static_cast<unsigned>(__builtin_sub_overflow(sx, sy, &s)) << 4;
  out.add(static_cast<wide>(s));
  flags |= static_cast<unsigned>(__builtin_mul_overflow(sx, sy, &s)) << 5;
  flags |= static_cast<unsigned>(__builtin_mul_overflow(sx >> 64, sy >> 65, &s)) << 6;
  flags |= static_cast<unsigned>(__builtin_mul_overflow(x >> 64, y >> 63, &r)) << 7;
  out.add(static_cast<wide>(s) ^ r);
  out.add(flags);
  // Structures, and numbers that the optimiser looks up in a table.
  record records[3] = {{'a', x, 1}, {'b', y, 2}, {'c', x ^ y, 3}};
  records[a % 3].number += records[b % 3].number;
  out.add(records[0].number ^ records[1].number << 1 ^ records[2].number << 2 ^
          records[a % 3].letter);
  switch (a % 5) {
  case 0:
    r = join(3, 7);
    break;
  case 1:
    r = join(11, 2);
    break;
  case 2:
    r = join(1, 99);
    break;
  case 3:
    r = join(1ull << 63, 5);
    break;
  default:
    r = 4;
  }
  out.add(r);
}

template <class T> T sample(word seed) {
  T x;
  for (std::size_t i = 0; i < x.size(); ++i)
    x[static_cast<int>(i)] =
        static_cast<typename T::value_type>((seed + i) * 0x9e3779b97f4a7c15ull);
  return x;
}

template <class T> void products(sycl::queue &q) {
  T *p = sycl::malloc_shared<T>(6, q);
  for (int i = 0; i < 3; ++i)
    p[i] = sample<T>(static_cast<word>(i) + 3);
  q.single_task<T>([=] {
     p[3] = sycl::mul_hi(p[0], p[1]);
     p[4] = sycl::mad_hi(p[0], p[1], p[2]);
     p[5] = sycl::mad_sat(p[0], p[1], p[2]);
   }).wait();
  const T expected[] = {sycl::mul_hi(p[0], p[1]), sycl::mad_hi(p[0], p[1], p[2]),
                        sycl::mad_sat(p[0], p[1], p[2])};
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < static_cast<int>(expected[k].size()); ++i)
      CHECK(p[3 + k][i] == expected[k][i]);
  sycl::free(p, q);
}

} // namespace

int main() {
  sycl::queue q;
  std::vector<wide> numbers;
  const word words[] = {
      0, 1, 77, 0x8000000000000000ull, 0xffffffffffffffffull, 0x123456789abcdef1ull};
  for (word high : words)
    for (word low : words)
      numbers.push_back(join(high, low));
  const std::size_t n = numbers.size();
  auto *in = sycl::malloc_shared<wide>(n, q);
  auto *out = sycl::malloc_shared<answers>(n * n, q);
  for (std::size_t i = 0; i < n; ++i)
    in[i] = numbers[i];
  q.parallel_for(sycl::range<1>(n * n), [=](sycl::id<1> i) {
     answers found;
     compute(found, in[i / n], in[i % n]);
     out[i] = found;
   }).wait();
  for (std::size_t i = 0; i < n * n; ++i) {
    answers expected;
    compute(expected, numbers[i / n], numbers[i % n]);
    CHECK(expected.count == 2 * results && out[i].words == expected.words);
  }
  sycl::free(in, q);
  sycl::free(out, q);

  products<sycl::vec<long, 2>>(q);
  products<sycl::vec<unsigned long, 3>>(q);
  products<sycl::marray<long long, 5>>(q);
  products<sycl::marray<unsigned long long, 17>>(q);
  return check::result();
}
