// The products of joint matrices that a device has, for programs: `matrix_params` at compile time
// and `matrix_combinations` at run time. The table follows the appendix of
// `sycl_ext_oneapi_matrix`.
#ifndef SCYTHE_EXT_ONEAPI_MATRIX_QUERY_HPP
#define SCYTHE_EXT_ONEAPI_MATRIX_QUERY_HPP

#include <sycl/ext/oneapi/architecture.hpp>
#include <sycl/ext/oneapi/matrix/operations.hpp>

#include <array>
#include <vector>

namespace sycl {

namespace ext::oneapi::experimental::matrix {

struct combination {
  std::size_t max_msize;
  std::size_t max_nsize;
  std::size_t max_ksize;
  std::size_t msize;
  std::size_t nsize;
  std::size_t ksize;
  matrix_type atype;
  matrix_type btype;
  matrix_type ctype;
  matrix_type dtype;
};

template <class Group, class T, use Use, std::size_t Rows, std::size_t Cols,
          layout Layout = layout::dynamic>
struct joint_matrix;

} // namespace ext::oneapi::experimental::matrix

namespace detail {

// The devices of a row of the table.
enum class matrix_devices {
  cpu,    // the CPU device, and devices without instructions for matrices: they have all sizes,
          // and the table those that suit them
  amx,    // intel_cpu_spr and its successors
  amx_16, // intel_cpu_gnr and its successors
  xmx_8,  // Intel GPUs with sub-groups of 8
  xmx_16, // Intel GPUs with sub-groups of 16
  nvidia, // NVIDIA GPUs; `first` is the first compute capability
};

// A product, or all products of its types up to its sizes if `up_to` is set.
struct matrix_product {
  matrix_devices devices;
  int first;
  ext::oneapi::experimental::matrix::matrix_type a, b, c, d;
  std::size_t m, n, k;
  bool up_to;
};

// A template, so that only programs that query products pay for the table.
template <class Type = ext::oneapi::experimental::matrix::matrix_type> struct matrix_products {
#define SCYTHE_MATRIX_SIZES(devices, first, a, b, c, m, n, k)                                      \
  {matrix_devices::devices, first, Type::a, Type::b, Type::c, Type::c, m, n, k, false},
#define SCYTHE_MATRIX_LIMITS(devices, a, b, c, m, n, k)                                            \
  {matrix_devices::devices, 0, Type::a, Type::b, Type::c, Type::c, m, n, k, true},
#define SCYTHE_MATRIX_BYTES(row, devices, m, n, k)                                                 \
  row(devices, uint8, uint8, sint32, m, n, k) row(devices, uint8, sint8, sint32, m, n, k)          \
      row(devices, sint8, uint8, sint32, m, n, k) row(devices, sint8, sint8, sint32, m, n, k)
#define SCYTHE_MATRIX_ROWS(devices, a, b, c, n, k)                                                 \
  SCYTHE_MATRIX_SIZES(devices, 0, a, b, c, 8, n, k)                                                \
  SCYTHE_MATRIX_SIZES(devices, 0, a, b, c, 7, n, k)                                                \
  SCYTHE_MATRIX_SIZES(devices, 0, a, b, c, 6, n, k)                                                \
  SCYTHE_MATRIX_SIZES(devices, 0, a, b, c, 5, n, k)                                                \
  SCYTHE_MATRIX_SIZES(devices, 0, a, b, c, 4, n, k)                                                \
  SCYTHE_MATRIX_SIZES(devices, 0, a, b, c, 3, n, k)                                                \
  SCYTHE_MATRIX_SIZES(devices, 0, a, b, c, 2, n, k)                                                \
  SCYTHE_MATRIX_SIZES(devices, 0, a, b, c, 1, n, k)
#define SCYTHE_MATRIX_UP_TO_8(devices, a, b, c, m, n, k) SCYTHE_MATRIX_ROWS(devices, a, b, c, n, k)
#define SCYTHE_MATRIX_WARP(first, a, c)                                                            \
  SCYTHE_MATRIX_SIZES(nvidia, first, a, a, c, 16, 16, 16)                                          \
  SCYTHE_MATRIX_SIZES(nvidia, first, a, a, c, 8, 32, 16)                                           \
  SCYTHE_MATRIX_SIZES(nvidia, first, a, a, c, 32, 8, 16)
#define SCYTHE_MATRIX_WARP_TYPES(c_type, d_type)                                                   \
  {matrix_devices::nvidia, 70, Type::fp16, Type::fp16, Type::c_type,                               \
   Type::d_type,           16, 16,         16,         false},                                     \
      {matrix_devices::nvidia, 70, Type::fp16, Type::fp16, Type::c_type,                           \
       Type::d_type,           8,  32,         16,         false},                                 \
      {matrix_devices::nvidia, 70, Type::fp16, Type::fp16, Type::c_type,                           \
       Type::d_type,           32, 8,          16,         false},
  // clang-format off
  static constexpr matrix_product all[] = {
      SCYTHE_MATRIX_BYTES(SCYTHE_MATRIX_LIMITS, cpu, 16, 16, 64)
      SCYTHE_MATRIX_LIMITS(cpu, bf16, bf16, fp32, 16, 16, 32)
      SCYTHE_MATRIX_LIMITS(cpu, fp16, fp16, fp32, 16, 16, 32)
      SCYTHE_MATRIX_LIMITS(cpu, bf16, bf16, bf16, 16, 16, 32)
      SCYTHE_MATRIX_LIMITS(cpu, fp16, fp16, fp16, 16, 16, 32)
      SCYTHE_MATRIX_LIMITS(cpu, tf32, tf32, fp32, 16, 16, 16)
      SCYTHE_MATRIX_LIMITS(cpu, fp32, fp32, fp32, 16, 16, 16)
      SCYTHE_MATRIX_LIMITS(cpu, fp64, fp64, fp64, 16, 16, 16)
      SCYTHE_MATRIX_BYTES(SCYTHE_MATRIX_LIMITS, amx, 16, 16, 64)
      SCYTHE_MATRIX_LIMITS(amx, bf16, bf16, fp32, 16, 16, 32)
      SCYTHE_MATRIX_LIMITS(amx_16, fp16, fp16, fp32, 16, 16, 32)
      SCYTHE_MATRIX_BYTES(SCYTHE_MATRIX_UP_TO_8, xmx_8, 8, 8, 32)
      SCYTHE_MATRIX_ROWS(xmx_8, fp16, fp16, fp32, 8, 16)
      SCYTHE_MATRIX_ROWS(xmx_8, bf16, bf16, fp32, 8, 16)
      SCYTHE_MATRIX_SIZES(xmx_8, 0, bf16, bf16, fp32, 32, 32, 16)
      SCYTHE_MATRIX_BYTES(SCYTHE_MATRIX_UP_TO_8, xmx_16, 8, 16, 32)
      SCYTHE_MATRIX_ROWS(xmx_16, fp16, fp16, fp32, 16, 16)
      SCYTHE_MATRIX_ROWS(xmx_16, bf16, bf16, fp32, 16, 16)
      SCYTHE_MATRIX_SIZES(xmx_16, 0, bf16, bf16, fp32, 16, 16, 16)
      SCYTHE_MATRIX_SIZES(xmx_16, 0, bf16, bf16, fp32, 1, 64, 16)
      SCYTHE_MATRIX_SIZES(xmx_16, 0, bf16, bf16, fp32, 32, 64, 16)
      SCYTHE_MATRIX_ROWS(xmx_16, tf32, tf32, fp32, 16, 8)
      SCYTHE_MATRIX_WARP_TYPES(fp32, fp32)
      SCYTHE_MATRIX_WARP_TYPES(fp16, fp16)
      SCYTHE_MATRIX_WARP_TYPES(fp32, fp16)
      SCYTHE_MATRIX_WARP_TYPES(fp16, fp32)
      SCYTHE_MATRIX_WARP(72, sint8, sint32)
      SCYTHE_MATRIX_WARP(72, uint8, sint32)
      SCYTHE_MATRIX_SIZES(nvidia, 80, tf32, tf32, fp32, 16, 16, 8)
      SCYTHE_MATRIX_WARP(80, bf16, fp32)
      SCYTHE_MATRIX_SIZES(nvidia, 80, fp64, fp64, fp64, 8, 8, 4)
  };
  // clang-format on
#undef SCYTHE_MATRIX_WARP_TYPES
#undef SCYTHE_MATRIX_WARP
#undef SCYTHE_MATRIX_UP_TO_8
#undef SCYTHE_MATRIX_ROWS
#undef SCYTHE_MATRIX_BYTES
#undef SCYTHE_MATRIX_LIMITS
#undef SCYTHE_MATRIX_SIZES
};

// Whether an architecture has the products of a row.
template <class A> constexpr bool has_product(const matrix_product &p, A a) {
  using known = ordered_architectures<A>;
  const bool nvidia = known::family(a) == 1;
  switch (p.devices) {
  case matrix_devices::cpu:
    return a == A::x86_64;
  case matrix_devices::amx:
    return a == A::intel_cpu_spr || a == A::intel_cpu_gnr || a == A::intel_cpu_dmr;
  case matrix_devices::amx_16:
    return a == A::intel_cpu_gnr || a == A::intel_cpu_dmr;
  case matrix_devices::xmx_8:
    return a == A::intel_gpu_acm_g10 || a == A::intel_gpu_acm_g11 || a == A::intel_gpu_acm_g12;
  case matrix_devices::xmx_16:
    return a == A::intel_gpu_pvc || a == A::intel_gpu_pvc_vg || a == A::intel_gpu_bmg_g21 ||
           a == A::intel_gpu_lnl_m;
  case matrix_devices::nvidia:
    break;
  }
  const A first = p.first == 70   ? A::nvidia_gpu_sm_70
                  : p.first == 72 ? A::nvidia_gpu_sm_72
                                  : A::nvidia_gpu_sm_80;
  return nvidia && known::place(a) >= known::place(first);
}

// Returns the row of a product of an architecture, or null. Sizes of zero are all sizes.
template <auto Architecture, class Ta, class Tb, class Tc, class Td>
constexpr const matrix_product *find_product(std::size_t m, std::size_t n, std::size_t k) {
  for (const matrix_product &p : matrix_products<>::all) {
    const bool types = p.a == matrix_element<Ta>::number && p.b == matrix_element<Tb>::number &&
                       p.c == matrix_element<Tc>::number && p.d == matrix_element<Td>::number;
    const bool sizes = (m == 0 && n == 0 && k == 0) ||
                       (p.up_to ? m > 0 && n > 0 && k > 0 && m <= p.m && n <= p.n && k <= p.k
                                : m == p.m && n == p.n && k == p.k);
    if (types && sizes && has_product(p, Architecture))
      return &p;
  }
  return nullptr;
}

} // namespace detail

namespace ext::oneapi::experimental::matrix {

// Without sizes, the first sizes of the architecture.
template <architecture Arch, class Ta, class Tb, class Tc, class Td = Tc, std::size_t sM = 0,
          std::size_t sN = 0, std::size_t sK = 0>
struct matrix_params {
private:
  static constexpr const sycl::detail::matrix_product *row =
      sycl::detail::find_product<Arch, Ta, Tb, Tc, Td>(sM, sN, sK);
  static_assert(row, "Invalid types or sizes: the architecture has no such product of joint "
                     "matrices");

public:
  static constexpr std::size_t M = sM != 0 || !row ? sM : row->m;
  static constexpr std::size_t N = sN != 0 || !row ? sN : row->n;
  static constexpr std::size_t K = sK != 0 || !row ? sK : row->k;

