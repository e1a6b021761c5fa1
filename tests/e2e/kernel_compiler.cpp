// Kernel bundles from source text: names, arguments, included files, options, errors, linking,
// variables, lifetimes and threads.
// MODES: device,host
// LEVELS: O1
// AHEAD: no
// COMPILER: yes
// VALGRIND: no
#include <sycl/sycl.hpp>

#include <sycl/kernel_bundle.hpp>

#include "check.hpp"

#include <memory>
#include <thread>

namespace syclex = sycl::ext::oneapi::experimental;
using syclex::source_language;
using source_bundle = sycl::kernel_bundle<sycl::bundle_state::ext_oneapi_source>;
using object_bundle = sycl::kernel_bundle<sycl::bundle_state::object>;
using bundle = sycl::kernel_bundle<sycl::bundle_state::executable>;

namespace {

const std::string head = R"(#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
#define SINGLE SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
#define RANGE SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::nd_range_kernel<1>))
inline size_t id() { return syclex::this_nd_item<1>().get_global_linear_id(); }
)";

const std::string main_text = head + R"(
#include "sub/add.h"
#include <outer.h>
struct pair { char c; long n; };
extern "C" RANGE void plain(int *p, pair v, float f) { p[id()] = add(id()) + v.n * SCALE + f; }
namespace ns {
template <class T> RANGE void fill(T *p, T v) { p[id()] = v; }
RANGE void over(int *p) { p[id()] = 1; }
RANGE void over(unsigned *p) { p[id()] = 2; }
}
extern "C" SYCL_EXTERNAL RANGE [[sycl::reqd_work_group_size(4)]] void sized(int *p) {
  p[id()] = 6;
}
extern "C" RANGE void accessors(sycl::accessor<int, 1> a, sycl::local_accessor<int, 1> l, int n) {
  l[id() % 4] = n;
  sycl::group_barrier(sycl::ext::oneapi::this_work_item::get_work_group<1>());
  a[id()] = l[(id() + 1) % 4] + a.get_range()[0];
}
)";

struct pair {
  char c;
  long n;
};

source_bundle source_of(const sycl::queue &q, const std::string &text) {
  return syclex::create_kernel_bundle_from_source(q.get_context(), source_language::sycl, text);
}

