// Copies between images and memory of the program (`queue::ext_oneapi_copy`,
// `handler::ext_oneapi_copy`), and the functions for semaphores of other interfaces.
//
// All ranges and offsets are in elements, with the fastest dimension first. The layers of an array
// are the last dimension.
#ifndef SCYTHE_DETAIL_BINDLESS_COPY_HPP
#define SCYTHE_DETAIL_BINDLESS_COPY_HPP

#include <sycl/ext/oneapi/bindless_images_interop.hpp>
#include <sycl/ext/oneapi/bindless_images_memory.hpp>
#include <sycl/queue.hpp>

#include <tuple>

namespace sycl::detail::bindless {

// A box of an image in bytes.
SCYTHE_COLD inline scythe_view box_in(const void *data, const image_descriptor &desc,
                                      std::size_t pitch, const range<3> &whole,
                                      const range<3> &offset, const range<3> &extent) {
  const std::size_t element = desc.scythe_element_size();
  scythe_view view{};
  view.ptr = const_cast<void *>(data);
  view.elem_size = 1;
  for (int d = 0; d < 3; ++d) {
    const std::size_t size = whole[d] ? whole[d] : 1, count = extent[d] ? extent[d] : 1;
    if (offset[d] > size || count > size - offset[d])
      fail(errc::invalid,
           "ext_oneapi_copy: %zu elements from %zu exceed the %zu elements of dimension %d", count,
           offset[d], size, d);
    view.memory_range[d] = size;
    view.offset[d] = offset[d];
    view.range[d] = count;
  }
  if (pitch < view.memory_range[0] * element)
    fail(errc::invalid, "ext_oneapi_copy: the pitch %zu is less than the %zu bytes of a row", pitch,
         static_cast<std::size_t>(view.memory_range[0]) * element);
  view.memory_range[0] = pitch;
  view.offset[0] *= element;
  view.range[0] *= element;
  return view;
}

// All elements of an image; layers count as its last dimension.
inline range<3> whole_of(const image_descriptor &desc) {
  const std::size_t layers = desc.array_size > 1 ? desc.array_size : desc.depth;
  return {desc.width, desc.height ? desc.height : 1, layers ? layers : 1};
}

// Source and destination of a copy. Every constructor is one form of `ext_oneapi_copy`.
class image_copy {
  using handle = image_mem_handle;
  using descriptor = image_descriptor;

public:
  scythe_view src, dst;

  image_copy(const queue_impl &, const image_copy &made) : image_copy(made) {}

  // Whole images. Memory of the host has no gaps.
  image_copy(const queue_impl &, const void *from, handle to, const descriptor &desc)
      : src(packed(from, desc)), dst(image(to, desc)) {}
  image_copy(const queue_impl &, handle from, void *to, const descriptor &desc)
      : src(image(from, desc)), dst(packed(to, desc)) {}
  image_copy(const queue_impl &, handle from, handle to, const descriptor &desc)
      : src(image(from, desc)), dst(image(to, desc)) {}
  // The pitch is that of the memory on the device, or of both if they are of the same kind.
  image_copy(const queue_impl &q, const void *from, void *to, const descriptor &desc,
             std::size_t pitch)
      : src(rows(from, desc, of_source(q, from, to) ? pitch : packed_pitch(desc))),
        dst(rows(to, desc, of_target(q, from, to) ? pitch : packed_pitch(desc))) {}
  image_copy(const queue_impl &, const void *from, const descriptor &from_desc,
             std::size_t from_pitch, void *to, const descriptor &to_desc, std::size_t to_pitch)
      : src(rows(from, from_desc, from_pitch)), dst(rows(to, to_desc, to_pitch)) {}

