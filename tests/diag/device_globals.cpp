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
  device_global<int> own; // ERROR: a 'device_global' must be a variable at namespace scope or a public static member, but 'own' is a non-static member
private:
  static device_global<int> hidden; // ERROR: a public static member, but 'hidden' is a static member that is not public
};
device_global<int> holder::shared;
device_global<int> holder::hidden;
device_global<int> several[2]; // ERROR: but 'several' is an array of them, which a 'device_global' of an array could be
thread_local device_global<int> per_thread; // ERROR: but 'per_thread' is thread-local

void by_value(device_global<int> parameter); // ERROR: but 'parameter' is a parameter, which a reference could be
void by_reference(device_global<int> &parameter);

template <class T> int generic() {
  static device_global<T> kept; // ERROR: but 'kept' is a local variable
  return sizeof(kept);
}

int main() {
  device_global<int> local; // ERROR: but 'local' is a local variable
  auto *made = new device_global<int>; // ERROR: but this one is made by 'new'
  by_reference(fine);
  sycl::queue q;
  q.single_task<class k>([=] { fine = fine_too[0] + elsewhere + holder::shared + holder::inlined; });
  return generic<int>() + (made != nullptr) + sizeof(local);
}
