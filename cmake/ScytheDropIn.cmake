# The common part of the CMake packages with other names: IntelSYCL, SYCL and AdaptiveCpp. Includes
# the package Scythe of the same tree and defines the variables of DPC++'s package.
include("${CMAKE_CURRENT_LIST_DIR}/ScytheConfig.cmake")

# Reports to find_package() whether the package NAME was found.
macro(_scythe_finish_package name)
  set(${name}_FOUND ${Scythe_FOUND})
  if(NOT Scythe_FOUND)
    set(${name}_NOT_FOUND_MESSAGE "${Scythe_NOT_FOUND_MESSAGE}")
  endif()
endmacro()

if(NOT Scythe_FOUND)
  return()
endif()

get_filename_component(SYCL_PACKAGE_DIR "${Scythe_INCLUDE_DIR}/.." ABSOLUTE)
set(SYCL_BIN_DIR "${SYCL_PACKAGE_DIR}/bin")
set(SYCL_LIBRARY_DIR "${SYCL_PACKAGE_DIR}/lib")
set(SYCL_INCLUDE_DIR "${Scythe_INCLUDE_DIR}")
set(SYCL_LIBRARY "${Scythe_LIBRARY}")
set(SYCL_COMPILER "${Scythe_COMPILER}")
set(SYCL_FLAGS -fsycl)
set(SYCL_LINK_FLAGS -fsycl)
set(SYCL_CXX_FLAGS -fsycl)
set(SYCL_IMPLEMENTATION_ID Clang)
set(SYCL_LANGUAGE_VERSION 202012 CACHE STRING "The version of SYCL")

# Defines an interface target with which C++ sources are SYCL sources.
function(_scythe_sycl_target name)
  if(TARGET ${name})
    return()
  endif()
  add_library(${name} INTERFACE IMPORTED)
  set_target_properties(${name} PROPERTIES
                        INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:-fsycl>"
                        INTERFACE_LINK_OPTIONS "$<$<LINK_LANGUAGE:CXX>:-fsycl>"
                        INTERFACE_INCLUDE_DIRECTORIES "${Scythe_INCLUDE_DIR}"
                        INTERFACE_LINK_DIRECTORIES "${SYCL_LIBRARY_DIR}"
                        INTERFACE_COMPILE_FEATURES cxx_std_17)
endfunction()

# Compiles SOURCES, or all C++ sources of TARGET, as SYCL. Targets that link TARGET use SYCL, too.
function(add_sycl_to_target)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET" "SOURCES")
  if(NOT arg_TARGET)
    list(POP_FRONT arg_UNPARSED_ARGUMENTS arg_TARGET)
  endif()
  if(NOT arg_TARGET)
    message(FATAL_ERROR "add_sycl_to_target: TARGET is missing")
  endif()
  _scythe_add_sycl(${arg_TARGET} PUBLIC "${arg_SOURCES}")
endfunction()
