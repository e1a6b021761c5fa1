// Kernel bundles that are compiled from source text at run time
// (`sycl_ext_oneapi_kernel_compiler`).
//
// The runtime compiles the text with the installed compiler. A bundle has its own kernels and
// variables: other bundles may have others with the same names.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_KERNEL_COMPILER_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_KERNEL_COMPILER_HPP

#include <sycl/ext/oneapi/properties.hpp>
#include <sycl/kernel_bundle.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sycl {
namespace detail {

// A source and the files that it may include.
struct source_impl final : counted {
  ref<context_impl> context;
  ext::oneapi::experimental::source_language language;
  std::string text;
  std::vector<std::string> names, contents;
};

} // namespace detail

template <> class kernel_bundle<bundle_state::ext_oneapi_source> {
public:
  kernel_bundle() = delete;
  backend get_backend() const noexcept { return get_context().get_backend(); }
  context get_context() const noexcept { return context::scythe_make(impl_->context); }
  template <class List = std::vector<device>> List get_devices() const {
    return get_context().template get_devices<List>();
  }

  SCYTHE_OWNER_BEFORE
  friend bool operator==(const kernel_bundle &a, const kernel_bundle &b) {
    return a.impl_ == b.impl_;
  }
  friend bool operator!=(const kernel_bundle &a, const kernel_bundle &b) {
    return a.impl_ != b.impl_;
  }

  explicit kernel_bundle(detail::ref<const detail::source_impl> impl) : impl_(std::move(impl)) {}
  const detail::ref<const detail::source_impl> &scythe_impl() const noexcept { return impl_; }

private:
  detail::ref<const detail::source_impl> impl_;
};