  // Boxes.
  image_copy(const queue_impl &, const void *from, const range<3> &from_offset,
             const range<3> &from_extent, handle to, const range<3> &to_offset,
             const descriptor &to_desc, const range<3> &extent)
      : src(packed_box(from, to_desc, from_extent, from_offset, extent)),
        dst(box(to, to_desc, to_offset, extent)) {}
  image_copy(const queue_impl &, handle from, const range<3> &from_offset,
             const descriptor &from_desc, void *to, const range<3> &to_offset,
             const range<3> &to_extent, const range<3> &extent)
      : src(box(from, from_desc, from_offset, extent)),
        dst(packed_box(to, from_desc, to_extent, to_offset, extent)) {}
  image_copy(const queue_impl &, handle from, const range<3> &from_offset,
             const descriptor &from_desc, handle to, const range<3> &to_offset,
             const descriptor &to_desc, const range<3> &extent)
      : src(box(from, from_desc, from_offset, extent)), dst(box(to, to_desc, to_offset, extent)) {}
  image_copy(const queue_impl &, handle from, const range<3> &from_offset,
             const descriptor &from_desc, void *to, const range<3> &to_offset,
             const descriptor &to_desc, std::size_t to_pitch, const range<3> &extent)
      : src(box(from, from_desc, from_offset, extent)),
        dst(box_in(to, to_desc, to_pitch, whole_of(to_desc), to_offset, extent)) {}
  image_copy(const queue_impl &, const void *from, const range<3> &from_offset,
             const descriptor &from_desc, std::size_t from_pitch, handle to,
             const range<3> &to_offset, const descriptor &to_desc, const range<3> &extent)
      : src(box_in(from, from_desc, from_pitch, whole_of(from_desc), from_offset, extent)),
        dst(box(to, to_desc, to_offset, extent)) {}
  image_copy(const queue_impl &q, const void *from, const range<3> &from_offset, void *to,
             const range<3> &to_offset, const descriptor &desc, std::size_t pitch,
             const range<3> &host_extent, const range<3> &extent)
      : src(of_source(q, from, to) ? box_in(from, desc, pitch, whole_of(desc), from_offset, extent)
                                   : packed_box(from, desc, host_extent, from_offset, extent)),
        dst(of_target(q, from, to) ? box_in(to, desc, pitch, whole_of(desc), to_offset, extent)
                                   : packed_box(to, desc, host_extent, to_offset, extent)) {}
  image_copy(const queue_impl &, const void *from, const range<3> &from_offset,
             const descriptor &from_desc, std::size_t from_pitch, void *to,
             const range<3> &to_offset, const descriptor &to_desc, std::size_t to_pitch,
             const range<3> &extent)
      : src(box_in(from, from_desc, from_pitch, whole_of(from_desc), from_offset, extent)),
        dst(box_in(to, to_desc, to_pitch, whole_of(to_desc), to_offset, extent)) {}

private:
  static std::size_t packed_pitch(const descriptor &desc) {
    return desc.width * desc.scythe_element_size();
  }
  static scythe_view rows(const void *data, const descriptor &desc, std::size_t pitch) {
    return box_in(data, desc, pitch, whole_of(desc), {0, 0, 0}, whole_of(desc));
  }
  static scythe_view packed(const void *data, const descriptor &desc) {
    return rows(data, desc, packed_pitch(desc));
  }
  static scythe_view packed_box(const void *data, const descriptor &desc, const range<3> &whole,
                                const range<3> &offset, const range<3> &extent) {
    return box_in(data, desc, whole[0] * desc.scythe_element_size(), whole, offset, extent);
  }
  static scythe_view box(handle image, const descriptor &desc, const range<3> &offset,
                         const range<3> &extent) {
    const memory &known = memory_of(image, "ext_oneapi_copy");
    const range<3> whole = whole_of(known.desc);
    if (whole != whole_of(desc) || known.desc.scythe_element_size() != desc.scythe_element_size() ||
        !known.levels.empty())
      fail(errc::invalid, "ext_oneapi_copy: the descriptor must be that of the image's memory; for "
                          "mipmaps, that of a level");
    return box_in(known.level.data, desc, known.level.row, whole, offset, extent);
  }
  static scythe_view image(handle image, const descriptor &desc) {
    return box(image, desc, {0, 0, 0}, whole_of(desc));
  }
  // Which side is more of a device's memory.
  static int rank(const queue_impl &q, const void *ptr) {
    switch (sycl::get_pointer_type(ptr, context(q.context))) {
    case usm::alloc::device:
      return 3;
    case usm::alloc::shared:
      return 2;
    case usm::alloc::host:
      return 1;
    default:
      return 0;
    }
  }
  static bool of_source(const queue_impl &q, const void *from, const void *to) {
    return rank(q, from) >= rank(q, to);
  }
  static bool of_target(const queue_impl &q, const void *from, const void *to) {
    return rank(q, to) >= rank(q, from);
  }
};

// Submits `command(handler, arguments…)`. The last argument may be events to wait for instead.
template <class F, class Args, std::size_t... I>
event submit(queue q, const F &command, const Args &args, std::index_sequence<I...>) {
  return q.submit(
      [&](handler &h) {
        if constexpr (sizeof...(I) < std::tuple_size_v<Args>)
          h.depends_on(std::get<sizeof...(I)>(args));
        command(h, std::get<I>(args)...);
      },
      code_location());
}
template <class T>
inline constexpr bool is_event = std::is_same_v<T, event> || std::is_same_v<T, std::vector<event>>;
template <class F, class... Args>
event submit(const queue &q, const F &command, const Args &...args) {
  using last = std::tuple_element_t<sizeof...(Args), std::tuple<void, Args...>>;
  return submit(q, command, std::tie(args...),
                std::make_index_sequence<sizeof...(Args) - is_event<last>>());
}

} // namespace sycl::detail::bindless

