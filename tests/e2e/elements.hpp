// The comparison of a vector with its expected elements.
#ifndef SCYTHE_TESTS_ELEMENTS_HPP
#define SCYTHE_TESTS_ELEMENTS_HPP

// Whether the first elements of `v` are `elements`.
template <class V, class... E> bool is(const V &v, E... elements) {
  const double expected[] = {static_cast<double>(elements)...};
  for (int i = 0; i < static_cast<int>(sizeof...(E)); ++i)
    if (static_cast<double>(v[i]) != expected[i])
      return false;
  return true;
}

#endif
