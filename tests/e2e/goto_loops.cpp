// Loops with several entries: lanes enter by different ones, or all by the same one that is known
// at run time only. With switches inside, nested, endless with ways out, in memory and in
// functions. What each work-item computes is what the host computes for it alone.
//
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cstdint>

using number = std::uint32_t;

// `v` differs between work-items, `u` does not.

struct lanes_enter_apart {
  static number run(number v, number) {
    number k = 0;
    if (v & 2)
      goto b;
  a:
    v += 4;
  b:
    v += 8;
    if (++k < 5)
      goto a;
    return v;
  }
};

struct all_enter_alike {
  static number run(number v, number u) {
    number k = 0;
    if (u & 2)
      goto b;
  a:
    v = v * 3 + k;
  b:
    v += 8;
    if (++k < 5)
      goto a;
    return v;
  }
};

// Some leave the loop earlier than others.
struct both_conditions {
  static number run(number v, number u) {
    number k = 0;
    if ((v & 4) != 0 && u > 1)
      goto c;
    if (u & 1)
      goto b;
  a:
    v = v * 5 + 1;
    k += 1;
  b:
    v ^= v >> 3;
    k += 2;
    if (v % 11 == u)
      goto out;
  c:
    v += k;
    if (++k < 40)
      goto a;
  out:
    return v * 64 + k;
  }
};

// Three entries by a switch, and three ways around.
struct three_entries {
  static number run(number v, number u) {
    number k = 0, path = u;
    switch (v % 4) {
    case 0:
      goto a;
    case 1:
      goto b;
    case 2:
      goto c;
    default:
      path += 7;
    }
  a:
    path = path * 3 + 1;
    if (v % 5 == 0)
      goto c;
  b:
    path = path * 3 + 2;
    if (v % 7 == 0)
      goto a_next;
  c:
    path = path * 3 + u;
  a_next:
    v = v * 1664525 + 1013904223;
    if (++k < 12) {
      if (v >> 31)
        goto b;
      goto a;
    }
    return path ^ k;
  }
};

// The state is a switch in the loop, which the entries begin in the middle.
struct switch_inside {
  static number run(number v, number u) {
    number k = 0, state = v % 5, sum = 0;
    if (v & 1)
      goto middle;
  again:
    switch (state) {
    case 0:
      sum += 3;
      state = 2;
      goto middle;
    case 1:
      if (k > 9)
        return sum * 8 + 1;
      state = 3;
      break;
    case 2:
      sum += u;
      state = v & 8 ? 4 : 1;
      break;
    case 3:
      state = 0;
      [[fallthrough]];
    default:
      sum += 1;
      state = (state + 1) % 4;
    }
    sum = sum * 3 + state;
  middle:
    v = v * 69069 + 12345;
    if (v >> 30)
      sum ^= v;
    if (++k < 25)
      goto again;
    return sum * 8 + state;
  }
};

// A loop with two entries in each iteration of one with two entries, with jumps between both.
struct nested {
  static number run(number v, number u) {
    number outer = 0, inner = 0, sum = 0;
    if (v % 3 == 0)
      goto outer_second;
    if (v % 3 == 1 && u)
      goto inner_second;
  outer_first:
    sum += 1;
    inner = 0;
    if ((v ^ outer) & 1)
      goto inner_second;
  inner_first:
    sum = sum * 3 + inner;
    if (sum % 13 == 5)
      goto outer_second;
  inner_second:
    v = v * 1103515245 + 12345;
    sum += v >> 29;
    if (++inner < 6)
      goto inner_first;
  outer_second:
    sum ^= outer << 7;
    if (++outer < 5)
      goto outer_first;
    return sum * 8 + outer;
  }
};

