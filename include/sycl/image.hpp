// `sycl::unsampled_image` and `sycl::sampled_image`: elements of four channels in 1 to 3
// dimensions, which commands and the host share through image accessors (`image_accessor.hpp`).
//
// The memory of an image is a buffer of the runtime, with a buffer's dependencies and write-back.
// The image adds the layout of its elements. Copies refer to the same image.
#ifndef SCYTHE_IMAGE_HPP
#define SCYTHE_IMAGE_HPP

#include <sycl/buffer.hpp>
#include <sycl/detail/image_texel.hpp>

namespace sycl {

using image_allocator = std::allocator<std::byte>;

enum class image_target { device, host_task };

template <class T, int Dimensions, access_mode Mode, image_target Target = image_target::device>
class unsampled_image_accessor;
template <class T, int Dimensions = 1, access_mode Mode = detail::default_mode<T>>
class host_unsampled_image_accessor;
template <class T, int Dimensions, image_target Target = image_target::device>
class sampled_image_accessor;
template <class T, int Dimensions> class host_sampled_image_accessor;

namespace property::image {

// The image uses the given host memory directly.
struct use_host_ptr : detail::property_base {
  static constexpr unsigned scythe_bit = 32;
};
// The program locks the mutex while it accesses the host memory that it passed.
struct use_mutex : buffer::use_mutex {
  using buffer::use_mutex::use_mutex;
};
// The image is only used in this context.
struct context_bound : buffer::context_bound {
  using buffer::context_bound::context_bound;
};

} // namespace property::image

namespace detail {

// Host memory for an image: an address, or shared ownership of it. `Void` is void or const void.
template <class Void> struct image_memory {
  image_memory(Void *p) : address(p) {}
  template <class U> image_memory(const std::shared_ptr<U> &p) : address(p.get()) {
    if (p)
      owner = ref<counted_object>::adopt(new shared_memory<U>(p));
  }

  Void *address;
  ref<counted_object> owner;
};

// Writes an image back to memory with shared ownership.
template <class Void> struct write_to_memory : image_memory<Void> {
  void write(const void *data, std::uint64_t bytes) const {
    copy_bytes(this->address, data, bytes);
  }
};

// The state that all copies of an image share. The buffer is destroyed before the memory that it
// may use.
template <class Allocator> struct image_storage : counted {
  image_storage(const Allocator &a, const property_list &p, const ref<counted_object> &o)
      : allocator(a), properties(p), owner(o) {}

  Allocator allocator;
  property_list properties;
  ref<counted_object> owner;
  handle<scythe_buffer> buffer;
  image_layout layout;
};

// The value type of an output iterator, which an image itself does not determine.
template <class I, class = void> struct output_value {
  using type = iterator_value<I>;
};
template <class I> struct output_value<I, std::void_t<typename I::container_type>> {
  using type = typename I::container_type::value_type;
};

// The common base of both kinds of images. `Void` is const if the image only reads the program's
// memory. `Sampler` is the type that the constructors take after the format.
template <class Void, int D, class Allocator, class... Sampler> class image_base {
  static_assert(D >= 1 && D <= 3, "an image must have 1, 2 or 3 dimensions");
  struct no_pitch;

public:
  // One-dimensional images have no pitch. Nothing converts to the type used there.
  using pitch_type = std::conditional_t<(D > 1), range<(D > 1 ? D - 1 : 1)>, no_pitch>;
  using memory = image_memory<Void>;

  image_base(const memory &m, image_format f, Sampler... s, const range<D> &r,
             const property_list &p = {})
      : image_base(m, f, s..., r, Allocator(), p) {}
  image_base(const memory &m, image_format f, Sampler... s, const range<D> &r, Allocator a,
             const property_list &p = {})
      : storage_(make(m, f, r, nullptr, a, p, s...)) {}
  image_base(const memory &m, image_format f, Sampler... s, const range<D> &r,
             const pitch_type &pitch, const property_list &p = {})
      : image_base(m, f, s..., r, pitch, Allocator(), p) {}
  image_base(const memory &m, image_format f, Sampler... s, const range<D> &r,
             const pitch_type &pitch, Allocator a, const property_list &p = {})
      : storage_(make(m, f, r, &pitch, a, p, s...)) {}

  explicit image_base(ref<image_storage<Allocator>> shared) : storage_(std::move(shared)) {}

  range<D> get_range() const {
    range<D> r;
    for (int d = 0; d < D; ++d)
      r[d] = static_cast<std::size_t>(storage_->layout.size[d]);
    return r;
  }
  template <int N = D, class = std::enable_if_t<(N > 1)>> pitch_type get_pitch() const {
    pitch_type r;
    for (int d = 0; d < N - 1; ++d)
      r[d] = storage_->layout.pitch[d];
    return r;
  }
  std::size_t size() const noexcept { return get_range().size(); }
  std::size_t byte_size() const noexcept {
    return storage_->layout.pitch[1] * static_cast<std::size_t>(storage_->layout.size[2]);
  }
  Allocator get_allocator() const { return storage_->allocator; }

  template <class P> bool has_property() const noexcept {
    return storage_->properties.template has_property<P>();
  }
  template <class P> P get_property() const {
    return storage_->properties.template get_property<P>();
  }

  SCYTHE_OWNER_BEFORE
  friend bool operator==(const image_base &a, const image_base &b) {
    return a.storage_ == b.storage_;
  }
  friend bool operator!=(const image_base &a, const image_base &b) {
    return a.storage_ != b.storage_;
  }

  auto scythe_handle() const noexcept { return storage_->buffer.get(); }
  auto &scythe_layout() const noexcept { return storage_->layout; }
  const auto &scythe_impl() const noexcept { return storage_; }

private:
  using storage = ref<image_storage<Allocator>>;

  static storage make(const memory &m, image_format f, const range<D> &r, const pitch_type *pitch,
                      const Allocator &a, const property_list &p, Sampler... sampler) {
    constexpr bool reads = std::is_const_v<Void>;
    auto made = storage::adopt(new image_storage<Allocator>(a, p, m.owner));
    unsigned flags = reads ? SCYTHE_BUFFER_READ_ONLY_HOST : m.owner ? SCYTHE_BUFFER_COPY_HOST : 0;
    if (p.has_property<property::image::use_host_ptr>())
      flags |= SCYTHE_BUFFER_USE_HOST_PTR;
    scythe_buffer buffer = nullptr;
    // The numbers of a range are contiguous in memory.
    const bool earlier = static_cast<unsigned>(f) >= 256; // the class of SYCL 1.2.1
    check(scythe_image_create(earlier ? "image"
                              : reads ? "sampled_image"
                                      : "unsampled_image",
                              static_cast<unsigned>(f), D,
                              reinterpret_cast<const std::size_t *>(&r),
                              reinterpret_cast<const std::size_t *>(pitch),
                              const_cast<void *>(m.address), flags, &made->layout, &buffer));
    made->buffer = handle<scythe_buffer>::adopt(buffer);
    ((made->layout.sampler = sampler), ...);
    if constexpr (!reads)
      if (m.owner)
        write_back_to(buffer, write_to_memory<Void>{m});
    return made;
  }

  storage storage_;
};

} // namespace detail

template <int Dimensions = 1, class Allocator = image_allocator>
class unsampled_image : public detail::image_base<void, Dimensions, Allocator> {
  using base = detail::image_base<void, Dimensions, Allocator>;
  using typename base::pitch_type;

public:
  // From host memory, which is written back.
  using base::base;