namespace sycl {

template <class... Args> void handler::ext_oneapi_copy(const Args &...args) {
  const detail::bindless::image_copy copy(queue_, args...);
  set_kind(SCYTHE_COMMAND_COPY);
  command_.u.copy.src = copy.src;
  command_.u.copy.dst = copy.dst;
}
template <class... Args> void handler::ext_oneapi_wait_external_semaphore(const Args &...) {
  detail::bindless::no_semaphore("ext_oneapi_wait_external_semaphore", queue_.target);
}
template <class... Args> void handler::ext_oneapi_signal_external_semaphore(const Args &...) {
  detail::bindless::no_semaphore("ext_oneapi_signal_external_semaphore", queue_.target);
}

// The forms for boxes.
template <class V>
void handler::ext_oneapi_copy(const void *src, image_box src_at, image_box src_size,
                              image_memory dst, image_box dst_at, image_format dst_format,
                              image_box size) {
  ext_oneapi_copy(
      detail::bindless::image_copy(queue_, src, src_at, src_size, dst, dst_at, dst_format, size));
}
template <class V>
event queue::ext_oneapi_copy(const void *src, image_box src_at, image_box src_size,
                             image_memory dst, image_box dst_at, image_format dst_format,
                             image_box size, deps after) {
  return behind(after, [&](handler &h) {
    h.ext_oneapi_copy(src, src_at, src_size, dst, dst_at, dst_format, size);
  });
}
template <class V>
void handler::ext_oneapi_copy(image_memory src, image_box src_at, image_format src_format,
                              void *dst, image_box dst_at, image_box dst_size, image_box size) {
  ext_oneapi_copy(
      detail::bindless::image_copy(queue_, src, src_at, src_format, dst, dst_at, dst_size, size));
}
template <class V>
event queue::ext_oneapi_copy(image_memory src, image_box src_at, image_format src_format, void *dst,
                             image_box dst_at, image_box dst_size, image_box size, deps after) {
  return behind(after, [&](handler &h) {
    h.ext_oneapi_copy(src, src_at, src_format, dst, dst_at, dst_size, size);
  });
}
template <class V>
void handler::ext_oneapi_copy(image_memory src, image_box src_at, image_format src_format,
                              image_memory dst, image_box dst_at, image_format dst_format,
                              image_box size) {
  ext_oneapi_copy(
      detail::bindless::image_copy(queue_, src, src_at, src_format, dst, dst_at, dst_format, size));
}
template <class V>
event queue::ext_oneapi_copy(image_memory src, image_box src_at, image_format src_format,
                             image_memory dst, image_box dst_at, image_format dst_format,
                             image_box size, deps after) {
  return behind(after, [&](handler &h) {
    h.ext_oneapi_copy(src, src_at, src_format, dst, dst_at, dst_format, size);
  });
}
template <class V>
void handler::ext_oneapi_copy(image_memory src, image_box src_at, image_format src_format,
                              void *dst, image_box dst_at, image_format dst_format,
                              std::size_t dst_pitch, image_box size) {
  ext_oneapi_copy(detail::bindless::image_copy(queue_, src, src_at, src_format, dst, dst_at,
                                               dst_format, dst_pitch, size));
}
template <class V>
event queue::ext_oneapi_copy(image_memory src, image_box src_at, image_format src_format, void *dst,
                             image_box dst_at, image_format dst_format, std::size_t dst_pitch,
                             image_box size, deps after) {
  return behind(after, [&](handler &h) {
    h.ext_oneapi_copy(src, src_at, src_format, dst, dst_at, dst_format, dst_pitch, size);
  });
}
template <class V>
void handler::ext_oneapi_copy(const void *src, image_box src_at, image_format src_format,
                              std::size_t src_pitch, image_memory dst, image_box dst_at,
                              image_format dst_format, image_box size) {
  ext_oneapi_copy(detail::bindless::image_copy(queue_, src, src_at, src_format, src_pitch, dst,
                                               dst_at, dst_format, size));
}
template <class V>
event queue::ext_oneapi_copy(const void *src, image_box src_at, image_format src_format,
                             std::size_t src_pitch, image_memory dst, image_box dst_at,
                             image_format dst_format, image_box size, deps after) {
  return behind(after, [&](handler &h) {
    h.ext_oneapi_copy(src, src_at, src_format, src_pitch, dst, dst_at, dst_format, size);
  });
}
template <class V>
void handler::ext_oneapi_copy(const void *src, image_box src_at, void *dst, image_box dst_at,
                              image_format of_device, std::size_t pitch, image_box host_size,
                              image_box size) {
  ext_oneapi_copy(detail::bindless::image_copy(queue_, src, src_at, dst, dst_at, of_device, pitch,
                                               host_size, size));
}
template <class V>
event queue::ext_oneapi_copy(const void *src, image_box src_at, void *dst, image_box dst_at,
                             image_format of_device, std::size_t pitch, image_box host_size,
                             image_box size, deps after) {
  return behind(after, [&](handler &h) {
    h.ext_oneapi_copy(src, src_at, dst, dst_at, of_device, pitch, host_size, size);
  });
}
template <class V>
void handler::ext_oneapi_copy(const void *src, image_box src_at, image_format src_format,
                              std::size_t src_pitch, void *dst, image_box dst_at,
                              image_format dst_format, std::size_t dst_pitch, image_box size) {
  ext_oneapi_copy(detail::bindless::image_copy(queue_, src, src_at, src_format, src_pitch, dst,
                                               dst_at, dst_format, dst_pitch, size));
}
template <class V>
event queue::ext_oneapi_copy(const void *src, image_box src_at, image_format src_format,
                             std::size_t src_pitch, void *dst, image_box dst_at,
                             image_format dst_format, std::size_t dst_pitch, image_box size,
                             deps after) {
  return behind(after, [&](handler &h) {
    h.ext_oneapi_copy(src, src_at, src_format, src_pitch, dst, dst_at, dst_format, dst_pitch, size);
  });
}

template <class... Args> event queue::ext_oneapi_copy(const Args &...args) {
  return detail::bindless::submit(
      *this, [](handler &h, const auto &...a) { h.ext_oneapi_copy(a...); }, args...);
}
template <class... Args> event queue::ext_oneapi_wait_external_semaphore(const Args &...args) {
  return detail::bindless::submit(
      *this, [](handler &h, const auto &...a) { h.ext_oneapi_wait_external_semaphore(a...); },
      args...);
}
template <class... Args> event queue::ext_oneapi_signal_external_semaphore(const Args &...args) {
  return detail::bindless::submit(
      *this, [](handler &h, const auto &...a) { h.ext_oneapi_signal_external_semaphore(a...); },
      args...);
}

} // namespace sycl

#endif
