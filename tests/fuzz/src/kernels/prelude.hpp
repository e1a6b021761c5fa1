// The functions of kernels that use many parts of the language, and the machine that runs them.
// None of the functions has undefined behaviour for any argument.
#include <type_traits>

namespace fuzz {

using schar = signed char;
using uchar = unsigned char;
using ushort = unsigned short;

constexpr sycl::specialization_id<uint> constant{7u};
constexpr sycl::specialization_id<short> narrow_constant{-3};

// The type in which an integer is computed: without sign, and not promoted.
template <class T> using word = std::conditional_t<sizeof(T) == 8, ulong, uint>;

template <class T> T add(T x, T y) { return static_cast<T>(word<T>(x) + word<T>(y)); }
template <class T> T sub(T x, T y) { return static_cast<T>(word<T>(x) - word<T>(y)); }
template <class T> T mul(T x, T y) { return static_cast<T>(word<T>(x) * word<T>(y)); }
template <class T> T both(T x, T y) { return static_cast<T>(x & y); }
template <class T> T either(T x, T y) { return static_cast<T>(x | y); }
template <class T> T differ(T x, T y) { return static_cast<T>(x ^ y); }
template <class T> T flip(T x) { return static_cast<T>(~word<T>(x)); }
template <class T> T left(T x, uint by) {
  return static_cast<T>(word<T>(x) << (by & (sizeof(T) * 8 - 1)));
}
template <class T> T right(T x, uint by) { return static_cast<T>(x >> (by & (sizeof(T) * 8 - 1))); }
template <class T> T quotient(T x, T y) {
  if (y == 0)
    return x;
  if constexpr (std::is_signed_v<T>)
    if (y == -1)
      return sub(T(0), x);
  return static_cast<T>(x / y);
}
template <class T> T remainder(T x, T y) {
  if (y == 0)
    return x;
  if constexpr (std::is_signed_v<T>)
    if (y == -1)
      return 0;
  return static_cast<T>(x % y);
}

inline double limited(double x) { return x > -1e6 && x < 1e6 ? x : 1.5; }

// Converts between all arithmetic types.
template <class T, class U> T to(U x) {
  if constexpr (std::is_same_v<T, bool>)
    return x != 0;
  else if constexpr (std::is_floating_point_v<T>)
    return limited(static_cast<T>(x));
  else if constexpr (std::is_floating_point_v<U>)
    return static_cast<T>(static_cast<long>(x));
  else
    return static_cast<T>(x);
}

template <class T, int N> sycl::vec<T, N> limited(sycl::vec<T, N> x) {
  for (int i = 0; i < N; ++i)
    x[i] = limited(static_cast<T>(x[i]));
  return x;
}

// Any number as one below `n`.
inline uint slot(uint x, uint n) {
  return static_cast<uint>((static_cast<ulong>(x * 0x9E3779B1u) * n) >> 32);
}

template <class T> uint folded(T x) {
  if constexpr (std::is_same_v<T, float>)
    return bits(x);
  else if constexpr (std::is_same_v<T, double>)
    return folded(__builtin_bit_cast(ulong, x));
  else if constexpr (sizeof(T) == 8)
    return static_cast<uint>(x) ^ static_cast<uint>(static_cast<ulong>(x) >> 32) * 0x85EBCA6Bu;
  else
    return static_cast<uint>(x);
}
template <class T, int N> uint folded(const sycl::vec<T, N> &x) {
  uint all = N;
  for (int i = 0; i < N; ++i)
    all = mix(all, folded(static_cast<T>(x[i])));
  return all;
}
template <class T, std::size_t N> uint folded(const sycl::marray<T, N> &x) {
  uint all = N;
  for (std::size_t i = 0; i < N; ++i)
    all = mix(all, folded(x[i]));
  return all;
}

// A structure with padding, passed and returned by value.
struct record {
  uchar d[3];
  uint a;
  short b;
  double e;
  ulong c;
  bool f;
};
struct small {
  ushort x;
  schar y;
};

inline uint folded(const record &r) {
  uint all = mix(r.a, folded(r.b)) ^ folded(r.c);
  for (uchar d : r.d)
    all = mix(all, d);
  return mix(mix(all, folded(r.e)), r.f);
}
inline uint folded(const small &s) { return mix(s.x, folded(s.y)); }

__attribute__((noinline)) inline record twisted(record r, uint x, small s) {
  r.a = r.a * 3u + x;
  r.b = add(r.b, static_cast<short>(s.y));
  r.d[x % 3u] = static_cast<uchar>(r.a >> 9);
  r.e = limited(r.e * 0.5 + s.x);
  r.c = r.c * 6364136223846793005ul + r.d[1];
  r.f = r.a > r.c;
  return r;
}
inline small paired(const record &r, uint x) {
  return {static_cast<ushort>(r.a + x), static_cast<schar>(r.d[x % 3u] - 100)};
}

template <class T, int N> T churned(T x, T y) {
  for (int i = 0; i < N; ++i) {
    if (x > y)
      x = sub(x, y);
    else
      y = differ(add(y, T(N)), right(x, static_cast<uint>(i)));
  }
  return add(x, y);
}
template <class T> __attribute__((noinline)) T apart(T x, T *by) {
  *by = mul(*by, T(5));
  return *by > x ? flip(x) : add(x, *by);
}

// Work-items end in any order: only what does not depend on it is stored.
inline void count(uint *cells, ulong *wide, uint which, uint value) {
  using sycl::memory_order;
  using sycl::memory_scope;
  constexpr auto order = memory_order::relaxed;
  sycl::atomic_ref<uint, order, memory_scope::device> cell(cells[which & 7u]);
  switch (which & 7u) {
  case 0:
    cell.fetch_add(value);
    break;
  case 1:
    cell.fetch_xor(value);
    break;
  case 2:
    cell.fetch_or(value);
    break;
  case 3:
    cell.fetch_and(value | 0xFFu);
    break;
  case 4:
    cell.fetch_max(value);
    break;
  case 5:
    cell.fetch_min(value);
    break;
  case 6:
    cell -= value;
    break;
  default: {
    uint old = cell.load();
    while (!cell.compare_exchange_weak(old, old * 1u + (value ^ 3u)))
      ;
  }
  }
  sycl::atomic_ref<ulong, order, memory_scope::device> sum(wide[0]);
  sum.fetch_add(static_cast<ulong>(value) << (which & 31u));
  sycl::atomic_ref<ulong, order, memory_scope::device> most(wide[1]);
  most.fetch_max(static_cast<ulong>(value) * 0x100000001ul);
}

using words = sycl::local_accessor<ulong>;
using counters = sycl::local_accessor<uint>;

template <class T, int D>
T exchange(const sycl::nd_item<D> &it, const words &t, uint other, T value) {
  const uint own = static_cast<uint>(it.get_local_linear_id());
  const uint n = static_cast<uint>(it.get_group().get_local_linear_range());
  t[own] = static_cast<ulong>(value);
  sycl::group_barrier(it.get_group());
  const T got = static_cast<T>(t[slot(other, n)]);
  sycl::group_barrier(it.get_group());
  return got;
}

template <int D>
uint tallied(const sycl::nd_item<D> &it, const counters &c, uint which, uint value) {
  const uint own = static_cast<uint>(it.get_local_linear_id());
  if (own == 0)
    for (uint i = 0; i < 8; ++i)
      c[i] = i;
  it.barrier(sycl::access::fence_space::local_space);
  sycl::atomic_ref<uint, sycl::memory_order::relaxed, sycl::memory_scope::work_group> cell(
      c[which & 7u]);
  if (which & 1u)
    cell.fetch_add(value);
  else
    cell.fetch_max(value);
  sycl::group_barrier(it.get_group());
  const uint got = c[own & 7u];
  sycl::group_barrier(it.get_group());
  return got;
}

// Sums through sub-groups of any size.
template <class T, int D> T sum_by_sub_groups(const sycl::nd_item<D> &it, T value) {
  const sycl::sub_group sub = it.get_sub_group();
  const T part = sycl::reduce_over_group(sub, value, sycl::plus<T>());
  return sycl::reduce_over_group(it.get_group(), sub.leader() ? part : T(0), sycl::plus<T>());
}

// The sums of all work-items up to each, through scans of sub-groups.
template <class T, int D> T prefix_by_sub_groups(const sycl::nd_item<D> &it, T value) {
  const sycl::sub_group sub = it.get_sub_group();
  const T inside = sycl::inclusive_scan_over_group(sub, value, sycl::plus<T>());
  const bool last = sub.get_local_linear_id() + 1 == sub.get_local_linear_range();
  const T all =
      sycl::exclusive_scan_over_group(it.get_group(), last ? inside : T(0), sycl::plus<T>());
  return add(all, inside);
}

// Away and back again.
template <class T, int D> T kept_by_sub_group(const sycl::nd_item<D> &it, T value) {
  const sycl::sub_group sub = it.get_sub_group();
  const uint lane = sub.get_local_linear_id(), size = sub.get_local_linear_range();
  const T mirrored = sycl::select_from_group(sub, value, size - 1 - lane);
  const T back = sycl::select_from_group(sub, mirrored, size - 1 - lane);
  const T swapped = sycl::permute_group_by_xor(sub, back, 1);
  const T again = sycl::permute_group_by_xor(sub, swapped, 1);
  return (lane ^ 1u) < size ? again : back;
}

class machine : machine_base {
public:
  machine()
      : machine_base(most), cells(sycl::malloc_shared<uint>(10, q)),
        wide(sycl::malloc_shared<ulong>(2, q)) {}
  ~machine() {
    sycl::free(cells, q);
    sycl::free(wide, q);
  }

