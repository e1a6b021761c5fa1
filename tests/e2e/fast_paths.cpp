// What GPUs have fast instructions for gives the same results as elsewhere: loads through
// `restrict` pointers and `ldg`, fused operations of half, normalised vectors, long loops, large
// arrays.
//
// LEVELS: O0, O3
#include <sycl/sycl.hpp>

#include "check.hpp"
#include <sycl/ext/oneapi/experimental/cuda/builtins.hpp>

#include <cmath>
#include <vector>

namespace {

constexpr int items = 64, length = 37;
namespace cuda = sycl::ext::oneapi::experimental::cuda;

// Each value becomes the sum of itself and its neighbour.
void add_neighbours(const int *__restrict from, int *__restrict to) {
  for (int i = 0; i < length; ++i)
    to[i] = from[i] + from[(i + 1) % length];
}

// What one call writes, the next reads through its `restrict` pointer.
void swapped(sycl::queue &q) {
  int *const memory = sycl::malloc_shared<int>(items * length * 2, q);
  for (int i = 0; i < items * length * 2; ++i)
    memory[i] = i % 7;
  std::vector<int> a(memory, memory + length), b(length);
  const int rounds = 5;
  q.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> item) {
     int *from = memory + item.get_local_id(0) * length * 2, *to = from + length;
     for (int round = 0; round < rounds; ++round) {
       add_neighbours(from, to);
       int *const other = from;
       from = to;
       to = other;
     }
   }).wait();
  for (int round = 0; round < rounds; ++round) {
    add_neighbours(a.data(), b.data());
    a.swap(b);
  }
  for (int i = 0; i < length; ++i)
    CHECK(memory[(rounds % 2) * length + i] == a[i]);
  sycl::free(memory, q);
}

// Sums the roots of a row. The loop is long and reads memory; its number of rounds varies.
void long_loops(sycl::queue &q) {
  float *const in = sycl::malloc_shared<float>(items, q);
  float *const out = sycl::malloc_shared<float>(items, q);
  for (int i = 0; i < items; ++i)
    in[i] = static_cast<float>(i * i);
  q.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> item) {
     const int count = static_cast<int>(item.get_local_id(0));
     float sums[8] = {};
     for (int i = 0; i < count; ++i)
       for (int k = 0; k < 8; ++k)
         sums[k] += sycl::sqrt(in[i]) + static_cast<float>(k);
     float all = 0;
     for (float sum : sums)
       all += sum;
     out[count] = all;
   }).wait();
  for (int n = 0; n < items; ++n)
    CHECK(out[n] == 8.0f * static_cast<float>(n * (n - 1) / 2) + 28.0f * static_cast<float>(n));
  sycl::free(in, q);
  sycl::free(out, q);
}

struct two_shorts {
  short a, b;
};

// An array on the stack is read at places that only the work-item knows.
void arrays(sycl::queue &q) {
  int *const out = sycl::malloc_shared<int>(items, q);
  q.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> item) {
     const int id = static_cast<int>(item.get_local_id(0));
     signed char bytes[21];
     float numbers[21];
     for (int i = 0; i < 21; ++i) {
       bytes[i] = static_cast<signed char>(i - id);
       numbers[i] = static_cast<float>(i + id);
     }
     out[id] = bytes[id % 21] * 1000 + static_cast<int>(numbers[(id + 5) % 21]);
   }).wait();
  for (int id = 0; id < items; ++id)
    CHECK(out[id] == static_cast<signed char>(id % 21 - id) * 1000 + (id + 5) % 21 + id);
  sycl::free(out, q);
}

void single_results(sycl::queue &q) {
  struct results {
    sycl::half fused[3];
    sycl::half2 pair;
    sycl::float3 unit;
    float quotient, reciprocal;
    int i;
    double d;
    two_shorts p;
    sycl::int4 v;
    char c;
  };
  results *const r = sycl::malloc_shared<results>(1, q);
  struct input {
    sycl::half a, b, c;
    sycl::float3 vector;
    float x, y;
    int i;
    double d;
    two_shorts p;
    sycl::int4 v;
    char c8;
  };
  input *const in = sycl::malloc_shared<input>(1, q);
  // The exact result, 1 + 2^-9 + 2^-20 - 1, needs one rounding of the sum.
  *in = {sycl::half(1.0009765625f),
         sycl::half(1.0009765625f),
         sycl::half(-1.0f),
         sycl::float3(2e-30f, -3e-30f, 6e-30f),
         7.0f,
         3.5f,
         42,
         2.5,
         {3, 4},
         {1, 2, 3, 4},
         'x'};
  q.single_task([=] {
     r->fused[0] = sycl::fma(in->a, in->b, in->c);
     r->fused[1] = sycl::mad(in->a, in->b, in->c);
     r->fused[2] = sycl::fma(in->a, in->c, in->b);
     r->pair = sycl::fma(sycl::half2(in->a, in->b), sycl::half2(in->b), sycl::half2(in->c));
     r->unit = sycl::normalize(in->vector);
     r->quotient = sycl::native::divide(in->x, in->y);
     r->reciprocal = sycl::native::recip(in->y);
     r->i = cuda::ldg(&in->i);
     r->d = cuda::ldg(&in->d);
     r->p = cuda::ldg(&in->p);
     r->v = cuda::ldg(&in->v);
     r->c = cuda::ldg(&in->c8);
   }).wait();
  const auto exact = static_cast<float>(sycl::half(0x1p-9f + 0x1p-20f));
  CHECK(static_cast<float>(r->fused[0]) == exact);
  CHECK(static_cast<float>(r->fused[2]) == 0.0f);
  CHECK(static_cast<float>(r->pair.x()) == exact && static_cast<float>(r->pair.y()) == exact);
  CHECK(std::fabs(r->unit.x() * 7 - 2) < 1e-6f && std::fabs(r->unit.y() * 7 + 3) < 1e-6f);
  CHECK(std::fabs(r->unit.z() * 7 - 6) < 2e-6f);
  // Native functions have the accuracy of the device's approximations, often of 11 bits.
  CHECK(std::fabs(r->quotient - 2) < 1e-3f && std::fabs(r->reciprocal * 3.5f - 1) < 1e-3f);
  CHECK(r->i == 42 && r->d == 2.5 && r->p.a == 3 && r->p.b == 4 && r->c == 'x');
  CHECK(r->v.x() == 1 && r->v.w() == 4);
  sycl::free(r, q);
  sycl::free(in, q);
}

} // namespace

int main() {
  sycl::queue q;
  swapped(q);
  long_loops(q);
  arrays(q);
  if (q.get_device().has(sycl::aspect::fp16))
    single_results(q);
  return check::result();
}
