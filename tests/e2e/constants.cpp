// Tables that device code reads: structures with padding, vectors of all lengths, flags, halves,
// and addresses of other tables and of parts of them; and counters whose lower bits are kept.
//
// MODES: device
// LEVELS: O0,O2
// BACKENDS: cpu,opencl,cuda
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <vector>

namespace {

constexpr int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
constexpr const int *parts[4] = {&numbers[0], &numbers[3], nullptr, &numbers[7]};
constexpr const char *names[3] = {"alpha", "be", nullptr};
constexpr double halves[3] = {1.5, 2.5, 3.5};
struct entry {
  const char *name;
  short number;
  const double *first;
};
constexpr entry entries[2] = {{"xyz", 7, &halves[1]}, {nullptr, 9, halves + 2}};

#pragma pack(push, 1)
struct packed {
  char letter;
  long number;
  bool flags[3];
};
#pragma pack(pop)
constexpr packed dense[2] = {{'a', 1l << 40, {true, false, true}}, {'b', -5, {false, true, true}}};

constexpr int results = 14;

void compute(double *out, int k) {
  int at = 0;
  out[at++] = parts[k & 3] ? *parts[k & 3] : -1;
  out[at++] = names[k % 3] ? names[k % 3][1] : -1;
  out[at++] = entries[k & 1].name ? entries[k & 1].name[2] : -1;
  out[at++] = entries[k & 1].number + *entries[k & 1].first;
  out[at++] = static_cast<double>(dense[k & 1].number) + dense[k & 1].letter +
              (dense[k & 1].flags[k % 3] ? 0.5 : 0);
  const sycl::float3 three(1.0f, 2.0f, 3.0f);
  out[at++] = three[k % 3];
  const bool flags[5] = {true, false, true, true, false};
  out[at++] = flags[k % 5];
  const sycl::vec<bool, 4> choices(true, false, true, true);
  out[at++] = choices[k & 3];
  const sycl::half3 small(1, 2, 3);
  out[at++] = static_cast<float>(small[k % 3]);
  const sycl::marray<sycl::half, 5> more(1, 2, 3, 4, 5);
  out[at++] = static_cast<float>(more[static_cast<std::size_t>(k) % 5]);
  const sycl::vec<signed char, 3> letters[2] = {{1, 2, 3}, {-4, 5, 6}};
  out[at++] = letters[k & 1][k % 3];
  const sycl::double16 many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
  out[at++] = many[k & 15];
  const sycl::vec<unsigned short, 2> two[3] = {{1, 65535}, {3, 4}, {5, 6}};
  out[at++] = two[k % 3][k & 1];
  const struct {
    sycl::long3 first;
    sycl::char3 second;
    sycl::half third;
  } mixed[2] = {{{1, 2, 3}, {4, 5, 6}, 7}, {{-1, -2, -3}, {-4, -5, -6}, -7}};
  out[at++] = static_cast<double>(mixed[k & 1].first[k % 3] * mixed[k & 1].second[k % 3]) +
              static_cast<float>(mixed[k & 1].third);
}

void tables() {
  constexpr int count = 60;
  std::vector<double> seen(count * results), expected(count * results);
  {
    sycl::buffer<double> buffer(seen.data(), seen.size());
    sycl::queue().submit([&](sycl::handler &h) {
      sycl::accessor out(buffer, h, sycl::write_only);
      h.parallel_for(count, [=](sycl::item<1> i) {
        double own[results];
        compute(own, static_cast<int>(i));
        for (std::size_t at = 0; at < results; ++at)
          out[i * results + at] = own[at];
      });
    });
  }
  for (int k = 0; k < count; ++k)
    compute(&expected[static_cast<std::size_t>(k * results)], k);
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i] != expected[i]) {
      std::printf("result %zu for %zu is %g, expected %g\n", i % results, i / results, seen[i],
                  expected[i]);
      CHECK(seen[i] == expected[i]);
    }
}

// Each work-item begins elsewhere and goes on in steps.
void counters() {
  unsigned out[64 + 8] = {};
  unsigned char bytes[64 + 8] = {};
  {
    sycl::buffer<unsigned> buffer(out, 72);
    sycl::buffer<unsigned char> byte_buffer(bytes, 72);
    sycl::queue().submit([&](sycl::handler &h) {
      sycl::accessor to(buffer, h, sycl::write_only);
      sycl::accessor byte_to(byte_buffer, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> item) {
        const unsigned long x = item.get_local_id(0);
        if (x >= 8 && x < 24)
          return;
        for (unsigned long k = x & 7; k < 64; k += 8) {
          to[k] = static_cast<unsigned>(k);
          byte_to[k] = static_cast<unsigned char>(k * 5);
        }
      });
    });
  }
  for (unsigned k = 0; k < 72; ++k) {
    CHECK(out[k] == (k < 64 ? k : 0));
    CHECK(bytes[k] == (k < 64 ? static_cast<unsigned char>(k * 5) : 0));
  }
}

} // namespace

int main() {
  tables();
  counters();
  return check::result();
}