namespace ext::oneapi::experimental {

inline constexpr cl_version opencl_c_1_0 = {1, 0, 0};
inline constexpr cl_version opencl_c_1_1 = {1, 1, 0};
inline constexpr cl_version opencl_c_1_2 = {1, 2, 0};
inline constexpr cl_version opencl_c_2_0 = {2, 0, 0};
inline constexpr cl_version opencl_c_3_0 = {3, 0, 0};

// --- Properties

struct include_files {
  using key_t = include_files;
  std::vector<std::string> names, contents;
  include_files() = default;
  template <class V = void> include_files(const std::string &name, const std::string &content) {
    add<V>(name, content);
  }
  template <class V = void>
  include_files(const std::vector<std::string> &all, const std::vector<std::string> &texts) {
    if (all.size() != texts.size())
      sycl::detail::fail(errc::invalid, "include_files: %zu names and %zu contents", all.size(),
                         texts.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      add<V>(all[i], texts[i]);
  }
  template <class V = void> void add(const std::string &name, const std::string &content) {
    for (const std::string &known : names)
      if (known == name)
        sycl::detail::fail(errc::invalid, "include_files: there are two files with the name '%s'",
                           name.c_str());
    names.push_back(name);
    contents.push_back(content);
  }
};
struct build_options {
  using key_t = build_options;
  std::vector<std::string> opts;
  build_options() = default;
  build_options(const std::string &option) : opts{option} {}
  build_options(const std::vector<std::string> &options) : opts(options) {}
  void add(const std::string &option) { opts.push_back(option); }
};
struct save_log {
  using key_t = save_log;
  std::string *log;
  save_log(std::string *to) : log(to) {}
};
// Expressions for kernels. The bundle has the kernels under these names, and templates are
// instantiated.
struct registered_names {
  using key_t = registered_names;
  std::vector<std::string> names;
  registered_names() = default;
  registered_names(const std::string &name) : names{name} {}
  registered_names(const std::vector<std::string> &list) : names(list) {}
  void add(const std::string &name) { names.push_back(name); }
};
// The earlier name.
using registered_kernel_names = registered_names;
using include_files_key = include_files;
using build_options_key = build_options;
using save_log_key = save_log;
using registered_names_key = registered_names;
using registered_kernel_names_key = registered_names;
template <> struct is_property_key<include_files> : std::true_type {};
template <> struct is_property_key<build_options> : std::true_type {};
template <> struct is_property_key<save_log> : std::true_type {};
template <> struct is_property_key<registered_names> : std::true_type {};

} // namespace ext::oneapi::experimental

namespace detail {

// Whether a list contains only these properties.
template <class Pack, class... Keys> struct only_properties;
template <class... P, class... Keys>
struct only_properties<properties_pack<P...>, Keys...>
    : std::bool_constant<(is_one_of<typename P::key_t, Keys...> && ... && true)> {};
template <class L>
using if_source_properties =
    std::enable_if_t<only_properties<typename L::scythe_pack, //
                                     ext::oneapi::experimental::include_files>::value>;
template <class L>
using if_build_properties = std::enable_if_t<only_properties<
    typename L::scythe_pack, ext::oneapi::experimental::build_options,
    ext::oneapi::experimental::save_log, ext::oneapi::experimental::registered_names>::value>;

template <class V> struct online_builder {
  using language_type = later_t<V, ext::oneapi::experimental::source_language>;
  using list = std::vector<later_t<V, scythe_text>>;
  using strings = std::vector<later_t<V, std::string>>;
  using devices_type = std::vector<later_t<V, device>>;

  static void append(list &out, const later_t<V, std::string> &text) {
    out.push_back({text.data(), text.size()});
  }
  // Creates a bundle, after checking that a device of the context knows the language.
  static kernel_bundle<bundle_state::ext_oneapi_source> create(const context &where,
                                                               language_type language, bool binary,
                                                               std::string text, strings names,
                                                               strings contents) {
    if (binary != (language == language_type::spirv))
      fail(errc::invalid,
           "create_kernel_bundle_from_source: the source is %s, but the language is %s format",
           binary ? "a vector of bytes" : "a string", binary ? "text" : "binary");
    scythe_status status = 0;
    for (const auto &d : where.template get_devices<devices_type>())
      if ((status = scythe_online_supported(access_handle::of(d),
                                            static_cast<std::uint32_t>(language))) == 0)
        break;
    check(status);
    auto made = ref<source_impl>::adopt(new source_impl);
    made->context = where.scythe_impl();
    made->language = language;
    made->text = std::move(text);
    made->names = std::move(names);
    made->contents = std::move(contents);
    return kernel_bundle<bundle_state::ext_oneapi_source>(
        ref<const source_impl>::adopt(made.take()));
  }
  template <bundle_state State, class L>
  static kernel_bundle<State> build(const char *function, const source_impl &source,
                                    const devices_type &wanted, const L &properties) {
    using namespace ext::oneapi::experimental;
    list includes, options, registered;
    for (std::size_t i = 0; i < source.names.size(); ++i) {
      append(includes, source.names[i]);
      append(includes, source.contents[i]);
    }
    std::string *log = nullptr;
    if constexpr (L::template has_property<save_log>())
      log = properties.template get_property<save_log>().log;
    strings given, names;
    if constexpr (L::template has_property<build_options>())
      given = properties.template get_property<build_options>().opts;
    if constexpr (L::template has_property<registered_names>())
      names = properties.template get_property<registered_names>().names;
    for (const auto &option : given)
      append(options, option);
    for (const auto &name : names)
      append(registered, name);
    const devices_type devices = without_duplicates<State>(wanted);
    if (devices.empty())
      fail(errc::invalid, "%s: the list of devices is empty", function);
    std::vector<later_t<V, scythe_device>> handles;
    for (const auto &d : devices) {
      if (!source.context->has_device(access_handle::of(d)))
        fail(errc::invalid, "%s: device not part of kernel_bundle context: '%s'", function,
             device_label(d).c_str());
      handles.push_back(access_handle::of(d));
    }
    const scythe_source raw = {static_cast<std::uint32_t>(source.language),
                               static_cast<std::uint32_t>(State),
                               {source.text.data(), source.text.size()},
                               includes.data(),
                               source.names.size(),
                               options.data(),
                               options.size(),
                               registered.data(),
                               registered.size()};
    const auto keep = [](void *out, const char *text, std::size_t bytes) {
      if (out)
        static_cast<std::string *>(out)->assign(text, bytes);
    };
    scythe_online_program made = nullptr;
    check(scythe_online_compile(source.context->context.get(), handles.data(), handles.size(), &raw,
                                keep, log, &made));
    online_of<State> online;
    online.push_back(online_of<State>::value_type::adopt(made));
    images_of<State> images;
    add_online_images<State>(made, devices, images);
    return make_bundle<State>(source.context, devices, std::move(images), nullptr,
                              std::move(online));
  }
};

} // namespace detail

namespace ext::oneapi::experimental {

// --- Functions

// Creates a bundle. The text is compiled by `build` or `compile`.
template <class L = empty_properties_t, class = sycl::detail::if_source_properties<L>>
kernel_bundle<bundle_state::ext_oneapi_source>
create_kernel_bundle_from_source(const context &where, source_language language,
                                 const std::string &source, const L &properties = {}) {
  include_files files;
  if constexpr (L::template has_property<include_files>())
    files = properties.template get_property<include_files>();
  return sycl::detail::online_builder<typename sycl::detail::later_t<L, void>>::create(
      where, language, false, source, files.names, files.contents);
}
template <class L = empty_properties_t, class = sycl::detail::if_source_properties<L>>
kernel_bundle<bundle_state::ext_oneapi_source>
create_kernel_bundle_from_source(const context &where, source_language language,
                                 const std::vector<std::byte> &bytes, const L & = {}) {
  return sycl::detail::online_builder<typename sycl::detail::later_t<L, void>>::create(
      where, language, true,
      std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size()), {}, {});
}

template <class L = empty_properties_t, class = sycl::detail::if_build_properties<L>>
auto build(const kernel_bundle<bundle_state::ext_oneapi_source> &source,
           const std::vector<device> &devices, const L &properties = {}) {
  return sycl::detail::online_builder<typename sycl::detail::later_t<L, void>>::template build<
      bundle_state::executable>("build", *source.scythe_impl(), devices, properties);
}
template <class L = empty_properties_t, class = sycl::detail::if_build_properties<L>>
auto build(const kernel_bundle<bundle_state::ext_oneapi_source> &source, const L &properties = {}) {
  return build(source, source.get_devices(), properties);
}
template <class L = empty_properties_t, class = sycl::detail::if_build_properties<L>>
auto compile(const kernel_bundle<bundle_state::ext_oneapi_source> &source,
             const std::vector<device> &devices, const L &properties = {}) {
  return sycl::detail::online_builder<typename sycl::detail::later_t<L, void>>::template build<
      bundle_state::object>("compile", *source.scythe_impl(), devices, properties);
}
template <class L = empty_properties_t, class = sycl::detail::if_build_properties<L>>
auto compile(const kernel_bundle<bundle_state::ext_oneapi_source> &source,
             const L &properties = {}) {
  return compile(source, source.get_devices(), properties);
}

// Whether a device of the backend can build bundles in the language.
template <class V = void>
bool is_source_kernel_bundle_supported(backend asked, source_language language) {
  for (const auto &d : device::get_devices<std::vector<sycl::detail::later_t<V, device>>>())
    if (d.get_backend() == asked && d.ext_oneapi_can_build(language))
      return true;
  return false;
}

} // namespace ext::oneapi::experimental
} // namespace sycl

#endif
