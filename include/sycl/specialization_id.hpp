// Specialization constants: `specialization_id`, and `kernel_handler`, through which kernels read
// them (SYCL 2020, 4.9.5).
//
// In device code each constant is a constant variable whose initial value is the default. Kernels
// read it through a function that is opaque to the compiler until the device is known. By then, the
// runtime has stored the value of the command group in the variable, so kernels are compiled for
// that value.
#ifndef SCYTHE_SPECIALIZATION_ID_HPP
#define SCYTHE_SPECIALIZATION_ID_HPP

#include <sycl/detail/kernel_name.hpp>

#include <utility>

#ifdef SCYTHE_DEVICE_PASS
// Not `const`: an image contains the constants that its kernels read, even if they do not use the
// result.
extern "C" SCYTHE_DEVICE_LIBRARY const void *
__scythe_specialization_constant(const void *variable) noexcept;
#endif

namespace sycl {

template <class T> class specialization_id {
public:
  using value_type = T;

  template <class... Args>
  explicit constexpr specialization_id(Args &&...args) : value_(std::forward<Args>(args)...) {}
  specialization_id(const specialization_id &) = delete;
  specialization_id(specialization_id &&) = delete;
  specialization_id &operator=(const specialization_id &) = delete;
  specialization_id &operator=(specialization_id &&) = delete;

  constexpr const T &scythe_default() const { return value_; }

private:
  T value_;
};

namespace detail {

template <auto &Id>
using specialization_type = typename std::remove_reference_t<decltype(Id)>::value_type;

// The mangled name of this class identifies the constant. The device variable is a member.
template <auto &Id> struct specialization_constant {
  static_assert(std::is_const_v<std::remove_reference_t<decltype(Id)>>,
                "a specialization_id that a kernel reads must be declared constexpr or const");
#ifdef SCYTHE_DEVICE_PASS
  // Not `constexpr`: `Id` may be const without being a constant expression. The compiler folds its
  // value nevertheless.
  static inline const specialization_type<Id> value = Id.scythe_default();
#endif
};

#ifndef SCYTHE_DEVICE_PASS

// Returns the name by which the runtime finds the constant in device code.
template <auto &Id> const char *specialization_name() {
#if defined(__SCYTHE_HOST_PASS__)
  return __builtin_sycl_unique_stable_name(specialization_constant<Id>);
#elif defined(__SCYTHE_INT_HEADER__)
  return typeid(specialization_constant<Id>).name();
#else
  return "";
#endif
}

// The values that were set. The owner of the list owns the bytes.
struct specialization_list {
  const scythe_specialization *values = nullptr;
  std::uint64_t count = 0;

  const void *find(const void *id) const {
    for (std::uint64_t i = 0; i < count; ++i)
      if (values[i].id == id)
        return values[i].bytes;
    return nullptr;
  }
  template <auto &Id> specialization_type<Id> get() const {
    const void *value = find(&Id);
    return value ? *static_cast<const specialization_type<Id> *>(value) : Id.scythe_default();
  }
};

// The values of the kernel that this thread runs in host mode.
inline thread_local specialization_list host_specializations;

class specialization_scope {
public:
  explicit specialization_scope(const specialization_list &list) : before_(host_specializations) {
    host_specializations = list;
  }
  specialization_scope(const specialization_scope &) = delete;
  specialization_scope &operator=(const specialization_scope &) = delete;
  ~specialization_scope() { host_specializations = before_; }

private:
  specialization_list before_;
};

// Owns the values that a command group or a bundle sets.
class specialization_values {
public:
  specialization_values() = default;
  specialization_values(const specialization_values &other) { *this = other; }
  specialization_values &operator=(const specialization_values &other) {
    if (this != &other) {
      clear();
      for (std::uint64_t i = 0; i < other.count_; ++i)
        set(other.values_[i]);
    }
    return *this;
  }
  ~specialization_values() {
    if (count_)
      clear();
  }

  specialization_list list() const { return {values_, count_}; }
  void merge(const specialization_values &other) {
    for (std::uint64_t i = 0; i < other.count_; ++i)
      set(other.values_[i]);
  }
  template <auto &Id> void set(const specialization_type<Id> &value) {
    static_assert(std::is_trivially_copyable_v<specialization_type<Id>>,
                  "the type of a specialization constant must be device copyable");
    set({specialization_name<Id>(), unit_id, &value, sizeof(value), &Id});
  }

private:
  SCYTHE_LIBRARY_COLD void set(const scythe_specialization &value) {
    auto *bytes = static_cast<unsigned char *>(::operator new(value.size));
    __builtin_memcpy(bytes, value.bytes, value.size);
    for (std::uint64_t i = 0; i < count_; ++i)
      if (values_[i].id == value.id) {
        ::operator delete(const_cast<void *>(values_[i].bytes));
        values_[i].bytes = bytes;
        return;
      }
    auto *more = new scythe_specialization[count_ + 1];
    for (std::uint64_t i = 0; i < count_; ++i)
      more[i] = values_[i];
    more[count_] = value;
    more[count_].bytes = bytes;
    delete[] values_;
    values_ = more;
    ++count_;
  }
  SCYTHE_LIBRARY_COLD void clear() {
    for (std::uint64_t i = 0; i < count_; ++i)
      ::operator delete(const_cast<void *>(values_[i].bytes));
    delete[] values_;
    values_ = nullptr;
    count_ = 0;
  }

  scythe_specialization *values_ = nullptr;
  std::uint64_t count_ = 0;
};

#endif

} // namespace detail

// The optional last argument of a kernel.
class kernel_handler {
public:
  template <auto &Id> detail::specialization_type<Id> get_specialization_constant() {
#ifdef SCYTHE_DEVICE_PASS
    return *static_cast<const detail::specialization_type<Id> *>(
        __scythe_specialization_constant(&detail::specialization_constant<Id>::value));
#else
    return detail::host_specializations.get<Id>();
#endif
  }
};

} // namespace sycl

#endif
