// Accessors of images: elements by their coordinates in unsampled images, colours at any place in sampled ones.
//
// Like accessors of buffers, those for commands are plain data that kernels capture, with the address of the image's
// memory in their first word; those of the host hold the image until their last copy dies.
#ifndef SCYTHE_IMAGE_ACCESSOR_HPP
#define SCYTHE_IMAGE_ACCESSOR_HPP

#include <sycl/detail/image_sampling.hpp>
#include <sycl/handler.hpp>
#include <sycl/host_accessor.hpp>
#include <sycl/image.hpp>

namespace sycl {

namespace detail {

template <class T> inline constexpr bool is_image_element = false;
template <> inline constexpr bool is_image_element<vec<std::int32_t, 4>> = true;
template <> inline constexpr bool is_image_element<vec<std::uint32_t, 4>> = true;
template <> inline constexpr bool is_image_element<vec<float, 4>> = true;
template <> inline constexpr bool is_image_element<vec<half, 4>> = true;

SCYTHE_COLD inline void check_image_element(const char *name, image_format format, char kind) {
  static constexpr const char *names[] = {"r8g8b8a8_unorm",      "r16g16b16a16_unorm", "r8g8b8a8_sint",
                                          "r16g16b16a16_sint",   "r32b32g32a32_sint",  "r8g8b8a8_uint",
                                          "r16g16b16a16_uint",   "r32b32g32a32_uint",  "r16b16g16a16_sfloat",
                                          "r32g32b32a32_sfloat", "b8g8r8a8_unorm"};
  const auto type = [](char k) { return k == 'i' ? "int4" : k == 'u' ? "uint4" : "float4 or half4"; };
  if (const char expected = channel_kind(format); kind != expected)
    fail(errc::invalid, "%s: elements of type %s of an image of format %s: expected %s", name, type(kind),
         names[static_cast<int>(format)], type(expected));
}

// What all of them share. `T` is not const.
template <class T, int D> class image_access {
  static_assert(is_image_element<T>, "the elements of an image are int4, uint4, float4 or half4");
  using channel = typename T::element_type;
  template <class E> using coordinates = std::conditional_t<D == 1, E, vec<E, D == 3 ? 4 : 2>>;

public:
  std::size_t size() const noexcept {
    std::size_t n = 1;
    for (int d = 0; d < D; ++d)
      n *= static_cast<std::size_t>(layout_.size[d]);
    return n;
  }
  template <class P> bool has_property() const noexcept { return std::is_same_v<P, property::no_init> && no_init_; }
  template <class P> P get_property() const {
    if (!has_property<P>())
      fail(errc::invalid, "get_property: the image accessor was not constructed with this property");
    return P();
  }
  std::size_t scythe_hash() const noexcept { return reinterpret_cast<std::size_t>(buffer_); }

protected:
  template <class Image>
  image_access(const char *name, const Image &image, bool only_reads, const property_list &p)
      : buffer_(image.scythe_handle()), layout_(image.scythe_layout()), no_init_(p.has_property<property::no_init>()) {
    if (no_init_ && only_reads)
      fail(errc::invalid, "%s: property no_init makes no sense with read access", name);
    check_image_element(name, layout_.format, channel_kind_of<channel>());
  }

  template <class Coordinates> T read_element(const Coordinates &coords) const noexcept {
    return load_texel<channel>(data_ + offset_of(coords), layout_.format);
  }
  template <class Coordinates> void write_element(const Coordinates &coords, const T &color) const {
    store_texel<channel>(data_ + offset_of(coords), layout_.format, color);
  }
  template <class Coordinates> T read_sample(const Coordinates &coords) const noexcept {
    static_assert(std::is_convertible_v<const Coordinates &, coordinates<float>>,
                  "the coordinates in a sampled image are float, float2 or, in three dimensions, float4");
    float at[3] = {};
    split<float>(coords, at);
    return sample<channel, D>(data_, layout_, at);
  }

  // In a command: the address comes from the launch, but for host tasks and host mode.
  template <class A> static void attach(const char *name, handler &h, A &accessor, image_target target) {
    const auto &queue = accessor_view::queue_of(h);
    if (target == image_target::device && !queue.target.has(aspect::image))
      fail(errc::feature_not_supported, "%s: '%s' has no images: expected a device with aspect::image", name,
           queue.name().c_str());
#ifdef SCYTHE_HOST_MODE
    target = image_target::host_task;
#endif
    void *data = nullptr;
    if (target == image_target::host_task)
      check(scythe_buffer_host_address(accessor.buffer_, &data));
    accessor.data_ = static_cast<std::byte *>(data);
    accessor_view::require(h, accessor, 0);
  }
  ref<host_access> begin_host_access(access_mode mode) {
    auto access = ref<host_access>::adopt(new host_access);
    void *data = nullptr;
    check(scythe_host_access_begin(buffer_, edge_mode(mode), no_init_, &data, &access->begun));
    data_ = static_cast<std::byte *>(data);
    return access;
  }
  bool same(const image_access &other) const noexcept { return buffer_ == other.buffer_; }

private:
  friend struct accessor_view;

  template <class E, class Coordinates> static void split(const Coordinates &coords, E (&at)[3]) {
    const coordinates<E> c = coords;
    if constexpr (D == 1)
      at[0] = c;
    else
      for (int d = 0; d < D; ++d)
        at[d] = c[d];
  }
  template <class Coordinates> std::size_t offset_of(const Coordinates &coords) const {
    static_assert(std::is_convertible_v<const Coordinates &, coordinates<int>> &&
                      !std::is_floating_point_v<Coordinates>,
                  "the coordinates in an unsampled image are int, int2 or, in three dimensions, int4");
    int at[3] = {};
    split<int>(coords, at);
    return texel_offset<D>(layout_, at);
  }

  std::byte *data_ = nullptr;
  scythe_buffer buffer_ = nullptr;
  image_layout layout_;

protected:
  bool no_init_ = false;
};

template <access_mode Mode>
using if_reads = std::enable_if_t<Mode == access_mode::read || Mode == access_mode::read_write>;
template <access_mode Mode>
using if_writes = std::enable_if_t<Mode == access_mode::write || Mode == access_mode::read_write>;
template <class U, class T, access_mode Mode>
using if_reads_same =
    std::enable_if_t<Mode == access_mode::read && !std::is_same_v<U, T> && std::is_same_v<const U, const T>>;

} // namespace detail

// The members that both accessors of unsampled images have.
#define SCYTHE_UNSAMPLED_MEMBERS(T)                                                                                    \
  static_assert(Mode == access_mode::read || !std::is_const_v<T>, "an accessor of const elements can only read");      \
                                                                                                                       \
public:                                                                                                                \
  static constexpr access_mode mode = Mode;                                                                            \
  using value_type = std::conditional_t<Mode == access_mode::read, const T, T>;                                        \
  using reference = value_type &;                                                                                      \
  using const_reference = const T &;                                                                                   \
                                                                                                                       \
  template <class Coordinates, access_mode M = Mode, class = detail::if_reads<M>>                                      \
  std::remove_const_t<T> read(const Coordinates &coords) const noexcept {                                              \
    return this->read_element(coords);                                                                                 \
  }                                                                                                                    \
  template <class Coordinates, access_mode M = Mode, class = detail::if_writes<M>>                                     \
  void write(const Coordinates &coords, const T &color) const {                                                        \
    this->write_element(coords, color);                                                                                \
  }

template <class T, int Dimensions, access_mode Mode, image_target Target>
class SCYTHE_SPECIAL("accessor") unsampled_image_accessor
    : public detail::image_access<std::remove_const_t<T>, Dimensions> {
  using base = detail::image_access<std::remove_const_t<T>, Dimensions>;
  SCYTHE_UNSAMPLED_MEMBERS(T)

  template <class Allocator>
  unsampled_image_accessor(unsampled_image<Dimensions, Allocator> &image, handler &h, const property_list &p = {})
      : base("unsampled_image_accessor", image, Mode == access_mode::read, p) {
    base::attach("unsampled_image_accessor", h, *this, Target);
  }
  template <class U, class = detail::if_reads_same<U, T, Mode>>
  unsampled_image_accessor(const unsampled_image_accessor<U, Dimensions, Mode, Target> &other) : base(other) {}

  friend bool operator==(const unsampled_image_accessor &a, const unsampled_image_accessor &b) { return a.same(b); }
  friend bool operator!=(const unsampled_image_accessor &a, const unsampled_image_accessor &b) { return !a.same(b); }

private:
  friend struct detail::accessor_view;
};

template <class T, int Dimensions, access_mode Mode>
class host_unsampled_image_accessor : public detail::image_access<std::remove_const_t<T>, Dimensions> {
  using base = detail::image_access<std::remove_const_t<T>, Dimensions>;
  SCYTHE_UNSAMPLED_MEMBERS(T)

