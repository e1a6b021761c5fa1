// `sycl::host_accessor`: the access of the host program to a buffer.
//
// Its constructor waits for conflicting commands. Commands that conflict with it wait until its
// last copy is destroyed.
#ifndef SCYTHE_HOST_ACCESSOR_HPP
#define SCYTHE_HOST_ACCESSOR_HPP

#include <sycl/accessor.hpp>

namespace sycl {

namespace detail {
// An access that ends when the last accessor that shares it is destroyed.
struct host_access : counted {
  scythe_host_access begun = nullptr;
  ~host_access() {
    if (begun)
      scythe_host_access_end(begun);
  }
};
} // namespace detail

template <class T, int Dimensions, access_mode Mode>
class host_accessor : public detail::accessor_base_of<T, Dimensions, Mode> {
  static constexpr int stored = Dimensions ? Dimensions : 1;
  using base = detail::accessor_base_of<T, Dimensions, Mode>;
  template <class B> using if_buffer = detail::if_buffer_for<B, T, stored, Mode>;

public:
  static constexpr access_mode mode = Mode;
  using typename base::reference;
  using typename base::value_type;

  host_accessor() = default;
  template <class B, class = if_buffer<B>>
  host_accessor(B &b, const property_list &p = {})
      : host_accessor(b, detail::whole_range<Dimensions>(b), id<stored>(), p) {}
  template <class B, class = if_buffer<B>, access_mode M>
  host_accessor(B &b, mode_tag_t<M>, const property_list &p = {}) : host_accessor(b, p) {}
  template <class B, class = if_buffer<B>>
  host_accessor(B &b, range<stored> r, const property_list &p = {})
      : host_accessor(b, r, id<stored>(), p) {}
  template <class B, class = if_buffer<B>, access_mode M>
  host_accessor(B &b, range<stored> r, mode_tag_t<M>, const property_list &p = {})
      : host_accessor(b, r, id<stored>(), p) {}
  template <class B, class = if_buffer<B>>
  host_accessor(B &b, range<stored> r, id<stored> o, const property_list &p = {})
      : base(b.scythe_handle(), b.get_range(), r, o),
        no_init_(detail::discards(Mode) || p.has_property<property::no_init>()) {
    if (no_init_ && Mode == access_mode::read)
      detail::fail(errc::invalid, "host_accessor: property no_init cannot be combined with "
                                  "access_mode::read; remove no_init or use access_mode::write");
    void *data = nullptr;
    access_ = detail::ref<detail::host_access>::adopt(new detail::host_access);
    detail::check(scythe_host_access_begin(this->buffer_, detail::abi_mode(Mode), no_init_, &data,
                                           &access_->begun));
    this->data_ = static_cast<value_type *>(data);
  }
  template <class B, class = if_buffer<B>, access_mode M>
  host_accessor(B &b, range<stored> r, id<stored> o, mode_tag_t<M>, const property_list &p = {})
      : host_accessor(b, r, o, p) {}

  template <
      class U, access_mode M,
      class = std::enable_if_t<Mode == access_mode::read && std::is_same_v<const U, const T> &&
                               (M == access_mode::read || M == access_mode::read_write)>>
  host_accessor(const host_accessor<U, Dimensions, M> &other)
      : base(other), access_(other.access_), no_init_(other.no_init_) {}

  using base::operator[];
  template <int D = Dimensions, class = std::enable_if_t<D == 0>> operator reference() const {
    return *this->first();
  }
  template <int D = Dimensions, class = std::enable_if_t<D == 0 && Mode != access_mode::read>>
  const host_accessor &operator=(const T &value) const {
    *this->first() = value;
    return *this;
  }
  void swap(host_accessor &other) {
    host_accessor mine = *this;
    *this = other;
    other = mine;
  }
  template <class P> bool has_property() const noexcept {
    return std::is_same_v<P, property::no_init> && no_init_;
  }
  template <class P> P get_property() const {
    if (!has_property<P>())
      detail::fail(errc::invalid, "host_accessor::get_property: the accessor was not constructed "
                                  "with this property; call has_property first");
    return P();
  }
  // Returns the start of the buffer, even if the accessor's range begins elsewhere.
  value_type *get_pointer() const noexcept { return this->data(); }

