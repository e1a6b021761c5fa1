// The classes `device_image` and `kernel_bundle`, and the functions that create bundles from other
// bundles. <sycl/kernel_bundle.hpp> includes this file after the functions for kernels.
#ifndef SCYTHE_DETAIL_KERNEL_BUNDLE_CLASS_HPP
#define SCYTHE_DETAIL_KERNEL_BUNDLE_CLASS_HPP

#include <sycl/kernel_bundle.hpp>
#include <sycl/specialization_id.hpp>

namespace sycl {

namespace detail {

// These are templates, so that programs without bundles do not compile the lists. `V` is void.

// Kernels that are loaded and unloaded together.
template <class V> struct image_impl : counted {
  explicit image_impl(bundle_state s) : state(s) {}
  std::vector<later_t<V, kernel_id>> ids;
  std::vector<later_t<V, device>> devices;
  bundle_state state;

  bool has(const kernel_id &asked) const {
    for (const auto &id : ids)
      if (id == asked)
        return true;
    return false;
  }
  bool has(const kernel_id &asked, const device &d) const {
    for (const auto &mine : devices)
      if (mine == d)
        return has(asked) && is_compatible(asked, d, state);
    return false;
  }
};

template <class V> using image_list = std::vector<ref<const image_impl<V>>>;

// Empty bundles from `join` have no context.
template <class V> struct bundle_impl final : counted_object {
  ref<context_impl> context;
  std::vector<later_t<V, device>> devices;
  image_list<V> images;
  // The native program, if the user passed one.
  ref<counted_object> native;
  // Programs that were compiled from source text. Each of their images is in `images`, without
  // kernel ids.
  std::vector<handle<later_t<V, scythe_online_program>>> online;
#ifndef SCYTHE_DEVICE_PASS
  // Values set through copies of a bundle in state `input`. Bundles made from it keep them.
  mutable specialization_values constants;
#endif
};

template <bundle_state State> using image_of = image_impl<typename later_for<State, void>::type>;
template <bundle_state State> using bundle_of = bundle_impl<typename later_for<State, void>::type>;
template <bundle_state State> using images_of = image_list<typename later_for<State, void>::type>;

} // namespace detail

template <bundle_state State> class device_image {
public:
  device_image() = delete;
  bool has_kernel(const kernel_id &id) const noexcept { return image_->has(id); }
  bool has_kernel(const kernel_id &id, const device &d) const noexcept {
    return image_->has(id, d);
  }

  SCYTHE_OWNER_BEFORE
  friend bool operator==(const device_image &a, const device_image &b) {
    return a.image_ == b.image_;
  }
  friend bool operator!=(const device_image &a, const device_image &b) {
    return a.image_ != b.image_;
  }

  explicit device_image(detail::ref<const detail::image_of<State>> image)
      : image_(std::move(image)) {}
  const detail::ref<const detail::image_of<State>> &scythe_impl() const noexcept { return image_; }

private:
  detail::ref<const detail::image_of<State>> image_;
};

template <bundle_state State> class kernel_bundle {
public:
  using device_image_type = device_image<State>;
  using device_image_iterator = const device_image<State> *;

  kernel_bundle() = delete;

  bool empty() const noexcept { return images_->images.empty(); }
  backend get_backend() const noexcept { return get_context().get_backend(); }
  context get_context() const noexcept { return context::scythe_make(impl_->context); }
  detail::list_of<State, device> get_devices() const noexcept { return impl_->devices; }
  bool has_kernel(const kernel_id &id) const noexcept {
    for (const auto &image : impl_->images)
      if (image->has(id))
        return true;
    return false;
  }
  bool has_kernel(const kernel_id &id, const device &d) const noexcept {
    for (const auto &image : impl_->images)
      if (image->has(id, d))
        return true;
    return false;
  }
  template <class Name> bool has_kernel() const noexcept {
    return has_kernel(sycl::get_kernel_id<Name>());
  }
  template <class Name> bool has_kernel(const device &d) const noexcept {
    return has_kernel(sycl::get_kernel_id<Name>(), d);
  }
  detail::list_of<State, kernel_id> get_kernel_ids() const {
    detail::list_of<State, kernel_id> all;
    for (const auto &image : impl_->images)
      for (const auto &id : image->ids) {
        bool known = false;
        for (const auto &other : all)
          known = known || other == id;
        if (!known)
          all.push_back(id);
      }
    return all;
  }
  template <bundle_state S = State, class = std::enable_if_t<S == bundle_state::executable>>
  kernel get_kernel(const kernel_id &id) const {
    if (!has_kernel(id))
      detail::fail(errc::invalid,
                   "kernel_bundle::get_kernel: the bundle does not contain kernel '%s'",
                   id.get_name());
    return kernel(new kernel::state(id, impl_->context,
                                    detail::ref<const detail::counted_object>::share(impl_.get())));
  }
  template <class Name, bundle_state S = State,
            class = std::enable_if_t<S == bundle_state::executable>>
  kernel get_kernel() const {
    return get_kernel(sycl::get_kernel_id<Name>());
  }

  // Free function kernels.
  template <auto *Func, detail::if_free_function<Func> = 0> bool ext_oneapi_has_kernel() const {
    return has_kernel(ext::oneapi::experimental::get_kernel_id<Func>());
  }
  template <auto *Func, detail::if_free_function<Func> = 0>
  bool ext_oneapi_has_kernel(const device &d) const {
    return has_kernel(ext::oneapi::experimental::get_kernel_id<Func>(), d);
  }
  template <auto *Func, detail::if_free_function<Func> = 0, bundle_state S = State,
            class = std::enable_if_t<S == bundle_state::executable>>
  kernel ext_oneapi_get_kernel() const {
    return get_kernel(ext::oneapi::experimental::get_kernel_id<Func>());
  }

  // Every device with a compiler sets the values before it compiles, so all constants are native.
  bool contains_specialization_constants() const noexcept { return holds_constant(nullptr, 0); }
  bool native_specialization_constant() const noexcept {
    return contains_specialization_constants();
  }
  template <auto &Id> bool has_specialization_constant() const noexcept {
#ifndef SCYTHE_DEVICE_PASS
    return holds_constant(detail::specialization_name<Id>(), detail::unit_id);
#else
    return false;
#endif
  }
  template <auto &Id, bundle_state S = State, class = std::enable_if_t<S == bundle_state::input>>
  void set_specialization_constant(detail::specialization_type<Id> value) {
#ifndef SCYTHE_DEVICE_PASS
    impl_->constants.template set<Id>(value);
#else
    (void)value;
#endif
  }
  template <auto &Id> detail::specialization_type<Id> get_specialization_constant() const {
#ifndef SCYTHE_DEVICE_PASS
    return impl_->constants.list().template get<Id>();
#else
    return Id.scythe_default();
#endif
  }

  // Kernels and variables of programs that were compiled from source text, by a registered name, by
  // the symbol of a function with C linkage, or by the name that the compiler generated.
  bool ext_oneapi_has_kernel(const std::string &name) const { return !raw_name(name).empty(); }
  bool ext_oneapi_has_kernel(const std::string &name, const device &d) const {
    std::int32_t answer = 0;
    for (const auto &program : impl_->online)
      if (!answer)
        detail::check(scythe_online_kernel_compatible(program.get(), {name.data(), name.size()},
                                                      detail::access_handle::of(d), &answer));
    return answer;
  }
  template <bundle_state S = State, class = std::enable_if_t<S == bundle_state::executable>>
  kernel ext_oneapi_get_kernel(const std::string &name) const {
    for (const auto &program : impl_->online) {
      scythe_native_kernel found = nullptr;
      detail::check(scythe_online_kernel(program.get(), {name.data(), name.size()}, &found));
      if (found)
        return detail::native_access::make(
            found, impl_->context, detail::ref<const detail::counted_object>::share(impl_.get()));
    }
    fail_name("kernel", name);
  }
  std::string ext_oneapi_get_raw_kernel_name(const std::string &name) const {
    std::string raw = raw_name(name);
    if (raw.empty())
      fail_name("kernel", name);
    return raw;
  }
  template <bundle_state S = State, class = std::enable_if_t<S == bundle_state::executable>>
  bool ext_oneapi_has_device_global(const std::string &name) const {
    return variable(name).size != 0;
  }
  template <bundle_state S = State, class = std::enable_if_t<S == bundle_state::executable>>
  void *ext_oneapi_get_device_global_address(const std::string &name, const device &d) const {
    void *address = nullptr;
    detail::check(scythe_online_variable_address(found_variable(name).program,
                                                 {name.data(), name.size()},
                                                 detail::access_handle::of(d), &address));
    return address;
  }
  template <bundle_state S = State, class = std::enable_if_t<S == bundle_state::executable>>
  std::size_t ext_oneapi_get_device_global_size(const std::string &name) const {
    return found_variable(name).size;
  }

  device_image_iterator begin() const { return images_->images.data(); }
  device_image_iterator end() const { return images_->images.data() + images_->images.size(); }

  SCYTHE_OWNER_BEFORE
  friend bool operator==(const kernel_bundle &a, const kernel_bundle &b) {
    return a.impl_ == b.impl_;
  }
  friend bool operator!=(const kernel_bundle &a, const kernel_bundle &b) {
    return a.impl_ != b.impl_;
  }

  explicit kernel_bundle(detail::ref<const detail::bundle_of<State>> impl)
      : impl_(std::move(impl)), images_(images_of(*impl_)) {}
  const detail::ref<const detail::bundle_of<State>> &scythe_impl() const noexcept { return impl_; }
  // Called by the handler, which does not know this class. Returns whether the device can run the
  // kernel from the bundle.
  static bool scythe_holds(const detail::counted_object *impl, const char *name, std::uint64_t tu,
                           const device &d) {
    const char *symbol = nullptr;
    detail::check(scythe_kernel_find(name, tu, &symbol));
    for (const auto &image : static_cast<const detail::bundle_of<State> *>(impl)->images)
      for (const auto &id : image->ids)
        if (id.get_name() == symbol)
          return image->has(id, d);
    return false;
  }

private:
  using text = typename detail::later_for<State, std::string>::type;
  struct online_variable {
    scythe_online_program program;
    std::uint64_t size;
  };
  [[noreturn]] static void fail_name(const char *what, const text &name) {
    detail::fail(errc::invalid, "the kernel bundle does not contain %s '%s'", what, name.c_str());
  }
  text raw_name(const text &name) const {
    text raw;
    const auto append = [](void *out, const char *part, std::size_t bytes) {
      static_cast<text *>(out)->append(part, bytes);
    };
    for (const auto &program : impl_->online)
      if (raw.empty())
        detail::check(
            scythe_online_kernel_name(program.get(), {name.data(), name.size()}, append, &raw));
    return raw;
  }
  online_variable variable(const text &name) const {
    online_variable found{nullptr, 0};
    for (const auto &program : impl_->online)
      if (!found.size) {
        found.program = program.get();
        detail::check(scythe_online_variable(program.get(), {name.data(), name.size()}, nullptr,
                                             nullptr, &found.size));
      }
    return found;
  }
  online_variable found_variable(const text &name) const {
    const online_variable found = variable(name);
    if (!found.size)
      fail_name("device_global", name);
    return found;
  }
  bool holds_constant(const char *constant, std::uint64_t tu) const noexcept {
    for (const auto &image : impl_->images)
      for (const auto &id : image->ids) {
        std::int32_t answer = 0;
        if (scythe_kernel_has_constant(id.get_name(), constant, tu, &answer) == 0 && answer)
          return true;
      }
    return false;
  }
  struct image_list : detail::counted {
    std::vector<device_image<State>> images;
  };
  static detail::ref<const image_list> images_of(const detail::bundle_of<State> &impl) {
    auto list = detail::ref<image_list>::adopt(new image_list);
    for (const auto &image : impl.images)
      list->images.push_back(device_image<State>(image));
    return detail::ref<const image_list>::adopt(list.take());
  }
  detail::ref<const detail::bundle_of<State>> impl_;
  // The target of the iterators.
  detail::ref<const image_list> images_;
};

template <bundle_state State> kernel_bundle<State> kernel::get_kernel_bundle() const {
  static_assert(State == bundle_state::executable,
                "get_kernel_bundle: a kernel belongs to a bundle in bundle_state::executable");
  using impl = const detail::bundle_of<State>;
  return kernel_bundle<State>(detail::ref<impl>::share(static_cast<impl *>(shared_->bundle.get())));
}

namespace detail {

template <bundle_state State>
using online_of = std::vector<handle<typename later_for<State, scythe_online_program>::type>>;

template <bundle_state State>
SCYTHE_COLD kernel_bundle<State>
make_bundle(const ref<context_impl> &where, const list_of<State, device> &devices,
            images_of<State> images, const bundle_of<State> *from = nullptr,
            online_of<State> online = {}) {
  auto made = ref<bundle_of<State>>::adopt(new bundle_of<State>);
  made->context = where;
  made->devices = devices;
  made->images = std::move(images);
  made->online = std::move(online);
#ifndef SCYTHE_DEVICE_PASS
  if (from)
    made->constants = from->constants;
#else
  (void)from;
#endif
  return kernel_bundle<State>(ref<const bundle_of<State>>::adopt(made.take()));
}

// Returns the list of devices without duplicates.
template <bundle_state State>
list_of<State, device> without_duplicates(const list_of<State, device> &devices) {
  list_of<State, device> list;
  for (const auto &d : devices) {
    bool known = false;
    for (const auto &other : list)
      known = known || other == d;
    if (!known)
      list.push_back(d);
  }
  return list;
}

// Creates a bundle of the kernels that one of the devices can run from an image in that state.
template <bundle_state State>
SCYTHE_COLD kernel_bundle<State> make_bundle(const context &where,
                                             const list_of<State, device> &devices,
                                             const list_of<State, kernel_id> &ids, bool all) {
  check_devices("get_kernel_bundle", where, devices);
  for (const auto &d : devices)
    if ((State == bundle_state::input && !d.has(aspect::online_compiler)) ||
        (State == bundle_state::object && !d.has(aspect::online_linker)))
      fail(errc::invalid,
           "get_kernel_bundle: device '%s' does not support this bundle state, which requires "
           "aspect::online_compiler or aspect::online_linker",
           device_label(d).c_str());
  auto image = ref<image_of<State>>::adopt(new image_of<State>(State));
  for (const auto &id : ids) {
    bool found = false;
    for (const auto &d : devices)
      found = found || is_compatible(id, d, State);
    if (found)
      image->ids.push_back(id);
    else if (all)
      fail(errc::invalid,
           "get_kernel_bundle: kernel '%s' is not compatible with any of the given devices",
           id.get_name());
  }
  image->devices = without_duplicates<State>(devices);
  images_of<State> images;
  if (!image->ids.empty())
    images.push_back(ref<const image_of<State>>::share(image.get()));
  return make_bundle<State>(where.scythe_impl(), image->devices, std::move(images));
}

template <bundle_state State, class Selector>
inline constexpr bool is_image_selector =
    std::is_invocable_r_v<bool, const Selector &, const device_image<State> &>;

// Adds the images of a program that was compiled from source text.
template <bundle_state State>
void add_online_images(scythe_online_program program, const list_of<State, device> &devices,
                       images_of<State> &images) {
  for (std::uint64_t i = scythe_online_image_count(program); i > 0; --i) {
    auto image = ref<image_of<State>>::adopt(new image_of<State>(State));
    image->devices = devices;
    images.push_back(ref<const image_of<State>>::adopt(image.take()));
  }
}

// Links programs that were compiled from source text with each other.
template <bundle_state State>
SCYTHE_COLD online_of<State> link_online(const bundle_of<State> &from,
                                         const list_of<State, device> &devices,
                                         images_of<State> &images) {
  online_of<State> linked;
  if (from.online.empty())
    return linked;
  std::vector<typename later_for<State, scythe_online_program>::type> programs;
  std::vector<typename later_for<State, scythe_device>::type> handles;
  for (const auto &program : from.online)
    programs.push_back(program.get());
  for (const auto &d : devices)
    handles.push_back(access_handle::of(d));
  scythe_online_program made = nullptr;
  check(scythe_online_link(from.context->context.get(), handles.data(), handles.size(),
                           programs.data(), programs.size(), &made));
  linked.push_back(online_of<State>::value_type::adopt(made));
  add_online_images<State>(made, devices, images);
  return linked;
}

// Moves images to another state, for devices that they were already associated with.
template <bundle_state To>
SCYTHE_COLD kernel_bundle<To> advance(const char *function, const bundle_of<To> &from,
                                      const list_of<To, device> &wanted, aspect needed) {
  const list_of<To, device> devices = without_duplicates<To>(wanted);
  if (devices.empty())
    fail(errc::invalid, "%s: the list of devices is empty", function);
  for (const auto &d : devices) {
    bool known = false;
    for (const auto &mine : from.devices)
      known = known || mine == d;
    if (!known)
      fail(errc::invalid, "%s: device '%s' is not associated with the kernel bundle", function,
           device_label(d).c_str());
    if (!d.has(needed))
      fail(errc::feature_not_supported,
           "%s: device '%s' lacks aspect::online_compiler or aspect::online_linker", function,
           device_label(d).c_str());
  }
  images_of<To> images;
  for (const auto &image : from.images) {
    auto next = ref<image_of<To>>::adopt(new image_of<To>(To));
    next->devices = devices;
    for (const auto &id : image->ids)
      for (const auto &d : devices)
        if (is_compatible(id, d, bundle_state::executable)) {
          next->ids.push_back(id);
          break;
        }
    if (!next->ids.empty())
      images.push_back(ref<const image_of<To>>::adopt(next.take()));
  }
  auto online = link_online<To>(from, devices, images);
  return make_bundle<To>(from.context, devices, std::move(images), &from, std::move(online));
}

// The state as a value that depends on `V`, so that a template names the bundle without
// instantiating it.
template <class V, bundle_state State> inline constexpr bundle_state state_in = State;
template <class V, bundle_state State> using bundle_in = kernel_bundle<state_in<V, State>>;

// Returns the devices that all bundles are associated with.
template <bundle_state State>
list_of<State, device> common_devices(const std::vector<kernel_bundle<State>> &bundles) {
  list_of<State, device> common;
  if (bundles.empty())
    return common;
  for (const auto &d : bundles.front().get_devices()) {
    bool everywhere = true;
    for (const kernel_bundle<State> &bundle : bundles) {
      bool here = false;
      for (const auto &other : bundle.scythe_impl()->devices)
        here = here || other == d;
      everywhere = everywhere && here;
    }
    if (everywhere)
      common.push_back(d);
  }
  return common;
}

template <class List, class Item> void add_once(List &list, const Item &item) {
  for (const Item &known : list)
    if (known.get() == item.get())
      return;
  list.push_back(item);
}

// Collects the images of all bundles, which must share a context.
template <bundle_state State>
SCYTHE_COLD void merge(const char *function, const std::vector<kernel_bundle<State>> &bundles,
                       bundle_of<State> &all) {
  for (const kernel_bundle<State> &bundle : bundles) {
    const bundle_of<State> &one = *bundle.scythe_impl();
    if (all.context && one.context && all.context != one.context)
      fail(errc::invalid, "%s: all kernel bundles must belong to the same context", function);
    if (one.context)
      all.context = one.context;
#ifndef SCYTHE_DEVICE_PASS
    all.constants.merge(one.constants);
#endif
    for (const auto &image : one.images)
      add_once(all.images, image);
    for (const auto &program : one.online)
      add_once(all.online, program);
  }
  all.devices = common_devices(bundles);
}

} // namespace detail

// --- Bundles of the program's kernels

template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &where, const std::vector<device> &devices) {
  return detail::make_bundle<State>(where, devices,
                                    detail::kernel_ids<detail::list_of<State, kernel_id>>(), false);
}
template <bundle_state State> kernel_bundle<State> get_kernel_bundle(const context &where) {
  return get_kernel_bundle<State>(where, detail::devices_of<State>(where));
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &where, const std::vector<device> &devices,
                                       const std::vector<kernel_id> &ids) {
  return detail::make_bundle<State>(where, devices, ids, true);
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &where, const std::vector<kernel_id> &ids) {
  return get_kernel_bundle<State>(where, detail::devices_of<State>(where), ids);
}
template <class Name, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &where, const std::vector<device> &devices) {
  return get_kernel_bundle<State>(where, devices, {get_kernel_id<Name>()});
}
template <class Name, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &where) {
  return get_kernel_bundle<Name, State>(where, detail::devices_of<State>(where));
}
namespace ext::oneapi::experimental {
template <auto *Func, bundle_state State, sycl::detail::if_free_function<Func> = 0>
kernel_bundle<State> get_kernel_bundle(const context &where, const std::vector<device> &devices) {
  return sycl::get_kernel_bundle<State>(where, devices, {experimental::get_kernel_id<Func>()});
}
template <auto *Func, bundle_state State, sycl::detail::if_free_function<Func> = 0>
kernel_bundle<State> get_kernel_bundle(const context &where) {
  return experimental::get_kernel_bundle<Func, State>(where,
                                                      sycl::detail::devices_of<State>(where));
}
} // namespace ext::oneapi::experimental
// Creates a bundle of the images that the selector accepts.
template <bundle_state State, class Selector,
          class = std::enable_if_t<detail::is_image_selector<State, Selector>>>