  template <class Allocator>
  host_unsampled_image_accessor(unsampled_image<Dimensions, Allocator> &image, const property_list &p = {})
      : base("host_unsampled_image_accessor", image, Mode == access_mode::read, p),
        access_(this->begin_host_access(Mode)) {}
  template <class U, class = detail::if_reads_same<U, T, Mode>>
  host_unsampled_image_accessor(const host_unsampled_image_accessor<U, Dimensions, Mode> &other)
      : base(other), access_(other.access_) {}

  friend bool operator==(const host_unsampled_image_accessor &a, const host_unsampled_image_accessor &b) {
    return a.access_ == b.access_;
  }
  friend bool operator!=(const host_unsampled_image_accessor &a, const host_unsampled_image_accessor &b) {
    return a.access_ != b.access_;
  }

private:
  template <class, int, access_mode> friend class host_unsampled_image_accessor;
  detail::ref<detail::host_access> access_;
};
#undef SCYTHE_UNSAMPLED_MEMBERS

template <class T, int Dimensions, image_target Target>
class SCYTHE_SPECIAL("accessor") sampled_image_accessor
    : public detail::image_access<std::remove_const_t<T>, Dimensions> {
  using base = detail::image_access<std::remove_const_t<T>, Dimensions>;

public:
  static constexpr access_mode mode = access_mode::read;
  using value_type = const T;
  using reference = const T &;
  using const_reference = const T &;

  template <class Allocator>
  sampled_image_accessor(sampled_image<Dimensions, Allocator> &image, handler &h, const property_list &p = {})
      : base("sampled_image_accessor", image, true, p) {
    base::attach("sampled_image_accessor", h, *this, Target);
  }
  template <class U, class = detail::if_reads_same<U, T, mode>>
  sampled_image_accessor(const sampled_image_accessor<U, Dimensions, Target> &other) : base(other) {}

  template <class Coordinates> std::remove_const_t<T> read(const Coordinates &coords) const noexcept {
    return this->read_sample(coords);
  }

  friend bool operator==(const sampled_image_accessor &a, const sampled_image_accessor &b) { return a.same(b); }
  friend bool operator!=(const sampled_image_accessor &a, const sampled_image_accessor &b) { return !a.same(b); }

private:
  friend struct detail::accessor_view;
};

template <class T, int Dimensions>
class host_sampled_image_accessor : public detail::image_access<std::remove_const_t<T>, Dimensions> {
  using base = detail::image_access<std::remove_const_t<T>, Dimensions>;

public:
  using value_type = const T;
  using reference = const T &;
  using const_reference = const T &;

