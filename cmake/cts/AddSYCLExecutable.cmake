# Registers Scythe with the SYCL conformance suite (SYCL-CTS), without a change to the suite.
#
# The suite includes its module `AddSYCLExecutable`, which admits the implementations that it lists. CMAKE_MODULE_PATH
# is searched in order, and the suite appends its own folder: with this folder given first, this file takes that
# module's place.
#
#   cmake -S SYCL-CTS -B build -G Ninja -DCMAKE_MODULE_PATH=SCYTHE/cmake/cts -DScythe_DIR=PREFIX/lib/cmake/Scythe \
#         -DCMAKE_CXX_COMPILER=PREFIX/bin/scythe -DSYCL_CTS_ENABLE_FULL_CONFORMANCE=ON
#
# `cargo xtask cts` does that. What the suite expects of the module: the target SYCL::SYCL and the function
# add_sycl_executable(). Tests tell implementations apart by a macro, and one of those they know must be defined: the
# one here is of an implementation that no test makes an exception for, so none is left out.

if(NOT TARGET OpenCL_Proxy)
  message(FATAL_ERROR "target OpenCL_Proxy does not exist: the suite must configure its OpenCL proxy before it includes AddSYCLExecutable")
endif()

find_package(Scythe REQUIRED)

# The suite's tests are C++17 where an implementation does not ask for more.
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)

# The suite's own library sees the same headers as the tests, in the same mode: with device code.
add_library(SYCL::SYCL INTERFACE IMPORTED GLOBAL)
target_compile_options(SYCL::SYCL INTERFACE -fsycl)
target_compile_definitions(SYCL::SYCL INTERFACE SYCL_CTS_COMPILING_WITH_PROTOSYCL)
target_link_options(SYCL::SYCL INTERFACE -fsycl)
target_link_libraries(SYCL::SYCL INTERFACE CTS::OpenCL_Proxy)

# add_sycl_executable(NAME name OBJECT_LIBRARY library TESTS source...): one program of all sources. The suite adds
# definitions, include folders and libraries to the program afterwards; its sources get them through the library.
function(add_sycl_executable)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;OBJECT_LIBRARY" "TESTS")
  add_library(${arg_OBJECT_LIBRARY} OBJECT ${arg_TESTS})
  add_executable(${arg_NAME} $<TARGET_OBJECTS:${arg_OBJECT_LIBRARY}>)
  target_link_libraries(${arg_NAME} PRIVATE SYCL::SYCL)
  foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS)
    set_target_properties(${arg_OBJECT_LIBRARY} PROPERTIES ${property}
                          "$<TARGET_PROPERTY:${arg_NAME},${property}>")
  endforeach()
endfunction()
