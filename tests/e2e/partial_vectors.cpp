// Work-groups whose size is no multiple of the vector width: the lanes beyond the group's end never
// write, in loops that work-items leave at different times.
//
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cstdint>
#include <cstring>

using number = std::uint32_t;

constexpr number inputs = 256, outputs = 1440;

struct arguments {
  number *out;
  const number *in;
  number items, k0, k1, k2, k3;
};

// Many values are alive across the loop, so that masks are spilled.
inline number work(const arguments &a, number id, number local, number group) {
  number v = a.in[(id * 5 + 37) & (inputs - 1)], rounds = a.k0;
  const unsigned char narrow = static_cast<unsigned char>(a.k1);
  std::uint64_t wide = a.k3;
  number table[8] = {a.k0, local, 2, 3, a.k1, 5, group, 7};
  for (;;) {
    v = v * 5 + 23;
    rounds += 1;
    if (v & 2)
      break;
    if (rounds > 11)
      break;
    if (v & 4)
      a.out[4 * a.items + id] = static_cast<number>(wide) * table[v & 7];
    const std::uint64_t half =
        static_cast<std::uint64_t>(static_cast<std::int64_t>((16 - (narrow & 1023)) / 2));
    wide = a.k1 >= half ? (a.k1 - half) / 3 : 100;
  }
  const number values[] = {
      local, v,         rounds, 1, narrow, a.k2 & 65535, 0, number(wide), number(wide >> 32),
      0,     0x3f800000};
  number all = 0;
  for (number value : values)
    all = all * 31 + value;
  for (number value : table)
    all = all * 31 + value;
  all = all * 0x9e3779b1u + 0x85ebca6bu;
  return all ^ (all >> 15);
}

template <int Rows, int Columns> struct kernel : arguments {
  [[sycl::reqd_work_group_size(Rows, 1, Columns)]] void operator()(sycl::nd_item<3> item) const {
    const number id = static_cast<number>(item.get_global_linear_id());
    out[id] = work(*this, id, static_cast<number>(item.get_local_linear_id()),
                   static_cast<number>(item.get_group_linear_id()));
  }
};

template <int Rows, int Columns> void run(sycl::queue &q) {
  number *in = sycl::malloc_shared<number>(inputs, q),
         *out = sycl::malloc_shared<number>(outputs, q);
  number x = 12345;
  for (number i = 0; i < inputs; ++i) {
    x = x * 1664525u + 1013904223u;
    in[i] = i % 3 == 0 ? x >> 28 : x;
  }
  const number size = Rows * Columns;
  static number expected[outputs];
  for (int round = 0; round < 3; ++round) {
    std::memset(out, 0, outputs * sizeof(number));
    q.parallel_for(sycl::nd_range<3>({Rows, 1, Columns}, {Rows, 1, Columns}),
                   kernel<Rows, Columns>{{out, in, size, 0, 3, 5, 6}})
        .wait();
    std::memset(expected, 0, sizeof(expected));
    const arguments host{expected, in, size, 0, 3, 5, 6};
    for (number id = 0; id < size; ++id)
      expected[id] = work(host, id, id, 0);
    CHECK(std::memcmp(out, expected, sizeof(expected)) == 0);
  }
  sycl::free(in, q);
  sycl::free(out, q);
}

int main() {
  sycl::queue q;
  run<2, 24>(q);
  run<3, 8>(q);
  run<2, 20>(q);
  run<1, 27>(q);
  run<4, 12>(q);
  run<5, 9>(q);
  return check::result();
}
