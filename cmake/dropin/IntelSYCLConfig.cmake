# Lets projects that are written for DPC++'s CMake package build with Scythe:
# find_package(IntelSYCL REQUIRED).
#
# Defines
#   add_sycl_to_target(TARGET target [SOURCES source...])   also add_sycl_to_target(target)
#   IntelSYCL::SYCL_CXX                          options, headers and libraries for SYCL sources
#   SYCL_FLAGS, SYCL_LINK_FLAGS, SYCL_CXX_FLAGS  options of SYCL sources and of the link
#   SYCL_INCLUDE_DIR, SYCL_LIBRARY_DIR           folders of headers and libraries
#   SYCL_LIBRARY, SYCL_PACKAGE_DIR, SYCL_BIN_DIR, SYCL_COMPILER
#   SYCL_LANGUAGE_VERSION, SYCL_IMPLEMENTATION_ID
#
# CMAKE_CXX_COMPILER may be Scythe's driver or any other compiler, as with find_package(Scythe).
cmake_minimum_required(VERSION 3.20)

get_filename_component(_scythe_here "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
include("${_scythe_here}/../Scythe/ScytheDropIn.cmake")
_scythe_finish_package(IntelSYCL)
if(NOT IntelSYCL_FOUND)
  return()
endif()

_scythe_sycl_target(IntelSYCL::SYCL_CXX)
