// Private memory whose size is a specialization constant: defaults and other values, several types
// and alignments, and functions that are called in loops.
//
// MODES: device, gxx
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/alloca.hpp>

namespace ext = sycl::ext::oneapi::experimental;
constexpr auto yes = sycl::access::decorated::yes;
constexpr auto no = sycl::access::decorated::no;

namespace {

constexpr sycl::specialization_id<int> small(3);
constexpr sycl::specialization_id<std::size_t> large(10);
constexpr sycl::specialization_id<bool> one(true);
constexpr sycl::specialization_id<std::uint8_t> narrow(4);

struct triple {
  int a, b, c;
};

class sums;
class kinds;

// The sum of the squares below the constant, through memory of this function.
int squares(sycl::kernel_handler &kh, int offset) {
  auto memory = ext::private_alloca<int, small, no>(kh);
  const int count = kh.get_specialization_constant<small>();
  for (int i = 0; i < count; ++i)
    memory[i] = (i + offset) * (i + offset);
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += memory[count - 1 - i];
  return sum;
}

void sum(sycl::queue &q, int count, int *out) {
  q.submit([&](sycl::handler &h) {
     if (count != 3)
       h.set_specialization_constant<small>(count);
     h.parallel_for<sums>(64, [=](sycl::id<1> i, sycl::kernel_handler kh) {
       int all = 0;
       for (int round = 0; round < 3; ++round)
         all += squares(kh, static_cast<int>(i) + round);
       out[i] = all;
     });
   }).wait();
  bool right = true;
  for (int i = 0; i < 64; ++i) {
    int expected = 0;
    for (int round = 0; round < 3; ++round)
      for (int k = 0; k < count; ++k)
        expected += (k + i + round) * (k + i + round);
    right &= out[i] == expected;
  }
  CHECK(right);
}

void several(sycl::queue &q, int *out) {
  q.submit([&](sycl::handler &h) {
     h.set_specialization_constant<large>(100);
     h.parallel_for<kinds>(
         sycl::nd_range<1>(32, 16), [=](sycl::nd_item<1> it, sycl::kernel_handler kh) {
           const int id = static_cast<int>(it.get_global_id(0));
           auto doubles = ext::private_alloca<float, large, yes>(kh);
           auto triples = ext::aligned_private_alloca<triple, 64, narrow, no>(kh);
           auto single = ext::private_alloca<short, one, sycl::access::decorated::legacy>(kh);
           for (int i = 0; i < 100; ++i)
             doubles[i] = static_cast<float>(i + id);
           for (int i = 0; i < 4; ++i)
             triples[i] = triple{id, i, id * i};
           single[0] = static_cast<short>(id);
           sycl::group_barrier(it.get_group());
           float last = 0;
           for (int i = 99; i >= 0; i -= 33)
             last += doubles[i];
           const bool aligned =
               reinterpret_cast<std::uintptr_t>(static_cast<void *>(triples.get_raw())) % 64 == 0;
           out[id] = static_cast<int>(last) + triples[3].c + single[0] + (aligned ? 0 : 100000);
         });
   }).wait();
  bool right = true;
  for (int i = 0; i < 32; ++i)
    right &= out[i] == 99 + 66 + 33 + 4 * i + 3 * i + i;
  CHECK(right);
}

} // namespace

int main() {
  sycl::queue q;
  CHECK(q.get_device().has(sycl::aspect::ext_oneapi_private_alloca));
  int *out = sycl::malloc_shared<int>(64, q);
  sum(q, 3, out);
  sum(q, 1, out);
  sum(q, 40, out);
  several(q, out);
  sycl::free(out, q);
  return check::result();
}
