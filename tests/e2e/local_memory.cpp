// Local accessors: each work-group has its own memory, and each accessor its own part of it.
//
// BACKENDS: cpu,opencl,opencl-objects,cuda
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <iterator>
#include <memory>
#include <type_traits>
#include <vector>

// Iterators are random access, and pointers where a pointer is asked for. Kernels may be named
// after them: they are not those of a buffer's accessor.
using local = sycl::local_accessor<int, 1>;
static_assert(!std::is_same_v<local::iterator, sycl::accessor<int>::iterator>);
static_assert(!std::is_same_v<local::const_iterator, sycl::accessor<int>::const_iterator>);
static_assert(!std::is_same_v<local::iterator, local::const_iterator>);
static_assert(std::is_same_v<std::iterator_traits<local::const_iterator>::reference, const int &>);
static_assert(std::is_same_v<std::iterator_traits<local::const_iterator>::value_type, int>);
static_assert(std::is_same_v<std::pointer_traits<local::const_iterator>::element_type, const int>);
static_assert(std::is_convertible_v<local::iterator, local::const_iterator>);
static_assert(!std::is_convertible_v<local::const_iterator, local::iterator>);
static_assert(std::is_convertible_v<local::iterator, const int *>);
static_assert(std::is_trivially_copyable_v<local::iterator> &&
              sizeof(local::iterator) == sizeof(int *));
#if __cplusplus >= 202002L
static_assert(std::contiguous_iterator<local::iterator> &&
              std::contiguous_iterator<local::const_iterator>);
static_assert(std::is_same_v<decltype(std::to_address(local::const_iterator())), const int *>);
#endif

// Sizes beyond the address space do not wrap to small ones, and sizes beyond the device's memory
// are refused.
template <int D> void submit_with(sycl::range<D> r) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(1)};
  q.submit([&](sycl::handler &h) {
     sycl::accessor out(b, h, sycl::write_only);
     sycl::local_accessor<int, D> mine(r, h);
     h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) {
       sycl::id<D> last;
       for (int d = 0; d < D; ++d)
         last[d] = r[d] - 1;
       mine[last] = 5;
       out[0] = mine[last];
     });
   }).wait_and_throw();
}

void sizes_that_no_memory_has() {
  using sycl::errc, sycl::range;
  constexpr std::size_t most = static_cast<std::size_t>(-1), half = std::size_t{1} << 32;
  const auto is = [](errc code, auto r) {
    return check::throws(code, [&] { submit_with<decltype(r)::dimensions>(r); });
  };
  CHECK(is(errc::invalid, range<1>(most / 2 + 2)));
  CHECK(is(errc::invalid, range<1>(most / 4 + 1)));
  CHECK(is(errc::invalid, range<1>(most)));
  CHECK(is(errc::invalid, range<2>(half, half)));
  CHECK(is(errc::invalid, range<3>(half, half, half)));
  CHECK(is(errc::memory_allocation, range<1>(most / 4)));
  CHECK(is(errc::memory_allocation, range<2>(half, half / 8)));
  CHECK(is(errc::memory_allocation, range<1>(std::size_t{1} << 34)));
  submit_with(range<1>(1));
  // Two accessors that fit alone.
  const auto several = [] {
    sycl::queue().submit([&](sycl::handler &h) {
      sycl::local_accessor<char> first(range<1>(most / 2), h), second(range<1>(most / 2 + 2), h);
      h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) { first[0] = second[0] = 1; });
    });
  };
  CHECK(check::throws(errc::memory_allocation, several));
  // Ranges of buffers as well.
  sycl::buffer<int> b{range<1>(1)};
  CHECK(check::throws(errc::invalid, [&] { sycl::buffer<int, 2> c(range<2>(half, half)); }));
  CHECK(check::throws(errc::invalid, [&] { b.reinterpret<int>(range<1>(most / 4 + 2)); }));
  CHECK(check::throws(errc::invalid, [&] { b.reinterpret<char>(range<2>(half, half)); }));
}

int main() {
  sycl::queue q;
  static constexpr std::size_t groups = 50, size = 16;
  std::vector<int> out(groups * size, 0);
  {
    sycl::buffer<int> b(out);
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(b, h, sycl::write_only);
      sycl::local_accessor<int, 1> mine(sycl::range<1>(size), h);
      sycl::local_accessor<double, 2> squares(sycl::range<2>(size, 2), h);
      CHECK(mine.size() == size && squares.byte_size() == size * 2 * sizeof(double));
      h.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> it) {
        // Without barriers, a work-item can only use what it wrote itself.
        const std::size_t l = it.get_local_id(0);
        mine[l] = static_cast<int>(it.get_global_id(0));
        squares[l][0] = static_cast<double>(mine[l]);
        squares[l][1] = squares[l][0] * squares[sycl::id<2>(l, 0)];
        v[it.get_global_id(0)] = static_cast<int>(squares[l][1]) + mine[l];
      });
    });
  }
  int wrong = 0;
  for (int i = 0; i < static_cast<int>(out.size()); ++i)
    wrong += out[i] != i * i + i;
  CHECK(wrong == 0);

  // Each work-item walks what all of them wrote, in both directions.
  std::vector<int> walked(size, 0);
  {
    sycl::buffer<int> b(walked);
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(b, h, sycl::write_only);
      local mine(sycl::range<1>(size), h);
      h.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) {
        const std::size_t l = it.get_local_id(0);
        *(mine.begin() + static_cast<std::ptrdiff_t>(l)) = static_cast<int>(l) + 1;
        group_barrier(it.get_group());
        int sum = 0;
        for (const int &element : mine)
          sum += element;
        for (auto i = mine.crbegin(); i != mine.crend(); ++i)
          sum += *i;
        local::const_iterator last = mine.end();
        int *const first = mine.begin();
        bool right = last - mine.begin() == std::ptrdiff_t(size) && mine.begin() < last &&
                     *--last == int(size);
        right = right && first == mine.begin() && last-- != mine.cend() && mine.begin()[3] == 4 &&
                last[1] == int(size);
        right = right && *(2 + mine.cbegin()) == 3 && *(mine.end() - 2) == *last++ &&
                (mine.begin() += 5) - 5 == first;
        v[it.get_global_id(0)] = right ? sum : -1;
      });
    });
  }
  for (const int sum : walked)
    CHECK(sum == size * (size + 1));

  // Without work-groups there is no such memory. Host mode does not look into what kernels capture.
#ifndef SCYTHE_HOST_MODE
  sycl::buffer<bool> empty{sycl::range<1>(1)};
  const auto without_groups = [&] {
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(empty, h, sycl::write_only);
      sycl::local_accessor<int> mine(sycl::range<1>(size), h);
      h.single_task([=] { v[0] = mine.empty(); });
    });
  };
  CHECK(check::throws(sycl::errc::kernel_argument, without_groups));
#endif
  sizes_that_no_memory_has();
  return check::result();
}
