// Spellings beyond SYCL 2020 that programs and libraries written for DPC++ use.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/group_helpers_sorters.hpp>

// oneDPL keeps other objects in the memory of a queue, and creates empty buffers.
static_assert(sizeof(sycl::queue) >= 2 * sizeof(void *));
#if !__SYCL_UNNAMED_LAMBDA__
#error "kernels need no names"
#endif

namespace intel = sycl::ext::intel;
using sycl::access::address_space;
static_assert(SYCL_EXT_INTEL_USM_ADDRESS_SPACES == 3);
static_assert(std::is_same_v<intel::raw_host_ptr<int>,
                             sycl::multi_ptr<int, address_space::ext_intel_global_host_space,
                                             sycl::access::decorated::no>>);
static_assert(!std::is_convertible_v<sycl::global_ptr<int>, intel::device_ptr<int>>);

// The attribute before the linkage.
SYCL_EXTERNAL extern "C" int twice(int x);
extern "C" SYCL_EXTERNAL int twice(int x) { return 2 * x; }

void external_functions(sycl::queue &q) {
  int *result = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *result = twice(21); }).wait();
  CHECK(*result == 42);
  sycl::free(result, q);
}

// Ranges with offsets, as commands of a queue.
void offsets(sycl::queue &q) {
  int *cells = sycl::malloc_shared<int>(4, q);
  for (int i = 0; i < 4; ++i)
    cells[i] = i;
  const sycl::id<1> offset(2);
  const sycl::event first =
      q.parallel_for(sycl::range<1>(2), offset, [=](sycl::id<1> i) { cells[i] += 10; });
  q.parallel_for<class behind>(sycl::range<1>(1), offset, first, [=](sycl::item<1> i) {
     cells[i] *= 2;
   }).wait();
  CHECK(cells[0] == 0 && cells[1] == 1 && cells[2] == 24 && cells[3] == 13);
  sycl::free(cells, q);
}

void empty_buffers() {
  sycl::buffer<int, 1> empty{nullptr, sycl::range{0}};
  CHECK(empty.size() == 0);
  sycl::buffer<int, 2> made{nullptr, sycl::range<2>{2, 3}, sycl::property_list{}};
  sycl::host_accessor a{made, sycl::write_only};
  a[1][2] = 5;
  CHECK(made.size() == 6);
}

// A launcher's state before the first launch.
void empty_nd_ranges(sycl::queue &q) {
  static thread_local sycl::nd_range<3> state = sycl::nd_range<3>();
  CHECK(state.get_global_range().size() == 0 && state.get_group_range().size() == 0);
  state = sycl::nd_range<3>({2, 2, 4}, {1, 1, 4});
  int *count = sycl::malloc_shared<int>(1, q);
  *count = 0;
  q.parallel_for(state, [=](sycl::nd_item<3>) {
     sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*count)++;
   }).wait();
  CHECK(*count == 16);
  sycl::free(count, q);
}

// Pointers into parts of global memory.
void address_spaces(sycl::queue &q) {
  int *out = sycl::malloc_device<int>(4, q);
  int *in = sycl::malloc_host<int>(4, q);
  sycl::buffer<int> more(4);
  for (int i = 0; i < 4; ++i)
    in[i] = i;
  q.submit([&](sycl::handler &h) {
     sycl::accessor a{more, h, sycl::write_only, sycl::no_init};
     h.parallel_for(4, [=](sycl::id<1> i) {
       intel::device_ptr<int> device(out);
       const intel::host_ptr<const int> host(in);
       const sycl::global_ptr<int> global = device;
       const intel::device_ptr<int> back(global);
       const intel::raw_device_ptr<int> elements(a);
       back[i] = host[i] * 2;
       elements[i] = sycl::generic_ptr<int>(device)[i] + 1;
     });
   }).wait();
  int result[4];
  q.memcpy(result, out, sizeof result).wait();
  sycl::host_accessor values{more, sycl::read_only};
  for (int i = 0; i < 4; ++i)
    CHECK(result[i] == 2 * i && values[i] == 2 * i + 1);
  sycl::free(out, q);
  sycl::free(in, q);
}