  SCYTHE_OWNER_BEFORE
  friend bool operator==(const host_accessor &a, const host_accessor &b) {
    return a.access_ == b.access_;
  }
  friend bool operator!=(const host_accessor &a, const host_accessor &b) {
    return a.access_ != b.access_;
  }
  const void *scythe_identity() const noexcept { return access_.get(); }

private:
  template <class, class> friend struct detail::weak_parts;
  template <class, int, access_mode> friend class host_accessor;
  detail::ref<detail::host_access> access_;
  bool no_init_ = false;
};

template <class T, int D, class A> host_accessor(buffer<T, D, A> &) -> host_accessor<T, D>;
template <class T, int D, class A>
host_accessor(buffer<T, D, A> &, const property_list &) -> host_accessor<T, D>;
template <class T, int D, class A, access_mode M>
host_accessor(buffer<T, D, A> &, mode_tag_t<M>, const property_list & = {})
    -> host_accessor<T, D, M>;
template <class T, int D, class A>
host_accessor(buffer<T, D, A> &, range<D>, const property_list & = {}) -> host_accessor<T, D>;
template <class T, int D, class A, access_mode M>
host_accessor(buffer<T, D, A> &, range<D>, mode_tag_t<M>, const property_list & = {})
    -> host_accessor<T, D, M>;
template <class T, int D, class A>
host_accessor(buffer<T, D, A> &, range<D>, id<D>, const property_list & = {})
    -> host_accessor<T, D>;
template <class T, int D, class A, access_mode M>
host_accessor(buffer<T, D, A> &, range<D>, id<D>, mode_tag_t<M>, const property_list & = {})
    -> host_accessor<T, D, M>;

// The same class in the spelling of SYCL 1.2.1. Each converts to the other, because programs pass
// either to functions that take one.
template <class T, int D, access_mode Mode, access::placeholder Placeholder>
class accessor<T, D, Mode, target::host_buffer, Placeholder> : public host_accessor<T, D, Mode> {
public:
  using host_accessor<T, D, Mode>::host_accessor;
  using host_accessor<T, D, Mode>::operator=;
  accessor() = default;
  accessor(const host_accessor<T, D, Mode> &other) : host_accessor<T, D, Mode>(other) {}
  bool is_placeholder() const noexcept { return false; }
  std::size_t scythe_hash() const { return std::hash<const void *>()(this->scythe_identity()); }
};

template <class T, int D, access_mode Mode>
accessor(host_accessor<T, D, Mode>) -> accessor<T, D, Mode, target::host_buffer>;

template <class T, int D, class A>
template <access_mode Mode>
accessor<T, D, Mode, target::host_buffer> buffer<T, D, A>::get_access() {
  return accessor<T, D, Mode, target::host_buffer>(*this);
}
template <class T, int D, class A>
template <access_mode Mode>
accessor<T, D, Mode, target::host_buffer> buffer<T, D, A>::get_access(range<D> r, id<D> offset) {
  return accessor<T, D, Mode, target::host_buffer>(*this, r, offset);
}
template <class T, int D, class A>
template <class... Args>
auto buffer<T, D, A>::get_host_access(Args... args) {
  return host_accessor(*this, args...);
}

template <class T, int D, access_mode M>
struct is_property_of<property::no_init, host_accessor<T, D, M>> : std::true_type {};

} // namespace sycl

template <class T, int D, sycl::access_mode M> struct std::hash<sycl::host_accessor<T, D, M>> {
  std::size_t operator()(const sycl::host_accessor<T, D, M> &a) const noexcept {
    return std::hash<const void *>()(a.scythe_identity());
  }
};

#endif
