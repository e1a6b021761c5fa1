// Allocation, copies and fills, blocking and asynchronous, in one, two and three dimensions.
#ifndef SYCLCOMPAT_MEMORY_HPP
#define SYCLCOMPAT_MEMORY_HPP

#include <syclcompat/device.hpp>

namespace syclcompat {

// Memory whose rows are padded to `pitch` bytes. A row has `x` bytes and a slice `y` rows.
class pitched_data {
public:
  pitched_data() = default;
  pitched_data(void *data, std::size_t pitch, std::size_t x, std::size_t y)
      : data_(data), pitch_(pitch), x_(x), y_(y) {}

  void *get_data_ptr() const { return data_; }
  std::size_t get_pitch() const { return pitch_; }
  std::size_t get_x() const { return x_; }
  std::size_t get_y() const { return y_; }
  void set_data_ptr(void *data) { data_ = data; }
  void set_pitch(std::size_t pitch) { pitch_ = pitch; }
  void set_x(std::size_t x) { x_ = x; }
  void set_y(std::size_t y) { y_ = y; }

private:
  void *data_ = nullptr;
  std::size_t pitch_ = 0, x_ = 0, y_ = 0;
};

namespace detail {
constexpr std::size_t pitch_of(std::size_t row_bytes) { return (row_bytes + 31) / 32 * 32; }
// One event for commands that may run in any order.
inline sycl::event all_of(sycl::queue &q, const std::vector<sycl::event> &events) {
  if (events.size() == 1)
    return events[0];
  return q.ext_oneapi_submit_barrier(events);
}
// Functions over `count` elements of type `T` take bytes if `T` is void.
template <class T> using if_object = std::enable_if_t<!std::is_void_v<T>, int>;

// Calls `rows(first byte, its place in the slice)` for each slice of a box.
template <class F> sycl::event by_slices(sycl::queue &q, std::size_t slices, F submit_slice) {
  std::vector<sycl::event> events;
  for (std::size_t z = 0; z < slices; ++z)
    events.push_back(submit_slice(z));
  return all_of(q, events);
}
inline unsigned char *at(const pitched_data &p, sycl::id<3> place, std::size_t z) {
  return static_cast<unsigned char *>(p.get_data_ptr()) +
         ((place[2] + z) * p.get_y() + place[1]) * p.get_pitch() + place[0];
}
} // namespace detail

// --- Allocation

inline void *malloc(std::size_t bytes, sycl::queue q = get_default_queue()) {
  return sycl::malloc_device(bytes, q);
}
inline void *malloc_host(std::size_t bytes, sycl::queue q = get_default_queue()) {
  return sycl::malloc_host(bytes, q);
}
inline void *malloc_shared(std::size_t bytes, sycl::queue q = get_default_queue()) {
  return sycl::malloc_shared(bytes, q);
}
template <class T> T *malloc(std::size_t count, sycl::queue q = get_default_queue()) {
  return sycl::malloc_device<T>(count, q);
}
template <class T> T *malloc_host(std::size_t count, sycl::queue q = get_default_queue()) {
  return sycl::malloc_host<T>(count, q);
}
template <class T> T *malloc_shared(std::size_t count, sycl::queue q = get_default_queue()) {
  return sycl::malloc_shared<T>(count, q);
}
inline void *malloc(std::size_t &pitch, std::size_t x, std::size_t y,
                    sycl::queue q = get_default_queue()) {
  pitch = detail::pitch_of(x);
  return sycl::malloc_device(pitch * y, q);
}
inline pitched_data malloc(sycl::range<3> size, sycl::queue q = get_default_queue()) {
  const std::size_t pitch = detail::pitch_of(size[0]);
  return {sycl::malloc_device(pitch * size[1] * size[2], q), pitch, size[0], size[1]};
}
inline void free(void *p, sycl::queue q = get_default_queue()) {
  if (p) {
    get_current_device().queues_wait_and_throw();
    sycl::free(p, q);
  }
}
// Frees the memory when the events have completed.
inline sycl::event enqueue_free(const std::vector<void *> &pointers,
                                const std::vector<sycl::event> &events,
                                sycl::queue q = get_default_queue()) {
  const sycl::context context = q.get_context();
  const sycl::event done = q.submit([&](sycl::handler &h) {
    h.depends_on(events);
    h.host_task([=] {
      for (void *p : pointers)
        if (p)
          sycl::free(p, context);
    });
  });
  get_current_device().add_event(done);
  return done;
}
inline sycl::event free_async(const std::vector<void *> &pointers,
                              const std::vector<sycl::event> &events,
                              sycl::queue q = get_default_queue()) {
  return enqueue_free(pointers, events, q);
}

// --- Copies

inline sycl::event memcpy_async(void *to, const void *from, std::size_t bytes,
                                sycl::queue q = get_default_queue()) {
  return q.memcpy(to, from, bytes);
}
template <class T, detail::if_object<T> = 0>
sycl::event memcpy_async(type_identity_t<T> *to, const type_identity_t<T> *from, std::size_t count,
                         sycl::queue q = get_default_queue()) {
  return q.memcpy(to, from, count * sizeof(T));
}
inline sycl::event memcpy_async(void *to, std::size_t to_pitch, const void *from,
                                std::size_t from_pitch, std::size_t x, std::size_t y,
                                sycl::queue q = get_default_queue()) {
  return q.ext_oneapi_memcpy2d(to, to_pitch, from, from_pitch, x, y);
}
inline sycl::event memcpy_async(pitched_data to, sycl::id<3> to_pos, pitched_data from,
                                sycl::id<3> from_pos, sycl::range<3> size,
                                sycl::queue q = get_default_queue()) {
  return detail::by_slices(q, size[2], [&](std::size_t z) {
    return q.ext_oneapi_memcpy2d(detail::at(to, to_pos, z), to.get_pitch(),
                                 detail::at(from, from_pos, z), from.get_pitch(), size[0], size[1]);
  });
}
inline void memcpy(void *to, const void *from, std::size_t bytes,
                   sycl::queue q = get_default_queue()) {
  memcpy_async(to, from, bytes, q).wait();
}
template <class T, detail::if_object<T> = 0>
void memcpy(type_identity_t<T> *to, const type_identity_t<T> *from, std::size_t count,
            sycl::queue q = get_default_queue()) {
  memcpy_async<T>(to, from, count, q).wait();
}
inline void memcpy(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                   std::size_t x, std::size_t y, sycl::queue q = get_default_queue()) {
  memcpy_async(to, to_pitch, from, from_pitch, x, y, q).wait();
}
inline void memcpy(pitched_data to, sycl::id<3> to_pos, pitched_data from, sycl::id<3> from_pos,
                   sycl::range<3> size, sycl::queue q = get_default_queue()) {
  memcpy_async(to, to_pos, from, from_pos, size, q).wait();
}

// --- Fills

template <class T>
sycl::event fill_async(void *to, const T &pattern, std::size_t count,
                       sycl::queue q = get_default_queue()) {
  return q.fill(to, pattern, count);
}
template <class T>
void fill(void *to, const T &pattern, std::size_t count, sycl::queue q = get_default_queue()) {
  fill_async(to, pattern, count, q).wait();
}

namespace detail {
template <class T>
sycl::event fill_box(const pitched_data &to, T value, sycl::range<3> size, sycl::queue &q) {
  return by_slices(q, size[2], [&](std::size_t z) {
    return q.ext_oneapi_fill2d(at(to, {}, z), to.get_pitch() / sizeof(T), value, size[0], size[1]);
  });
}
} // namespace detail

// Fills with bytes, or with values of two or four bytes. Sizes count values and pitches bytes.
#define SYCLCOMPAT_MEMSET(name, parameter, type)                                                   \
  inline sycl::event name##_async(void *to, parameter value, std::size_t size,                     \
                                  sycl::queue q = get_default_queue()) {                           \
    return q.fill(to, static_cast<type>(value), size);                                             \
  }                                                                                                \
  inline sycl::event name##_async(void *to, std::size_t pitch, parameter value, std::size_t x,     \
                                  std::size_t y, sycl::queue q = get_default_queue()) {            \
    return q.ext_oneapi_fill2d(to, pitch / sizeof(type), static_cast<type>(value), x, y);          \
  }                                                                                                \
  inline sycl::event name##_async(pitched_data to, parameter value, sycl::range<3> size,           \
                                  sycl::queue q = get_default_queue()) {                           \
    return detail::fill_box(to, static_cast<type>(value), size, q);                                \
  }                                                                                                \
  inline void name(void *to, parameter value, std::size_t size,                                    \
                   sycl::queue q = get_default_queue()) {                                          \
    name##_async(to, value, size, q).wait();                                                       \
  }                                                                                                \
  inline void name(void *to, std::size_t pitch, parameter value, std::size_t x, std::size_t y,     \
                   sycl::queue q = get_default_queue()) {                                          \
    name##_async(to, pitch, value, x, y, q).wait();                                                \
  }                                                                                                \
  inline void name(pitched_data to, parameter value, sycl::range<3> size,                          \
                   sycl::queue q = get_default_queue()) {                                          \
    name##_async(to, value, size, q).wait();                                                       \
  }