// Endless loops with breaks, of which one begins in the middle.
struct endless {
  static number run(number v, number u) {
    number k = 0, sum = 0;
    if (v & 16)
      goto middle;
    for (;;) {
      sum += v & 7;
      for (;;) {
        v = v * 5 + 3;
        if (v % 3 == u)
          break;
        if (++k > 50)
          return sum;
        sum += 100;
      }
    middle:
      sum = sum * 7 + 1;
      if (++k > 20)
        break;
      if (v & 32)
        continue;
      sum += k;
    }
    return sum * 64 + k;
  }
};

// What goes around the loop is in memory, and a function returns from it.
struct in_memory {
  static number step(number *slots, number &at, number u) {
    if (at & 1)
      goto second;
  first:
    slots[at % 4] += at;
    at += 3;
    if (at > 40)
      return slots[(at + u) % 4];
  second:
    slots[(at + 1) % 4] ^= at << 4;
    at += 1 + (slots[at % 4] & 1);
    goto first;
  }
  static number run(number v, number u) {
    number slots[4] = {v, v >> 8, u, 1}, at = v & 3, sum = 0;
    for (number k = 0; k < 3; ++k) {
      sum = sum * 31 + step(slots, at, u);
      at = (sum ^ k) & 7;
    }
    return sum;
  }
};

template <class Flow> struct in_range;
template <class Flow> struct in_groups;
template <class Flow> struct in_place;

constexpr number size = 208;
constexpr number start(number i) { return i * 2654435761u + (i >> 2); }

template <class Flow> void test(sycl::queue &q) {
  number *out = sycl::malloc_shared<number>(size, q);
  for (number u = 0; u < 4; ++u) {
    const auto check = [&](const char *how) {
      number wrong = 0, first = 0;
      for (number i = 0; i < size; ++i)
        if (out[i] != Flow::run(start(i), u) && !wrong++)
          first = i;
      if (wrong)
        std::printf("%s in %s with %u: %u of %u wrong, the first at %u\n", __PRETTY_FUNCTION__, how,
                    u, wrong, size, first);
      CHECK(wrong == 0);
    };
    q.parallel_for<in_range<Flow>>(size, [=](sycl::id<1> i) {
       out[i] = Flow::run(start(number(i)), u);
     }).wait();
    check("a range");
    q.parallel_for<in_groups<Flow>>(sycl::nd_range<1>(size, 13), [=](sycl::nd_item<1> item) {
       const number i = number(item.get_global_id(0));
       const number other = sycl::select_from_group(item.get_sub_group(), u, 0);
       out[i] = Flow::run(start(i), other);
     }).wait();
    check("groups");
    for (number i = 0; i < size; ++i)
      out[i] = start(i);
    // Some lanes do not enter the loop.
    q.parallel_for<in_place<Flow>>(size, [=](sycl::id<1> i) {
       if (out[i] % 9 != 8)
         out[i] = Flow::run(out[i], u);
     }).wait();
    for (number i = 0; i < size; ++i)
      if (start(i) % 9 == 8)
        out[i] = out[i] == start(i) ? Flow::run(out[i], u) : 0;
    check("memory");
  }
  sycl::free(out, q);
}

// The body is in the kernel itself.
void direct(sycl::queue &q) {
  number *p = sycl::malloc_shared<number>(16, q);
  for (number i = 0; i < 16; ++i)
    p[i] = i;
  q.parallel_for(sycl::range<1>(16), [=](sycl::id<1> id) {
     unsigned v = p[id], k = 0;
     if (v & 2)
       goto b;
   a:
     v += 4;
   b:
     v += 8;
     if (++k < 5)
       goto a;
     p[id] = v;
   }).wait();
  for (number i = 0; i < 16; ++i)
    CHECK(p[i] == lanes_enter_apart::run(i, 0));
  sycl::free(p, q);
}

int main() {
  sycl::queue q;
  direct(q);
  test<lanes_enter_apart>(q);
  test<all_enter_alike>(q);
  test<both_conditions>(q);
  test<three_entries>(q);
  test<switch_inside>(q);
  test<nested>(q);
  test<endless>(q);
  test<in_memory>(q);
  return check::result();
}
