// `sub_group_mask`, which has one bit for each work-item of a sub-group, and `group_ballot`, which
// creates one (`sycl_ext_oneapi_sub_group_mask`).
#ifndef SCYTHE_EXT_ONEAPI_SUB_GROUP_MASK_HPP
#define SCYTHE_EXT_ONEAPI_SUB_GROUP_MASK_HPP

#include <sycl/detail/collective.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>

namespace sycl {

template <class T, std::size_t N> class marray;

namespace detail {

// A template over `void`, so that programs without masks do not instantiate the types in it.
template <class V> struct basic_sub_group_mask {
  using bits_type = later_t<V, std::uint64_t>;
  using mask = basic_sub_group_mask;
  using position = later_t<V, id<1>>;

  // No device has larger sub-groups.
  static constexpr std::size_t max_bits = 64;

  class reference {
  public:
    reference &operator=(bool x) {
      mask_.set(at_, x);
      return *this;
    }
    reference &operator=(const reference &x) { return *this = static_cast<bool>(x); }
    reference(const reference &) = default;
    bool operator~() const { return !mask_.test(at_); }
    operator bool() const { return mask_.test(at_); }
    reference &flip() {
      mask_.flip(at_);
      return *this;
    }

  private:
    friend struct basic_sub_group_mask;
    reference(mask &of, position at) : mask_(of), at_(at) {}
    mask &mask_;
    position at_;
  };

  basic_sub_group_mask() : basic_sub_group_mask(0ULL) {}
  basic_sub_group_mask(unsigned long long bits)
      : basic_sub_group_mask(
            bits, ext::oneapi::this_work_item::get_sub_group().get_max_local_range()[0]) {}
  template <class T, std::size_t K, class = std::enable_if_t<std::is_integral_v<T>>>
  basic_sub_group_mask(const marray<T, K> &bits) : basic_sub_group_mask() {
    insert_bits(bits);
  }

  bool operator[](position at) const { return test(at); }
  reference operator[](position at) { return {*this, at}; }
  bool test(position at) const { return at[0] < size_ && (bits_ >> at[0] & 1) != 0; }
  bool all() const { return bits_ == every(); }
  bool any() const { return bits_ != 0; }
  bool none() const { return bits_ == 0; }
  std::uint32_t count() const { return __builtin_popcountll(bits_); }
  std::uint32_t size() const { return size_; }
  position find_low() const { return position(bits_ ? __builtin_ctzll(bits_) : size_); }
  position find_high() const { return position(bits_ ? 63 - __builtin_clzll(bits_) : size_); }

  // Replaces the mask's bits from `pos` on with `bits`, up to the end of the mask.
  template <class T> void insert_bits(const T &bits, position pos = 0) {
    std::size_t at = pos[0];
    each_element(bits, [&](auto element) {
      constexpr std::size_t width = sizeof(element) * 8;
      if (at < size_) {
        const bits_type field = width >= 64 ? ~bits_type(0) : (bits_type(1) << width % 64) - 1;
        const bits_type value = static_cast<bits_type>(element) & field;
        bits_ = ((bits_ & ~(field << at)) | value << at) & every();
      }
      at += width;
      return element;
    });
  }
  template <class T> void extract_bits(T &out, position pos = 0) const {
    std::size_t at = pos[0];
    each_element(out, [&](auto element) {
      const bits_type value = at < size_ ? bits_ >> at : 0;
      at += sizeof(element) * 8;
      return static_cast<decltype(element)>(value);
    });
  }

  void set() { bits_ = every(); }
  void set(position at, bool value = true) {
    const bits_type bit = bit_of(at);
    bits_ = value ? bits_ | bit : bits_ & ~bit;
  }
  void reset() { bits_ = 0; }
  void reset(position at) { bits_ &= ~bit_of(at); }
  void reset_low() { bits_ &= bits_ - 1; }
  void reset_high() {
    if (bits_)
      reset(find_high());
  }
  void flip() { bits_ ^= every(); }
  void flip(position at) { bits_ ^= bit_of(at); }

  bool operator==(const mask &rhs) const { return bits_ == rhs.bits_; }
  bool operator!=(const mask &rhs) const { return bits_ != rhs.bits_; }
  mask &operator&=(const mask &rhs) { return assign(bits_ & rhs.bits_); }
  mask &operator|=(const mask &rhs) { return assign(bits_ | rhs.bits_); }
  mask &operator^=(const mask &rhs) { return assign(bits_ ^ rhs.bits_); }
  mask &operator<<=(std::size_t shift) { return assign(shift < 64 ? bits_ << shift : 0); }
  mask &operator>>=(std::size_t shift) { return assign(shift < 64 ? bits_ >> shift : 0); }
  mask operator~() const { return {~bits_ & every(), size_}; }
  mask operator<<(std::size_t shift) const { return mask(*this) <<= shift; }
  mask operator>>(std::size_t shift) const { return mask(*this) >>= shift; }
  friend mask operator&(const mask &a, const mask &b) { return mask(a) &= b; }
  friend mask operator|(const mask &a, const mask &b) { return mask(a) |= b; }
  friend mask operator^(const mask &a, const mask &b) { return mask(a) ^= b; }

  // The mask of a sub-group with at most `size` work-items.
  basic_sub_group_mask(bits_type bits, std::size_t size)
      : bits_(bits), size_(static_cast<std::uint32_t>(size)) {
    bits_ &= every();
  }

private:
  bits_type every() const { return size_ >= 64 ? ~bits_type(0) : (bits_type(1) << size_) - 1; }
  bits_type bit_of(position at) const { return at[0] < size_ ? bits_type(1) << at[0] : 0; }
  mask &assign(bits_type bits) {
    bits_ = bits & every();
    return *this;
  }
  template <class T, class F> static void each_element(T &x, F f) {
    if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_const_v<T>)
        f(x);
      else
        x = f(x);
    } else {
      for (auto &element : x)
        each_element(element, f);
    }
  }

  bits_type bits_;
  later_t<V, std::uint32_t> size_;
};

} // namespace detail

namespace ext::oneapi {

using sub_group_mask = sycl::detail::basic_sub_group_mask<void>;

// Returns the work-items of `g` for which `predicate` holds. All work-items of `g` must call it.
template <class Group>
std::enable_if_t<std::is_same_v<std::decay_t<Group>, sub_group>, sub_group_mask>
group_ballot(Group g, bool predicate = true) {
  using bits = std::uint64_t;
  const bits mine = predicate ? bits(1) << g.get_local_linear_id() : 0;
  return {sycl::detail::combine<sycl::detail::spirv::reduce>(g, mine, std::bit_or<bits>()),
          g.get_max_local_range()[0]};
}

} // namespace ext::oneapi
} // namespace sycl

#endif