  template <class Allocator>
  host_sampled_image_accessor(sampled_image<Dimensions, Allocator> &image, const property_list &p = {})
      : base("host_sampled_image_accessor", image, true, p), access_(this->begin_host_access(access_mode::read)) {}
  template <class U, class = detail::if_reads_same<U, T, access_mode::read>>
  host_sampled_image_accessor(const host_sampled_image_accessor<U, Dimensions> &other)
      : base(other), access_(other.access_) {}

  template <class Coordinates> std::remove_const_t<T> read(const Coordinates &coords) const noexcept {
    return this->read_sample(coords);
  }

  friend bool operator==(const host_sampled_image_accessor &a, const host_sampled_image_accessor &b) {
    return a.access_ == b.access_;
  }
  friend bool operator!=(const host_sampled_image_accessor &a, const host_sampled_image_accessor &b) {
    return a.access_ != b.access_;
  }

private:
  template <class, int> friend class host_sampled_image_accessor;
  detail::ref<detail::host_access> access_;
};

template <int D, class A>
template <class T, access_mode Mode, image_target Target>
unsampled_image_accessor<T, D, Mode, Target> unsampled_image<D, A>::get_access(handler &h, const property_list &p) {
  return {*this, h, p};
}
template <int D, class A>
template <class T, access_mode Mode>
host_unsampled_image_accessor<T, D, Mode> unsampled_image<D, A>::get_host_access(const property_list &p) {
  return {*this, p};
}
template <int D, class A>
template <class T, image_target Target>
sampled_image_accessor<T, D, Target> sampled_image<D, A>::get_access(handler &h, const property_list &p) {
  return {*this, h, p};
}
template <int D, class A>
template <class T>
host_sampled_image_accessor<T, D> sampled_image<D, A>::get_host_access(const property_list &p) {
  return {*this, p};
}

template <class T, int D, access_mode M, image_target G>
struct is_property_of<property::no_init, unsampled_image_accessor<T, D, M, G>> : std::true_type {};
template <class T, int D, access_mode M>
struct is_property_of<property::no_init, host_unsampled_image_accessor<T, D, M>> : std::true_type {};

} // namespace sycl

template <class T, int D, sycl::access_mode M, sycl::image_target G>
struct std::hash<sycl::unsampled_image_accessor<T, D, M, G>> {
  std::size_t operator()(const sycl::unsampled_image_accessor<T, D, M, G> &a) const noexcept { return a.scythe_hash(); }
};
template <class T, int D, sycl::access_mode M> struct std::hash<sycl::host_unsampled_image_accessor<T, D, M>> {
  std::size_t operator()(const sycl::host_unsampled_image_accessor<T, D, M> &a) const noexcept {
    return a.scythe_hash();
  }
};
template <class T, int D, sycl::image_target G> struct std::hash<sycl::sampled_image_accessor<T, D, G>> {
  std::size_t operator()(const sycl::sampled_image_accessor<T, D, G> &a) const noexcept { return a.scythe_hash(); }
};
template <class T, int D> struct std::hash<sycl::host_sampled_image_accessor<T, D>> {
  std::size_t operator()(const sycl::host_sampled_image_accessor<T, D> &a) const noexcept { return a.scythe_hash(); }
};

#endif
