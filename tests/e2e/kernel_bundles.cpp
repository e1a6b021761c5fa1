// Kernel bundles: which kernels they hold, how they are made of each other, and what a command
// group may do with one.
// MODES: device,gxx
// LEVELS: O1
// AHEAD: no
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <functional>
#include <unordered_set>

using sycl::bundle_state;

class first_kernel;
class second_kernel;
class sized_kernel;
class listed_kernel;
class constant_kernel;
class asking_kernel;

// Programs ask for its type, as one does for a function's.
static_assert(std::is_same_v<std::invoke_result_t<decltype(sycl::get_kernel_ids)>,
                             std::vector<sycl::kernel_id>>);

namespace {

constexpr sycl::specialization_id<int> factor(3), unused(4), asked(5);

void contents(const sycl::context &c, const sycl::device &d) {
  const auto all = sycl::get_kernel_bundle<bundle_state::executable>(c);
  CHECK(all.has_kernel<first_kernel>() && all.has_kernel<second_kernel>(d));
  CHECK(all.get_kernel_ids().size() >= 3 && all.get_devices() == c.get_devices() &&
        all.get_context() == c);
  CHECK(all.begin() != all.end() &&
        all.begin()->has_kernel(sycl::get_kernel_id<first_kernel>(), d));

  const auto one = sycl::get_kernel_bundle<first_kernel, bundle_state::executable>(c);
  CHECK(one.has_kernel<first_kernel>() && !one.has_kernel<second_kernel>() &&
        one.get_kernel_ids().size() == 1);
  CHECK(one.get_kernel<first_kernel>().get_kernel_bundle() == one);
  CHECK(check::throws(sycl::errc::invalid, [&] { one.get_kernel<second_kernel>(); }));

  const auto none = sycl::get_kernel_bundle<bundle_state::executable>(
      c, [](const sycl::device_image<bundle_state::executable> &) { return false; });
  CHECK(none.empty() && none != one);
  CHECK(check::throws(sycl::errc::invalid, [&] {
    sycl::get_kernel_bundle<bundle_state::executable>(c, std::vector<sycl::device>());
  }));
}

void making(const sycl::context &c, const sycl::device &d) {
  const auto first = sycl::get_kernel_bundle<first_kernel, bundle_state::executable>(c);
  const auto second = sycl::get_kernel_bundle<second_kernel, bundle_state::executable>(c);
  const auto joined = sycl::join<bundle_state::executable>({first, second, first});
  CHECK(joined.get_kernel_ids().size() == 2 && joined.end() - joined.begin() == 2);
  CHECK(sycl::join<bundle_state::input>({}).empty());
  CHECK(check::throws(sycl::errc::invalid, [&] {
    const auto other =
        sycl::get_kernel_bundle<first_kernel, bundle_state::executable>(sycl::context(d));
    sycl::join<bundle_state::executable>({first, other});
  }));
  if (!d.has(sycl::aspect::online_compiler))
    return;
  const auto input = sycl::get_kernel_bundle<first_kernel, bundle_state::input>(c);
  CHECK(sycl::build(input).has_kernel<first_kernel>() &&
        sycl::compile(input).has_kernel<first_kernel>(d));
  CHECK(
      check::throws(sycl::errc::invalid, [&] { sycl::build(input, std::vector<sycl::device>()); }));
  CHECK(sycl::compile(input, std::vector<sycl::device>{d, d}).get_devices().size() == 1);
  CHECK(d.has(sycl::aspect::online_linker) && sycl::has_kernel_bundle<bundle_state::object>(c));
  const auto object = sycl::get_kernel_bundle<second_kernel, bundle_state::object>(c);
  const auto linked = sycl::link({object, sycl::compile(input)});
  CHECK(linked.has_kernel<first_kernel>() && linked.has_kernel<second_kernel>(d));
}

void kernels(const sycl::context &c, const sycl::device &d) {
  namespace specific = sycl::info::kernel_device_specific;
  const auto bundle = sycl::get_kernel_bundle<bundle_state::executable>(c);
  const sycl::kernel k = bundle.get_kernel<first_kernel>(),
                     sized = bundle.get_kernel<sized_kernel>();
  std::unordered_set<sycl::kernel> set = {k, sycl::kernel(k), sized};
  CHECK(set.size() == 2 && k.get_context() == c &&
        k.get_info<sycl::info::kernel::attributes>().empty());
  CHECK(sized.get_info<sycl::info::kernel::attributes>() == "reqd_work_group_size(2,4)");
  const sycl::kernel listed = bundle.get_kernel<listed_kernel>();
  CHECK(listed.get_info<sycl::info::kernel::attributes>() ==
        "reqd_work_group_size(4) work_group_size_hint(4) device_has(usm_shared_allocations)");
  CHECK(listed.get_info<specific::compile_work_group_size>(d) == sycl::range<3>(1, 1, 4));
  CHECK(k.get_info<specific::compile_work_group_size>(d) == sycl::range<3>(0, 0, 0));
  CHECK(sized.get_info<specific::compile_work_group_size>(d) == sycl::range<3>(1, 2, 4));
  CHECK(k.get_info<specific::work_group_size>(d) > 0 &&
        k.get_info<specific::compile_num_sub_groups>(d) == 0);
  CHECK(k.get_info<specific::max_sub_group_size>(d) > 0);
  CHECK(k.get_info<specific::max_sub_group_size>(d, sycl::range<3>(4, 2, 1)) > 0);
  CHECK(check::throws(sycl::errc::invalid, [&] { k.get_info<sycl::info::kernel::num_args>(); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { k.get_info<specific::global_work_size>(d); }));
}

void submission(sycl::queue &q) {
  const auto bundle =
      sycl::get_kernel_bundle<first_kernel, bundle_state::executable>(q.get_context());
  sycl::buffer<int> b{sycl::range<1>(1)};
  q.submit([&](sycl::handler &h) {
    h.use_kernel_bundle(bundle);
    sycl::accessor v(b, h, sycl::write_only);
    h.single_task<first_kernel>([=] { v[0] = 7; });
  });
  CHECK(sycl::host_accessor(b)[0] == 7);
  CHECK(check::throws(sycl::errc::kernel_not_supported, [&] {
    q.submit([&](sycl::handler &h) {
      h.use_kernel_bundle(bundle);
      h.single_task<second_kernel>([=] {});
    });
  }));
  const auto other =
      sycl::get_kernel_bundle<bundle_state::executable>(sycl::context(q.get_device()));
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { q.submit([&](sycl::handler &h) { h.use_kernel_bundle(other); }); }));
}

