// `dynamic_work_group_memory` and `dynamic_local_accessor`: local memory whose size a program
// changes after the kernel was added to a graph (`sycl_ext_oneapi_graph`).
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_GRAPH_DYNAMIC_LOCAL_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_GRAPH_DYNAMIC_LOCAL_HPP

#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/oneapi/work_group_memory.hpp>

namespace sycl {

namespace detail {

// Makes the objects and updates them. The number that takes the place of the address lets the
// runtime find the copies of an object in kernels.
struct dynamic_local {
  static void *number() {
#ifdef SCYTHE_HOST_MODE
    fail(errc::feature_not_supported,
         "dynamic_work_group_memory and dynamic_local_accessor: host mode does not support them; "
         "compile with scythe -fsycl");
#else
    return reinterpret_cast<void *>(scythe_dynamic_local_number());
#endif
  }
  template <class T, class P>
  static void resize(ext::oneapi::experimental::work_group_memory<T, P> &memory,
                     std::size_t count) {
    memory.bytes_ = checked_bytes<std::remove_extent_t<T>>(count);
  }
  template <class T, int D> static void resize(local_accessor<T, D> &memory, range<D> size) {
    memory.bytes_ = size.size() * sizeof(T);
    memory.range_ = size;
  }
  // Returns an object of the class `Memory` with a new number.
  template <class Memory, class Size> static Memory make(Memory memory, Size size) {
    void *first = number();
    __builtin_memcpy(static_cast<void *>(__builtin_addressof(memory)), &first, sizeof first);
    resize(memory, size);
    return memory;
  }
  template <class Memory, class Size> static void update(Memory &memory, Size size) {
    resize(memory, size);
    std::uint64_t words[sizeof(Memory) / 8];
    static_assert(sizeof words == sizeof(Memory), "the object consists of words");
    __builtin_memcpy(words, static_cast<void *>(__builtin_addressof(memory)), sizeof words);
    check(scythe_dynamic_local_update(words[0], words + 1, sizeof words - sizeof words[0]));
  }
};

} // namespace detail

namespace ext::oneapi::experimental {

template <class DataT, class PropertyListT = empty_properties_t> class dynamic_work_group_memory {
  static_assert(std::is_array_v<DataT> && std::extent_v<DataT> == 0,
                "dynamic_work_group_memory: the type must be an array without a bound");
  using memory = work_group_memory<DataT, PropertyListT>;

public:
  explicit dynamic_work_group_memory(std::size_t count)
      : memory_(sycl::detail::dynamic_local::make(memory(indeterminate), count)) {}
  dynamic_work_group_memory(command_graph<graph_state::modifiable>, std::size_t count)
      : dynamic_work_group_memory(count) {}

  memory get() const { return memory_; }
  void update(std::size_t count) { sycl::detail::dynamic_local::update(memory_, count); }

private:
  memory memory_;
};

template <class DataT, int Dimensions = 1> class dynamic_local_accessor {
  static_assert(Dimensions > 0, "dynamic_local_accessor: there must be a dimension");
  using memory = local_accessor<DataT, Dimensions>;

public:
  explicit dynamic_local_accessor(range<Dimensions> size, const sycl::property_list & = {})
      : memory_(sycl::detail::dynamic_local::make(memory(), size)) {}
  dynamic_local_accessor(command_graph<graph_state::modifiable>, range<Dimensions> size,
                         const sycl::property_list & = {})
      : dynamic_local_accessor(size) {}

  memory get() const { return memory_; }
  void update(range<Dimensions> size) { sycl::detail::dynamic_local::update(memory_, size); }

private:
  memory memory_;
};

} // namespace ext::oneapi::experimental

} // namespace sycl

#endif
