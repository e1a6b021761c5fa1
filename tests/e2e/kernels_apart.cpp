// A kernel that cannot be translated for a device fails alone: the others of its image run.
//
// MODES: device
// LEVELS: O2
// BACKENDS: opencl
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cstring>

namespace {

sycl::ext::oneapi::experimental::device_global<int> shared_number;

__extension__ typedef __int128 wide;

// What a launch throws; nothing where it succeeds.
template <class F> std::string thrown(F launch) {
  try {
    launch();
  } catch (const sycl::exception &e) {
    CHECK(e.code() == sycl::errc::build);
    return e.what();
  }
  return {};
}

} // namespace

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(4, q);
  auto *w = sycl::malloc_shared<wide>(1, q);
  *w = 5;
  // SPIR-V has no such integers, and a volatile access cannot be made in two.
  auto bad = [&] {
    q.single_task<class Untranslatable>([=] {
       volatile wide *place = w;
       *place = *place + 1;
     }).wait_and_throw();
  };
  auto good = [&] {
    q.single_task<class First>([=] { p[0] = shared_number.get() + 1; }).wait_and_throw();
    q.parallel_for<class Second>(3, [=](sycl::id<1> i) {
       p[i + 1] = static_cast<int>(i) * 10;
     }).wait_and_throw();
  };
  int start = 41;
  q.copy(&start, shared_number).wait();
  for (int round = 0; round < 2; ++round) {
    const std::string why = thrown(bad);
    CHECK(why.find("Untranslatable") != std::string::npos);
    std::memset(p, 0, 4 * sizeof(int));
    CHECK(thrown(good).empty());
    CHECK(p[0] == 42 && p[1] == 0 && p[2] == 10 && p[3] == 20);
  }
  sycl::free(p, q);
  sycl::free(w, q);
  return check::result();
}