// Values that a bundle sets hold for its kernels.
void constants(sycl::queue &q) {
  sycl::buffer<int> b{sycl::range<1>(1)};
  auto launch = [&](const std::function<void(sycl::handler &)> &prepare) {
    q.submit([&](sycl::handler &h) {
      prepare(h);
      sycl::accessor v(b, h, sycl::write_only);
      h.single_task<constant_kernel>(
          [=](sycl::kernel_handler k) { v[0] = k.get_specialization_constant<factor>(); });
    });
    return sycl::host_accessor(b)[0];
  };
  CHECK(launch([](sycl::handler &) {}) == 3);
  if (!q.get_device().has(sycl::aspect::online_compiler))
    return;
  auto input = sycl::get_kernel_bundle<constant_kernel, bundle_state::input>(q.get_context());
  CHECK(input.get_specialization_constant<factor>() == 3 &&
        input.contains_specialization_constants());
  input.set_specialization_constant<factor>(7);
  const auto built = sycl::build(input);
  CHECK(built.get_specialization_constant<factor>() == 7 && built.native_specialization_constant());
  CHECK(built.has_specialization_constant<factor>() &&
        !built.has_specialization_constant<unused>());
  // Asked for, and not looked at.
  q.single_task<asking_kernel>(
      [=](sycl::kernel_handler k) { k.get_specialization_constant<asked>(); });
  CHECK((sycl::get_kernel_bundle<asking_kernel, bundle_state::input>(q.get_context())
             .has_specialization_constant<asked>()));
  CHECK(launch([&](sycl::handler &h) { h.use_kernel_bundle(built); }) == 7);
  CHECK(launch([&](sycl::handler &h) { h.use_kernel_bundle(sycl::link(sycl::compile(input))); }) ==
        7);
  CHECK(launch([](sycl::handler &) {}) == 3);
  CHECK(check::throws(sycl::errc::invalid, [&] {
    launch([&](sycl::handler &h) {
      h.use_kernel_bundle(built);
      h.set_specialization_constant<factor>(8);
    });
  }));
  CHECK(check::throws(sycl::errc::invalid, [&] {
    launch([&](sycl::handler &h) {
      h.set_specialization_constant<factor>(8);
      h.use_kernel_bundle(built);
    });
  }));
  CHECK(check::throws(sycl::errc::invalid, [&] {
    launch([&](sycl::handler &h) {
      h.use_kernel_bundle(built);
      h.get_specialization_constant<factor>();
    });
  }));
}

