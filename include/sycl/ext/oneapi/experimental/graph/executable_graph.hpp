// DPC++'s name of <sycl/ext/oneapi/experimental/graph.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_GRAPH_EXECUTABLE_GRAPH_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_GRAPH_EXECUTABLE_GRAPH_HPP

#include <sycl/ext/oneapi/experimental/graph.hpp>

#endif
