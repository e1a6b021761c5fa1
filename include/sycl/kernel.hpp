// `sycl::kernel_id` and `sycl::kernel`: a kernel of the program, and a kernel in an executable
// bundle.
#ifndef SCYTHE_KERNEL_HPP
#define SCYTHE_KERNEL_HPP

#include <sycl/context.hpp>
#include <sycl/handler.hpp>

namespace sycl {

// The device compiles `input` and links `object`. `executable` covers all images that a submission
// can use. `ext_oneapi_source` is source text, which is compiled at run time.
enum class bundle_state : std::uint32_t {
  input = SCYTHE_BUNDLE_INPUT,
  object = SCYTHE_BUNDLE_OBJECT,
  executable = SCYTHE_BUNDLE_EXECUTABLE,
  ext_oneapi_source = SCYTHE_BUNDLE_SOURCE
};
template <bundle_state State> class kernel_bundle;

namespace detail {
struct native_access;
struct kernel_facts;
// A query of an extension whose header computes the result.
template <class Param, class = void> inline constexpr bool asks_kernel = false;
template <class Param>
inline constexpr bool asks_kernel<Param, std::void_t<typename Param::scythe_asks_kernel>> = true;
} // namespace detail

class kernel_id;
namespace detail {
template <class List> List kernel_ids();
}

// A kernel of the program or of a loaded library.
class kernel_id {
public:
  kernel_id() = delete;
  const char *get_name() const noexcept { return symbol_; }

  // The runtime stores each symbol once, so addresses can be compared.
  SCYTHE_OWNER_BEFORE
  friend bool operator==(const kernel_id &a, const kernel_id &b) { return a.symbol_ == b.symbol_; }
  friend bool operator!=(const kernel_id &a, const kernel_id &b) { return a.symbol_ != b.symbol_; }

private:
  friend struct detail::native_access;
  template <class List> friend List detail::kernel_ids();
  template <class Name> friend kernel_id get_kernel_id();
  explicit kernel_id(const char *symbol) : symbol_(symbol) {}
  const char *symbol_;
};

namespace info {

namespace kernel {
struct num_args {
  using return_type = std::uint32_t;
};
struct attributes {
  using return_type = std::string;
};
struct function_name {
  using return_type = std::string;
};
struct context {
  using return_type = sycl::context;
};
} // namespace kernel

namespace kernel_device_specific {
struct global_work_size {
  using return_type = range<3>;
};
struct work_group_size {
  using return_type = std::size_t;
};
struct compile_work_group_size {
  using return_type = range<3>;
};
struct preferred_work_group_size_multiple {
  using return_type = std::size_t;
};
struct private_mem_size {
  using return_type = std::size_t;
};
struct max_num_sub_groups {
  using return_type = std::uint32_t;
};
struct compile_num_sub_groups {
  using return_type = std::uint32_t;
};
struct max_sub_group_size {
  using return_type = std::uint32_t;
};
struct compile_sub_group_size {
  using return_type = std::uint32_t;
};
} // namespace kernel_device_specific

} // namespace info

class kernel {
public:
  kernel() = delete;

  backend get_backend() const noexcept { return get_context().get_backend(); }
  sycl::context get_context() const { return sycl::context::scythe_make(shared_->context); }
  template <bundle_state State = bundle_state::executable>
  kernel_bundle<State> get_kernel_bundle() const;

