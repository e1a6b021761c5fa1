// A program in the manner of SYCL 1.2.1: the older header, namespace, selectors and accessors.
#include <CL/sycl.hpp>

#include <vector>

class add_kernel;

int main() {
  namespace s = cl::sycl;
  std::vector<int> a(256), b(256), c(256);
  for (int i = 0; i < 256; ++i) {
    a[i] = i;
    b[i] = 2 * i;
  }
  try {
    s::queue queue{s::default_selector{}};
    s::buffer<int, 1> buffer_a(a.data(), s::range<1>(256)), buffer_b(b.data(), s::range<1>(256)),
        buffer_c(c.data(), s::range<1>(256));
    queue.submit([&](s::handler &cgh) {
      auto x = buffer_a.get_access<s::access::mode::read>(cgh);
      auto y = buffer_b.get_access<s::access::mode::read, s::access::target::global_buffer>(cgh);
      auto z = buffer_c.get_access<s::access::mode::discard_write>(cgh);
      cgh.parallel_for<add_kernel>(s::range<1>(256), [=](s::id<1> i) { z[i] = x[i] + y[i]; });
    });
    auto result = buffer_c.get_access<s::access::mode::read>();
    for (int i = 0; i < 256; ++i)
      if (result[i] != 3 * i)
        return 1;
  } catch (const s::device_error &) {
    return 3;
  } catch (const s::runtime_error &) {
    return 4;
  } catch (const s::exception &) {
    return 2;
  }
  // Names that SYCL 2020 removed.
  s::vector_class<s::cl_int> list{1, 2};
  s::shared_ptr_class<s::string_class> text = std::make_shared<s::string_class>("text");
  const s::queue other;
  const s::device mine = other.get_device();
  if (mine.is_host() || other.is_host() || mine.get_platform().is_host() ||
      other.get_context().is_host() || s::event().is_host() || list.size() != 2 || !text)
    return 5;
  if (mine.is_cpu() && !s::device(s::host_selector{}).is_cpu())
    return 6;
  // Of the standard library, what such programs expect the header to bring.
  const std::function<int(int)> largest = [&](int i) {
    return std::max(c[i], int(std::floor(0.5)));
  };
  assert(largest(1) == 3);
  return 0;
}
