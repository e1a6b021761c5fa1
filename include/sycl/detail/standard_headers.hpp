// The standard headers that `<sycl/sycl.hpp>` includes for programs.
//
// Programs written for DPC++ use standard names that they include only through its headers. This
// list is the union over DPC++'s releases since 2021. Scythe's headers do not rely on it.
#ifndef SCYTHE_DETAIL_STANDARD_HEADERS_HPP
#define SCYTHE_DETAIL_STANDARD_HEADERS_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cassert>
#include <cctype>
#include <cerrno>
#include <cfenv>
#include <cfloat>
#include <chrono>
#include <climits>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <iosfwd>
#include <iostream>
#include <istream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <ostream>
#include <ratio>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#if __cplusplus >= 202002L
#include <bit>
#include <concepts>
#include <numbers>
#include <span>
#endif

#endif
