// `device_memory`: a variable or an array on a device that the program declares on the host, and
// `accessor`: subscripts of several dimensions for a pointer.
#ifndef SYCLCOMPAT_DEVICE_MEMORY_HPP
#define SYCLCOMPAT_DEVICE_MEMORY_HPP

#include <syclcompat/memory.hpp>

#include <initializer_list>

namespace syclcompat {

enum class memory_region { global = 0, constant, local, usm_shared };
enum class target { device, local };

template <memory_region Memory, class T = byte_t> class memory_traits {
public:
  static constexpr syclcompat::target target =
      Memory == memory_region::local ? syclcompat::target::local : syclcompat::target::device;
  static constexpr sycl::access::address_space asp =
      Memory == memory_region::local ? sycl::access::address_space::local_space
                                     : sycl::access::address_space::global_space;
  static constexpr sycl::access_mode mode =
      Memory == memory_region::constant ? sycl::access_mode::read : sycl::access_mode::read_write;
  static constexpr std::size_t type_size = sizeof(T);
  using element_t = std::conditional_t<Memory == memory_region::constant, const T, T>;
  using value_t = std::remove_cv_t<T>;
  template <std::size_t Dimension = 1>
  using accessor_t =
      std::conditional_t<Memory == memory_region::local, sycl::local_accessor<T, int(Dimension)>,
                         sycl::accessor<T, int(Dimension), mode>>;
  using pointer_t = T *;
};

template <class T, memory_region Memory, std::size_t Dimension> class accessor;
template <class T, memory_region Memory> class accessor<T, Memory, 2> {
public:
  using memory_t = memory_traits<Memory, T>;
  using element_t = typename memory_t::element_t;
  using pointer_t = typename memory_t::pointer_t;
  using accessor_t = typename memory_t::template accessor_t<2>;

  accessor(pointer_t data, const sycl::range<2> &r) : data_(data), range_(r) {}
  accessor(const accessor_t &a) : accessor(a, a.get_range()) {}
  accessor(const accessor_t &a, const sycl::range<2> &r)
      : data_(const_cast<pointer_t>(a.template get_multi_ptr<sycl::access::decorated::no>().get())),
        range_(r) {}
  pointer_t operator[](std::size_t index) const { return data_ + range_[1] * index; }
  pointer_t get_ptr() const { return data_; }

private:
  pointer_t data_;
  sycl::range<2> range_;
};
template <class T, memory_region Memory> class accessor<T, Memory, 3> {
public:
  using memory_t = memory_traits<Memory, T>;
  using element_t = typename memory_t::element_t;
  using pointer_t = typename memory_t::pointer_t;
  using accessor_t = typename memory_t::template accessor_t<3>;

  accessor(pointer_t data, const sycl::range<3> &r) : data_(data), range_(r) {}
  accessor(const accessor_t &a) : accessor(a, a.get_range()) {}
  accessor(const accessor_t &a, const sycl::range<3> &r)
      : data_(const_cast<pointer_t>(a.template get_multi_ptr<sycl::access::decorated::no>().get())),
        range_(r) {}
  accessor<T, Memory, 2> operator[](std::size_t index) const {
    return {data_ + range_[1] * range_[2] * index, {range_[1], range_[2]}};
  }
  pointer_t get_ptr() const { return data_; }

private:
  pointer_t data_;
  sycl::range<3> range_;
};

// The memory is allocated when it is first needed, and filled with the initial values. The rest of
// it is zero.
template <class T, memory_region Memory, std::size_t Dimension> class device_memory {
  static_assert(Memory != memory_region::local,
                "device_memory: memory of work-groups is not declared on the host; use local_mem");
  static constexpr int stored = Dimension ? int(Dimension) : 1;

public:
  using value_t = typename memory_traits<Memory, T>::value_t;
  using accessor_t = typename memory_traits<Memory, T>::template accessor_t<Dimension>;
  using syclcompat_accessor_t = syclcompat::accessor<T, Memory, Dimension>;

  device_memory() : device_memory(sycl::range<stored>(ones(std::make_index_sequence<stored>()))) {}
  device_memory(const sycl::range<stored> &r) : range_(r) {}
  device_memory(const sycl::range<stored> &r, std::initializer_list<value_t> &&values) : range_(r) {
    if (values.size() > r.size())
      throw std::runtime_error("device_memory: there are more initial values than elements");
    initial_.assign(values);
    initial_.resize(r.size());
  }
  template <std::size_t D = Dimension>
  device_memory(const std::enable_if_t<D == 2, sycl::range<2>> &r,
                std::initializer_list<std::initializer_list<value_t>> &&rows)
      : range_(r), initial_(r.size()) {
    if (rows.size() > r[0])
      throw std::runtime_error("device_memory: there are more rows of initial values than rows");
    std::size_t row = 0;
    for (const auto &values : rows) {
      if (values.size() > r[1])
        throw std::runtime_error("device_memory: a row has more initial values than elements");
      std::copy(values.begin(), values.end(), initial_.begin() + std::ptrdiff_t(r[1] * row++));
    }
  }
  template <class... Args, class = std::enable_if_t<sizeof...(Args) == std::size_t(stored) &&
                                                    (std::is_integral_v<Args> && ...)>>
  device_memory(Args... sizes) : range_(std::size_t(sizes)...) {}
  device_memory(const device_memory &) = delete;
  device_memory &operator=(const device_memory &) = delete;
  ~device_memory() {
    if (owned_)
      sycl::free(owned_, context_[0]);
  }

  void init() { init(get_default_queue()); }
  void init(sycl::queue q) {
    if (data_)
      return;
    const std::size_t count = range_.size();
    if (count == 0)
      return;
    owned_ = Memory == memory_region::usm_shared ? sycl::malloc_shared<value_t>(count, q)
                                                 : sycl::malloc_device<value_t>(count, q);
    if (!owned_)
      throw std::runtime_error("device_memory: cannot allocate the memory");
    context_.push_back(q.get_context());
    data_ = owned_;
    if (initial_.empty())
      q.memset(data_, 0, count * sizeof(value_t)).wait();
    else
      q.memcpy(data_, initial_.data(), count * sizeof(value_t)).wait();
  }
  // Refers to memory of the program from now on.
  void assign(value_t *source, std::size_t bytes) {
    if (owned_)
      sycl::free(owned_, context_[0]);
    owned_ = nullptr;
    context_.clear();
    data_ = source;
    bytes_ = bytes;
  }
  value_t *get_ptr() { return get_ptr(get_default_queue()); }
  value_t *get_ptr(sycl::queue q) {
    init(q);
    return data_;
  }
  std::size_t get_size() const { return bytes_ ? bytes_ : range_.size() * sizeof(T); }
  template <std::size_t D = Dimension> std::enable_if_t<D == 1, T> &operator[](std::size_t index) {
    init();
    return data_[index];
  }
  template <std::size_t D = Dimension>
  std::enable_if_t<(D > 1), syclcompat_accessor_t> get_access(sycl::handler &) {
    init();
    return {const_cast<T *>(data_), range_};
  }

protected:
  std::vector<value_t> initial_;

private:
  template <std::size_t... I> static sycl::range<stored> ones(std::index_sequence<I...>) {
    return {(I, std::size_t(1))...};
  }

  sycl::range<stored> range_;
  value_t *data_ = nullptr;
  value_t *owned_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<sycl::context> context_;
};
template <class T, memory_region Memory>
class device_memory<T, Memory, 0> : public device_memory<T, Memory, 1> {
  using base = device_memory<T, Memory, 1>;

public:
  using value_t = typename base::value_t;
  using accessor_t = typename memory_traits<Memory, T>::template accessor_t<0>;
  device_memory() : base(sycl::range<1>(1)) {}
  device_memory(const value_t &value) : base(sycl::range<1>(1), {value}) {}
};

template <class T, std::size_t Dimension>
using global_memory = device_memory<T, memory_region::global, Dimension>;
template <class T, std::size_t Dimension>
using constant_memory = device_memory<T, memory_region::constant, Dimension>;
template <class T, std::size_t Dimension>
using shared_memory = device_memory<T, memory_region::usm_shared, Dimension>;

} // namespace syclcompat

#endif
