// `sycl::image` of SYCL 1.2.1 and its accessors (`target::image`, `target::host_image` and
// `target::image_array`), which SYCL 2020 replaced (`sycl_ext_intel_legacy_image`).
//
// The memory, the dependencies and the write-back are those of `sycl::unsampled_image`. The format
// is a pair of order and type, and reads may use any sampler.
#ifndef SCYTHE_DETAIL_EARLIER_IMAGE_HPP
#define SCYTHE_DETAIL_EARLIER_IMAGE_HPP

#include <sycl/detail/earlier_image_texel.hpp>
#include <sycl/image_accessor.hpp>

namespace sycl {

namespace detail {

// Memory of the program as memory of an image. Const memory is copied and never written.
template <class Pointer> image_memory<void> earlier_memory(const Pointer &host) {
  if constexpr (std::is_pointer_v<Pointer>) {
    image_memory<void> memory(
        const_cast<std::remove_const_t<std::remove_pointer_t<Pointer>> *>(host));
    if constexpr (std::is_const_v<std::remove_pointer_t<Pointer>>)
      memory.owner = ref<counted_object>::adopt(new counted_object);
    return memory;
  } else {
    return host;
  }
}

} // namespace detail

template <int Dimensions = 1, class Allocator = image_allocator>
class image : public unsampled_image<Dimensions, Allocator> {
  using base = unsampled_image<Dimensions, Allocator>;
  using pitch_type = typename detail::image_base<void, Dimensions, Allocator>::pitch_type;
  using order = image_channel_order;
  using type = image_channel_type;
  using size_type = range<Dimensions>;
  template <class P>
  using if_memory = std::enable_if_t<std::is_pointer_v<P> || std::is_null_pointer_v<P> ||
                                     std::is_convertible_v<P, std::shared_ptr<const void>>>;

public:
  // Without contents.
  image(order o, type t, const size_type &r, const property_list &p = {})
      : base(format(o, t), r, p) {}
  image(order o, type t, const size_type &r, Allocator a, const property_list &p = {})
      : base(format(o, t), r, a, p) {}
  image(order o, type t, const size_type &r, const pitch_type &pitch, const property_list &p = {})
      : base(format(o, t), r, pitch, p) {}
  image(order o, type t, const size_type &r, const pitch_type &pitch, Allocator a,
        const property_list &p = {})
      : base(format(o, t), r, pitch, a, p) {}

  // From memory of the program: a pointer or a shared pointer. It is written back unless it is
  // const.
  template <class P, class = if_memory<P>>
  image(P host, order o, type t, const size_type &r, const property_list &p = {})
      : base(detail::earlier_memory(host), format(o, t), r, p) {
    keep_const<P>();
  }
  template <class P, class = if_memory<P>>
  image(P host, order o, type t, const size_type &r, Allocator a, const property_list &p = {})
      : base(detail::earlier_memory(host), format(o, t), r, a, p) {
    keep_const<P>();
  }
  template <class P, class = if_memory<P>>
  image(P host, order o, type t, const size_type &r, const pitch_type &pitch,
        const property_list &p = {})
      : base(detail::earlier_memory(host), format(o, t), r, pitch, p) {
    keep_const<P>();
  }
  template <class P, class = if_memory<P>>
  image(P host, order o, type t, const size_type &r, const pitch_type &pitch, Allocator a,
        const property_list &p = {})
      : base(detail::earlier_memory(host), format(o, t), r, pitch, a, p) {
    keep_const<P>();
  }
  explicit image(const detail::ref<detail::image_storage<Allocator>> &shared) : base(shared) {}

  std::size_t get_size() const { return this->byte_size(); }
  std::size_t get_count() const { return this->size(); }