void reducers(sycl::queue &q) {
  int *count = sycl::malloc_shared<int>(1, q);
  *count = 0;
  q.parallel_for(100, sycl::reduction(count, sycl::plus<>()), [=](sycl::id<1> i, auto &sum) {
     if (i[0] % 2)
       sum++;
     else
       ++sum;
   }).wait();
  CHECK(*count == 100);
  sycl::free(count, q);
}

// The properties are hints. Contradictions are errors.
void queue_properties() {
  namespace oneapi = sycl::ext::oneapi::property::queue;
  namespace hints = sycl::ext::intel::property::queue;
  sycl::queue high{sycl::property_list{oneapi::priority_high{}, hints::compute_index{0},
                                       hints::no_immediate_command_list{}}};
  CHECK(high.has_property<oneapi::priority_high>() && !high.has_property<oneapi::priority_low>());
  CHECK(high.get_property<hints::compute_index>().get_index() == 0);
  CHECK(high.get_device().get_info<intel::info::device::max_compute_queue_indices>() == 1);
  CHECK(check::throws(sycl::errc::invalid, [] {
    sycl::queue q{sycl::property_list{oneapi::priority_high{}, oneapi::priority_normal{}}};
  }));
  CHECK(check::throws(sycl::errc::invalid,
                      [] { sycl::queue q{sycl::property_list{hints::compute_index{1}}}; }));
  CHECK(check::throws(sycl::errc::invalid, [] {
    sycl::queue q{
        sycl::property_list{sycl::property::queue::enable_profiling{}, oneapi::discard_events{}}};
  }));

  sycl::queue quiet{{sycl::property::queue::in_order{}, oneapi::discard_events{}}};
  int *value = sycl::malloc_shared<int>(1, quiet);
  sycl::event e = quiet.single_task([=] { *value = 3; });
  using status = sycl::info::event_command_status;
  CHECK(e.get_info<sycl::info::event::command_execution_status>() == status::ext_oneapi_unknown);
  quiet.wait();
  CHECK(*value == 3);
  sycl::free(value, quiet);
}

// Generic lambdas with a parameter `auto &`, which binds to constant values only.
void generic_kernels(sycl::queue &q) {
  int *counts = sycl::malloc_shared<int>(64, q);
  q.parallel_for(64, [=](auto &i) { counts[i] = 1; }).wait();
  q.parallel_for(sycl::nd_range<1>{64, 4}, [=](auto &i) { ++counts[i.get_global_id()]; }).wait();
  q.parallel_for(sycl::range<2>(8, 8), [=](auto &i, sycl::kernel_handler) {
     ++counts[i.get_linear_id()];
   }).wait();
  q.parallel_for(sycl::nd_range<2>{{8, 8}, {2, 4}}, [=](auto &i, sycl::kernel_handler) {
     ++counts[i.get_global_linear_id()];
   }).wait();
  q.submit([&](sycl::handler &h) {
     h.parallel_for_work_group(sycl::range<1>(4), sycl::range<1>(16), [=](auto &g) {
       g.parallel_for_work_item([&](auto &i) { ++counts[i.get_global_id()]; });
     });
   }).wait();
  for (int i = 0; i < 64; ++i)
    CHECK(counts[i] == 5);
  sycl::free(counts, q);
}

