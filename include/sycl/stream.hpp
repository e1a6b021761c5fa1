// `sycl::stream`: text output of kernels, printed when the kernel has ended.
//
// Work-items write records of 8-byte words, which the runtime turns into text
// (`crates/runtime/src/stream.rs` describes their format). The records are stored in chunks of 64
// bytes, which work-items take from the stream's memory one by one. The chunks of one statement are
// linked, so that statements of different work-items do not mix.
#ifndef SCYTHE_STREAM_HPP
#define SCYTHE_STREAM_HPP

#include <sycl/atomic_ref.hpp>
#include <sycl/detail/vec_shape.hpp>
#include <sycl/h_item.hpp>
#include <sycl/handler.hpp>
#include <sycl/multi_ptr.hpp>

namespace sycl {

class stream;

enum class stream_manipulator {
  flush,
  dec,
  hex,
  oct,
  noshowbase,
  showbase,
  noshowpos,
  showpos,
  endl,
  fixed,
  scientific,
  hexfloat,
  defaultfloat
};
inline constexpr stream_manipulator flush = stream_manipulator::flush;
inline constexpr stream_manipulator dec = stream_manipulator::dec;
inline constexpr stream_manipulator hex = stream_manipulator::hex;
inline constexpr stream_manipulator oct = stream_manipulator::oct;
inline constexpr stream_manipulator noshowbase = stream_manipulator::noshowbase;
inline constexpr stream_manipulator showbase = stream_manipulator::showbase;
inline constexpr stream_manipulator noshowpos = stream_manipulator::noshowpos;
inline constexpr stream_manipulator showpos = stream_manipulator::showpos;
inline constexpr stream_manipulator endl = stream_manipulator::endl;
inline constexpr stream_manipulator fixed = stream_manipulator::fixed;
inline constexpr stream_manipulator scientific = stream_manipulator::scientific;
inline constexpr stream_manipulator hexfloat = stream_manipulator::hexfloat;
inline constexpr stream_manipulator defaultfloat = stream_manipulator::defaultfloat;

namespace detail {

struct stream_precision {
  int value;
};
struct stream_width {
  int value;
};

// The memory of a stream. It is printed when the command has ended.
struct stream_memory final : kept_object {
  SCYTHE_LIBRARY_COLD stream_memory(queue_impl &queue, std::uint64_t chunks)
      : context(queue.context) {
    if (scythe_queue_is_recording(queue.queue.get()))
      fail(errc::feature_not_supported,
           "stream: a command of a graph cannot use a stream, because its text is printed once");
    void *out = nullptr;
    check(scythe_usm_alloc(context->context.get(), access_handle::of(queue.target), SCYTHE_USM_HOST,
                           static_cast<std::size_t>(chunks + 1) * 64, 64, &out));
    if (!out)
      fail(errc::memory_allocation, "stream: cannot allocate a buffer of %llu chunks of 64 bytes",
           static_cast<unsigned long long>(chunks));
    words = static_cast<std::uint64_t *>(out);
    words[0] = 0;
    words[1] = chunks;
  }
  ~stream_memory() override { scythe_usm_free(context->context.get(), words); }
  void finish() noexcept override {
    scythe_stream_format(
        words,
        [](void *, const char *text, std::size_t bytes) { std::fwrite(text, 1, bytes, stdout); },
        nullptr);
    std::fflush(stdout);
  }

  ref<context_impl> context;
  std::uint64_t *words = nullptr;
};

template <class T> struct stream_writer;
template <class C, int D> struct stream_coordinates;

} // namespace detail

inline detail::stream_precision setprecision(int precision) { return {precision}; }
inline detail::stream_width setw(int width) { return {width}; }

class stream {
public:
  stream(std::size_t total_buffer_size, std::size_t work_item_buffer_size, handler &h,
         const property_list &p = {})
      : total_(total_buffer_size), statement_(work_item_buffer_size) {
    (void)p;
#ifndef SCYTHE_DEVICE_PASS
    auto *memory = new detail::stream_memory(h.queue_, total_buffer_size / 8 + 64);
    words_ = memory->words;
    h.keep_until_done(memory);
#else
    (void)h;
#endif
  }

  std::size_t size() const noexcept { return total_; }
  std::size_t get_work_item_buffer_size() const { return statement_; }
  [[deprecated("use size()")]] std::size_t get_size() const { return total_; }
  [[deprecated("use get_work_item_buffer_size()")]] std::size_t get_max_statement_size() const {
    return statement_;
  }

  template <class P> bool has_property() const noexcept { return false; }
  template <class P> P get_property() const {
    detail::fail(
        errc::invalid,
        "get_property: the object was not constructed with this property; call has_property first");
  }

  friend bool operator==(const stream &a, const stream &b) { return a.words_ == b.words_; }
  friend bool operator!=(const stream &a, const stream &b) { return a.words_ != b.words_; }