kernel_bundle<State> get_kernel_bundle(const context &where, const std::vector<device> &devices,
                                       const Selector &selector) {
  const kernel_bundle<State> all = get_kernel_bundle<State>(where, devices);
  detail::images_of<State> images;
  for (const device_image<State> &image : all)
    if (selector(image))
      images.push_back(image.scythe_impl());
  return detail::make_bundle<State>(where.scythe_impl(), all.get_devices(), std::move(images));
}
template <bundle_state State, class Selector,
          class = std::enable_if_t<detail::is_image_selector<State, Selector>>>
kernel_bundle<State> get_kernel_bundle(const context &where, const Selector &selector) {
  return get_kernel_bundle<State>(where, detail::devices_of<State>(where), selector);
}
template <bundle_state State, class Selector,
          class = std::enable_if_t<detail::is_image_selector<State, Selector>>>
bool has_kernel_bundle(const context &where, const std::vector<device> &devices,
                       const Selector &selector) {
  return has_kernel_bundle<State>(where, devices) &&
         !get_kernel_bundle<State>(where, devices, selector).empty();
}
template <bundle_state State, class Selector,
          class = std::enable_if_t<detail::is_image_selector<State, Selector>>>
bool has_kernel_bundle(const context &where, const Selector &selector) {
  return has_kernel_bundle<State>(where, detail::devices_of<State>(where), selector);
}

