// `sycl::unsampled_image` and `sycl::sampled_image`: elements of four channels in 1 to 3 dimensions, which commands and
// the host share through image accessors (`image_accessor.hpp`).
//
// An image's memory is the runtime's buffer, with a buffer's dependencies and write-back; the image adds the layout of
// its elements. Copies refer to the same image.
#ifndef SCYTHE_IMAGE_HPP
#define SCYTHE_IMAGE_HPP

#include <sycl/buffer.hpp>
#include <sycl/detail/image_texel.hpp>

namespace sycl {

using image_allocator = std::allocator<std::byte>;

enum class image_target { device, host_task };

template <int Dimensions = 1, class Allocator = image_allocator> class unsampled_image;
template <int Dimensions = 1, class Allocator = image_allocator> class sampled_image;
template <class T, int Dimensions, access_mode Mode, image_target Target = image_target::device>
class unsampled_image_accessor;
template <class T, int Dimensions = 1, access_mode Mode = detail::default_mode<T>> class host_unsampled_image_accessor;
template <class T, int Dimensions, image_target Target = image_target::device> class sampled_image_accessor;
template <class T, int Dimensions> class host_sampled_image_accessor;

namespace property::image {

// The image works on the host memory it is given.
struct use_host_ptr : detail::property_base {
  static constexpr unsigned scythe_bit = 32;
};
// The program locks the mutex while it touches the host memory it gave.
struct use_mutex : buffer::use_mutex {
  using buffer::use_mutex::use_mutex;
};
// The image is only used in this context.
struct context_bound : buffer::context_bound {
  using buffer::context_bound::context_bound;
};

} // namespace property::image

namespace detail {

template <class P>
inline constexpr bool is_image_property =
    std::is_same_v<P, property::image::use_host_ptr> || std::is_same_v<P, property::image::use_mutex> ||
    std::is_same_v<P, property::image::context_bound>;

// Computes and checks where `dimensions` of `size` elements lie. `pitch` is null where the program gave none.
SCYTHE_COLD inline image_layout layout_image(const char *name, image_format format, const std::size_t *size,
                                             const std::size_t *pitch, int dimensions) {
  // Coordinates are int, and float while sampling: one that is as large as this is still exact.
  constexpr std::size_t most = std::size_t(1) << 30;
  image_layout layout = {{}, {1, 1, 1}, format, {}};
  for (int d = 0; d < dimensions; ++d) {
    if (size[d] < 1 || size[d] > most)
      fail(errc::invalid, "%s: a range of %zu in dimension %d: expected 1 to %zu elements", name, size[d], d, most);
    layout.size[d] = static_cast<int>(size[d]);
  }
  const std::size_t element = channel_size(format) * 4, row = size[0] * element;
  layout.pitch[0] = pitch ? pitch[0] : row;
  if (layout.pitch[0] < row || layout.pitch[0] % element)
    fail(errc::invalid, "%s: a row pitch of %zu bytes: expected a multiple of %zu that is at least %zu", name,
         layout.pitch[0], element, row);
  std::size_t slice = 0, bytes = 0;
  const bool fits = !__builtin_mul_overflow(layout.pitch[0], static_cast<std::size_t>(layout.size[1]), &slice);
  layout.pitch[1] = pitch && dimensions == 3 ? pitch[1] : slice;
  if (fits && (layout.pitch[1] < slice || layout.pitch[1] % layout.pitch[0]))
    fail(errc::invalid, "%s: a slice pitch of %zu bytes: expected a multiple of %zu that is at least %zu", name,
         layout.pitch[1], layout.pitch[0], slice);
  if (!fits || __builtin_mul_overflow(layout.pitch[1], static_cast<std::size_t>(layout.size[2]), &bytes))
    fail(errc::invalid, "%s: the range holds more bytes than the address space", name);
  return layout;
}

// `flags` of scythe_buffer_flags, for host memory as the program gave it.
SCYTHE_COLD inline handle<scythe_buffer> make_image(const char *name, const image_layout &layout, const void *host,
                                                    std::uint32_t flags, bool use_host_ptr) {
  const std::uint64_t channel = channel_size(layout.format);
  const bool aligned = reinterpret_cast<std::uintptr_t>(host) % channel == 0;
  if (use_host_ptr && (!host || !aligned))
    fail(errc::invalid, "%s: property use_host_ptr with address %p: expected memory that is aligned to %zu", name, host,
         static_cast<std::size_t>(channel));
  if (use_host_ptr)
    flags = (flags & ~std::uint32_t(SCYTHE_BUFFER_COPY_HOST)) | SCYTHE_BUFFER_USE_HOST_PTR;
  const bool apart = !use_host_ptr && !aligned && !(flags & SCYTHE_BUFFER_READ_ONLY_HOST);
  if (apart)
    flags |= SCYTHE_BUFFER_COPY_HOST;
  const scythe_buffer_desc desc = {layout.pitch[1] * static_cast<std::uint64_t>(layout.size[2]), channel * 4,
                                   const_cast<void *>(host), flags, 0};
  scythe_buffer created = nullptr;
  check(scythe_buffer_create(&desc, &created));
  if (apart)
    scythe_buffer_set_final(created, desc.host_data, nullptr, nullptr, nullptr);
  return handle<scythe_buffer>::adopt(created);
}

// What an output iterator takes: an image itself does not tell.
template <class I, class = void> struct output_value {
  using type = iterator_value<I>;
};
template <class I> struct output_value<I, std::void_t<typename I::container_type>> {
  using type = typename I::container_type::value_type;
};

// What both kinds of images are.
template <int D, class Allocator> class image_base {
  static_assert(D >= 1 && D <= 3, "images have 1, 2 or 3 dimensions");
  struct no_pitch;

public:
  range<D> get_range() const {
    range<D> r;
    for (int d = 0; d < D; ++d)
      r[d] = static_cast<std::size_t>(layout_.size[d]);
    return r;
  }
  template <int N = D, class = std::enable_if_t<(N > 1)>> range<N - 1> get_pitch() const {
    range<N - 1> r;
    for (int d = 0; d < N - 1; ++d)
      r[d] = layout_.pitch[d];
    return r;
  }
  std::size_t size() const noexcept { return get_range().size(); }
  std::size_t byte_size() const noexcept { return layout_.pitch[1] * static_cast<std::size_t>(layout_.size[2]); }
  Allocator get_allocator() const { return allocator_; }

  template <class P> bool has_property() const noexcept { return properties_.template has_property<P>(); }
  template <class P> P get_property() const { return properties_.template get_property<P>(); }

  scythe_buffer scythe_handle() const noexcept { return handle_.get(); }
  const image_layout &scythe_layout() const noexcept { return layout_; }

protected:
  // One dimension has no pitch, and nothing converts to its type.
  using pitch_type = std::conditional_t<(D > 1), range<(D > 1 ? D - 1 : 1)>, no_pitch>;

  image_base(const char *name, const void *host, image_format format, const range<D> &r, const pitch_type *pitch,
             std::uint32_t flags, const Allocator &a, const property_list &p)
      : allocator_(a), properties_(p) {
    std::size_t size[3] = {}, pitches[2] = {};
    for (int d = 0; d < D; ++d)
      size[d] = r[d];
    if constexpr (D > 1)
      for (int d = 0; pitch && d < D - 1; ++d)
        pitches[d] = (*pitch)[d];
    layout_ = layout_image(name, format, size, pitch ? pitches : nullptr, D);
    handle_ = make_image(name, layout_, host, flags, p.has_property<property::image::use_host_ptr>());
  }

  template <class T> void keep(const std::shared_ptr<T> &memory) {
    if (memory)
      owner_ = ref<counted_object>::adopt(new shared_memory<T>(memory));
  }

  handle<scythe_buffer> handle_;
  image_layout layout_;
  Allocator allocator_;
  property_list properties_;
  // What keeps the host memory, where ownership of it is shared.
  ref<counted_object> owner_;
};

} // namespace detail

template <int Dimensions, class Allocator> class unsampled_image : public detail::image_base<Dimensions, Allocator> {
  using base = detail::image_base<Dimensions, Allocator>;
  using range_type = range<Dimensions>;
  using pitch_type = typename base::pitch_type;
  // Named so that programs without images need not compile it.
  using shared = std::shared_ptr<detail::later_t<Allocator, void>>;

public:
  // --- Without contents

  unsampled_image(image_format f, const range_type &r, const property_list &p = {})
      : unsampled_image(f, r, Allocator(), p) {}
  unsampled_image(image_format f, const range_type &r, Allocator a, const property_list &p = {})
      : base(name, nullptr, f, r, nullptr, 0, a, p) {}
  unsampled_image(image_format f, const range_type &r, const pitch_type &pitch, const property_list &p = {})
      : unsampled_image(f, r, pitch, Allocator(), p) {}
  unsampled_image(image_format f, const range_type &r, const pitch_type &pitch, Allocator a,
                  const property_list &p = {})
      : base(name, nullptr, f, r, &pitch, 0, a, p) {}

  // --- From host memory, which is written back

  unsampled_image(void *host, image_format f, const range_type &r, const property_list &p = {})
      : unsampled_image(host, f, r, Allocator(), p) {}
  unsampled_image(void *host, image_format f, const range_type &r, Allocator a, const property_list &p = {})
      : base(name, host, f, r, nullptr, 0, a, p) {}
  unsampled_image(void *host, image_format f, const range_type &r, const pitch_type &pitch, const property_list &p = {})
      : unsampled_image(host, f, r, pitch, Allocator(), p) {}
  unsampled_image(void *host, image_format f, const range_type &r, const pitch_type &pitch, Allocator a,
                  const property_list &p = {})
      : base(name, host, f, r, &pitch, 0, a, p) {}

  // --- From shared ownership, where there is any: written back, too

  unsampled_image(const shared &host, image_format f, const range_type &r, const property_list &p = {})
      : unsampled_image(host, f, r, Allocator(), p) {}
  unsampled_image(const shared &host, image_format f, const range_type &r, Allocator a, const property_list &p = {})
      : unsampled_image(host, f, r, nullptr, a, p, 0) {}
  unsampled_image(const shared &host, image_format f, const range_type &r, const pitch_type &pitch,
                  const property_list &p = {})
      : unsampled_image(host, f, r, pitch, Allocator(), p) {}
  unsampled_image(const shared &host, image_format f, const range_type &r, const pitch_type &pitch, Allocator a,
                  const property_list &p = {})
      : unsampled_image(host, f, r, &pitch, a, p, 0) {}

  // --- Access; defined with the accessors

  template <class T, access_mode Mode = detail::default_mode<T>, image_target Target = image_target::device>
  unsampled_image_accessor<T, Dimensions, Mode, Target> get_access(handler &h, const property_list &p = {});
  template <class T, access_mode Mode = detail::default_mode<T>>
  host_unsampled_image_accessor<T, Dimensions, Mode> get_host_access(const property_list &p = {});

  // --- What happens at the end

  // Where the last copy's destructor writes: a pointer, a weak_ptr, or an output iterator. Null: nowhere.
  template <class Destination = std::nullptr_t> void set_final_data(Destination destination = nullptr) {
    if constexpr (std::is_null_pointer_v<Destination> || std::is_pointer_v<Destination> ||
                  detail::is_weak_ptr<Destination>)
      detail::set_final_data<std::byte>(this->handle_.get(), destination);
    else
      detail::set_final_data<typename detail::output_value<Destination>::type>(this->handle_.get(), destination);
  }
  void set_write_back(bool on = true) { scythe_buffer_set_write_back(this->handle_.get(), on); }

  friend bool operator==(const unsampled_image &a, const unsampled_image &b) { return a.handle_ == b.handle_; }
  friend bool operator!=(const unsampled_image &a, const unsampled_image &b) { return a.handle_ != b.handle_; }

private:
  static constexpr const char *name = "unsampled_image";
  unsampled_image(const shared &host, image_format f, const range_type &r, const pitch_type *pitch, const Allocator &a,
                  const property_list &p, int)
      : base(name, host.get(), f, r, pitch, SCYTHE_BUFFER_COPY_HOST, a, p) {
    this->keep(host);
    if (host)
      detail::write_back_to(this->handle_.get(), detail::write_to_shared<void>{host});
  }
};

template <int Dimensions, class Allocator> class sampled_image : public detail::image_base<Dimensions, Allocator> {
  using base = detail::image_base<Dimensions, Allocator>;
  using range_type = range<Dimensions>;
  using pitch_type = typename base::pitch_type;
  using shared = std::shared_ptr<detail::later_t<Allocator, const void>>;

public:
  // --- From host memory, which is only read

  sampled_image(const void *host, image_format f, image_sampler s, const range_type &r, const property_list &p = {})
      : sampled_image(host, f, s, r, Allocator(), p) {}
  sampled_image(const void *host, image_format f, image_sampler s, const range_type &r, Allocator a,
                const property_list &p = {})
      : sampled_image(host, f, s, r, nullptr, a, p, shared()) {}
  sampled_image(const void *host, image_format f, image_sampler s, const range_type &r, const pitch_type &pitch,
                const property_list &p = {})
      : sampled_image(host, f, s, r, pitch, Allocator(), p) {}
  sampled_image(const void *host, image_format f, image_sampler s, const range_type &r, const pitch_type &pitch,
                Allocator a, const property_list &p = {})
      : sampled_image(host, f, s, r, &pitch, a, p, shared()) {}

  // --- From shared ownership, where there is any

  sampled_image(const shared &host, image_format f, image_sampler s, const range_type &r, const property_list &p = {})
      : sampled_image(host, f, s, r, Allocator(), p) {}
  sampled_image(const shared &host, image_format f, image_sampler s, const range_type &r, Allocator a,
                const property_list &p = {})
      : sampled_image(host.get(), f, s, r, nullptr, a, p, host) {}
  sampled_image(const shared &host, image_format f, image_sampler s, const range_type &r, const pitch_type &pitch,
                const property_list &p = {})
      : sampled_image(host, f, s, r, pitch, Allocator(), p) {}
  sampled_image(const shared &host, image_format f, image_sampler s, const range_type &r, const pitch_type &pitch,
                Allocator a, const property_list &p = {})
      : sampled_image(host.get(), f, s, r, &pitch, a, p, host) {}

  // --- Access; defined with the accessors

  template <class T, image_target Target = image_target::device>
  sampled_image_accessor<T, Dimensions, Target> get_access(handler &h, const property_list &p = {});
  template <class T> host_sampled_image_accessor<T, Dimensions> get_host_access(const property_list &p = {});

  friend bool operator==(const sampled_image &a, const sampled_image &b) { return a.handle_ == b.handle_; }
  friend bool operator!=(const sampled_image &a, const sampled_image &b) { return a.handle_ != b.handle_; }

private:
  sampled_image(const void *host, image_format f, image_sampler s, const range_type &r, const pitch_type *pitch,
                const Allocator &a, const property_list &p, const shared &owner)
      : base("sampled_image", host, f, r, pitch, SCYTHE_BUFFER_READ_ONLY_HOST, a, p) {
    this->layout_.sampler = s;
    this->keep(owner);
  }
};

template <class P, int D, class A>
struct is_property_of<P, unsampled_image<D, A>> : std::bool_constant<detail::is_image_property<P>> {};
template <class P, int D, class A>
struct is_property_of<P, sampled_image<D, A>> : std::bool_constant<detail::is_image_property<P>> {};

} // namespace sycl

template <int D, class A> struct std::hash<sycl::unsampled_image<D, A>> {
  std::size_t operator()(const sycl::unsampled_image<D, A> &i) const noexcept {
    return std::hash<const void *>()(i.scythe_handle());
  }
};
template <int D, class A> struct std::hash<sycl::sampled_image<D, A>> {
  std::size_t operator()(const sycl::sampled_image<D, A> &i) const noexcept {
    return std::hash<const void *>()(i.scythe_handle());
  }
};

#endif