  template <class Group, layout Layout>
  using joint_matrix_a = joint_matrix<Group, Ta, use::a, M, K, Layout>;
  template <class Group, layout Layout>
  using joint_matrix_b = joint_matrix<Group, Tb, use::b, K, N, Layout>;
  template <class Group>
  using joint_matrix_c = joint_matrix<Group, Tc, use::accumulator, M, N, layout::dynamic>;
  template <class Group>
  using joint_matrix_d = joint_matrix<Group, Td, use::accumulator, M, N, layout::dynamic>;
};

} // namespace ext::oneapi::experimental::matrix

namespace ext::oneapi::experimental::info::device {
struct matrix_combinations {
  using return_type = std::vector<matrix::combination>;
  template <class Device> static return_type scythe_query(const Device &d) {
    using architectures = sycl::detail::ordered_architectures<>;
    auto a = d.template get_info<architecture>();
    const auto list = [&](auto known) {
      return_type all;
      for (const sycl::detail::matrix_product &p : sycl::detail::matrix_products<>::all)
        if (sycl::detail::has_product(p, known)) {
          const std::size_t most = p.up_to, one = !p.up_to;
          all.push_back({most * p.m, most * p.n, most * p.k, one * p.m, one * p.n, one * p.k, p.a,
                         p.b, p.c, p.d});
        }
      return all;
    };
    return_type all = list(a);
    // Devices other than NVIDIA GPUs multiply matrices of all sizes without such instructions.
    if (all.empty() && architectures::family(a) != 1)
      all = list(decltype(a)::x86_64);
    return all;
  }
};
} // namespace ext::oneapi::experimental::info::device

} // namespace sycl

#endif
