//! Tests unhandled asynchronous errors: none is lost, whenever the queue, the context or the
//! process ends.

use scythe_tests::Project;

/// The first argument chooses the case. If `std::terminate` is called, the program prints a message
/// and exits with 70.
const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <thread>

static std::optional<sycl::queue> until_exit;
static std::thread::id main_thread = std::this_thread::get_id();

sycl::event fail(sycl::queue q, int wait_ms) {
  return q.submit([&](sycl::handler &h) {
    h.host_task([=] {
      std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
      throw std::runtime_error("the task failed");
    });
  });
}
sycl::async_handler handler(const char *name) {
  return [=](sycl::exception_list errors) {
    std::printf("%s handles %zu error(s) on %s thread\n", name, errors.size(),
                std::this_thread::get_id() == main_thread ? "the main" : "another");
  };
}

int main(int, char **argv) {
  std::set_terminate([] {
    std::fputs("terminated\n", stderr);
    std::_Exit(70);
  });
  const auto is = [&](const char *name) { return std::strcmp(argv[1], name) == 0; };
  const sycl::property_list in_order{sycl::property::queue::in_order()};
  if (is("quick") || is("slow")) {
    sycl::queue q;
    fail(q, is("slow") ? 200 : 0);
  } else if (is("in-order")) {
    sycl::queue q(in_order);
    fail(q, 100);
    q.submit([&](sycl::handler &h) { h.host_task([] {}); });
  } else if (is("waited")) {
    sycl::queue q;
    fail(q, 0);
    q.wait();
  } else if (is("copies")) {
    std::optional<sycl::queue> copy;
    {
      sycl::queue q;
      copy = q;
      fail(q, 0).wait();
    }
    std::fputs("one copy is left\n", stderr);
    copy.reset();
  } else if (is("captured")) {
    // The task holds the last copy of its own queue.
    sycl::queue q;
    q.submit([&](sycl::handler &h) {
      h.host_task([q] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        throw std::runtime_error("the task failed");
      });
    });
  } else if (is("static")) {
    fail(until_exit.emplace(), 100);
  } else if (is("static-waited")) {
    fail(until_exit.emplace(), 0).wait();
  } else if (is("queue-handler")) {
    sycl::queue q(handler("queue"));
    fail(q, 0).wait();
  } else if (is("event-outlives")) {
    sycl::event e;
    {
      sycl::queue q(handler("queue"));
      e = fail(q, 100);
    }
    e.wait_and_throw();
  } else if (is("context-handler")) {
    sycl::context c(handler("context"));
    {
      sycl::queue q(c, c.get_devices()[0]);
      fail(q, 100);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::puts("the context goes");
  } else if (is("gone-queue-handler")) {
    // What the handler of a queue refers to may be gone with the queue.
    sycl::context c(handler("context"));
    {
      sycl::queue q(c, c.get_devices()[0], handler("queue"));
      fail(q, 100);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  } else if (is("throwing-handler")) {
    sycl::queue q([](sycl::exception_list errors) { std::rethrow_exception(*errors.begin()); });
    fail(q, 0).wait();
  } else if (is("unknown-type")) {
    sycl::queue q;
    q.submit([&](sycl::handler &h) { h.host_task([] { throw 5; }); });
  } else if (is("many")) {
    sycl::queue q;
    for (int i = 0; i < 20; ++i)
      fail(q, i % 3);
  } else if (is("fine")) {
    for (int i = 0; i < 50; ++i) {
      sycl::queue q;
      q.submit([&](sycl::handler &h) { h.host_task([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }); });
    }
  }
  std::fflush(stdout);
}
"#;

#[test]
fn no_error_is_lost() {
    let p = Project::new().file("a.cpp", PROGRAM);
    p.scythe(&["-fsycl", "-O1", "a.cpp", "-o", "app"]).ok();
    p.scythe(&["-fsycl", "-O1", "-fsycl-host-compiler=g++", "a.cpp", "-o", "app-gxx"]).ok();
    for app in ["./app", "./app-gxx"] {
        let run = |case: &str| p.run(app, &[case]);
        for case in [
            "quick",
            "slow",
            "in-order",
            "waited",
            "copies",
            "captured",
            "static",
            "static-waited",
            "many",
        ] {
            let out = run(case)
                .fails()
                .stderr_has("unhandled asynchronous SYCL error: the task failed\n");
            assert_eq!(out.status, Some(70), "{case}: {}", out.stderr);
            assert!(out.stderr.ends_with("terminated\n"), "{case}: {}", out.stderr);
        }
        run("copies").fails().stderr_has("one copy is left\nunhandled");
        run("unknown-type").fails().stderr_has("an exception of unknown type\nterminated\n");
        run("throwing-handler").fails().stderr_has("terminated\n");
        run("queue-handler").ok().stdout_has("queue handles 1 error(s) on the main thread\n");
        run("event-outlives").ok().stdout_has("queue handles 1 error(s) on the main thread\n");
        let held = "the context goes\ncontext handles 1 error(s) on the main thread\n";
        run("context-handler").ok().stdout_has(held);
        run("gone-queue-handler")
            .ok()
            .stdout_has("context handles 1 error(s) on the main thread\n");
        assert_eq!(run("fine").ok().stderr, "");
    }
}

/// Without a terminate handler of the program, the process aborts.
#[test]
fn a_lost_error_ends_the_process() {
    let text = "#include <sycl/sycl.hpp>\n\
                int main() { sycl::queue().submit([](sycl::handler &h) { h.host_task([] { throw 1; \
                }); }); }\n";
    let out = Project::new().file("a.cpp", text).compile_and_run(&["a.cpp"]);
    assert_ne!(out.status, Some(0), "{}", out.stderr);
}
