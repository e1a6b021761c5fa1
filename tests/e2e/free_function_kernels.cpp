// Free function kernels: functions of the program as kernels, launched directly and as kernel
// objects with arguments. Templates, overloads, namespaces, internal linkage, and all kinds of
// parameters.
// BACKENDS: cpu,opencl,opencl-objects,cuda
#include <sycl/ext/oneapi/work_group_memory.hpp>
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp>
#include <sycl/sycl.hpp>

#include <cstdio>
#include <vector>

namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;

constexpr int N = 64, GROUP = 16;
using ints = sycl::accessor<int, 1>;
using floats = sycl::accessor<float, 1>;

template <int D = 1> std::size_t linear_id() {
  return syclext::this_work_item::get_nd_item<D>().get_global_linear_id();
}

// A declaration before the definition.
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void iota(float start, floats out);
void iota(float start, floats out) { out[linear_id()] = start + static_cast<float>(linear_id()); }

// For g++ and clang, the default argument of `accessor` for the mode has different manglings.
template <class T> using writable = sycl::accessor<T, 1, sycl::access_mode::read_write>;
template <class T>
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void fill(T value, writable<T> out) {
  out[linear_id()] = value;
}
template void fill(short, writable<short>);
template <> void fill(long value, writable<long> out) { out[linear_id()] = -value; }

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel))
void ping(ints x) { x[0] = 42; }
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel))
void ping(floats x) { x[0] = 43; }

namespace a {
inline namespace b {
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<2>))
inline void iota(float start, floats out) {
  out[linear_id<2>()] = start - static_cast<float>(linear_id<2>());
}
} // namespace b
} // namespace a

struct scope {
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<3>))
  static void count(ints out) { out[linear_id<3>()] = static_cast<int>(linear_id<3>()); }
};

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel))
static void hidden(ints x) { x[0] = 44; }
namespace {
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel))
void unnamed(ints x) { x[0] = 45; }
} // namespace
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel)) void no_arguments() {}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel))
void quiet(ints x) noexcept { x[0] = 46; }

enum class mode : short { add, subtract };
struct empty {};
struct nested {
  ints out;
  int value;
};
struct wide {
  double d;
  char c;
  int array[3];
};

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel))
void mixed(bool b, sycl::vec<int, 4> v, mode m, empty, sycl::marray<short, 3> a, sycl::id<2> i,
           sycl::range<3> r, nested n, wide w, char c) {
  int sum = b + v[0] + v[3] + a[2] + static_cast<int>(i[1] + r[2]) + w.array[2] + c;
  n.out[0] = n.value + (m == mode::subtract ? -sum : sum);
  // Arguments are copies.
  v[0] = 7;
  w.d = 1;
}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void reverse(sycl::local_accessor<int, 1> first, syclexp::work_group_memory<int[]> second,
             ints out) {
  const auto self = syclext::this_work_item::get_nd_item<1>();
  const int at = static_cast<int>(self.get_local_id(0)), other = GROUP - 1 - at;
  first[at] = static_cast<int>(self.get_global_id(0));
  *(second.get_multi_ptr() + at) = at;
  sycl::group_barrier(self.get_group());
  out[self.get_global_id(0)] = first[other] * 100 + *(second.get_multi_ptr() + other);
}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::sub_group_size<32>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::work_group_size<GROUP>))
void scratch(ints out) {
  const auto self = syclext::this_work_item::get_nd_item<1>();
  const int at = static_cast<int>(self.get_local_id(0));
  int *memory = static_cast<int *>(syclexp::get_work_group_scratch_memory());
  memory[at] = at;
  sycl::group_barrier(self.get_group());
  out[self.get_global_id(0)] = memory[(at + 1) % GROUP];
}

int errors = 0;
void expect(bool right, const char *what) {
  if (!right && ++errors < 20)
    std::printf("wrong: %s\n", what);
}