  // Without contents.
  unsampled_image(image_format f, const range<Dimensions> &r, const property_list &p = {})
      : base(nullptr, f, r, p) {}
  unsampled_image(image_format f, const range<Dimensions> &r, Allocator a,
                  const property_list &p = {})
      : base(nullptr, f, r, a, p) {}
  unsampled_image(image_format f, const range<Dimensions> &r, const pitch_type &pitch,
                  const property_list &p = {})
      : base(nullptr, f, r, pitch, p) {}
  unsampled_image(image_format f, const range<Dimensions> &r, const pitch_type &pitch, Allocator a,
                  const property_list &p = {})
      : base(nullptr, f, r, pitch, a, p) {}

  template <class T, access_mode Mode = detail::default_mode<T>,
            image_target Target = image_target::device>
  unsampled_image_accessor<T, Dimensions, Mode, Target> get_access(handler &h,
                                                                   const property_list &p = {}) {
    return {*this, h, p};
  }
  template <class T, access_mode Mode = detail::default_mode<T>>
  host_unsampled_image_accessor<T, Dimensions, Mode> get_host_access(const property_list &p = {}) {
    return {*this, p};
  }

  // Sets the destination of the write-back in the last copy's destructor: a pointer, a weak_ptr, or
  // an output iterator. Null disables the write-back.
  template <class Destination = std::nullptr_t>
  void set_final_data(Destination destination = nullptr) {
    if constexpr (std::is_null_pointer_v<Destination> || std::is_pointer_v<Destination> ||
                  detail::is_weak_ptr<Destination>)
      detail::set_final_data<std::byte>(this->scythe_handle(), destination);
    else
      detail::set_final_data<typename detail::output_value<Destination>::type>(
          this->scythe_handle(), destination);
  }
  void set_write_back(bool on = true) { scythe_buffer_set_write_back(this->scythe_handle(), on); }
};

template <int Dimensions = 1, class Allocator = image_allocator>
class sampled_image : public detail::image_base<const void, Dimensions, Allocator, image_sampler> {
public:
  // From host memory, which is only read.
  using detail::image_base<const void, Dimensions, Allocator, image_sampler>::image_base;

  template <class T, image_target Target = image_target::device>
  sampled_image_accessor<T, Dimensions, Target> get_access(handler &h,
                                                           const property_list &p = {}) {
    return {*this, h, p};
  }
  template <class T>
  host_sampled_image_accessor<T, Dimensions> get_host_access(const property_list &p = {}) {
    return {*this, p};
  }
};

namespace detail {
template <class P>
struct is_image_property : std::bool_constant<std::is_same_v<P, property::image::use_host_ptr> ||
                                              std::is_same_v<P, property::image::use_mutex> ||
                                              std::is_same_v<P, property::image::context_bound>> {};
// Hashes images and their accessors.
struct image_hash {
  template <class T> std::size_t operator()(const T &x) const noexcept {
    return reinterpret_cast<std::size_t>(x.scythe_handle());
  }
};
} // namespace detail

template <class P, int D, class A>
struct is_property_of<P, unsampled_image<D, A>> : detail::is_image_property<P> {};
template <class P, int D, class A>
struct is_property_of<P, sampled_image<D, A>> : detail::is_image_property<P> {};

} // namespace sycl

template <int D, class A>
struct std::hash<sycl::unsampled_image<D, A>> : sycl::detail::image_hash {};
template <int D, class A> struct std::hash<sycl::sampled_image<D, A>> : sycl::detail::image_hash {};

#endif
