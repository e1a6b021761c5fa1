// `sub_group_mask`, one bit for each work-item of a sub-group, and `group_ballot`, which makes one
// (`sycl_ext_oneapi_sub_group_mask`).
#ifndef SCYTHE_EXT_ONEAPI_SUB_GROUP_MASK_HPP
#define SCYTHE_EXT_ONEAPI_SUB_GROUP_MASK_HPP

#include <sycl/detail/collective.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>

#define SYCL_EXT_ONEAPI_SUB_GROUP_MASK 2

namespace sycl {

template <class T, std::size_t N> class marray;

namespace ext::oneapi {

struct sub_group_mask {
  using bits_type = std::uint64_t;

  // No device has larger sub-groups.
  static constexpr std::size_t max_bits = 64;

  class reference {
  public:
    reference &operator=(bool x) {
      mask_.set(id_, x);
      return *this;
    }
    reference &operator=(const reference &x) { return *this = static_cast<bool>(x); }
    reference(const reference &) = default;
    bool operator~() const { return !mask_.test(id_); }
    operator bool() const { return mask_.test(id_); }
    reference &flip() {
      mask_.flip(id_);
      return *this;
    }

  private:
    friend struct sub_group_mask;
    reference(sub_group_mask &mask, id<1> id) : mask_(mask), id_(id) {}
    sub_group_mask &mask_;
    id<1> id_;
  };

  sub_group_mask() : sub_group_mask(0ULL) {}
  sub_group_mask(unsigned long long bits)
      : sub_group_mask(bits, static_cast<std::uint32_t>(this_work_item::get_sub_group().get_max_local_range()[0])) {}
  template <class T, std::size_t K, class = std::enable_if_t<std::is_integral_v<T>>>
  sub_group_mask(const marray<T, K> &bits) : sub_group_mask() {
    insert_bits(bits);
  }

  bool operator[](id<1> id) const { return test(id); }
  reference operator[](id<1> id) { return {*this, id}; }
  bool test(id<1> id) const { return id[0] < size_ && (bits_ >> id[0] & 1) != 0; }
  bool all() const { return bits_ == every(); }
  bool any() const { return bits_ != 0; }
  bool none() const { return bits_ == 0; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(__builtin_popcountll(bits_)); }
  std::uint32_t size() const { return size_; }
  id<1> find_low() const { return id<1>(bits_ ? static_cast<std::size_t>(__builtin_ctzll(bits_)) : size_); }
  id<1> find_high() const { return id<1>(bits_ ? 63 - static_cast<std::size_t>(__builtin_clzll(bits_)) : size_); }

  // `bits` becomes the mask's bits from `pos` on, as far as the mask goes.
  template <class T> void insert_bits(const T &bits, id<1> pos = 0) {
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
  template <class T> void extract_bits(T &out, id<1> pos = 0) const {
    std::size_t at = pos[0];
    each_element(out, [&](auto element) {
      const bits_type value = at < size_ ? bits_ >> at : 0;
      at += sizeof(element) * 8;
      return static_cast<decltype(element)>(value);
    });
  }

  void set() { bits_ = every(); }
  void set(id<1> id, bool value = true) {
    const bits_type bit = bit_of(id);
    bits_ = value ? bits_ | bit : bits_ & ~bit;
  }
  void reset() { bits_ = 0; }
  void reset(id<1> id) { bits_ &= ~bit_of(id); }
  void reset_low() { bits_ &= bits_ - 1; }
  void reset_high() {
    if (bits_)
      reset(find_high());
  }
  void flip() { bits_ ^= every(); }
  void flip(id<1> id) { bits_ ^= bit_of(id); }

  bool operator==(const sub_group_mask &rhs) const { return bits_ == rhs.bits_; }
  bool operator!=(const sub_group_mask &rhs) const { return bits_ != rhs.bits_; }
  sub_group_mask &operator&=(const sub_group_mask &rhs) { return assign(bits_ & rhs.bits_); }
  sub_group_mask &operator|=(const sub_group_mask &rhs) { return assign(bits_ | rhs.bits_); }
  sub_group_mask &operator^=(const sub_group_mask &rhs) { return assign(bits_ ^ rhs.bits_); }
  sub_group_mask &operator<<=(std::size_t shift) { return assign(shift < 64 ? bits_ << shift : 0); }
  sub_group_mask &operator>>=(std::size_t shift) { return assign(shift < 64 ? bits_ >> shift : 0); }
  sub_group_mask operator~() const { return {~bits_ & every(), size_}; }
  sub_group_mask operator<<(std::size_t shift) const { return sub_group_mask(*this) <<= shift; }
  sub_group_mask operator>>(std::size_t shift) const { return sub_group_mask(*this) >>= shift; }
  friend sub_group_mask operator&(const sub_group_mask &a, const sub_group_mask &b) { return sub_group_mask(a) &= b; }
  friend sub_group_mask operator|(const sub_group_mask &a, const sub_group_mask &b) { return sub_group_mask(a) |= b; }
  friend sub_group_mask operator^(const sub_group_mask &a, const sub_group_mask &b) { return sub_group_mask(a) ^= b; }

  // Of a sub-group with `size` work-items at most.
  sub_group_mask(bits_type bits, std::uint32_t size) : bits_(bits), size_(size) { bits_ &= every(); }

private:
  bits_type every() const { return size_ >= 64 ? ~bits_type(0) : (bits_type(1) << size_) - 1; }
  bits_type bit_of(id<1> id) const { return id[0] < size_ ? bits_type(1) << id[0] : 0; }
  sub_group_mask &assign(bits_type bits) {
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
  std::uint32_t size_;
};

// The work-items of `g` for which `predicate` holds. All of them must call it.
template <class Group>
std::enable_if_t<std::is_same_v<std::decay_t<Group>, sub_group>, sub_group_mask> group_ballot(Group g,
                                                                                              bool predicate = true) {
  const sub_group_mask::bits_type mine = predicate ? sub_group_mask::bits_type(1) << g.get_local_linear_id() : 0;
  return {sycl::detail::combine<sycl::detail::spirv::reduce>(g, mine, std::bit_or<sub_group_mask::bits_type>()),
          static_cast<std::uint32_t>(g.get_max_local_range()[0])};
}

} // namespace ext::oneapi
} // namespace sycl

#endif