// Runs a command group that writes a buffer and compares the result.
template <class T, class Group, class Right>
void run(sycl::queue &q, const char *what, Group group, Right right, int count = N) {
  std::vector<T> result(N);
  {
    sycl::buffer<T> b(result.data(), sycl::range<1>(N));
    q.submit([&](sycl::handler &h) { group(h, sycl::accessor<T, 1>(b, h)); });
  }
  for (int i = 0; i < count; ++i)
    expect(result[i] == static_cast<T>(right(i)), what);
}

void launches(sycl::queue &q) {
  const sycl::nd_range<1> r(N, GROUP);
  // 3 becomes the type of the parameter.
  run<float>(
      q, "iota",
      [&](auto &h, auto out) { nd_launch(h, r, syclexp::kernel_function<iota>, 3, out); },
      [](int i) { return 3 + i; });
  run<int>(
      q, "fill<int>",
      [&](auto &h, auto out) { nd_launch(h, r, syclexp::kernel_function<fill<int>>, 5, out); },
      [](int) { return 5; });
  run<long>(
      q, "fill<long>",
      [&](auto &h, auto out) { nd_launch(h, r, syclexp::kernel_function<fill<long>>, 5, out); },
      [](int) { return -5; });
  run<float>(
      q, "a::iota",
      [&](auto &h, auto out) {
        nd_launch(h, sycl::nd_range<2>({8, 8}, {2, 4}), syclexp::kernel_function<a::iota>, 1.f,
                  out);
      },
      [](int i) { return 1 - i; });
  run<int>(
      q, "scope::count",
      [&](auto &h, auto out) {
        nd_launch(h, sycl::nd_range<3>({4, 4, 4}, {1, 2, 4}),
                  syclexp::kernel_function<scope::count>, out);
      },
      [](int i) { return i; });
  run<int>(
      q, "ping(int)",
      [&](auto &h, auto out) {
        single_task(h, syclexp::kernel_function<(void (*)(ints))ping>, out);
      },
      [](int) { return 42; }, 1);
  run<float>(
      q, "ping(float)",
      [&](auto &h, auto out) {
        single_task(h, syclexp::kernel_function<(void (*)(floats))ping>, out);
      },
      [](int) { return 43; }, 1);
  run<int>(
      q, "hidden",
      [&](auto &h, auto out) { single_task(h, syclexp::kernel_function<hidden>, out); },
      [](int) { return 44; }, 1);
  run<int>(
      q, "unnamed",
      [&](auto &h, auto out) { single_task(h, syclexp::kernel_function<unnamed>, out); },
      [](int) { return 45; }, 1);
#ifndef __SCYTHE_INT_HEADER__ // g++ mangles the addresses of noexcept functions in another way
  run<int>(
      q, "quiet",
      [&](auto &h, auto out) {
        single_task(h, syclexp::kernel_function<(void (*)(ints))quiet>, out);
      },
      [](int) { return 46; }, 1);
  run<int>(
      q, "quiet", [&](auto &h, auto out) { single_task(h, syclexp::kernel_function<quiet>, out); },
      [](int) { return 46; }, 1);
#endif
  run<int>(
      q, "mixed",
      [&](sycl::handler &h, auto out) {
        single_task(h, syclexp::kernel_function<mixed>, true, sycl::vec<int, 4>(1, 2, 3, 4),
                    mode::subtract, empty(), sycl::marray<short, 3>(5), sycl::id<2>(6, 7),
                    sycl::range<3>(8, 9, 10), nested{out, 1000}, wide{1, 2, {3, 4, 5}}, char(11));
      },
      [](int) { return 1000 - (1 + 1 + 4 + 5 + 7 + 10 + 5 + 11); }, 1);
  run<int>(
      q, "reverse",
      [&](sycl::handler &h, auto out) {
        nd_launch(h, r, syclexp::kernel_function<reverse>, sycl::local_accessor<int, 1>(GROUP, h),
                  syclexp::work_group_memory<int[]>(GROUP, h), out);
      },
      [](int i) {
        const int other = GROUP - 1 - i % GROUP;
        return (i / GROUP * GROUP + other) * 100 + other;
      });
  const syclexp::launch_config config(
      r, syclexp::properties{syclexp::work_group_scratch_size(GROUP * sizeof(int))});
  run<int>(
      q, "scratch",
      [&](auto &h, auto out) { nd_launch(h, config, syclexp::kernel_function<scratch>, out); },
      [](int i) { return (i + 1) % GROUP; });
  // A kernel that does not use the memory ignores it.
  run<float>(
      q, "iota with scratch memory",
      [&](auto &h, auto out) { nd_launch(h, config, syclexp::kernel_function<iota>, 3.f, out); },
      [](int i) { return 3 + i; });
  syclexp::single_task(q, syclexp::kernel_function<no_arguments>);
  q.wait();
}

