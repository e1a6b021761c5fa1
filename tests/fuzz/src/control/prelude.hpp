// The place of a work-item, the machine that runs kernels, and the step counter that finds kernels
// that do not end.
// The reference is unoptimised host code.
#ifdef __SYCL_DEVICE_ONLY__
#define PLAIN inline
#else
#define PLAIN __attribute__((optnone, noinline)) inline
#endif
#define STEP                                                                                       \
  if (steps.spent())                                                                               \
    return 0u;

namespace fuzz {

// The place of a work-item: its linear numbers, and its id in each dimension.
struct place {
  uint gid, l, g, n, i0, i1, i2;
};

// The arguments of a kernel. Slot `j` of work-item `gid` is `out[j * items + gid]`: neighbours are
// adjacent.
struct arguments {
  uint *out;
  const uint *in;
  uint items, k0, k1, k2, k3;
};

// Counts the steps of all work-items on the host.
struct counted {
  uint left;
  bool spent() { return left == 0 || --left == 0; }
};

struct uncounted {
  static constexpr bool spent() { return false; }
};

// The "local" number of a work-item of a range. It is as small as those of work-groups: kernels
// read `in` by it.
inline uint in_range(const place &at) { return (at.i0 + at.i1 + at.i2) % 64u; }

inline uint items(const launch &l) {
  return static_cast<uint>(l.local[0] * l.local[1] * l.local[2] * l.groups);
}

class machine : machine_base {
public:
  explicit machine(bool host) : machine_base(most), host(host) {}

  template <class K>
  void run(unsigned long long seed, const uint (&k)[4], const std::vector<launch> &launches) {
    print(seed, [&]() -> std::optional<uint> {
      uint hash = 0;
      for (const launch &l : launches) {
        const arguments a{out, in, items(l), k[0], k[1], k[2], k[3]};
        if (!reference<K>(l, a))
          return std::nullopt;
        const uint expected = hashed(hash);
        // Two launches: the second may use code for its work-group size.
        for (int round = 0; round < 2 && !host; ++round) {
          clear();
          submit<K>(l, a);
          if (const uint got = hashed(hash); round == 1 && got != hashed_first)
            throw std::runtime_error("the second launch differs from the first");
          else
            hashed_first = got;
        }
        hash = host ? expected : hashed_first;
      }
      return hash;
    });
  }

private:
  static constexpr std::size_t most = 5 * 4 * 72;

  void clear() { std::memset(out, 0, most * sizeof(uint)); }

  uint hashed(uint all) const {
    for (std::size_t i = 0; i < most; ++i)
      all = mix(all, out[i]);
    return all;
  }

  // Whether all work-items end on the host within a number of steps.
  template <class K> bool reference(const launch &l, const arguments &a) {
    clear();
    counted steps{400000};
    const std::size_t n0 = l.local[0], n1 = l.local[1], n2 = l.local[2];
    const bool nd = K::nd;
    for (uint gid = 0; gid < a.items; ++gid) {
      const uint n = static_cast<uint>(n0 * n1 * n2), in_group = gid % n;
      place at{};
      if (nd) {
        at = {gid, in_group, gid / n, n, 0, 0, 0};
        ids<K::dimensions>(at, in_group, l);
      } else {
        ids<K::dimensions>(at, gid, l);
        at = {gid, in_range(at), at.i0, a.items, at.i0, at.i1, at.i2};
      }
      a.out[gid] = K::body(a, at, steps);
      if (steps.left == 0)
        return false;
    }
    return true;
  }

  template <int D> static void ids(place &at, uint linear, const launch &l) {
    const uint n1 = static_cast<uint>(l.local[1]), n2 = static_cast<uint>(l.local[2]);
    if constexpr (D == 1) {
      at.i0 = linear;
    } else if constexpr (D == 2) {
      at.i0 = linear / n1;
      at.i1 = linear % n1;
    } else {
      at.i0 = linear / (n1 * n2);
      at.i1 = linear / n2 % n1;
      at.i2 = linear % n2;
    }
  }

  template <class K> void submit(const launch &l, const arguments &a) {
    constexpr int D = K::dimensions;
    sycl::range<D> global = extents<D>(l), local = global;
    global[0] *= l.groups;
    if constexpr (K::nd)
      q.parallel_for(sycl::nd_range<D>(global, local), K{a}).wait_and_throw();
    else
      q.parallel_for(global, K{a}).wait_and_throw();
  }

  bool host;
  uint hashed_first = 0;
};

// The place of a work-item of an nd_range.
template <int D> place place_of(const sycl::nd_item<D> &it) {
  const uint l = static_cast<uint>(it.get_local_linear_id());
  const uint n = static_cast<uint>(it.get_group().get_local_linear_range());
  const uint g = static_cast<uint>(it.get_group_linear_id());
  place at{g * n + l, l, g, n, static_cast<uint>(it.get_local_id(0)), 0, 0};
  if constexpr (D > 1)
    at.i1 = static_cast<uint>(it.get_local_id(1));
  if constexpr (D > 2)
    at.i2 = static_cast<uint>(it.get_local_id(2));
  return at;
}

// The place of a work-item of a range.
template <int D> place place_of(const sycl::item<D> &it) {
  place at{static_cast<uint>(it.get_linear_id()), 0, 0, 0, static_cast<uint>(it.get_id(0)), 0, 0};
  if constexpr (D > 1)
    at.i1 = static_cast<uint>(it.get_id(1));
  if constexpr (D > 2)
    at.i2 = static_cast<uint>(it.get_id(2));
  at.l = in_range(at);
  at.g = at.i0;
  at.n = static_cast<uint>(it.get_range().size());
  return at;
}

} // namespace fuzz

using namespace fuzz;
