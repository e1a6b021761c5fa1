// SYCLcompat under the name of its documentation.
#ifndef SYCLCOMPAT_HPP
#define SYCLCOMPAT_HPP

#include <syclcompat/syclcompat.hpp>

#endif