#ifndef SCYTHE_HOST_MODE
template <class F> void fails(const char *what, sycl::errc code, F f) {
  try {
    f();
    expect(false, what);
  } catch (const sycl::exception &e) {
    expect(e.code() == code, what);
  }
}

void objects(sycl::queue &q) {
  using sycl::bundle_state;
  const sycl::context c = q.get_context();
  const sycl::nd_range<1> r(N, GROUP);
  const auto bundle = syclexp::get_kernel_bundle<iota, bundle_state::executable>(c);
  const sycl::kernel k = bundle.ext_oneapi_get_kernel<iota>();
  expect(bundle.ext_oneapi_has_kernel<iota>() && !bundle.ext_oneapi_has_kernel<hidden>(),
         "ext_oneapi_has_kernel");
  expect(bundle.ext_oneapi_has_kernel<iota>(q.get_device()), "ext_oneapi_has_kernel(device)");
  expect(syclexp::has_kernel_bundle<iota, bundle_state::executable>(c), "has_kernel_bundle");
  expect(syclexp::has_kernel_bundle<iota, bundle_state::executable>(c, {q.get_device()}),
         "has_kernel_bundle(devices)");
  expect(syclexp::is_compatible<iota>(q.get_device()), "is_compatible");
  expect(k.get_info<sycl::info::kernel::num_args>() == 2, "num_args");
  expect(syclexp::get_kernel_info<mixed, sycl::info::kernel::num_args>(c) == 10, "10 arguments");
  expect(syclexp::get_kernel_info<scratch,
                                  sycl::info::kernel_device_specific::compile_work_group_size>(q) ==
             sycl::range<3>(1, 1, GROUP),
         "compile_work_group_size");
  // Kernels that nothing launches are in the program, too.
  int found = 0;
  for (const sycl::kernel_id &id : sycl::get_kernel_ids())
    found +=
        id == syclexp::get_kernel_id<fill<short>>() || id == syclexp::get_kernel_id<no_arguments>();
  expect(found == 2, "get_kernel_ids");

  run<float>(
      q, "iota object",
      [&](sycl::handler &h, auto out) {
        h.set_args(7.f, out);
        h.parallel_for(r, k);
      },
      [](int i) { return 7 + i; });
  run<int>(
      q, "mixed object",
      [&](sycl::handler &h, auto out) {
        h.set_args(true, sycl::vec<int, 4>(1, 2, 3, 4), mode::subtract, empty(),
                   sycl::marray<short, 3>(5), sycl::id<2>(6, 7), sycl::range<3>(8, 9, 10),
                   nested{out, 1000}, wide{1, 2, {3, 4, 5}}, char(11));
        h.single_task(syclexp::get_kernel_bundle<mixed, bundle_state::executable>(c)
                          .template ext_oneapi_get_kernel<mixed>());
      },
      [](int) { return 1000 - (1 + 1 + 4 + 5 + 7 + 10 + 5 + 11); }, 1);
  run<int>(
      q, "reverse object",
      [&](sycl::handler &h, auto out) {
        h.set_arg(2, out);
        h.set_arg(0, sycl::local_accessor<int, 1>(GROUP, h));
        h.set_arg(1, syclexp::work_group_memory<int[]>(GROUP, h));
        h.parallel_for(r, syclexp::get_kernel_bundle<reverse, bundle_state::executable>(c)
                              .template ext_oneapi_get_kernel<reverse>());
      },
      [](int i) {
        const int other = GROUP - 1 - i % GROUP;
        return (i / GROUP * GROUP + other) * 100 + other;
      });
  const syclexp::launch_config config(
      r, syclexp::properties{syclexp::work_group_scratch_size(GROUP * sizeof(int))});
  run<int>(
      q, "scratch object",
      [&](sycl::handler &h, auto out) {
        nd_launch(h, config,
                  syclexp::get_kernel_bundle<scratch, bundle_state::executable>(c)
                      .template ext_oneapi_get_kernel<scratch>(),
                  out);
      },
      [](int i) { return (i + 1) % GROUP; });

  // Arguments that change between launches of a graph.
  {
    sycl::buffer<float> out(N);
    syclexp::command_graph with_buffers(c, q.get_device(),
                                        {syclexp::property::graph::assume_buffer_outlives_graph()});
    syclexp::dynamic_parameter start(with_buffers, 1.f);
    auto node = with_buffers.add([&](sycl::handler &h) {
      h.set_args(start, floats(out, h));
      h.parallel_for(r, k);
    });
    auto exec = with_buffers.finalize(syclexp::property::graph::updatable());
    q.ext_oneapi_graph(exec).wait();
    expect(sycl::host_accessor(out)[1] == 2, "first value of a dynamic_parameter");
    start.update(10.f);
    exec.update(node);
    q.ext_oneapi_graph(exec).wait();
    expect(sycl::host_accessor(out)[1] == 11, "next value of a dynamic_parameter");
  }

  const auto launch = [&](auto group) { q.submit([&](sycl::handler &h) { group(h); }); };
  sycl::buffer<float> b(N);
  fails("too few arguments", sycl::errc::kernel_argument, [&] {
    launch([&](sycl::handler &h) {
      h.set_arg(0, 1.f);
      h.parallel_for(r, k);
    });
  });
  fails("an argument of the wrong size", sycl::errc::kernel_argument, [&] {
    launch([&](sycl::handler &h) {
      h.set_args(1., floats(b, h));
      h.parallel_for(r, k);
    });
  });
  fails("another number of dimensions", sycl::errc::invalid, [&] {
    launch([&](sycl::handler &h) {
      h.set_args(1.f, floats(b, h));
      h.parallel_for(sycl::nd_range<2>({N, 1}, {GROUP, 1}), k);
    });
  });
  fails("a single task", sycl::errc::invalid, [&] {
    launch([&](sycl::handler &h) {
      h.set_args(1.f, floats(b, h));
      h.single_task(k);
    });
  });
  fails("another bundle", sycl::errc::kernel_not_supported, [&] {
    launch([&](sycl::handler &h) {
      h.use_kernel_bundle(syclexp::get_kernel_bundle<hidden, bundle_state::executable>(c));
      nd_launch(h, r, syclexp::kernel_function<iota>, 1.f, floats(b, h));
    });
  });
}
#endif

#if !defined(SCYTHE_HOST_MODE) && !defined(__SCYTHE_INT_HEADER__)
void plain(int) {}
static_assert(syclexp::is_nd_range_kernel_v<iota, 1> && !syclexp::is_nd_range_kernel_v<iota, 2>);
static_assert(syclexp::is_nd_range_kernel_v<fill<char>, 1> && syclexp::is_kernel_v<fill<long>>);
static_assert(syclexp::is_single_task_kernel_v<(void (*)(ints))ping>);
static_assert(syclexp::is_kernel_v<a::iota> && !syclexp::is_single_task_kernel_v<a::iota>);
static_assert(syclexp::is_nd_range_kernel<scope::count, 3>::value);
static_assert(!syclexp::is_kernel_v<plain> && !syclexp::is_nd_range_kernel_v<plain, 1>);
static_assert(syclexp::is_single_task_kernel<hidden>() && syclexp::is_kernel<no_arguments>());
#endif

int main() {
  sycl::queue q;
  launches(q);
#ifndef SCYTHE_HOST_MODE
  objects(q);
#endif
  // A kernel is also a function.
  no_arguments();
  std::puts(errors ? "failed" : "passed");
  return errors != 0;
}
