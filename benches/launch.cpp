// What a launch costs. Prints seconds: of the first kernel of a program (`first`), of an empty
// kernel in a row of 10,000 on an in-order queue (`empty`), of a submission that is waited for
// (`submit_and_wait`), and of submitting a kernel that runs 100 ms (`submit`).
#include "timing.hpp"

#include <cstdint>
#include <cstdio>
#include <sycl/sycl.hpp>

// Work that no compiler can shorten: each value depends on the one before.
inline std::uint64_t churn(std::uint64_t x, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i < rounds; ++i)
    x = x * 6364136223846793005u + (x >> 33) + 1442695040888963407u;
  return x;
}

int main() {
  sycl::queue q{sycl::property::queue::in_order()};
  double start = now();
  q.single_task([=] {}).wait();
  std::printf("first %.9f\n", now() - start);

  constexpr int count = 10000;
  double empty = best_of(5, [&] {
    for (int i = 0; i < count; ++i)
      q.parallel_for(sycl::range<1>(1), [=](sycl::id<1>) {});
    q.wait();
  });
  std::printf("empty %.9f\n", empty / count);

  double waited = best_of(5, [&] {
    for (int i = 0; i < 1000; ++i)
      q.single_task([=] {}).wait();
  });
  std::printf("submit_and_wait %.9f\n", waited / 1000);

  std::uint64_t *result = sycl::malloc_shared<std::uint64_t>(1, q);
  std::uint64_t rounds = 1 << 20;
  auto submit = [&] {
    std::uint64_t r = rounds;
    return q.single_task([=] { *result = churn(r, r); });
  };
  submit().wait();
  double once = best_of(3, [&] { submit().wait(); });
  rounds = std::uint64_t(double(rounds) * 0.1 / once);
  double best = 1e300;
  for (int i = 0; i < 5; ++i) {
    start = now();
    sycl::event done = submit();
    double returned = now() - start;
    done.wait();
    double total = now() - start;
    if (total < 0.05) {
      std::printf("the kernel ran for %g s, expected about 0.1 s\n", total);
      return 1;
    }
    best = std::min(best, returned);
  }
  std::printf("submit %.9f\n", best);
  if (*result != churn(rounds, rounds)) {
    std::printf("the kernel computed %llu, which is incorrect\n",
                static_cast<unsigned long long>(*result));
    return 1;
  }
  sycl::free(result, q);
}
