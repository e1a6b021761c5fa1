// Work-items that part and meet again: loops with several ways on and out, counters that start the
// same for all, `goto` into loops. What each work-item computes is what the host computes for it
// alone.
//
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cstdint>
#include <type_traits>

using number = std::uint32_t;

// A counter that all start alike, and that those who go on early raise less.
struct early_on {
  static number run(number v) {
    number f = 0;
    for (;;) {
      v = v * 5 + 1;
      f += 1;
      if (v & 8)
        continue;
      f += 1;
      if (f > 24)
        break;
    }
    return f;
  }
};

struct late_out {
  static number run(number v) {
    number f = 0;
    while (true) {
      v = v * 11 + 265;
      f += 1;
      if (v & 8)
        continue;
      f += 2;
      if (!(v & 16))
        break;
    }
    return f;
  }
};

// The loop has two entries.
struct two_entries {
  static number run(number v) {
    number k = 0;
    if (v & 2)
      goto second;
  first:
    v += 4;
  second:
    v += 8;
    if (++k < 5)
      goto first;
    return v * 16 + k;
  }
};

// Two entries, which lanes take by turns, and ways out of both halves.
struct two_entries_apart {
  static number run(number v) {
    number k = 0, a = 0, b = 0;
    if (v % 3 == 1)
      goto second;
  first:
    a += 1;
    v = v * 3 + 7;
    if (++k > 9)
      goto out;
    if (v & 4)
      goto second;
    goto first;
  second:
    b += 2;
    v = v * 5 + 1;
    if (++k > 12)
      goto out;
    if (v & 16)
      goto first;
    goto second;
  out:
    return a * 65536 + b * 256 + k;
  }
};

// Leaves the inner loop in different iterations, for two places, one behind the outer loop too.
struct nested {
  static number run(number v) {
    number n = 0, outer = 0;
    for (outer = 0; outer < 7; ++outer) {
      for (number inner = 0; inner < 9; ++inner) {
        v = v * 1664525 + 1013904223;
        n += 1;
        if ((v >> 28) == 3)
          goto out;
        if ((v >> 27) % 5 == 2)
          break;
        if ((v >> 26) & 1)
          continue;
        n += 100;
      }
      n += 10000;
      if ((v >> 25) % 7 == 1)
        continue;
      n += 1000000;
    }
  out:
    return n * 8 + outer;
  }
};

// A loop that all leave together, entered by some, with two ways out that all take together.
struct uniform_inside {
  static number run(number v) {
    number n = 0;
    if (v % 3 != 0) {
      for (number k = 0;; ++k) {
        n += v & 1;
        if (k == 5)
          break;
        number j = 0;
        for (; j < 6; ++j) {
          n += 3;
          if (j + k == 8)
            return n;
        }
        n += j;
      }
      n += 1000;
    }
    return n * 2 + 1;
  }
};

struct switches {
  static number run(number v) {
    number f = 0, s = 0;
    for (number k = 0; k < 40; ++k) {
      switch (s) {
      case 0:
        s = v & 1 ? 1 : 2;
        break;
      case 1:
        f += 3;
        if (v % 5 == 0)
          return f;
        s = 2;
        [[fallthrough]];
      case 2:
        f += 1;
        s = v % 7 == 0 ? 0 : 3;
        break;
      default:
        s = 0;
        continue;
      }
      v = v * 9 + 4;
      f += 10;
    }
    return f;
  }
};

template <class Flow> struct in_range;
template <class Flow> struct in_groups;

template <class Flow> void test(sycl::queue &q) {
  constexpr number size = 240;
  number *out = sycl::malloc_shared<number>(size, q);
  const auto check = [&](const char *how) {
    number wrong = 0, first = 0;
    for (number i = 0; i < size; ++i)
      if (out[i] != Flow::run(i * 2654435761u) && !wrong++)
        first = i;
    if (wrong)
      std::printf("%s in %s: %u of %u wrong, the first at %u\n", __PRETTY_FUNCTION__, how, wrong,
                  size, first);
    CHECK(wrong == 0);
  };
  q.parallel_for<in_range<Flow>>(size, [=](sycl::id<1> i) {
     out[i] = Flow::run(number(i) * 2654435761u);
   }).wait();
  check("a range");
  q.parallel_for<in_groups<Flow>>(sycl::nd_range<1>(size, 12), [=](sycl::nd_item<1> item) {
     sycl::group_barrier(item.get_group());
     out[item.get_global_id(0)] = Flow::run(number(item.get_global_id(0)) * 2654435761u);
   }).wait();
  check("groups");
  sycl::free(out, q);
}

int main() {
  sycl::queue q;
  test<early_on>(q);
  test<late_out>(q);
  test<two_entries>(q);
  test<two_entries_apart>(q);
  test<nested>(q);
  test<uniform_inside>(q);
  test<switches>(q);
  return check::result();
}
