// Variables of device code where none may be, or of types that they cannot have: one error each.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

using namespace sycl::ext::oneapi::experimental;

device_global<int> fine;
static device_global<int[4]> fine_too;
extern device_global<int> elsewhere;
struct holder {
  static device_global<int> shared;
  static inline device_global<int> inlined;
  device_global<int> own; // ERROR: a 'device_global' must be a variable at namespace scope or a public static member, but 'own' is a non-static member [scythe-E0130]
private:
  static device_global<int> hidden; // ERROR: a 'device_global' must be a variable at namespace scope or a public static member, but 'hidden' is a static member that is not public [scythe-E0130]
};
device_global<int> holder::shared;
device_global<int> holder::hidden;
device_global<int> several[2]; // ERROR: a 'device_global' must be a variable at namespace scope or a public static member, but 'several' is an array: use 'device_global<T[N]>' [scythe-E0130]
thread_local device_global<int> per_thread; // ERROR: a 'device_global' must be a variable at namespace scope or a public static member, but 'per_thread' is thread-local [scythe-E0130]

void by_value(device_global<int> parameter); // ERROR: a 'device_global' must be a variable at namespace scope or a public static member, but 'parameter' is a parameter: pass it by reference [scythe-E0130]
void by_reference(device_global<int> &parameter);

template <class T> int generic() {
  static device_global<T> kept; // ERROR: a 'device_global' must be a variable at namespace scope or a public static member, but 'kept' is a local variable [scythe-E0130]
  return sizeof(kept);
}

int main() {
  device_global<int> local; // ERROR: a 'device_global' must be a variable at namespace scope or a public static member, but 'local' is a local variable [scythe-E0130]
  auto *made = new device_global<int>; // ERROR: a 'device_global' must be a variable at namespace scope or a public static member, but this object is allocated with 'new' [scythe-E0130]
  by_reference(fine);
  sycl::queue q;
  q.single_task<class k>([=] { fine = fine_too[0] + elsewhere + holder::shared + holder::inlined; });
  return generic<int>() + (made != nullptr) + sizeof(local);
}