// --- Function objects without another name, which the headers wrap

// Takes one kind of reduction only.
struct adds_numbers {
  void operator()(sycl::id<1> i, sycl::reducer<int, sycl::plus<int>, 0, true, 0> &sum) const {
    sum += static_cast<int>(i[0]);
  }
};
struct stores_group {
  int *out;
  void operator()(sycl::group<1> g) const { out[g.get_group_linear_id()] = 1; }
};
// Takes groups of any dimensions.
struct counts_groups {
  int *out;
  template <int D> void operator()(sycl::group<D> g) const { out[g.get_group_linear_id()] += D; }
};

void wrapped_function_objects(sycl::queue &q) {
  int *const out = sycl::malloc_shared<int>(4, q);
  *out = 0;
  q.parallel_for(5, sycl::reduction(out, sycl::plus<int>()), adds_numbers()).wait();
  CHECK(*out == 10);
  const auto groups = [&](auto range, auto kernel) {
    q.submit([&](sycl::handler &h) { h.parallel_for_work_group(range, kernel); }).wait();
  };
  groups(sycl::range<1>(4), stores_group{out});
  groups(sycl::range<1>(4), counts_groups{out});
  groups(sycl::range<2>(2, 2), counts_groups{out});
  for (int i = 0; i < 4; ++i)
    CHECK(out[i] == 4);
  sycl::free(out, q);
  const auto bundle =
      sycl::get_kernel_bundle<adds_numbers, bundle_state::executable>(q.get_context());
  CHECK(bundle.has_kernel<adds_numbers>() &&
        bundle.has_kernel(sycl::get_kernel_id<adds_numbers>()));
  CHECK(sycl::has_kernel_bundle<stores_group, bundle_state::executable>(q.get_context()));
}

} // namespace

int main() {
  sycl::queue q;
  contents(q.get_context(), q.get_device());
  making(q.get_context(), q.get_device());
  kernels(q.get_context(), q.get_device());
  submission(q);
  constants(q);
  wrapped_function_objects(q);
  q.parallel_for<sized_kernel>(sycl::nd_range<2>({2, 4}, {2, 4}),
                               [=](sycl::nd_item<2>) [[sycl::reqd_work_group_size(2, 4)]] {});
  namespace experimental = sycl::ext::oneapi::experimental;
  const experimental::properties list{experimental::work_group_size<4>,
                                      experimental::work_group_size_hint<4>};
  q.parallel_for<listed_kernel>(sycl::nd_range<1>(4, 4), list,
                                [=](sycl::nd_item<1>)
                                    [[sycl::device_has(sycl::aspect::usm_shared_allocations)]] {});
  q.wait();
  return check::result();
}
