# Lets projects that look for any implementation of SYCL find Scythe: find_package(SYCL REQUIRED).
#
# Defines all names of the package IntelSYCL, and
#   SYCL::SYCL                                 options, headers and libraries for SYCL sources
#   SYCL_COMPILE_OPTIONS, SYCL_LINK_OPTIONS    options of SYCL sources and of the link, as lists
#   SYCL_INCLUDE_DIRS, SYCL_LIBRARIES          folders of headers, and libraries, as lists
cmake_minimum_required(VERSION 3.20)

get_filename_component(_scythe_here "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
include("${_scythe_here}/../Scythe/ScytheDropIn.cmake")
_scythe_finish_package(SYCL)
if(NOT SYCL_FOUND)
  return()
endif()

set(SYCL_COMPILE_OPTIONS "${SYCL_FLAGS}")
set(SYCL_LINK_OPTIONS "${SYCL_LINK_FLAGS}")
set(SYCL_INCLUDE_DIRS "${SYCL_INCLUDE_DIR}")
set(SYCL_LIBRARIES "${SYCL_LIBRARY}")
_scythe_sycl_target(SYCL::SYCL)
_scythe_sycl_target(IntelSYCL::SYCL_CXX)