// --- Bundles made from other bundles

template <bundle_state State>
kernel_bundle<State> join(const std::vector<kernel_bundle<State>> &bundles) {
  detail::bundle_of<State> all;
  detail::merge("join", bundles, all);
  for (const kernel_bundle<State> &bundle : bundles)
    if (bundle.scythe_impl()->devices.size() != all.devices.size())
      detail::fail(errc::invalid,
                   "join: all kernel bundles must be associated with the same devices");
  return detail::make_bundle<State>(all.context, all.devices, std::move(all.images), &all,
                                    std::move(all.online));
}

// These are templates, so that programs only compile the functions they call.
template <class V = void>
detail::bundle_in<V, bundle_state::object>
compile(const detail::bundle_in<V, bundle_state::input> &input, const std::vector<device> &devices,
        const property_list & = {}) {
  return detail::advance<bundle_state::object>("compile", *input.scythe_impl(), devices,
                                               aspect::online_compiler);
}
template <class V = void>
detail::bundle_in<V, bundle_state::object>
compile(const detail::bundle_in<V, bundle_state::input> &input, const property_list &p = {}) {
  return compile<V>(input, input.get_devices(), p);
}

template <class V = void>
detail::bundle_in<V, bundle_state::executable>
link(const std::vector<detail::bundle_in<V, bundle_state::object>> &objects,
     const std::vector<device> &devices, const property_list & = {}) {
  detail::bundle_impl<V> all;
  detail::merge("link", objects, all);
  return detail::advance<bundle_state::executable>("link", all, devices, aspect::online_linker);
}
template <class V = void>
detail::bundle_in<V, bundle_state::executable>
link(const std::vector<detail::bundle_in<V, bundle_state::object>> &objects,
     const property_list &p = {}) {
  return link<V>(objects, detail::common_devices(objects), p);
}
template <class V = void>
detail::bundle_in<V, bundle_state::executable>
link(const detail::bundle_in<V, bundle_state::object> &object, const std::vector<device> &devices,
     const property_list &p = {}) {
  return link<V>(std::vector<detail::bundle_in<V, bundle_state::object>>{object}, devices, p);
}
template <class V = void>
detail::bundle_in<V, bundle_state::executable>
link(const detail::bundle_in<V, bundle_state::object> &object, const property_list &p = {}) {
  return link<V>(object, object.get_devices(), p);
}

template <class V = void>
detail::bundle_in<V, bundle_state::executable>
build(const detail::bundle_in<V, bundle_state::input> &input, const std::vector<device> &devices,
      const property_list & = {}) {
  return detail::advance<bundle_state::executable>("build", *input.scythe_impl(), devices,
                                                   aspect::online_compiler);
}
template <class V = void>
detail::bundle_in<V, bundle_state::executable>
build(const detail::bundle_in<V, bundle_state::input> &input, const property_list &p = {}) {
  return build<V>(input, input.get_devices(), p);
}

} // namespace sycl

template <sycl::bundle_state State> struct std::hash<sycl::device_image<State>> {
  std::size_t operator()(const sycl::device_image<State> &image) const noexcept {
    return std::hash<const void *>()(image.scythe_impl().get());
  }
};
template <sycl::bundle_state State> struct std::hash<sycl::kernel_bundle<State>> {
  std::size_t operator()(const sycl::kernel_bundle<State> &bundle) const noexcept {
    return std::hash<const void *>()(bundle.scythe_impl().get());
  }
};

#define SCYTHE_KERNEL_BUNDLE_IS_COMPLETE
#endif