  template <class Param> typename Param::return_type get_info() const {
    if constexpr (std::is_same_v<Param, info::kernel::num_args>) {
      if (const native_facts facts(shared_->native.get()); facts.arg_count != UINT32_MAX)
        return facts.arg_count;
      scythe_kernel_function function{};
      if (!shared_->native)
        detail::check(
            scythe_kernel_arguments(shared_->id.get_name(), 0, &function, nullptr, nullptr));
      if (function.functor_size)
        return function.arg_count;
      detail::fail(errc::invalid,
                   "info::kernel::num_args: kernel '%s' is a function object; this query requires "
                   "a free function kernel, a built-in kernel or a kernel made by make_kernel",
                   shared_->id.get_name());
    } else if constexpr (std::is_same_v<Param, info::kernel::context>) {
      return get_context();
    } else if constexpr (std::is_same_v<Param, info::kernel::function_name>) {
      return shared_->id.get_name();
    } else {
      static_assert(std::is_same_v<Param, info::kernel::attributes>,
                    "kernel::get_info: Param is not an info::kernel descriptor");
      std::string text;
      if (shared_->native)
        native_facts(shared_->native.get(), &text);
      else
        detail::check(scythe_kernel_attributes(
            shared_->id.get_name(), 0,
            [](void *out, const char *attributes) {
              *static_cast<std::string *>(out) = attributes;
            },
            &text));
      return text;
    }
  }
  template <class Param> typename Param::return_type get_info(const device &d) const {
    if (!shared_->context->has_device(detail::access_handle::of(d)))
      detail::fail(errc::invalid, "kernel::get_info: device '%s' is not in the kernel's context",
                   d.template get_info<info::device::name>().c_str());
    namespace specific = info::kernel_device_specific;
    if constexpr (detail::asks_kernel<Param>)
      return Param::template scythe_ask<detail::kernel_facts>(*this, d);
    else if constexpr (std::is_same_v<Param, specific::global_work_size>) {
      detail::fail(
          errc::invalid,
          "info::kernel_device_specific::global_work_size: kernel '%s' is not a built-in kernel",
          shared_->id.get_name());
    } else if constexpr (std::is_same_v<Param, specific::work_group_size>) {
      return d.template get_info<info::device::max_work_group_size>();
    } else if constexpr (std::is_same_v<Param, specific::private_mem_size>) {
      // Threads have their own stacks, so no memory is reserved for a kernel.
      return 0;
    } else if constexpr (std::is_same_v<Param, specific::max_num_sub_groups>) {
      return d.template get_info<info::device::max_num_sub_groups>();
    } else if constexpr (std::is_same_v<Param, specific::compile_num_sub_groups>) {
      // No attribute sets this size.
      return 0;
    } else if constexpr (std::is_same_v<Param, specific::compile_work_group_size>) {
      const required_sizes sizes = required(d);
      return range<3>(sizes.group[2], sizes.group[1], sizes.group[0]);
    } else if constexpr (std::is_same_v<Param, specific::compile_sub_group_size>) {
      return required(d).sub_group;
    } else {
      static_assert(std::is_same_v<Param, specific::max_sub_group_size> ||
                        std::is_same_v<Param, specific::preferred_work_group_size_multiple>,
                    "kernel::get_info: Param is not an info::kernel_device_specific descriptor");
      std::size_t largest = required(d).sub_group;
      // Other kernels for the CPU get a vector of floats.
      if (largest == 0 && d.get_backend() == backend::scythe_cpu)
        largest =
            d.template get_info<detail::later_t<Param, info::device::native_vector_width_float>>();
      // The driver of other CPUs chooses when it compiles the kernel.
      if (largest == 0 && d.get_backend() == backend::opencl)
        largest = detail::later_t<Param, detail::kernel_facts>::sub_group_size_of_driver(*this, d);
      if (largest == 0)
        for (std::size_t size :
             d.template get_info<detail::later_t<Param, info::device::sub_group_sizes>>())
          largest = size > largest ? size : largest;
      return static_cast<typename Param::return_type>(largest);
    }
  }

  // The earlier form of a query, for work-groups of a size.
  template <class Param> typename Param::return_type get_info(const device &d, range<3>) const {
    static_assert(std::is_same_v<Param, info::kernel_device_specific::max_sub_group_size>,
                  "kernel::get_info: Param is not max_sub_group_size, the only query that depends "
                  "on the size of a work-group");
    return get_info<Param>(d);
  }

