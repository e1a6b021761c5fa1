// Arithmetic of ids and ranges, deduction of their dimensions, and the other value types of the
// headers.
//
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <string>
#include <tuple>
#include <variant>

namespace {

void types() {
  static_assert(std::is_same_v<decltype(sycl::range(1)), sycl::range<1>>);
  static_assert(std::is_same_v<decltype(sycl::range(1, 2)), sycl::range<2>>);
  static_assert(std::is_same_v<decltype(sycl::id(1, 2, 3)), sycl::id<3>>);
  static_assert(std::is_trivially_copyable_v<sycl::id<3>> &&
                std::is_trivially_copyable_v<sycl::range<2>>);
  static_assert(sizeof(sycl::id<3>) == 24 && sizeof(sycl::range<1>) == 8);
  static_assert(sycl::range<3>(2, 3, 4).size() == 24);
  static_assert(std::is_trivially_copyable_v<sycl::accessor<int, 3>>);
  static_assert(std::is_trivially_copyable_v<sycl::local_accessor<int, 2>>);
  static_assert(sycl::is_device_copyable_v<sycl::accessor<int, 1>>);
  static_assert(sycl::is_device_copyable_v<std::tuple<int, std::pair<float, int>>>);
  static_assert(sycl::is_device_copyable_v<std::variant<int, float>> &&
                sycl::is_device_copyable_v<const int[3]>);
  static_assert(!sycl::is_device_copyable_v<std::string> &&
                !sycl::is_device_copyable_v<std::tuple<std::string>>);
}

void arithmetic() {
  sycl::id<2> a(3, 4), b(1, 2);
  CHECK(a + b == sycl::id<2>(4, 6) && a - b == sycl::id<2>(2, 2) && a * b == sycl::id<2>(3, 8));
  CHECK(a / b == sycl::id<2>(3, 2) && a % b == sycl::id<2>(0, 0) && (a << b) == sycl::id<2>(6, 16));
  CHECK(a + 1 == sycl::id<2>(4, 5) && 10 - a == sycl::id<2>(7, 6) && a * 2u == sycl::id<2>(6, 8));
  CHECK((a > b) == sycl::id<2>(1, 1) && (a & 1) == sycl::id<2>(1, 0) && a != b);
  a += b;
  a *= 2;
  CHECK(a == sycl::id<2>(8, 12));
  CHECK(++a == sycl::id<2>(9, 13) && a-- == sycl::id<2>(9, 13) && a == sycl::id<2>(8, 12));
  a[1] = 5;
  CHECK(a.get(0) == 8 && a[1] == 5);
  sycl::range<3> r(2, 3, 4);
  CHECK(r * 2 == sycl::range<3>(4, 6, 8) && sycl::id<3>(r) == sycl::id<3>(2, 3, 4));

  sycl::id<1> i = 5;
  const std::size_t index = i;
  int array[10] = {0, 1, 2, 3, 4, 5};
  CHECK(index == 5 && i == 5 && 5 == i && i != 4 && i < 6 && array[i] == 5 && i + 1 == 6 &&
        i * 2.5 == 12.5);
  CHECK(i % 2 == 1 && (i & 4) && static_cast<float>(i + 1) == 6.0f);
  // As `size_t`, from which ids are made, numbers of floating point lose their fraction.
  CHECK(sycl::id<1>(2.5f) == 2 && std::is_same_v<decltype(0.5f * i), float>);
}

void nd_ranges() {
  sycl::nd_range<2> r({8, 6}, {4, 2}, {1, 1});
  CHECK(r.get_group_range() == sycl::range<2>(2, 3) && r.get_offset() == sycl::id<2>(1, 1));
  CHECK(r == sycl::nd_range<2>({8, 6}, {4, 2}, {1, 1}) && r != sycl::nd_range<2>({8, 6}, {4, 2}));
}

void properties() {
  sycl::property_list none, one(sycl::property::queue::in_order{}),
      two{sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()};
  using in_order = sycl::property::queue::in_order;
  using profiling = sycl::property::queue::enable_profiling;
  CHECK(!none.has_property<in_order>() && one.has_property<in_order>() &&
        !one.has_property<profiling>());
  CHECK(two.has_property<in_order>() && two.has_property<profiling>());
  static_assert(sycl::is_property_v<in_order> && !sycl::is_property_v<int>);
  static_assert(sycl::is_property_of_v<in_order, sycl::queue>);
  static_assert(!sycl::is_property_of_v<in_order, sycl::buffer<int>>);
}

} // namespace

int main() {
  static_assert(SYCL_LANGUAGE_VERSION >= 202012L && SYCL_IMPLEMENTATION_SCYTHE);
  types();
  arithmetic();
  nd_ranges();
  properties();
  return check::result();
}
