// SYCLcompat: functions for programs that were translated from other programming models.
#ifndef SYCLCOMPAT_SYCLCOMPAT_HPP
#define SYCLCOMPAT_SYCLCOMPAT_HPP

#include <syclcompat/atomic.hpp>
#include <syclcompat/defs.hpp>
#include <syclcompat/device.hpp>
#include <syclcompat/device_memory.hpp>
#include <syclcompat/dims.hpp>
#include <syclcompat/id_query.hpp>
#include <syclcompat/kernel.hpp>
#include <syclcompat/launch.hpp>
#include <syclcompat/launch_policy.hpp>
#include <syclcompat/math.hpp>
#include <syclcompat/memory.hpp>
#include <syclcompat/util.hpp>

#endif
