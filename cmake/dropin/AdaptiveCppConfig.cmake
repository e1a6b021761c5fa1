# Lets projects that are written for AdaptiveCpp's CMake package build with Scythe:
# find_package(AdaptiveCpp REQUIRED).
#
# Defines
#   add_sycl_to_target(TARGET target [SOURCES source...])   all C++ sources of the target use SYCL,
#                                                           as with AdaptiveCpp
#   AdaptiveCpp::acpp-rt, AdaptiveCpp::acpp-common          headers and runtime library
#   ACPP_COMPILER                                           Scythe's driver
#
# Reads
#   ACPP_TARGETS                 generic, omp, omp.accelerated, omp.library-only and cuda:sm_XX; the
#                                variable of the environment if the CMake variable is empty
#   ACPP_EXTRA_COMPILE_OPTIONS   additional options for SYCL sources, a list
cmake_minimum_required(VERSION 3.20)

get_filename_component(_scythe_here "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
include("${_scythe_here}/../Scythe/ScytheDropIn.cmake")
_scythe_finish_package(AdaptiveCpp)
if(NOT AdaptiveCpp_FOUND)
  return()
endif()

set(ACPP_COMPILER "${Scythe_COMPILER}")
set(ACPP_TARGETS "${ACPP_TARGETS}" CACHE STRING "The targets, as platform[:arch[,arch...]];...")
set(ACPP_EXTRA_COMPILE_OPTIONS "${ACPP_EXTRA_COMPILE_OPTIONS}"
    CACHE STRING "Additional options for SYCL sources")
foreach(_scythe_name AdaptiveCpp::acpp-rt AdaptiveCpp::acpp-common)
  if(NOT TARGET ${_scythe_name})
    add_library(${_scythe_name} INTERFACE IMPORTED)
    set_target_properties(${_scythe_name} PROPERTIES INTERFACE_LINK_LIBRARIES Scythe::runtime)
  endif()
endforeach()
unset(_scythe_name)

# Translates AdaptiveCpp's targets to a list of Scythe's.
function(_scythe_acpp_targets result)
  set(targets "${ACPP_TARGETS}")
  if(NOT targets)
    set(targets "$ENV{ACPP_TARGETS}")
  endif()
  set(translated "")
  foreach(target IN LISTS targets)
    if(target STREQUAL "generic")
      list(APPEND translated spir64)
    elseif(target MATCHES "^omp")
      list(APPEND translated spir64_x86_64)
    elseif(target MATCHES "^cuda:(.+)$")
      string(REPLACE "," ";" architectures "${CMAKE_MATCH_1}")
      list(TRANSFORM architectures PREPEND nvidia_gpu_)
      list(APPEND translated ${architectures})
    else()
      message(WARNING "AdaptiveCpp: Scythe has no target for '${target}' of ACPP_TARGETS. "
                      "It compiles kernels for 'generic' instead.")
      list(APPEND translated spir64)
    endif()
  endforeach()
  list(REMOVE_DUPLICATES translated)
  set(${result} "${translated}" PARENT_SCOPE)
endfunction()

# Compiles all C++ sources of TARGET as SYCL. AdaptiveCpp compiles sources that SOURCES does not
# name with its compiler, too.
function(add_sycl_to_target)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET" "SOURCES")
  if(NOT arg_TARGET)
    message(FATAL_ERROR "add_sycl_to_target: TARGET is missing")
  endif()
  if(NOT DEFINED SCYTHE_TARGETS)
    _scythe_acpp_targets(SCYTHE_TARGETS)
  endif()
  _scythe_add_sycl(${arg_TARGET} PRIVATE "")
  if(arg_SOURCES AND ACPP_EXTRA_COMPILE_OPTIONS)
    set_property(SOURCE ${arg_SOURCES} TARGET_DIRECTORY ${arg_TARGET} APPEND
                 PROPERTY COMPILE_OPTIONS "${ACPP_EXTRA_COMPILE_OPTIONS}")
  endif()
endfunction()