  // Queries that depend on a kernel and its launch: see
  // `ext/oneapi/experimental/launch_queries.hpp`.
  template <class Param, class Queue>
  typename Param::return_type ext_oneapi_get_info(const Queue &q) const {
    return Param::template scythe_ask<detail::kernel_facts>(*this, q);
  }
  template <class Param, class Queue, class Local, class... Bytes>
  typename Param::return_type ext_oneapi_get_info(const Queue &q, const Local &local,
                                                  Bytes... bytes) const {
    if constexpr (std::is_integral_v<Local>)
      return ext_oneapi_get_info<Param>(q, range<1>(static_cast<std::size_t>(local)), bytes...);
    else
      return Param::template scythe_ask<detail::kernel_facts>(*this, q, local, bytes...);
  }

  SCYTHE_OWNER_BEFORE
  friend bool operator==(const kernel &a, const kernel &b) { return a.shared_ == b.shared_; }
  friend bool operator!=(const kernel &a, const kernel &b) { return a.shared_ != b.shared_; }

private:
  template <class, class> friend struct detail::weak_parts;
  template <bundle_state> friend class kernel_bundle;
  friend struct std::hash<kernel>;
  friend struct detail::native_access;
  friend struct detail::kernel_facts;
  struct state : detail::counted {
    state(kernel_id i, detail::ref<detail::context_impl> c,
          detail::ref<const detail::counted_object> b, detail::handle<scythe_native_kernel> n = {})
        : id(i), context(std::move(c)), bundle(std::move(b)), native(std::move(n)) {}
    kernel_id id;
    detail::ref<detail::context_impl> context;
    // A `detail::bundle_impl`, which only programs that use bundles compile.
    detail::ref<const detail::counted_object> bundle;
    // Set if the program made the kernel from a native one.
    detail::handle<scythe_native_kernel> native;
  };
  // The sizes that the source requires of launches, fastest dimension first. 0 means no
  // requirement.
  struct required_sizes {
    std::uint64_t group[3] = {};
    std::uint32_t sub_group = 0;
  };
  required_sizes required(const device &d) const {
    required_sizes sizes;
    if (shared_->native)
      return native_facts(shared_->native.get()).sizes;
    detail::check(scythe_kernel_required_sizes(detail::access_handle::of(d), shared_->id.get_name(),
                                               0, sizes.group, &sizes.sub_group));
    return sizes;
  }
  // What the runtime knows about a kernel without a function object. It may be null.
  struct native_facts {
    explicit native_facts(scythe_native_kernel native, std::string *attributes = nullptr) {
      const auto append = [](void *out, const char *text, std::size_t bytes) {
        if (out)
          static_cast<std::string *>(out)->append(text, bytes);
      };
      if (native)
        detail::check(scythe_native_kernel_facts(native, &arg_count, sizes.group, &sizes.sub_group,
                                                 append, attributes));
    }
    std::uint32_t arg_count = UINT32_MAX;
    required_sizes sizes;
  };
  // Takes ownership of a new state.
  explicit kernel(const state *made) : shared_(detail::ref<const state>::adopt(made)) {}
  detail::ref<const state> shared_;
};

namespace detail {

// The sources of launch queries.
struct kernel_facts {
  template <class Queue>
  static scythe_kernel_facts launch_facts(const kernel &k, const Queue &q,
                                          const std::uint64_t (&local)[3], std::size_t bytes) {
    return facts(k, *q.scythe_impl()->context, q.get_device(), local, bytes);
  }
  static scythe_kernel_facts device_facts(const kernel &k, const device &d) {
    const std::uint64_t local[3] = {1, 1, 1};
    return facts(k, *k.shared_->context, d, local, 0);
  }
  // Returns 0 if the driver does not tell the size.
  static std::uint32_t sub_group_size_of_driver(const kernel &k, const device &d) {
    const std::uint64_t local[3] = {d.get_info<info::device::max_work_group_size>(), 1, 1};
    return k.shared_->native ? 0 : facts(k, *k.shared_->context, d, local, 0).sub_group_size;
  }
  template <class T> static T sub_group_size(const kernel &k, const device &d) {
    return k.get_info<later_t<T, info::kernel_device_specific::max_sub_group_size>>(d);
  }
  template <int D> static id<D> item_sizes(const device &d) {
    return id<D>(d.get_info<info::device::max_work_item_sizes<D>>());
  }
  static auto label(const device &d) { return device_label(d); }

private:
  SCYTHE_LIBRARY_COLD static scythe_kernel_facts facts(const kernel &k, const context_impl &c,
                                                       const device &d,
                                                       const std::uint64_t (&local)[3],
                                                       std::size_t bytes) {
    scythe_kernel_facts facts = {};
    if (k.shared_->native)
      fail(errc::invalid, "the limits of a kernel of make_kernel are those of its own driver");
    check(scythe_kernel_query(c.context.get(), access_handle::of(d), k.shared_->id.get_name(),
                              local, bytes, &facts));
    return facts;
  }
};

// Access to the native part of kernels.
struct native_access {
  static const handle<scythe_native_kernel> &native(const kernel &k) { return k.shared_->native; }
  static const char *symbol(const kernel &k) { return k.shared_->id.get_name(); }
  static kernel make(scythe_native_kernel native, ref<context_impl> context,
                     ref<const counted_object> bundle) {
    return kernel(new kernel::state(kernel_id(scythe_native_kernel_name(native)),
                                    std::move(context), std::move(bundle),
                                    handle<scythe_native_kernel>::adopt(native)));
  }
};

} // namespace detail

// --- Kernel objects, with the arguments of `set_arg`

inline void handler::launch_object(const kernel &k, scythe_kernel_shape shape, unsigned dims,
                                   const scythe_kernel_launch &sizes) {
  if (const auto &native = detail::native_access::native(k))
    launch_native(native, shape, dims, sizes);
  else
    launch_function(detail::native_access::symbol(k), shape, dims, sizes);
}
inline void handler::single_task(const kernel &k) {
  scythe_kernel_launch sizes;
  detail::set_single(sizes);
  launch_object(k, SCYTHE_SHAPE_SINGLE_TASK, 1, sizes);
}
inline void handler::parallel_for(range<1> r, const kernel &k) { native_range(k, 1, r[0], 1, 1); }
inline void handler::parallel_for(range<2> r, const kernel &k) {
  native_range(k, 2, r[1], r[0], 1);
}
inline void handler::parallel_for(range<3> r, const kernel &k) {
  native_range(k, 3, r[2], r[1], r[0]);
}
SCYTHE_COLD inline void handler::native_range(const kernel &k, unsigned dims, std::size_t x,
                                              std::size_t y, std::size_t z) {
  scythe_kernel_launch sizes;
  detail::set_single(sizes);
  sizes.global_size[0] = x;
  sizes.global_size[1] = y;
  sizes.global_size[2] = z;
  launch_object(k, SCYTHE_SHAPE_RANGE, dims, sizes);
}
template <int D> void handler::parallel_for(range<D> r, id<D> offset, const kernel &k) {
  scythe_kernel_launch sizes;
  detail::set_range(sizes, r, offset);
  launch_object(k, SCYTHE_SHAPE_RANGE, D, sizes);
}
template <int D> void handler::parallel_for(nd_range<D> r, const kernel &k) {
  scythe_kernel_launch sizes;
  detail::set_nd_range(sizes, r);
  launch_object(k, SCYTHE_SHAPE_ND_RANGE, D, sizes);
}

} // namespace sycl

template <> struct std::hash<sycl::kernel_id> {
  std::size_t operator()(const sycl::kernel_id &id) const noexcept {
    return std::hash<const void *>()(id.get_name());
  }
};
template <> struct std::hash<sycl::kernel> {
  std::size_t operator()(const sycl::kernel &k) const noexcept {
    return std::hash<const void *>()(k.shared_.get());
  }
};

#endif
