// What a kernel must not capture: each gives one error.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <memory>
#include <string>
#include <sycl/sycl.hpp>
#include <tuple>
#include <vector>

struct Copied {
  int a = 1;
  Copied() = default;
  Copied(const Copied &o) : a(o.a) {}
};
struct Decreed {
  int a = 1;
  Decreed() = default;
  Decreed(const Decreed &o) : a(o.a) {}
};
template <> struct sycl::is_device_copyable<Decreed> : std::true_type {};
struct Assigned {
  int a = 1;
  Assigned() = default;
  Assigned(const Assigned &) = default;
  Assigned(Assigned &&) = default;
  Assigned &operator=(const Assigned &o) {
    a = o.a;
    return *this;
  }
  Assigned &operator=(Assigned &&o) {
    a = o.a;
    return *this;
  }
};
struct AssignedNested {
  Assigned first;
  std::string second; // ERROR: 'std::string', the type of member 'second' of the kernel's functor, is not device copyable: pass data that can be copied byte by byte, or specialise 'sycl::is_device_copyable' [scythe-E0122]
};

struct Nested {
  int n;
  std::vector<int> list; // ERROR: 'std::vector<int>', the type of member 'list' of the kernel's functor, is not device copyable: pass data that can be copied byte by byte, or specialise 'sycl::is_device_copyable' [scythe-E0122]
};
struct Referring {
  int &r; // ERROR: member 'r' of the kernel's functor is a reference, but devices cannot access host variables: store a value, or a pointer to memory that the device can access [scythe-E0121]
};

struct Object {
  int value = 3;
  void submit(sycl::queue &q, int *p) {
    q.single_task<class with_this>([=] { p[0] = value; }); // NOTE: in kernel 'with_this' // ERROR: kernel captures 'this', which points to host memory: capture '*this', or copy the members that the kernel uses to local variables [scythe-E0120]
    q.single_task<class with_copy>([=, *this] { p[0] = value; });
    q.single_task<class with_member>([p, value = value] { p[0] = value; });
  }
};

struct Functor {
  std::string text; // ERROR: 'std::string', the type of member 'text' of the kernel's functor, is not device copyable: pass data that can be copied byte by byte, or specialise 'sycl::is_device_copyable' [scythe-E0122]
  int *p;
  void operator()() const { p[0] = text.size(); }
};

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  int local = 1;
  std::string s = "text";
  std::shared_ptr<int> shared;
  Copied copied;
  Decreed decreed;
  Assigned assigned;
  AssignedNested assigned_nested;
  Nested nested{};
  long double wide = 1;
  Referring referring{local};
  std::pair<int, float> pair{1, 2.f};
  std::tuple<int, double> tuple{1, 2.};
  Object().submit(q, p);
  q.single_task<class by_reference>([&, p] { p[0] = local; }); // ERROR: kernel captures 'local' by reference, but devices cannot access host variables: capture it by value [scythe-E0121]
  q.single_task<class text>([=] { p[0] = s.size(); }); // ERROR: 'std::string' captured as 's' is not device copyable: pass data that can be copied byte by byte, or specialise 'sycl::is_device_copyable' [scythe-E0122]
  q.single_task<class pointer>([=] { p[0] = *shared; }); // ERROR: 'std::shared_ptr<int>' captured as 'shared' is not device copyable: pass data that can be copied byte by byte, or specialise 'sycl::is_device_copyable' [scythe-E0122]
  q.single_task<class user_copy>([=] { p[0] = copied.a; }); // ERROR: 'Copied' captured as 'copied' is not device copyable: pass data that can be copied byte by byte, or specialise 'sycl::is_device_copyable' [scythe-E0122]
  q.single_task<class decree>([=] { p[0] = decreed.a + pair.first + std::get<0>(tuple); });
  q.single_task<class assign>([=] { p[0] = assigned.a; });
  q.single_task<class assign_nested>([=] { p[0] = assigned_nested.first.a; }); // NOTE: in kernel 'assign_nested'
  q.single_task<class deep>([=] { p[0] = nested.n; }); // NOTE: in kernel 'deep'
  q.single_task<class wide_float>([=] { p[0] = wide > 1; }); // ERROR: 'long double' captured as 'wide' uses 'long double', which devices do not support: use 'double' or 'float' [scythe-E0123]
  q.single_task<class inner_reference>([=] { p[0] = referring.r; }); // NOTE: in kernel 'inner_reference'
  q.single_task<class functor>(Functor{s, p}); // NOTE: in kernel 'functor'
}
