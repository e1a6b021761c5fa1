// `multi_ptr`: conversions that lose nothing are implicit, others explicit; it is a pointer in all
// else. Accessors become pointers of their memory's space. `half` as a number of its own.
//
// LEVELS: O2
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <functional>

namespace {

using sycl::access::address_space;
using sycl::access::decorated;

static_assert(!std::is_convertible_v<int *, sycl::raw_global_ptr<int>>);
static_assert(std::is_convertible_v<int *, sycl::global_ptr<int>>,
              "the legacy interface converts pointers");
static_assert(
    std::is_convertible_v<sycl::raw_local_ptr<int>, sycl::decorated_local_ptr<const int>>);
static_assert(std::is_convertible_v<sycl::raw_local_ptr<int>, sycl::raw_generic_ptr<int>>);
static_assert(!std::is_convertible_v<sycl::raw_generic_ptr<int>, sycl::raw_local_ptr<int>>);
static_assert(!std::is_convertible_v<sycl::raw_global_ptr<int>, sycl::raw_local_ptr<int>>);
static_assert(!std::is_constructible_v<sycl::raw_global_ptr<int>, sycl::raw_global_ptr<const int>>);

static_assert(std::is_same_v<decltype(sycl::half(1) + sycl::half(1)), sycl::half>);
static_assert(std::is_same_v<decltype(sycl::half(1) * 2), sycl::half>);
static_assert(std::is_same_v<decltype(2.0f - sycl::half(1)), float>);
static_assert(sycl::half(1.5) + 1.5f == 3 && std::numeric_limits<sycl::half>::digits == 11);

} // namespace

int main() {
  int values[3] = {1, 2, 3};
  sycl::raw_global_ptr<int> p(values);
  sycl::raw_generic_ptr<int> generic;
  CHECK(generic == nullptr && !(nullptr < generic) && p > nullptr);
  generic = p;
  CHECK(static_cast<sycl::raw_global_ptr<int>>(generic) == p);
  const sycl::raw_global_ptr<void> bytes = p;
  CHECK(static_cast<sycl::raw_global_ptr<int>>(bytes) == p && bytes == values);
  CHECK(*(++p)++ == 2 && *p == 3 && p[-2] == 1 && *(p - 1) == 2 && (p -= 2) == values);
  CHECK(*sycl::address_space_cast<address_space::global_space, decorated::yes>(values + 2) == 3);

  // Halves: one hash for numbers that are equal, rounding to nearest, ties to even.
  const std::hash<sycl::half> hash;
  CHECK(hash(sycl::half(0.0f)) == hash(sycl::half(-0.0f)) && sycl::half(2049) == 2048 &&
        sycl::half(2051) == 2052);
  CHECK(sycl::half(65519.0f) == 65504 &&
        sycl::half(65520.0f) == std::numeric_limits<sycl::half>::infinity());
  sycl::half h = 3;
  h /= 2;
  CHECK(h++ == 1.5 && -h == -2.5f && h > 2 && 3.0 > h);

  sycl::queue q;
  sycl::buffer<int> b(values, 3);
  q.submit([&](sycl::handler &handler) {
    sycl::accessor a(b, handler, sycl::read_write);
    sycl::local_accessor<int> shared(sycl::range<1>(3), handler);
    handler.parallel_for(sycl::nd_range<1>(3, 3), [=](sycl::nd_item<1> item) {
      sycl::multi_ptr global(a);
      sycl::multi_ptr local(shared);
      static_assert(std::is_same_v<decltype(global), sycl::raw_global_ptr<int>>);
      static_assert(std::is_same_v<decltype(local), sycl::raw_local_ptr<int>>);
      const auto i = static_cast<std::ptrdiff_t>(item.get_local_id(0));
      local[i] = global[i] * 10;
      sycl::group_barrier(item.get_group());
      const sycl::raw_generic_ptr<const int> other = local;
      global[i] = other[2 - i];
    });
  });
  const sycl::host_accessor result(b);
  CHECK(result[0] == 30 && result[1] == 20 && result[2] == 10);
  return check::result();
}