void untyped_copies(sycl::queue &q) {
  sycl::buffer<int> buffer{4};
  const int from[4] = {1, 2, 3, 4};
  int to[4] = {};
  const void *source = from;
  void *destination = to;
  q.submit([&](sycl::handler &h) {
    h.copy(source, buffer.get_access<sycl::access_mode::discard_write>(h));
  });
  q.submit([&](sycl::handler &h) {
     h.copy(buffer.get_access<sycl::access_mode::read>(h), destination);
   }).wait();
  CHECK(to[0] == 1 && to[3] == 4);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static_assert(sycl::float4::get_count() == 4 && sycl::vec<short, 3>::get_size() == 8);
#pragma GCC diagnostic pop

void names_and_sizes(sycl::queue &q) {
  std::ostringstream text;
  text << q.get_backend() << ' ' << sycl::backend::ext_oneapi_level_zero;
  CHECK(text.str().find(" ext_oneapi_level_zero") != std::string::npos && text.str()[0] != ' ');
  for (const char *filter : {"99999999999999999999", "cpu:99999999999"})
    CHECK(check::throws(sycl::errc::runtime,
                        [&] { sycl::device d{sycl::ext::oneapi::filter_selector(filter)}; }));
}

// A library with its own `bit_cast`, whose arguments have types of SYCL.
namespace library {
template <class T> struct wrapper {
  T value;
};
template <class To, class From> constexpr To bit_cast(const From &from) {
  return __builtin_bit_cast(To, from);
}
template <class T> std::uint16_t bits(T value) {
  return bit_cast<std::uint16_t>(wrapper<T>{value});
}
} // namespace library

void bit_casts(sycl::queue &q) {
  std::uint32_t *result = sycl::malloc_shared<std::uint32_t>(4, q);
  const float one = 1;
  q.single_task([=] {
     result[0] = sycl::bit_cast<std::uint32_t>(one);
     result[1] = sycl::bit_cast<std::uint32_t, float>(one);
     result[2] = library::bits(sycl::half(one));
     using namespace sycl;
     result[3] = static_cast<std::uint32_t>(bit_cast<float>(result[0]));
   }).wait();
  CHECK(result[0] == 0x3f800000 && result[1] == result[0]);
  CHECK(result[2] == 0x3c00 && result[3] == 1);
  static_assert(sycl::bit_cast<std::uint32_t>(2.0f) == 0x40000000);
  sycl::free(result, q);
}

void sorters() {
  namespace sorters = sycl::ext::oneapi::experimental::default_sorters;
  const auto scope = sycl::memory_scope::work_group;
  CHECK(sorters::joint_sorter<>::memory_required<int>(scope, 64) >= 64 * sizeof(int));
  CHECK(sorters::group_sorter<int>::memory_required(scope, 64) >= 64 * sizeof(int));
  CHECK(sorters::group_key_value_sorter<int, double>::memory_required(scope, 64) >=
        64 * sizeof(double));
}

// A program that lists all aspects.
const char *name_of(sycl::aspect aspect) {
  switch (aspect) {
#define __SYCL_ASPECT(name, number)                                                                \
  case sycl::aspect::name:                                                                         \
    static_assert(static_cast<int>(sycl::aspect::name) == number);                                 \
    return #name;
#define __SYCL_ASPECT_DEPRECATED(name, number, message) __SYCL_ASPECT(name, number)
#define __SYCL_ASPECT_DEPRECATED_ALIAS(name, number, message)
#include <sycl/info/aspects.def>
#include <sycl/info/aspects_deprecated.def>
#undef __SYCL_ASPECT_DEPRECATED_ALIAS
#undef __SYCL_ASPECT_DEPRECATED
#undef __SYCL_ASPECT
  default:
    return "unknown";
  }
}

void names_of_aspects() {
  CHECK(std::string(name_of(sycl::aspect::fp16)) == "fp16");
  CHECK(std::string(name_of(sycl::aspect::int64_base_atomics)) == "int64_base_atomics");
  CHECK(std::string(name_of(static_cast<sycl::aspect>(999999))) == "unknown");
}

int main() {
  sycl::queue q;
  empty_buffers();
  empty_nd_ranges(q);
  offsets(q);
  address_spaces(q);
  external_functions(q);
  reducers(q);
  queue_properties();
  generic_kernels(q);
  untyped_copies(q);
  names_and_sizes(q);
  CHECK(q.get_device().get_info<sycl::info::device::reference_count>() == 1);
  bit_casts(q);
  sorters();
  names_of_aspects();
  return check::result();
}