  template <class T, access_mode Mode>
  accessor<T, Dimensions, Mode, target::image> get_access(handler &h) {
    return {*this, h};
  }
  template <class T, access_mode Mode>
  accessor<T, Dimensions, Mode, target::host_image> get_access() {
    return {*this};
  }

private:
  static image_format format(order o, type t) {
    return static_cast<image_format>(detail::earlier_format(o, t));
  }
  template <class P> void keep_const() {
    if constexpr (std::is_const_v<std::remove_pointer_t<P>>)
      this->set_final_data(nullptr);
  }
};

template <class P, int D, class A>
struct is_property_of<P, image<D, A>> : detail::is_image_property<P> {};

namespace detail {

// The common base of the accessors. As for all accessors, the address and the buffer come first.
template <class T, int D, access_mode Mode, target Target> class earlier_image_access {
  using element = typename T::element_type;
  static_assert(channel_kind<element> >= 0 && std::is_same_v<T, vec<element, 4>>,
                "the element type of an image accessor must be int4, uint4, float4 or half4");
  static_assert(Target == target::host_image || Mode == access_mode::read ||
                    Mode == access_mode::write || Mode == access_mode::discard_write,
                "an image accessor for commands must use access_mode::read, write or "
                "discard_write");
  static constexpr bool reads = Mode == access_mode::read || Mode == access_mode::read_write ||
                                Mode == access_mode::discard_read_write;
  static constexpr int slice = Target == target::image_array ? 1 : 0;

public:
  static constexpr access_mode mode = Mode;
  using value_type = std::conditional_t<Mode == access_mode::read, const T, T>;
  using reference = value_type &;
  using const_reference = const T &;

  range<D + slice> get_range() const {
    range<D + slice> r;
    for (int d = 0; d < D + slice; ++d)
      r[d] = static_cast<std::size_t>(layout_.size[d]);
    return r;
  }
  std::size_t size() const noexcept { return get_range().size(); }
  std::size_t get_count() const noexcept { return size(); }

  template <class C, bool R = reads, class = std::enable_if_t<R>> T read(const C &coords) const {
    int at[3];
    split(coords, at);
    return load_texel<T>(data_ + texel_offset<D>(layout_, at), layout_);
  }
  template <class C, bool R = reads, class = std::enable_if_t<R>>
  T read(const C &coords, const sampler &s) const {
    float at[3];
    split(coords, at);
    earlier_layout sampled = layout_;
    sampled.sampler = s.scythe_modes();
    return sample<T, D>(data_, sampled, at);
  }
  template <class C, access_mode M = Mode, class = std::enable_if_t<M != access_mode::read>>
  void write(const C &coords, const T &color) const {
    int at[3];
    split(coords, at);
    store_texel<T>(data_ + texel_offset<D>(layout_, at), layout_, color);
  }

  friend bool operator==(const earlier_image_access &a, const earlier_image_access &b) {
    return a.buffer_ == b.buffer_ && a.data_ == b.data_;
  }
  friend bool operator!=(const earlier_image_access &a, const earlier_image_access &b) {
    return !(a == b);
  }
  std::size_t scythe_hash() const { return reinterpret_cast<std::size_t>(buffer_); }

protected:
  earlier_image_access() = default;
  template <class A>
  explicit earlier_image_access(const image<D + slice, A> &image)
      : buffer_(image.scythe_handle()), layout_{image.scythe_layout()} {
    check(scythe_image_check_access("accessor", layout_.format, channel_kind<element>));
    if constexpr (Mode != access_mode::read)
      if (layout_.order() == image_channel_order::ext_oneapi_srgba)
        fail(errc::feature_not_supported,
             "accessor: images with order ext_oneapi_srgba can only be read");
  }
  // For a command. The launch sets the address, except in host mode.
  template <class A>
  earlier_image_access(const image<D + slice, A> &image, handler &h) : earlier_image_access(image) {
    const auto &queue = accessor_view::queue_of(h);
    if (!queue.target.has(aspect::ext_intel_legacy_image))
      fail(errc::feature_not_supported,
           "accessor: device '%s' does not support images of SYCL 1.2.1; use a device with "
           "aspect::ext_intel_legacy_image",
           queue.name().c_str());
#ifdef SCYTHE_HOST_MODE
    check(scythe_buffer_host_address(buffer_, &data()));
#endif
    accessor_view::require(h, *this, 0);
  }
  void *&data() { return reinterpret_cast<void *&>(data_); }

  std::byte *data_ = nullptr;
  scythe_buffer buffer_ = nullptr;
  earlier_layout layout_;
  bool no_init_ = discards(Mode);

private:
  friend struct accessor_view;

  template <class C, class Number> static void split(const C &coords, Number (&at)[3]) {
    using ints = std::conditional_t<D == 1, int, vec<int, D == 3 ? 4 : 2>>;
    using floats = std::conditional_t<D == 1, float, vec<float, D == 3 ? 4 : 2>>;
    constexpr bool whole = std::is_convertible_v<const C &, ints> && !std::is_floating_point_v<C>;
    static_assert(
        whole || (std::is_same_v<Number, float> && std::is_convertible_v<const C &, floats>),
        "image coordinates must be int, int2 or int4, or with a sampler float, float2 or float4");
    if constexpr (D == 1) {
      at[0] = static_cast<Number>(coords);
    } else {
      const std::conditional_t<whole, ints, floats> c = coords;
      for (int d = 0; d < D; ++d)
        at[d] = static_cast<Number>(c[d]);
    }
  }
};

// A slice of an image array, which has one dimension less than the image.
template <class T, int D, access_mode Mode>
class image_slice : public earlier_image_access<T, D, Mode, target::image> {
public:
  image_slice(std::byte *data, const earlier_layout &layout) {
    this->data_ = data;
    this->layout_ = layout;
    this->layout_.size[D] = 1;
  }
};

} // namespace detail

template <class T, int Dimensions, access_mode Mode, access::placeholder P>
class SCYTHE_SPECIAL("accessor") accessor<T, Dimensions, Mode, target::image, P>
    : public detail::earlier_image_access<T, Dimensions, Mode, target::image> {
public:
  template <class A>
  accessor(image<Dimensions, A> &image, handler &h, const property_list & = {})
      : detail::earlier_image_access<T, Dimensions, Mode, target::image>(image, h) {}
};

template <class T, int Dimensions, access_mode Mode, access::placeholder P>
class SCYTHE_SPECIAL("accessor") accessor<T, Dimensions, Mode, target::image_array, P>
    : public detail::earlier_image_access<T, Dimensions, Mode, target::image_array> {
  static_assert(Dimensions < 3, "an accessor of an image array must have 1 or 2 dimensions");

public:
  template <class A>
  accessor(image<Dimensions + 1, A> &image, handler &h, const property_list & = {})
      : detail::earlier_image_access<T, Dimensions, Mode, target::image_array>(image, h) {}

  detail::image_slice<T, Dimensions, Mode> operator[](std::size_t index) const {
    return {this->data_ + index * this->layout_.pitch[Dimensions - 1], this->layout_};
  }
};

template <class T, int Dimensions, access_mode Mode, access::placeholder P>
class accessor<T, Dimensions, Mode, target::host_image, P>
    : public detail::earlier_image_access<T, Dimensions, Mode, target::host_image> {
public:
  template <class A>
  accessor(image<Dimensions, A> &image, const property_list & = {})
      : detail::earlier_image_access<T, Dimensions, Mode, target::host_image>(image),
        access_(detail::ref<detail::host_access>::adopt(new detail::host_access)) {
    detail::check(scythe_host_access_begin(this->buffer_, detail::abi_mode(Mode), this->no_init_,
                                           &this->data(), &access_->begun));
  }

private:
  detail::ref<detail::host_access> access_;
};

} // namespace sycl

template <int D, class A> struct std::hash<sycl::image<D, A>> : sycl::detail::image_hash {};

#endif