  template <class T> friend const stream &operator<<(const stream &out, const T &value) {
    detail::stream_writer<T>::write(out, value);
    return out;
  }

private:
  template <class T> friend struct detail::stream_writer;
  template <class C, int D> friend struct detail::stream_coordinates;
  friend struct std::hash<stream>;
  enum tag : std::uint64_t {
    tag_state = 1,
    tag_width,
    tag_text,
    tag_signed,
    tag_unsigned,
    tag_float,
    tag_double,
    tag_pointer,
    tag_character
  };
  static constexpr std::uint64_t words_per_chunk = 8;
  static constexpr std::uint32_t exhausted = ~std::uint32_t(0);

  std::uint32_t &next_of(std::uint32_t chunk) const {
    return *reinterpret_cast<std::uint32_t *>(words_ + chunk * words_per_chunk);
  }
  std::uint32_t &used_of(std::uint32_t chunk) const { return *(&next_of(chunk) + 1); }

  // Chunks are numbered from 1. Chunk 0 is the head, which holds the number of used chunks and the
  // number of all chunks. The function is not inlined, because kernels with much output would take
  // minutes to compile.
  SCYTHE_COLD void put(std::uint64_t word) const {
    if (chunk_ == exhausted)
      return;
    if (chunk_ == 0 || used_ == words_per_chunk - 1) {
      // Does the same as `atomic_ref`, which every program would have to instantiate for this
      // single use.
      auto *taken = reinterpret_cast<std::uint32_t *>(words_);
      const std::uint32_t fresh =
          detail::atomic_fetch_add(taken, std::uint32_t(1), memory_order::relaxed,
                                   memory_scope::device) +
          1;
      if (fresh > words_[1]) {
        chunk_ = exhausted;
        return;
      }
      next_of(fresh) = 0;
      if (chunk_ != 0)
        next_of(chunk_) = fresh;
      // The first chunk of a statement is marked, and begins with the state that earlier statements
      // left.
      const bool first = chunk_ == 0;
      chunk_ = fresh;
      used_ = 0;
      first_ = first ? 0x80000000u : 0;
      if (first)
        store(tag_state | std::uint64_t(state_) << 8);
    }
    store(word);
  }
  void store(std::uint64_t word) const {
    words_[chunk_ * words_per_chunk + 1 + used_] = word;
    used_of(chunk_) = ++used_ | first_;
  }
  void put(tag t, std::uint64_t value) const {
    put(t);
    put(value);
  }
  SCYTHE_COLD void put_text(const char *text) const {
    std::uint64_t length = 0;
    while (text[length])
      ++length;
    put(tag_text | length << 8);
    for (std::uint64_t at = 0; at < length; at += 8) {
      std::uint64_t word = 0;
      for (std::uint64_t i = 0; i < 8 && at + i < length; ++i)
        word |= std::uint64_t(static_cast<unsigned char>(text[at + i])) << 8 * i;
      put(word);
    }
  }
  void set_state(std::uint32_t mask, std::uint32_t bits) const {
    state_ = (state_ & ~mask) | bits;
    put(tag_state | std::uint64_t(state_) << 8);
  }
  void end_statement() const {
    if (chunk_ != exhausted)
      chunk_ = 0;
  }

