// `filter_selector`: selects devices by text (`sycl_ext_oneapi_filter_selector`).
//
// A filter is a list of `backend:type:number`, separated by commas. Each part may be missing. The
// number counts the devices that the other parts accept.
#ifndef SCYTHE_EXT_ONEAPI_FILTER_SELECTOR_HPP
#define SCYTHE_EXT_ONEAPI_FILTER_SELECTOR_HPP

#include <sycl/device_selector.hpp>

#include <limits>
#include <string>

namespace sycl::detail {

// One element of a filter. A negative number accepts every number. This is a template, so that only
// programs that use filters compile it.
template <class Text> struct device_filter {
  Text backend, type;
  long number = -1;

  explicit device_filter(const Text &text) {
    for (std::size_t at = 0; at <= text.size();) {
      std::size_t end = text.find(':', at);
      end = end < text.size() ? end : text.size();
      Text word = text.substr(at, end - at);
      for (char &c : word)
        if (c >= 'A' && c <= 'Z')
          c = static_cast<char>(c - 'A' + 'a');
      if (!word.empty() && word.find_first_not_of("0123456789") == Text::npos)
        number = position(word);
      else if (word == "cpu" || word == "gpu" || word == "acc" || word == "accelerator")
        type = word;
      else if (word == "opencl" || word == "cuda" || word == "level_zero" || word == "hip" ||
               word == "native_cpu" || word == "scythe")
        backend = word;
      else if (word != "*")
        fail(errc::invalid,
             "filter_selector: '%s' in '%s' is neither a backend, a kind of devices nor a number",
             word.c_str(), text.c_str());
      at = end + 1;
    }
  }
  // A number beyond all devices selects none of them.
  static long position(const Text &digits) {
    return digits.size() < 10 ? std::stol(digits) : std::numeric_limits<long>::max();
  }
  bool accepts(const device &d) const {
    const sycl::backend b = d.get_backend();
    const char *name = b == sycl::backend::opencl            ? "opencl"
                       : b == sycl::backend::ext_oneapi_cuda ? "cuda"
                                                             : "scythe";
    return (backend.empty() || backend == name) &&
           (type.empty() || (type == "cpu" && d.is_cpu()) || (type == "gpu" && d.is_gpu()) ||
            (type[0] == 'a' && d.is_accelerator()));
  }
  // Whether the device has the number among the devices that the filter accepts.
  bool selects(const device &wanted) const {
    if (!accepts(wanted))
      return false;
    if (number < 0)
      return true;
    long i = 0;
    for (const device &d : device::get_devices<std::vector<later_t<Text, device>>>())
      if (accepts(d) && i++ == number)
        return d == wanted;
    return false;
  }
};

} // namespace sycl::detail

namespace sycl::ext::oneapi {

class filter_selector {
public:
  // Throws `errc::invalid` if the text is not a filter.
  template <class Text, class = std::enable_if_t<std::is_convertible_v<Text, std::string>>>
  filter_selector(const Text &filter) : filters_(filter) {
    find<std::string>([](const auto &) { return false; });
  }
  template <class Device> int operator()(const Device &d) const {
    const bool selected = find<std::string>([&](const auto &f) { return f.selects(d); });
    return selected ? default_selector_v(d) : -1;
  }
  template <class = void> device select_device() const { return device(*this); }
  void reset() const {}

private:
  // Returns whether `accepted` returns true for one of the filters.
  template <class Text, class F> bool find(F accepted) const {
    for (std::size_t at = 0; at <= filters_.size();) {
      std::size_t end = filters_.find(',', at);
      end = end < filters_.size() ? end : filters_.size();
      if (accepted(sycl::detail::device_filter<Text>(filters_.substr(at, end - at))))
        return true;
      at = end + 1;
    }
    return false;
  }
  std::string filters_;
};

} // namespace sycl::ext::oneapi

#endif