  template <class K>
  void run(unsigned long long seed, const uint (&k)[4], const std::vector<launch> &launches) {
    print(seed, [&]() -> std::optional<uint> {
      uint hash = 0;
      for (const launch &l : launches) {
        std::memset(out, 0, most * sizeof(uint));
        for (uint i = 0; i < 10; ++i)
          cells[i] = i == 3 || i == 5 ? ~0u : i;
        wide[0] = wide[1] = 0;
        submit<K>(l, k);
        for (std::size_t i = 0; i < most; ++i)
          hash = mix(hash, out[i]);
        for (uint i = 0; i < 10; ++i)
          hash = mix(hash, cells[i]);
        hash = mix(mix(hash, folded(wide[0])), folded(wide[1]));
      }
      return hash;
    });
  }

private:
  static constexpr std::size_t most = 4 * 72;

  template <class K> void submit(const launch &l, const uint (&k)[4]) {
    constexpr int D = K::dimensions;
    sycl::range<D> global = extents<D>(l), local = global;
    global[0] *= l.groups;
    q.submit([&](sycl::handler &h) {
       if constexpr (K::specialized) {
         h.set_specialization_constant<constant>(k[1] ^ 5u);
         h.set_specialization_constant<narrow_constant>(static_cast<short>(k[2]));
       }
       const auto size = [&] {
         if constexpr (K::nd)
           return sycl::nd_range<D>(global, local);
         else
           return global;
       }();
       const K kernel = [&] {
         if constexpr (K::nd)
           return K{out,           cells, wide, in, k[0], k[1], k[2], k[3], words(local.size(), h),
                    counters(8, h)};
         else
           return K{out, cells, wide, in, k[0], k[1], k[2], k[3]};
       }();
       if constexpr (K::reduces)
         h.parallel_for(size, sycl::reduction(&cells[8], sycl::plus<uint>()),
                        sycl::reduction(&cells[9], sycl::maximum<uint>()), kernel);
       else
         h.parallel_for(size, kernel);
     }).wait_and_throw();
  }

  uint *cells;
  ulong *wide;
};

} // namespace fuzz

using namespace fuzz;