SYCLCOMPAT_MEMSET(memset, int, unsigned char)
SYCLCOMPAT_MEMSET(memset_d16, unsigned short, unsigned short)
SYCLCOMPAT_MEMSET(memset_d32, unsigned, unsigned)
#undef SYCLCOMPAT_MEMSET

// --- Properties of pointers

class pointer_attributes {
public:
  void init(const void *p, sycl::queue q = get_default_queue()) {
    type_ = sycl::get_pointer_type(p, q.get_context());
    const bool known = type_ != sycl::usm::alloc::unknown;
    device_pointer_ = known ? p : nullptr;
    host_pointer_ = known && type_ != sycl::usm::alloc::device ? p : nullptr;
    device_ = known ? get_device_id(sycl::get_pointer_device(p, q.get_context())) : 0;
  }
  sycl::usm::alloc get_memory_type() const { return type_; }
  const void *get_device_pointer() const { return device_pointer_; }
  const void *get_host_pointer() const { return host_pointer_; }
  bool is_memory_shared() const { return type_ == sycl::usm::alloc::shared; }
  unsigned get_device_id() const { return device_; }

private:
  static unsigned get_device_id(const sycl::device &d) { return syclcompat::get_device_id(d); }

  sycl::usm::alloc type_ = sycl::usm::alloc::unknown;
  const void *device_pointer_ = nullptr;
  const void *host_pointer_ = nullptr;
  unsigned device_ = 0;
};

} // namespace syclcompat

#endif
