// examples/vector_add.cpp as plain C++: what compiling the same algorithm costs without SYCL.
#include <cstddef>
#include <iostream>
#include <vector>

int main() {
  constexpr std::size_t n = 1 << 20;
  std::vector<float> a(n), b(n), c(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = float(i);
    b[i] = 2.0f * float(i);
  }
  for (std::size_t i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
  for (std::size_t i = 0; i < n; ++i) {
    if (c[i] != 3.0f * float(i)) {
      std::cerr << "element " << i << " is " << c[i] << ", expected " << 3.0f * float(i) << "\n";
      return 1;
    }
  }
  std::cout << "added " << n << " elements\n";
}
