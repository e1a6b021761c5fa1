// Specialization constants: defaults, values of command groups, all forms of kernels, and names of
// all kinds of linkage.
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

struct shape {
  float scale;
  int bias[2];
};

constexpr sycl::specialization_id<int> internal(42);
inline constexpr sycl::specialization_id<shape> structured(shape{1.5f, {2, 3}});
struct holder {
  static constexpr sycl::specialization_id<float> member{2.5f};
};
template <class T> inline constexpr sycl::specialization_id<T> of_type{T(7)};
inline constexpr sycl::specialization_id<bool> flag(false);

// Constants that are not constant expressions to the language.
const static sycl::specialization_id<int> const_static(11);
const sycl::specialization_id<shape> const_structured(shape{1.f, {12, 13}});
inline const sycl::specialization_id<int> const_inline{14};
struct const_holder {
  static const sycl::specialization_id<int> defined_below;
  static inline const sycl::specialization_id<short> member{16};
};
const sycl::specialization_id<int> const_holder::defined_below(15);
template <class T> struct const_of_type {
  static inline const sycl::specialization_id<T> member{T(17)};
};
template <class T> const sycl::specialization_id<T> const_variable{T(18)};

namespace {

int read(sycl::queue &q, int *out, bool set, int value) {
  q.submit([&](sycl::handler &h) {
     if (set)
       h.set_specialization_constant<internal>(value);
     CHECK(h.get_specialization_constant<internal>() == (set ? value : 42));
     h.single_task(
         [=](sycl::kernel_handler k) { *out = k.get_specialization_constant<internal>(); });
   }).wait();
  return *out;
}

void values(sycl::queue &q, int *out) {
  CHECK(read(q, out, false, 0) == 42);
  CHECK(read(q, out, true, -5) == -5);
  CHECK(read(q, out, true, 1000000) == 1000000);
  // The default is still there, and so are earlier values.
  CHECK(read(q, out, false, 0) == 42);
  CHECK(read(q, out, true, -5) == -5);
}

void types(sycl::queue &q, int *out) {
  q.submit([&](sycl::handler &h) {
     h.set_specialization_constant<structured>(shape{4.f, {5, 6}});
     h.set_specialization_constant<holder::member>(0.5f);
     h.set_specialization_constant<of_type<short>>(9);
     h.set_specialization_constant<flag>(true);
     h.parallel_for(sycl::range<1>(1), [=](sycl::item<1>, sycl::kernel_handler k) {
       const shape s = k.get_specialization_constant<structured>();
       out[0] = static_cast<int>(s.scale) * 100 + s.bias[0] * 10 + s.bias[1];
       out[1] = static_cast<int>(k.get_specialization_constant<holder::member>() * 4);
       out[2] = k.get_specialization_constant<of_type<short>>();
       out[3] = static_cast<int>(k.get_specialization_constant<of_type<long>>());
       out[4] = k.get_specialization_constant<flag>();
     });
   }).wait();
  CHECK(out[0] == 456 && out[1] == 2 && out[2] == 9 && out[3] == 7 && out[4] == 1);
}

namespace {
const sycl::specialization_id<int> const_unnamed(19);
constexpr sycl::specialization_id<int> unnamed(20);
} // namespace

void constants(sycl::queue &q, int *out, bool set) {
  q.submit([&](sycl::handler &h) {
     if (set) {
       h.set_specialization_constant<const_static>(111);
       h.set_specialization_constant<const_structured>(shape{1.f, {12, 113}});
       h.set_specialization_constant<const_inline>(114);
       h.set_specialization_constant<const_holder::defined_below>(115);
       h.set_specialization_constant<const_holder::member>(116);
       h.set_specialization_constant<const_of_type<int>::member>(117);
       h.set_specialization_constant<const_variable<int>>(118);
       h.set_specialization_constant<const_unnamed>(119);
       h.set_specialization_constant<unnamed>(120);
     }
     h.single_task([=](sycl::kernel_handler k) {
       out[0] = k.get_specialization_constant<const_static>();
       out[1] = k.get_specialization_constant<const_structured>().bias[0];
       out[2] = k.get_specialization_constant<const_structured>().bias[1];
       out[3] = k.get_specialization_constant<const_inline>();
       out[4] = k.get_specialization_constant<const_holder::defined_below>();
       out[5] = k.get_specialization_constant<const_holder::member>();
       out[6] = k.get_specialization_constant<const_of_type<int>::member>();
       out[7] = k.get_specialization_constant<const_variable<int>>();
       out[8] = k.get_specialization_constant<const_unnamed>();
       out[9] = k.get_specialization_constant<unnamed>();
     });
   }).wait();
  for (int i = 0; i < 10; ++i)
    CHECK(out[i] == 11 + i + (set && i != 1 ? 100 : 0));
}

// The kernel may come before the value, the last value counts, and every kind of kernel can ask.
void kernels(sycl::queue &q, int *out) {
  q.submit([&](sycl::handler &h) {
     h.set_specialization_constant<of_type<int>>(1);
     h.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> it, sycl::kernel_handler k) {
       out[it.get_global_id(0)] =
           k.get_specialization_constant<of_type<int>>() + static_cast<int>(it.get_group(0));
     });
     h.set_specialization_constant<of_type<int>>(20);
   }).wait();
  for (int i = 0; i < 8; ++i)
    CHECK(out[i] == 20 + i / 4);
  q.submit([&](sycl::handler &h) {
     h.set_specialization_constant<of_type<int>>(30);
     h.parallel_for_work_group(
         sycl::range<1>(2), sycl::range<1>(2), [=](sycl::group<1> g, sycl::kernel_handler k) {
           const int base = k.get_specialization_constant<of_type<int>>();
           g.parallel_for_work_item([&](sycl::h_item<1> it) { out[it.get_global_id(0)] = base; });
         });
   }).wait();
  CHECK(out[0] == 30 && out[3] == 30);
  // A kernel that asks for none does not mind.
  q.submit([&](sycl::handler &h) {
     h.set_specialization_constant<internal>(3);
     h.parallel_for(sycl::range<2>(2, 2), [=](sycl::id<2> i) { out[i[0] * 2 + i[1]] = 8; });
   }).wait();
  CHECK(out[2] == 8);
}

} // namespace

int main() {
  sycl::queue q;
  int *const out = sycl::malloc_shared<int>(16, q);
  values(q, out);
  types(q, out);
  constants(q, out, false);
  constants(q, out, true);
  kernels(q, out);
  sycl::free(out, q);
  return check::result();
}
