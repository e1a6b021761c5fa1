// Exceptions: codes, contexts, and the way of asynchronous errors.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace {

struct custom_error {
  int value;
};

void objects() {
  sycl::exception e(sycl::make_error_code(sycl::errc::invalid), "message");
  CHECK(std::string(e.what()) == "message" && e.code() == sycl::errc::invalid && !e.has_context());
  CHECK(e.category() == sycl::sycl_category() && std::string(e.category().name()) == "sycl");
  CHECK(check::throws(sycl::errc::invalid, [&] { e.get_context(); }));
  sycl::exception bare(sycl::errc::build);
  CHECK(std::string(bare.what()) == bare.code().message());
  sycl::exception foreign(5, std::generic_category(), "io");
  CHECK(foreign.category() == std::generic_category() && foreign.code().value() == 5);
  sycl::context c;
  sycl::exception with(c, sycl::errc::event, "x");
  sycl::exception copy = with;
  CHECK(copy.has_context() && copy.get_context() == c && copy.code() == sycl::errc::event);
  std::error_code code = sycl::errc::nd_range;
  CHECK(code.value() == 4 && static_cast<bool>(code) &&
        !static_cast<bool>(std::error_code(sycl::errc::success)));
}

struct collector {
  std::vector<int> values;
  std::vector<std::string> messages;
  sycl::async_handler handler() {
    return [this](sycl::exception_list errors) {
      for (const std::exception_ptr &error : errors) {
        try {
          std::rethrow_exception(error);
        } catch (const custom_error &e) {
          values.push_back(e.value);
        } catch (const std::exception &e) {
          messages.push_back(e.what());
        }
      }
    };
  }
};

sycl::event failing_task(sycl::queue &q, int value) {
  return q.submit([&](sycl::handler &h) { h.host_task([=] { throw custom_error{value}; }); });
}

void asynchronous() {
  collector got;
  sycl::queue q(sycl::default_selector_v, got.handler(), {sycl::property::queue::in_order()});
  failing_task(q, 1);
  failing_task(q, 2);
  q.wait();
  CHECK(got.values.empty());
  q.throw_asynchronous();
  CHECK(got.values == std::vector<int>({1, 2}));
  q.throw_asynchronous();
  CHECK(got.values.size() == 2);

  sycl::event e = failing_task(q, 3);
  e.wait_and_throw();
  CHECK(got.values.size() == 3 && got.values.back() == 3);
  failing_task(q, 4);
  q.wait_and_throw();
  CHECK(got.values.size() == 4);

  // Later commands still run.
  bool ran = false;
  q.submit([&](sycl::handler &h) { h.host_task([&] { ran = true; }); });
  q.wait_and_throw();
  CHECK(ran && got.values.size() == 4);
}

// A queue without a handler asks its context's.
void context_handler() {
  collector got;
  sycl::context c(sycl::device(), got.handler());
  sycl::queue q(c, c.get_devices()[0]);
  failing_task(q, 9);
  q.wait_and_throw();
  CHECK(got.values == std::vector<int>({9}));
}

// What the handler throws comes out of the call that ran it.
void handler_that_throws() {
  sycl::queue q(sycl::default_selector_v, [](sycl::exception_list errors) {
    for (const std::exception_ptr &error : errors)
      std::rethrow_exception(error);
  });
  failing_task(q, 5);
  int caught = 0;
  try {
    q.wait_and_throw();
  } catch (const custom_error &e) {
    caught = e.value;
  }
  CHECK(caught == 5);
}

// Errors that nobody asked for reach the handler when the queue dies.
void at_the_end() {
  collector got;
  {
    sycl::queue q(sycl::default_selector_v, got.handler());
    failing_task(q, 6).wait();
  }
  CHECK(got.values == std::vector<int>({6}));
}

void misuse() {
  sycl::queue q;
  using sycl::errc;
  // Submissions stand outside of the macro: with a foreign host compiler, unnamed kernels are found
  // by their line.
  auto does_not_divide = [&] {
    q.parallel_for(sycl::nd_range<2>({8, 9}, {4, 4}), [](sycl::nd_item<2>) {});
  };
  auto is_zero = [&] { q.parallel_for(sycl::nd_range<1>(8, 0), [](sycl::nd_item<1>) {}); };
  CHECK(check::throws(errc::nd_range, does_not_divide));
  CHECK(check::throws(errc::nd_range, is_zero));
  CHECK(check::throws(errc::invalid, [&] {
    q.submit([&](sycl::handler &h) {
      h.host_task([] {});
      h.memset(nullptr, 0, 0);
    });
  }));
  // A group that throws submits nothing.
  bool ran = false;
  CHECK(check::throws(errc::runtime, [&] {
    q.submit([&](sycl::handler &h) {
      h.host_task([&] { ran = true; });
      throw sycl::exception(errc::runtime, "changed my mind");
    });
  }));
  q.wait();
  CHECK(!ran);
  // Parts with more compute units than any device has, or no parts at all.
  const bool has_parts =
      q.get_device().get_info<sycl::info::device::partition_max_sub_devices>() > 0;
  CHECK(check::throws(has_parts ? errc::invalid : errc::feature_not_supported, [&] {
    q.get_device().create_sub_devices<sycl::info::partition_property::partition_equally>(1u << 20);
  }));
  CHECK(check::throws(errc::invalid, [&] { sycl::context(std::vector<sycl::device>()); }));
}

} // namespace

int main() {
  objects();
  asynchronous();
  context_handler();
  handler_that_throws();
  at_the_end();
  misuse();
  return check::result();
}
