// DPC++'s name of <sycl/ext/oneapi/experimental/graph.hpp>.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_GRAPH_NODE_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_GRAPH_NODE_HPP

#include <sycl/ext/oneapi/experimental/graph.hpp>

#endif