void main_bundle(sycl::queue q) {
  syclex::include_files files{"sub/add.h", "#include \"inner.h\"\n"};
  files.add("sub/inner.h", "inline int add(int i) { return i + OFFSET; }\n");
  files.add("outer.h", "#define SCALE 2\n");
  CHECK(check::throws(sycl::errc::invalid, [&] { files.add("outer.h", ""); }));
  const source_bundle source = syclex::create_kernel_bundle_from_source(
      q.get_context(), source_language::sycl, main_text, syclex::properties{files});
  CHECK(source.get_context() == q.get_context() && source.get_devices().size() == 1);
  std::string log = "old";
  const std::string overload = "(void(*)(unsigned*))ns::over", filled = "ns::fill<short>";
  const bundle exe = syclex::build(
      source, source.get_devices(),
      syclex::properties{syclex::build_options{std::vector<std::string>{"-D", "OFFSET=10"}},
                         syclex::save_log{&log}, syclex::registered_names{{filled, overload}}});
  CHECK(log.empty() && !exe.empty() && exe.get_kernel_ids().empty());
  CHECK(exe.ext_oneapi_has_kernel("plain") && exe.ext_oneapi_has_kernel(filled));
  CHECK(exe.ext_oneapi_has_kernel("plain", q.get_device()));
  CHECK(!exe.ext_oneapi_has_kernel("fill") && !exe.ext_oneapi_has_kernel("ns::fill<int>"));
  const std::string raw = exe.ext_oneapi_get_raw_kernel_name(filled);
  CHECK(raw == "_ZN2ns18__sycl_kernel_fillIsEEvPT_S1_" && exe.ext_oneapi_has_kernel(raw));
  CHECK(check::throws(sycl::errc::invalid, [&] { exe.ext_oneapi_get_kernel("absent"); }));

  const sycl::kernel plain = exe.ext_oneapi_get_kernel("plain");
  CHECK(plain.get_info<sycl::info::kernel::num_args>() == 3);
  CHECK(plain.get_info<sycl::info::kernel::function_name>() == "__sycl_kernel_plain");
  int *p = sycl::malloc_shared<int>(8, q);
  const sycl::nd_range<1> range{8, 4};
  q.submit([&](sycl::handler &h) {
     h.set_args(p, pair{'c', 100}, 0.5f);
     h.parallel_for(range, plain);
   }).wait();
  CHECK(p[0] == 210 && p[7] == 217);
  q.submit([&](sycl::handler &h) {
     h.set_args(reinterpret_cast<short *>(p), short(-3));
     h.parallel_for(range, exe.ext_oneapi_get_kernel(raw));
   }).wait();
  CHECK(reinterpret_cast<short *>(p)[7] == -3);
  q.submit([&](sycl::handler &h) {
     h.set_args(reinterpret_cast<unsigned *>(p));
     h.parallel_for(range, exe.ext_oneapi_get_kernel(overload));
   }).wait();
  CHECK(p[7] == 2);
  {
    sycl::buffer<int> b(8);
    q.submit([&](sycl::handler &h) {
      sycl::accessor<int, 1> a(b, h);
      h.set_args(a, sycl::local_accessor<int, 1>(4, h), 30);
      h.parallel_for(range, exe.ext_oneapi_get_kernel("accessors"));
    });
    CHECK(sycl::host_accessor(b)[7] == 38);
  }
  const sycl::kernel sized = exe.ext_oneapi_get_kernel("sized");
  CHECK(sized.get_info<sycl::info::kernel_device_specific::compile_work_group_size>(
            q.get_device()) == sycl::range<3>(1, 1, 4));
  const auto launch = [&](std::size_t local) {
    q.submit([&](sycl::handler &h) {
       h.set_args(p);
       h.parallel_for(sycl::nd_range<1>(8, local), sized);
     }).wait();
  };
  launch(4);
  CHECK(p[7] == 6 && check::throws(sycl::errc::nd_range, [&] { launch(2); }));
  const auto submit = [&](auto... args) {
    q.submit([&](sycl::handler &h) {
      h.set_args(args...);
      h.parallel_for(range, plain);
    });
  };
  CHECK(check::throws(sycl::errc::kernel_argument, [&] { submit(p); }));
  CHECK(check::throws(sycl::errc::kernel_argument, [&] { submit(p, pair{}, 1.0); }));
  CHECK(check::throws(sycl::errc::invalid, [&] {
    q.submit([&](sycl::handler &h) {
      h.set_args(p, pair{}, 1.0f);
      h.single_task(plain);
    });
  }));
  sycl::free(p, q);
}

void errors(sycl::queue q) {
  try {
    syclex::build(source_of(q, head + "void f() { int i = 1 }\n"));
    CHECK(!"the source is wrong");
  } catch (const sycl::exception &e) {
    CHECK(e.code() == sycl::errc::build);
    CHECK(std::string(e.what()).find("rtc_0.cpp:6:21: error: expected ';'") != std::string::npos);
  }
  const source_bundle empty = source_of(q, "");
  for (const char *option : {"-fsycl-targets=spir64", "-o", "x.cpp", "-fno-such-option", "-c"})
    CHECK(check::throws(sycl::errc::invalid, [&] {
      syclex::build(empty, syclex::properties{syclex::build_options{option}});
    }));
  CHECK(check::throws(sycl::errc::invalid, [&] {
    syclex::create_kernel_bundle_from_source(q.get_context(), source_language::sycl,
                                             std::vector<std::byte>(4));
  }));
  for (source_language language : {source_language::opencl, source_language::spirv})
    if (!q.get_device().ext_oneapi_can_build(language))
      CHECK(check::throws(sycl::errc::feature_not_supported, [&] {
        if (language == source_language::opencl)
          syclex::create_kernel_bundle_from_source(q.get_context(), language, "");
        else
          syclex::create_kernel_bundle_from_source(q.get_context(), language,
                                                   std::vector<std::byte>(4));
      }));
}

