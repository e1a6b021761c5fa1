// Accessors of images. They access elements of unsampled images by coordinates, and read colours of
// sampled images at any position.
//
// Like accessors of buffers, accessors for commands are plain data that kernels capture. Their
// first word is the address of the image's memory. Accessors for the host keep the image until
// their last copy is destroyed.
#ifndef SCYTHE_IMAGE_ACCESSOR_HPP
#define SCYTHE_IMAGE_ACCESSOR_HPP

#include <sycl/detail/image_sampling.hpp>
#include <sycl/handler.hpp>
#include <sycl/host_accessor.hpp>
#include <sycl/image.hpp>

namespace sycl {

namespace detail {

// The common base of all image accessors. `T` is not const.
template <class T, int D, access_mode Mode, bool Sampled> class image_access {
  using element = typename T::element_type;
  using number = std::conditional_t<Sampled, float, int>;
  using coordinates = std::conditional_t<D == 1, number, vec<number, D == 3 ? 4 : 2>>;
  static_assert(channel_kind<element> >= 0 && std::is_same_v<T, vec<element, 4>>,
                "the element type of an image accessor must be int4, uint4, float4 or half4");

public:
  static constexpr access_mode mode = Mode;
  using value_type = std::conditional_t<Mode == access_mode::read, const T, T>;
  using reference = value_type &;
  using const_reference = const T &;

  std::size_t size() const noexcept {
    std::size_t n = 1;
    for (int d = 0; d < D; ++d)
      n *= static_cast<std::size_t>(layout_.size[d]);
    return n;
  }
  template <class C, access_mode M = Mode, class = std::enable_if_t<M != access_mode::write>>
  T read(const C &coords) const noexcept {
    number at[3];
    split(coords, at);
    if constexpr (Sampled)
      return sample<T, D>(data_, layout_, at);
    else
      return load_texel<T>(data_ + texel_offset<D>(layout_, at), layout_);
  }
  template <class C, access_mode M = Mode, class = std::enable_if_t<M != access_mode::read>>
  void write(const C &coords, const T &color) const {
    number at[3];
    split(coords, at);
    store_texel<T>(data_ + texel_offset<D>(layout_, at), layout_, color);
  }

  template <class P> bool has_property() const noexcept {
    return std::is_same_v<P, property::no_init> && no_init_;
  }
  template <class P> P get_property() const {
    if (!has_property<P>())
      fail(errc::invalid, "get_property: the image accessor was not constructed with this "
                          "property; call has_property first");
    return P();
  }

  friend bool operator==(const image_access &a, const image_access &b) {
    return a.buffer_ == b.buffer_;
  }
  friend bool operator!=(const image_access &a, const image_access &b) {
    return a.buffer_ != b.buffer_;
  }
  scythe_buffer scythe_handle() const noexcept { return buffer_; }

protected:
  template <class Image>
  image_access(const char *name, const Image &image, const property_list &p)
      : buffer_(image.scythe_handle()), layout_(image.scythe_layout()),
        no_init_(p.has_property<property::no_init>()) {
    if (no_init_ && Mode == access_mode::read)
      fail(errc::invalid,
           "%s: property no_init cannot be combined with access_mode::read; remove no_init or use "
           "access_mode::write",
           name);
    check(scythe_image_check_access(name, layout_.format, channel_kind<element>));
  }
  // For a command. The launch sets the address, except for host tasks and host mode.
  template <class Image>
  image_access(const char *name, const Image &image, const property_list &p, handler &h,
               image_target target)
      : image_access(name, image, p) {
    const auto &queue = accessor_view::queue_of(h);
    if (target == image_target::device && !queue.target.has(aspect::image))
      fail(errc::feature_not_supported,
           "%s: device '%s' does not support images; use a device with aspect::image", name,
           queue.name().c_str());
#ifdef SCYTHE_HOST_MODE
    target = image_target::host_task;
#endif
    if (target == image_target::host_task)
      check(scythe_buffer_host_address(buffer_, &data()));
    accessor_view::require(h, *this, 0);
  }
  void *&data() { return reinterpret_cast<void *&>(data_); }

  std::byte *data_ = nullptr;
  scythe_buffer buffer_ = nullptr;
  image_layout layout_;
  bool no_init_ = false;

private:
  friend struct accessor_view;

  template <class C> static void split(const C &coords, number (&at)[3]) {
    static_assert(std::is_convertible_v<const C &, coordinates> &&
                      (Sampled || !std::is_floating_point_v<C>),
                  "image coordinates must be int, int2 or int4 for an unsampled image, and float, "
                  "float2 or float4 for a sampled image");
    const coordinates c = coords;
    if constexpr (D == 1)
      at[0] = c;
    else
      for (int d = 0; d < D; ++d)
        at[d] = c[d];
  }
};

template <class T, int D, access_mode Mode, bool Sampled>
class host_image_access : public image_access<T, D, Mode, Sampled> {
protected:
  template <class Image>
  host_image_access(const char *name, const Image &image, const property_list &p)
      : image_access<T, D, Mode, Sampled>(name, image, p),
        access_(ref<host_access>::adopt(new host_access)) {
    check(scythe_host_access_begin(this->buffer_, abi_mode(Mode), this->no_init_, &this->data(),
                                   &access_->begun));
  }

private:
  ref<host_access> access_;
};

// Types that differ only in constness.
template <class U, class T> using if_const_or_not = std::enable_if_t<!std::is_same_v<U, T>>;

} // namespace detail

template <class T, int Dimensions, access_mode Mode, image_target Target>
class SCYTHE_SPECIAL("accessor") unsampled_image_accessor
    : public detail::image_access<std::remove_const_t<T>, Dimensions, Mode, false> {
  static_assert(Mode == access_mode::read || !std::is_const_v<T>,
                "an accessor of const elements must use access_mode::read");
  using base = detail::image_access<std::remove_const_t<T>, Dimensions, Mode, false>;

public:
  template <class A>
  unsampled_image_accessor(unsampled_image<Dimensions, A> &image, handler &h,
                           const property_list &p = {})
      : base("unsampled_image_accessor", image, p, h, Target) {}
  template <class U, class = detail::if_const_or_not<U, T>>
  unsampled_image_accessor(const unsampled_image_accessor<U, Dimensions, Mode, Target> &other)
      : base(other) {}
};

template <class T, int Dimensions, access_mode Mode>
class host_unsampled_image_accessor
    : public detail::host_image_access<std::remove_const_t<T>, Dimensions, Mode, false> {
  static_assert(Mode == access_mode::read || !std::is_const_v<T>,
                "an accessor of const elements must use access_mode::read");
  using base = detail::host_image_access<std::remove_const_t<T>, Dimensions, Mode, false>;

public:
  template <class A>
  host_unsampled_image_accessor(unsampled_image<Dimensions, A> &image, const property_list &p = {})
      : base("host_unsampled_image_accessor", image, p) {}
  template <class U, class = detail::if_const_or_not<U, T>>
  host_unsampled_image_accessor(const host_unsampled_image_accessor<U, Dimensions, Mode> &other)
      : base(other) {}
};

template <class T, int Dimensions, image_target Target>
class SCYTHE_SPECIAL("accessor") sampled_image_accessor
    : public detail::image_access<std::remove_const_t<T>, Dimensions, access_mode::read, true> {
  using base = detail::image_access<std::remove_const_t<T>, Dimensions, access_mode::read, true>;

public:
  template <class A>
  sampled_image_accessor(sampled_image<Dimensions, A> &image, handler &h,
                         const property_list &p = {})
      : base("sampled_image_accessor", image, p, h, Target) {}
  template <class U, class = detail::if_const_or_not<U, T>>
  sampled_image_accessor(const sampled_image_accessor<U, Dimensions, Target> &other)
      : base(other) {}
};

template <class T, int Dimensions>
class host_sampled_image_accessor
    : public detail::host_image_access<std::remove_const_t<T>, Dimensions, access_mode::read,
                                       true> {
  using base =
      detail::host_image_access<std::remove_const_t<T>, Dimensions, access_mode::read, true>;

public:
  template <class A>
  host_sampled_image_accessor(sampled_image<Dimensions, A> &image, const property_list &p = {})
      : base("host_sampled_image_accessor", image, p) {}
  template <class U, class = detail::if_const_or_not<U, T>>
  host_sampled_image_accessor(const host_sampled_image_accessor<U, Dimensions> &other)
      : base(other) {}
};

template <class T, int D, access_mode M, image_target G>
struct is_property_of<property::no_init, unsampled_image_accessor<T, D, M, G>> : std::true_type {};
template <class T, int D, access_mode M>
struct is_property_of<property::no_init, host_unsampled_image_accessor<T, D, M>> : std::true_type {
};

} // namespace sycl

template <class T, int D, sycl::access_mode M, sycl::image_target G>
struct std::hash<sycl::unsampled_image_accessor<T, D, M, G>> : sycl::detail::image_hash {};
template <class T, int D, sycl::access_mode M>
struct std::hash<sycl::host_unsampled_image_accessor<T, D, M>> : sycl::detail::image_hash {};
template <class T, int D, sycl::image_target G>
struct std::hash<sycl::sampled_image_accessor<T, D, G>> : sycl::detail::image_hash {};
template <class T, int D>
struct std::hash<sycl::host_sampled_image_accessor<T, D>> : sycl::detail::image_hash {};

#endif
