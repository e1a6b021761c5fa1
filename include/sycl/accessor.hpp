// `sycl::accessor`: the access of a command to a buffer, for kernels and host tasks.
//
// An accessor is plain data that kernels capture. It does not keep its buffer alive. The commands
// that use the accessor keep the buffer alive.
#ifndef SCYTHE_ACCESSOR_HPP
#define SCYTHE_ACCESSOR_HPP

#include <sycl/atomic.hpp>
#include <sycl/buffer.hpp>
#include <sycl/detail/accessor_base.hpp>
#include <sycl/ext/oneapi/accessor_properties.hpp>
#include <sycl/handler.hpp>

namespace sycl {

template <class T, int Dimensions, access_mode Mode, target Target, access::placeholder Placeholder,
          class... Props>
class SCYTHE_SPECIAL("accessor") SCYTHE_PROPERTIES("kernel_parameter_attributes", Props)
    accessor<T, Dimensions, Mode, Target, Placeholder, ext::oneapi::property_list<Props...>>
    : public detail::accessor_base_of<T, Dimensions, Mode> {
  static constexpr int stored = Dimensions ? Dimensions : 1;
  using base = detail::accessor_base_of<T, Dimensions, Mode>;
  template <class B> using if_buffer = detail::if_buffer_for<B, T, stored, Mode>;

public:
  static constexpr access_mode mode = Mode;
  using typename base::const_reference;
  using typename base::reference;
  using typename base::value_type;
  template <access::decorated D> using accessor_ptr = global_ptr<value_type, D>;

  accessor() = default;

  // An accessor without a handler is a placeholder, which requires `handler::require`.
  template <class B, class = if_buffer<B>>
  accessor(B &b, const property_list &p = {})
      : accessor(b, nullptr, detail::whole_range<Dimensions>(b), id<stored>(), p) {}
  template <class B, class = if_buffer<B>, access_mode M, target G>
  accessor(B &b, mode_target_tag_t<M, G>, const property_list &p = {}) : accessor(b, p) {}
  template <class B, class = if_buffer<B>, access_mode M>
  accessor(B &b, mode_tag_t<M>, const property_list &p = {}) : accessor(b, p) {}
  template <class B, class = if_buffer<B>>
  accessor(B &b, range<stored> r, const property_list &p = {})
      : accessor(b, nullptr, r, id<stored>(), p) {}
  template <class B, class = if_buffer<B>, class Tag,
            class = decltype(detail::tag_traits<Tag>::mode)>
  accessor(B &b, range<stored> r, Tag, const property_list &p = {}) : accessor(b, r, p) {}
  template <class B, class = if_buffer<B>>
  accessor(B &b, range<stored> r, id<stored> o, const property_list &p = {})
      : accessor(b, nullptr, r, o, p) {}
  template <class B, class = if_buffer<B>, class Tag,
            class = decltype(detail::tag_traits<Tag>::mode)>
  accessor(B &b, range<stored> r, id<stored> o, Tag, const property_list &p = {})
      : accessor(b, r, o, p) {}

  template <class B, class = if_buffer<B>>
  accessor(B &b, handler &h, const property_list &p = {})
      : accessor(b, &h, detail::whole_range<Dimensions>(b), id<stored>(), p) {}
  template <class B, class = if_buffer<B>, class Tag,
            class = decltype(detail::tag_traits<Tag>::mode)>
  accessor(B &b, handler &h, Tag, const property_list &p = {}) : accessor(b, h, p) {}
  template <class B, class = if_buffer<B>>
  accessor(B &b, handler &h, range<stored> r, const property_list &p = {})
      : accessor(b, &h, r, id<stored>(), p) {}
  template <class B, class = if_buffer<B>, class Tag,
            class = decltype(detail::tag_traits<Tag>::mode)>
  accessor(B &b, handler &h, range<stored> r, Tag, const property_list &p = {})
      : accessor(b, h, r, p) {}
  template <class B, class = if_buffer<B>>
  accessor(B &b, handler &h, range<stored> r, id<stored> o, const property_list &p = {})
      : accessor(b, &h, r, o, p) {}
  template <class B, class = if_buffer<B>, class Tag,
            class = decltype(detail::tag_traits<Tag>::mode)>
  accessor(B &b, handler &h, range<stored> r, id<stored> o, Tag, const property_list &p = {})
      : accessor(b, h, r, o, p) {}

  // Properties known at compile time: `property_list{no_alias_v}`.
  template <class B, class = if_buffer<B>, class L,
            std::enable_if_t<detail::is_properties<L>, int> = 0>
  accessor(B &b, L, const property_list &p = {}) : accessor(b, p) {}
  template <class B, class = if_buffer<B>, class L,
            std::enable_if_t<detail::is_properties<L>, int> = 0>
  accessor(B &b, handler &h, L, const property_list &p = {}) : accessor(b, h, p) {}
  template <class B, class = if_buffer<B>, class Tag, class L,
            class = decltype(detail::tag_traits<Tag>::mode),
            std::enable_if_t<detail::is_properties<L>, int> = 0>
  accessor(B &b, handler &h, Tag, L, const property_list &p = {}) : accessor(b, h, p) {}

  // A writable accessor converts to a read-only one. The constness of the elements does not matter
  // to an accessor that reads.
  template <
      class U, access_mode M, access::placeholder P,
      class = std::enable_if_t<Mode == access_mode::read && std::is_same_v<const U, const T> &&
                               (M == access_mode::read || M == access_mode::read_write)>>
  accessor(const accessor<U, Dimensions, M, Target, P, ext::oneapi::property_list<Props...>> &other)
      : base(other), no_init_(other.no_init_), placeholder_(other.placeholder_) {}

  void swap(accessor &other) {
    accessor mine = *this;
    *this = other;
    other = mine;
  }
  bool is_placeholder() const noexcept { return placeholder_; }
  template <class P> bool has_property() const noexcept {
    return std::is_same_v<P, property::no_init> && no_init_;
  }
  template <class P> P get_property() const {
    if (!has_property<P>())
      detail::fail(errc::invalid, "accessor::get_property: the accessor was not constructed with "
                                  "this property; call has_property first");
    return P();
  }

  template <access_mode M = Mode, class = std::enable_if_t<M != access_mode::atomic>>
  SCYTHE_SUBSCRIPT reference operator[](id<stored> index) const {
    return base::operator[](index);
  }
  template <int D = Dimensions, class = std::enable_if_t<(D > 1) && Mode != access_mode::atomic>>
  SCYTHE_SUBSCRIPT auto operator[](std::size_t index) const {
    return base::operator[](index);
  }
  template <access_mode M = Mode, std::enable_if_t<M == access_mode::atomic, int> = 0>
  SCYTHE_SUBSCRIPT atomic<T, access::address_space::global_space>
  operator[](id<stored> index) const {
    return accessor_ptr<access::decorated::no>(__builtin_addressof(base::operator[](index)));
  }
  // The single element of an accessor without dimensions.
  template <int D = Dimensions, class = std::enable_if_t<D == 0>> operator reference() const {
    return *this->first();
  }
  template <int D = Dimensions, class = std::enable_if_t<D == 0 && Mode != access_mode::read>>
  const accessor &operator=(const T &value) const {
    *this->first() = value;
    return *this;
  }

  // Returns the start of the buffer, even if the accessor's range begins elsewhere.
  auto get_pointer() const noexcept {
    if constexpr (Target == target::host_task)
      return static_cast<value_type *>(this->data());
    else if constexpr (Target == target::constant_buffer)
      return constant_ptr<T>(const_cast<T *>(this->data()));
    else
      return global_ptr<value_type>(this->data());
  }
  template <access::decorated D> accessor_ptr<D> get_multi_ptr() const noexcept {
    return accessor_ptr<D>(this->data());
  }

  friend bool operator==(const accessor &a, const accessor &b) { return a.same(b); }
  friend bool operator!=(const accessor &a, const accessor &b) { return !a.same(b); }
  std::size_t scythe_hash() const { return this->hash(); }

private:
  template <class, int, access_mode, target, access::placeholder, class> friend class accessor;
  friend struct detail::accessor_view;

  template <class B>
  SCYTHE_SHARED accessor(B &b, handler *h, const range<stored> &r, const id<stored> &o,
                         const property_list &p)
      : base(b.scythe_handle(), b.get_range(), r, o),
        no_init_(detail::discards(Mode) || p.has_property<property::no_init>()),
        placeholder_(h == nullptr) {
    if (no_init_ && Mode == access_mode::read)
      detail::fail(errc::invalid, "accessor: property no_init cannot be combined with "
                                  "access_mode::read; remove no_init or use access_mode::write");
    attach_host_memory();
    if (h)
      h->require(*this);
  }
  // Host tasks and host mode have no launch that stores the address.
  void attach_host_memory() {
#ifdef SCYTHE_HOST_MODE
    constexpr bool on_host = true;
#else
    constexpr bool on_host = Target == target::host_task;
#endif
    if constexpr (on_host) {
      void *data = nullptr;
      detail::check(scythe_buffer_host_address(this->buffer_, &data));
      this->data_ = static_cast<value_type *>(data);
    }
  }

  bool no_init_ = false;
  bool placeholder_ = false;
};

template <class T, int D, class A> accessor(buffer<T, D, A> &) -> accessor<T, D>;
template <class T, int D, class A>
accessor(buffer<T, D, A> &, const property_list &) -> accessor<T, D>;
template <class T, int D, class A, class Tag>
accessor(buffer<T, D, A> &, Tag, const property_list & = {})
    -> accessor<T, D, detail::tag_traits<Tag>::mode, detail::tag_traits<Tag>::target>;
template <class T, int D, class A>
accessor(buffer<T, D, A> &, range<D>, const property_list & = {}) -> accessor<T, D>;
template <class T, int D, class A, class Tag>
accessor(buffer<T, D, A> &, range<D>, Tag, const property_list & = {})
    -> accessor<T, D, detail::tag_traits<Tag>::mode, detail::tag_traits<Tag>::target>;
template <class T, int D, class A>
accessor(buffer<T, D, A> &, range<D>, id<D>, const property_list & = {}) -> accessor<T, D>;
template <class T, int D, class A, class Tag>
accessor(buffer<T, D, A> &, range<D>, id<D>, Tag, const property_list & = {})
    -> accessor<T, D, detail::tag_traits<Tag>::mode, detail::tag_traits<Tag>::target>;
template <class T, int D, class A> accessor(buffer<T, D, A> &, handler &) -> accessor<T, D>;
template <class T, int D, class A>
accessor(buffer<T, D, A> &, handler &, const property_list &) -> accessor<T, D>;
template <class T, int D, class A, class Tag>
accessor(buffer<T, D, A> &, handler &, Tag, const property_list & = {})
    -> accessor<T, D, detail::tag_traits<Tag>::mode, detail::tag_traits<Tag>::target>;
template <class T, int D, class A>
accessor(buffer<T, D, A> &, handler &, range<D>, const property_list & = {}) -> accessor<T, D>;
template <class T, int D, class A, class Tag>
accessor(buffer<T, D, A> &, handler &, range<D>, Tag, const property_list & = {})
    -> accessor<T, D, detail::tag_traits<Tag>::mode, detail::tag_traits<Tag>::target>;
template <class T, int D, class A>
accessor(buffer<T, D, A> &, handler &, range<D>, id<D>, const property_list & = {})
    -> accessor<T, D>;
template <class T, int D, class A, class Tag>
accessor(buffer<T, D, A> &, handler &, range<D>, id<D>, Tag, const property_list & = {})
    -> accessor<T, D, detail::tag_traits<Tag>::mode, detail::tag_traits<Tag>::target>;

// Properties known at compile time.
template <class T, int D, class A, class L, class = detail::if_properties<L>>
accessor(buffer<T, D, A> &, L, const property_list & = {})
    -> accessor<T, D, detail::default_mode<T>, target::device, access::placeholder::false_t,
                detail::compiler_list<L>>;
template <class T, int D, class A, class L, class = detail::if_properties<L>>
accessor(buffer<T, D, A> &, handler &, L, const property_list & = {})
    -> accessor<T, D, detail::default_mode<T>, target::device, access::placeholder::false_t,
                detail::compiler_list<L>>;
template <class T, int D, class A, class Tag, class L, class = detail::if_properties<L>>
accessor(buffer<T, D, A> &, handler &, Tag, L, const property_list & = {})
    -> accessor<T, D, detail::tag_traits<Tag>::mode, detail::tag_traits<Tag>::target,
                access::placeholder::false_t, detail::compiler_list<L>>;

template <class T, int D, class A>
template <access_mode Mode, target Target>
accessor<T, D, Mode, detail::command_target<Target>> buffer<T, D, A>::get_access(handler &h) {
  return accessor<T, D, Mode, detail::command_target<Target>>(*this, h);
}
template <class T, int D, class A>
template <access_mode Mode, target Target>
accessor<T, D, Mode, detail::command_target<Target>>
buffer<T, D, A>::get_access(handler &h, range<D> r, id<D> offset) {
  return accessor<T, D, Mode, detail::command_target<Target>>(*this, h, r, offset);
}
template <class T, int D, class A>
template <class... Args>
auto buffer<T, D, A>::get_access(handler &h, Args... args) {
  return accessor(*this, h, args...);
}
template <class T, int D, class A>
template <class... Args, class>
auto buffer<T, D, A>::get_access(Args... args) {
  return accessor(*this, args...);
}

template <class T, int D, access_mode M, target G, access::placeholder P>
struct is_property_of<property::no_init, accessor<T, D, M, G, P>> : std::true_type {};

} // namespace sycl

template <class T, int D, sycl::access_mode M, sycl::target G, sycl::access::placeholder P>
struct std::hash<sycl::accessor<T, D, M, G, P>> {
  std::size_t operator()(const sycl::accessor<T, D, M, G, P> &a) const noexcept {
    return a.scythe_hash();
  }
};

#endif
