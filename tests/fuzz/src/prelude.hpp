// The functions of kernels with barriers, and the machine that runs them.
namespace fuzz {

inline float to_float(uint x) { return (static_cast<float>(x & 0xFFFFFu) - 524288.0f) * 0.015625f; }
inline uint to_integer(float x) { return static_cast<uint>(static_cast<int>(limited(x) * 4.0f)); }
inline uint signed_shift(uint x, uint by) {
  return static_cast<uint>(static_cast<int>(x) >> (by & 31u));
}
inline uint high_product(uint x, uint y) {
  return static_cast<uint>((static_cast<ulong>(x) * y) >> 32);
}

// Any number as one below `n`. A remainder would be a division for each work-item, most of the code
// of many kernels.
inline uint slot(uint x, uint n) { return high_product(x * 0x9E3779B1u, n); }
// `l` moved on by `by`, which is less than `n`, in a circle of `n`.
inline uint turned(uint l, uint by, uint n) { return l + by < n ? l + by : l + by - n; }

// Takes the address of a private variable.
__attribute__((noinline)) inline void bump(uint &x, uint by) {
  x = x * 5u + by;
  if (x & 1u)
    x ^= by >> 3;
}

inline void add(uint &counter, uint value) {
  sycl::atomic_ref<uint, sycl::memory_order::relaxed, sycl::memory_scope::work_group> shared(
      counter);
  shared.fetch_add(value);
}

using integers = sycl::local_accessor<uint>;

template <int D>
uint exchange_inline(const sycl::nd_item<D> &it, const integers &t, uint own, uint other,
                     uint value) {
  t[own] = value;
  sycl::group_barrier(it.get_group());
  const uint got = t[other];
  sycl::group_barrier(it.get_group());
  return got;
}

template <int D>
__attribute__((noinline)) uint exchange(const sycl::nd_item<D> &it, const integers &t, uint own,
                                        uint other, uint value) {
  return exchange_inline(it, t, own, other, value);
}

// The next work-item's value: through the sub-group, or through memory from one sub-group to the
// next.
template <int D>
uint next_of_sub_group(const sycl::nd_item<D> &it, const integers &t, uint own, uint value) {
  const sycl::sub_group sub = it.get_sub_group();
  const uint n = static_cast<uint>(it.get_group().get_local_linear_range());
  t[own] = value;
  sycl::group_barrier(it.get_group());
  const uint shifted = sycl::shift_group_left(sub, value, 1);
  const bool inside = sub.get_local_linear_id() + 1 < sub.get_local_linear_range();
  const uint got = inside ? shifted : t[(own + 1) % n];
  sycl::group_barrier(it.get_group());
  return got;
}

template <int D> uint sum_by_sub_groups(const sycl::nd_item<D> &it, uint value) {
  const sycl::sub_group sub = it.get_sub_group();
  const uint part = sycl::reduce_over_group(sub, value, sycl::plus<uint>());
  return sycl::reduce_over_group(it.get_group(), sub.leader() ? part : 0u, sycl::plus<uint>());
}

// Away and back again.
template <int D> uint kept_by_sub_group(const sycl::nd_item<D> &it, uint value) {
  const sycl::sub_group sub = it.get_sub_group();
  const uint lane = sub.get_local_linear_id(), size = sub.get_local_linear_range();
  const uint mirrored = sycl::select_from_group(sub, value, size - 1 - lane);
  const uint back = sycl::select_from_group(sub, mirrored, size - 1 - lane);
  const uint swapped = sycl::permute_group_by_xor(sub, back, 1);
  const uint again = sycl::permute_group_by_xor(sub, swapped, 1);
  return (lane ^ 1u) < size ? again : back;
}

class machine : machine_base {
public:
  machine() : machine_base(most), scratch(sycl::malloc_shared<uint>(most, q)) {}
  ~machine() { sycl::free(scratch, q); }

  template <class K, int D>
  void run(unsigned long long seed, const uint (&k)[4], const std::vector<launch> &launches) {
    print(seed, [&] {
      uint hash = 0;
      for (const launch &l : launches) {
        for (std::size_t i = 0; i < most; ++i)
          out[i] = scratch[i] = 0;
        sycl::range<D> global = extents<D>(l), local = global;
        global[0] *= l.groups;
        q.submit([&](sycl::handler &h) {
           const sycl::range<1> size(local.size());
           h.parallel_for(sycl::nd_range<D>(global, local),
                          K{out, scratch, in, k[0], k[1], k[2], k[3], integers(size, h),
                            sycl::local_accessor<float>(size, h), integers(4, h)});
         }).wait_and_throw();
        for (std::size_t i = 0; i < most; ++i)
          hash = mix(mix(hash, out[i]), scratch[i]);
      }
      return hash;
    });
  }

private:
  static constexpr std::size_t most = 3 * 67;

  uint *scratch;
};

} // namespace fuzz

using namespace fuzz;