void linked(sycl::queue q) {
  const source_bundle caller = source_of(q, head + R"(
SYCL_EXTERNAL int value();
syclex::device_global<int> shared;
extern "C" SINGLE void store(int *p) { shared = shared + value(); *p = shared; }
)");
  const source_bundle callee = source_of(q, head + "SYCL_EXTERNAL int value() { return 5; }\n");
  const syclex::properties options{syclex::build_options{"-fsycl-allow-device-image-dependencies"}};
  const object_bundle first = syclex::compile(caller, options);
  const object_bundle second = syclex::compile(callee, options);
  CHECK(first.ext_oneapi_has_kernel("store"));
  CHECK(check::throws(sycl::errc::build, [&] { sycl::link(first); }));
  auto exe = std::make_unique<bundle>(sycl::link({first, second}));
  const bundle other = sycl::link({first, second});
  int *p = sycl::malloc_shared<int>(1, q);
  const auto run = [&](const sycl::kernel &k) {
    q.submit([&](sycl::handler &h) {
       h.set_args(p);
       h.single_task(k);
     }).wait();
    return *p;
  };
  const sycl::kernel store = exe->ext_oneapi_get_kernel("store");
  CHECK(run(store) == 5 && run(store) == 10);
  CHECK(run(other.ext_oneapi_get_kernel("store")) == 5);
  CHECK(exe->ext_oneapi_has_device_global("shared") && !exe->ext_oneapi_has_device_global("none"));
  CHECK(exe->ext_oneapi_get_device_global_size("shared") == 4);
  const sycl::device d = q.get_device();
  q.copy(static_cast<int *>(exe->ext_oneapi_get_device_global_address("shared", d)), p, 1).wait();
  CHECK(*p == 10);
  const bundle joined = sycl::join(std::vector<bundle>{*exe, other});
  exe.reset();
  CHECK(run(store) == 15 && run(joined.ext_oneapi_get_kernel("store")) == 20);
  sycl::free(p, q);
}

void threads(sycl::queue q) {
  const source_bundle source =
      source_of(q, head + "extern \"C\" SINGLE void one(int *p) { *p = 1; }\n");
  int *p = sycl::malloc_shared<int>(4, q);
  std::thread all[4];
  for (int i = 0; i < 4; ++i)
    all[i] = std::thread([=]() mutable {
      const bundle exe = syclex::build(source);
      q.submit([&](sycl::handler &h) {
         h.set_args(p + i);
         h.single_task(exe.ext_oneapi_get_kernel("one"));
       }).wait();
    });
  for (std::thread &t : all)
    t.join();
  CHECK(p[0] + p[1] + p[2] + p[3] == 4);
  sycl::free(p, q);
}

void driver_languages(sycl::queue q) {
  const sycl::device d = q.get_device();
  const bool can = d.ext_oneapi_can_build(source_language::opencl);
  CHECK(can == d.ext_oneapi_supports_cl_c_version(syclex::opencl_c_1_2));
  CHECK(can == !d.ext_oneapi_cl_profile().empty());
  CHECK(!d.ext_oneapi_supports_cl_extension("cl_no_such_extension") &&
        !d.ext_oneapi_supports_cl_c_feature("__opencl_c_none"));
  if (!can)
    return;
  const source_bundle source = syclex::create_kernel_bundle_from_source(
      q.get_context(), source_language::opencl,
      "kernel void twice(global int *p, int n) { p[get_global_id(0)] += n * FACTOR; }\n");
  CHECK(check::throws(sycl::errc::build, [&] { syclex::build(source); }));
  const bundle exe = syclex::build(source, syclex::properties{syclex::build_options{"-DFACTOR=2"}});
  CHECK(exe.ext_oneapi_has_kernel("twice") && !exe.ext_oneapi_has_kernel("thrice"));
  const sycl::kernel twice = exe.ext_oneapi_get_kernel("twice");
  CHECK(twice.get_info<sycl::info::kernel::num_args>() == 2);
  sycl::buffer<int> b(8);
  sycl::host_accessor{b}[7] = 1;
  q.submit([&](sycl::handler &h) {
    h.set_args(sycl::accessor<int, 1>(b, h), 4);
    h.parallel_for(sycl::range<1>(8), twice);
  });
  CHECK(sycl::host_accessor(b)[7] == 9);
}

} // namespace

int main() {
  sycl::queue q;
  CHECK(q.get_device().ext_oneapi_can_build(source_language::sycl));
  CHECK(q.get_device().ext_oneapi_can_compile(source_language::sycl));
  CHECK(syclex::is_source_kernel_bundle_supported(q.get_backend(), source_language::sycl));
  main_bundle(q);
  errors(q);
  linked(q);
  threads(q);
  driver_languages(q);
  return check::result();
}
