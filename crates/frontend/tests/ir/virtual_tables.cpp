// The virtual table of a host class and its virtual functions are not part of device code. A table
// that a kernel stores, and an exported virtual function, are.
// RUN: device-ir -O0 %s | FileCheck --implicit-check-not=HostOnly %s
// RUN: device-ir -O2 %s | FileCheck --implicit-check-not=HostOnly %s
#include <sycl/sycl.hpp>
#include <stdexcept>

struct HostOnly {
  virtual ~HostOnly();
  virtual void write(int value);
  int last;
};
struct HostOnlyDerived : virtual HostOnly {
  void write(int value) override;
};
void HostOnly::write(int value) {
  if (value < 0)
    throw std::runtime_error("negative");
  last = value;
}
void HostOnlyDerived::write(int value) { last = value; }
HostOnly::~HostOnly() { write(-1); }

// CHECK-DAG: @_ZTV4Used = {{.*}}@_ZNK4Used5valueEv
struct Used {
  int x = 3;
  virtual int value() const;
};
// CHECK-DAG: define {{.*}}@_ZNK4Used5valueEv(
int Used::value() const { return x; }

// CHECK-DAG: define {{.*}}@_ZN8Exported1fEv(
struct Exported {
  SYCL_EXTERNAL virtual int f();
};
int Exported::f() { return 4; }

void submit(sycl::queue &q, char *p) {
  q.single_task([=] { new (p) Used; });
}