  std::uint64_t *words_ = nullptr;
  std::size_t total_, statement_;
  // The state of the work-item that holds this copy: bits 0-1 base (10, 16, 8), 2 showbase, 3
  // showpos, 4-5 notation, 8-15 precision plus one.
  mutable std::uint32_t state_ = 0, chunk_ = 0, used_ = 0, first_ = 0;
};

namespace detail {

// Converts a value to records. Other types specialise this class.
template <class T> struct stream_writer {
  static void write(const stream &out, const T &value) {
    if constexpr (std::is_same_v<T, bool>) {
      out.put(stream::tag_unsigned, value);
    } else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, signed char> ||
                         std::is_same_v<T, unsigned char>) {
      out.put(stream::tag_character, static_cast<unsigned char>(value));
    } else if constexpr (std::is_integral_v<T>) {
      out.put(std::is_signed_v<T> ? stream::tag_signed : stream::tag_unsigned,
              static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_enum_v<T>) {
      out << static_cast<std::underlying_type_t<T>>(value);
    } else if constexpr (detail::has_elements<T>) {
      // Prints `1, 2, 3`: a vector, a view of one, or an array.
      const typename detail::shape<T>::value whole = value;
      for (int i = 0; i < detail::shape<T>::count; ++i) {
        if (i)
          out.put_text(", ");
        out << whole[i];
      }
    } else if constexpr (std::is_same_v<T, double>) {
      std::uint64_t bits;
      __builtin_memcpy(&bits, &value, sizeof(bits));
      out.put(stream::tag_double, bits);
    } else if constexpr (std::is_convertible_v<const T &, const char *>) {
      out.put_text(value);
    } else if constexpr (std::is_pointer_v<T>) {
      out.put(stream::tag_pointer, reinterpret_cast<std::uint64_t>(value));
    } else {
      // `float` and half precision.
      static_assert(std::is_convertible_v<const T &, float>, "sycl::stream cannot print this type");
      const float single = static_cast<float>(value);
      std::uint32_t bits;
      __builtin_memcpy(&bits, &single, sizeof(bits));
      out.put(stream::tag_float, bits);
    }
  }
};

template <std::size_t N> struct stream_writer<char[N]> {
  static void write(const stream &out, const char (&text)[N]) { out.put_text(text); }
};
template <class T, access::address_space S, access::decorated D>
struct stream_writer<multi_ptr<T, S, D>> {
  static void write(const stream &out, const multi_ptr<T, S, D> &p) {
    out.put(stream::tag_pointer, reinterpret_cast<std::uint64_t>(p.get_raw()));
  }
};

template <> struct stream_writer<stream_precision> {
  static void write(const stream &out, const stream_precision &p) {
    out.set_state(0xff00, static_cast<std::uint32_t>(p.value < 0     ? 0
                                                     : p.value < 254 ? p.value + 1
                                                                     : 255)
                              << 8);
  }
};
template <> struct stream_writer<stream_width> {
  static void write(const stream &out, const stream_width &w) {
    out.put(stream::tag_width | static_cast<std::uint64_t>(w.value > 0 ? w.value : 0) << 8);
  }
};
template <> struct stream_writer<stream_manipulator> {
  static void write(const stream &out, const stream_manipulator &m) {
    switch (m) {
    case stream_manipulator::endl:
      out.put_text("\n");
      return out.end_statement();
    case stream_manipulator::flush:
      return out.end_statement();
    case stream_manipulator::dec:
      return out.set_state(3, 0);
    case stream_manipulator::hex:
      return out.set_state(3, 1);
    case stream_manipulator::oct:
      return out.set_state(3, 2);
    case stream_manipulator::noshowbase:
      return out.set_state(4, 0);
    case stream_manipulator::showbase:
      return out.set_state(4, 4);
    case stream_manipulator::noshowpos:
      return out.set_state(8, 0);
    case stream_manipulator::showpos:
      return out.set_state(8, 8);
    case stream_manipulator::defaultfloat:
      return out.set_state(0x30, 0);
    case stream_manipulator::fixed:
      return out.set_state(0x30, 0x10);
    case stream_manipulator::scientific:
      return out.set_state(0x30, 0x20);
    case stream_manipulator::hexfloat:
      return out.set_state(0x30, 0x30);
    }
  }
};

// `{1, 2, 3}`
template <class C, int D> struct stream_coordinates {
  static void write(const stream &out, const C &c) {
    out.put_text("{");
    for (int d = 0; d < D; ++d) {
      if (d)
        out.put_text(", ");
      out << c[d];
    }
    out.put_text("}");
  }
};
template <int D> struct stream_writer<id<D>> : stream_coordinates<id<D>, D> {};
template <int D> struct stream_writer<range<D>> : stream_coordinates<range<D>, D> {};
template <int D> struct stream_writer<nd_range<D>> {
  static void write(const stream &out, const nd_range<D> &r) {
    out.put_text("nd_range(global_range: ");
    out << r.get_global_range() << ", local_range: " << r.get_local_range()
        << ", offset: " << r.get_offset() << ")";
  }
};
template <int D, bool O> struct stream_writer<item<D, O>> {
  static void write(const stream &out, const item<D, O> &it) {
    out.put_text("item(range: ");
    out << it.get_range() << ", id: " << it.get_id() << ")";
  }
};
template <int D> struct stream_writer<nd_item<D>> {
  static void write(const stream &out, const nd_item<D> &it) {
    out.put_text("nd_item(global_id: ");
    out << it.get_global_id() << ", local_id: " << it.get_local_id() << ")";
  }
};
template <int D> struct stream_writer<group<D>> {
  static void write(const stream &out, const group<D> &g) {
    out.put_text("group(id: ");
    out << g.get_group_id() << ", local_range: " << g.get_local_range()
        << ", group_range: " << g.get_group_range() << ")";
  }
};
template <int D> struct stream_writer<h_item<D>> {
  static void write(const stream &out, const h_item<D> &it) {
    out.put_text("h_item(global_id: ");
    out << it.get_global_id() << ", logical_local_id: " << it.get_logical_local_id()
        << ", physical_local_id: " << it.get_physical_local_id() << ")";
  }
};

} // namespace detail

} // namespace sycl

template <> struct std::hash<sycl::stream> {
  std::size_t operator()(const sycl::stream &s) const noexcept {
    return std::hash<const void *>()(s.words_);
  }
};

#endif
