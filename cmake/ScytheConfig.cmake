# CMake package of Scythe, a SYCL 2020 compiler: find_package(Scythe REQUIRED).
#
# Defines
#   add_sycl_to_target(TARGET target [SOURCES source...])   compiles sources as SYCL and links their device code
#   Scythe::runtime                                         headers and runtime library, for SYCL in plain C++
#   Scythe_COMPILER, Scythe_INCLUDE_DIR, Scythe_LIBRARY     what the package consists of
#
# CMAKE_CXX_COMPILER may be Scythe's driver. With any other compiler, Scythe compiles the sources that
# add_sycl_to_target() names, and that compiler their host side (unless it is a clang, which Scythe brings itself).
#
# Target properties, each initialised from the variable of the same name:
#   SCYTHE_TARGETS             device targets, a list: spir64;spir64_x86_64
#   SCYTHE_DEVICE_CODE_SPLIT   off, per_source, per_kernel or auto
#   SCYTHE_COMPILE_OPTIONS     more options for SYCL sources, a list
#   SCYTHE_LINK_OPTIONS        more options for the link, a list
cmake_minimum_required(VERSION 3.20)

# <prefix>/lib/cmake/Scythe is where this file is: the tree can be moved.
get_filename_component(_scythe_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." REALPATH)
set(Scythe_COMPILER "${_scythe_prefix}/bin/scythe")
set(Scythe_INCLUDE_DIR "${_scythe_prefix}/include")
set(Scythe_LIBRARY "${_scythe_prefix}/lib/libscythe.so")
set(_scythe_launcher "${CMAKE_CURRENT_LIST_DIR}/scythe-launch")
unset(_scythe_prefix)

foreach(_scythe_part Scythe_COMPILER Scythe_LIBRARY _scythe_launcher)
  if(NOT EXISTS "${${_scythe_part}}")
    set(Scythe_FOUND FALSE)
    set(Scythe_NOT_FOUND_MESSAGE "this Scythe is incomplete: '${${_scythe_part}}' is missing")
    return()
  endif()
endforeach()
unset(_scythe_part)

# With Scythe as the compiler, whatever the path that names it.
get_filename_component(_scythe_cxx "${CMAKE_CXX_COMPILER}" REALPATH)
get_filename_component(_scythe_own "${Scythe_COMPILER}" REALPATH)
if(_scythe_cxx STREQUAL _scythe_own)
  set(_scythe_is_compiler TRUE)
else()
  set(_scythe_is_compiler FALSE)
endif()
unset(_scythe_cxx)
unset(_scythe_own)

if(NOT TARGET Scythe::runtime)
  add_library(Scythe::runtime SHARED IMPORTED)
  set_target_properties(Scythe::runtime PROPERTIES IMPORTED_LOCATION "${Scythe_LIBRARY}"
                        IMPORTED_NO_SONAME TRUE
                        INTERFACE_INCLUDE_DIRECTORIES "${Scythe_INCLUDE_DIR}"
                        INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()

# Compiles SOURCES, or all C++ sources of TARGET, as SYCL, and links TARGET together with the device code of all its
# objects and static libraries.
function(add_sycl_to_target)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET" "SOURCES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_sycl_to_target: expected TARGET and SOURCES, not '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_TARGET)
    message(FATAL_ERROR "add_sycl_to_target: TARGET is missing")
  endif()
  if(NOT TARGET ${arg_TARGET})
    message(FATAL_ERROR "add_sycl_to_target: there is no target '${arg_TARGET}'")
  endif()
  get_target_property(type ${arg_TARGET} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    message(FATAL_ERROR "add_sycl_to_target: '${arg_TARGET}' is an interface library, which compiles nothing")
  endif()

  foreach(property SCYTHE_TARGETS SCYTHE_DEVICE_CODE_SPLIT SCYTHE_COMPILE_OPTIONS SCYTHE_LINK_OPTIONS)
    get_property(known TARGET ${arg_TARGET} PROPERTY ${property} SET)
    if(NOT known AND DEFINED ${property})
      set_property(TARGET ${arg_TARGET} PROPERTY ${property} "${${property}}")
    endif()
  endforeach()

  # Properties are read when the build is generated: they may be set after this call.
  set(targets "$<TARGET_PROPERTY:${arg_TARGET},SCYTHE_TARGETS>")
  set(targets "$<$<BOOL:${targets}>:-fsycl-targets=$<JOIN:${targets},$<COMMA>>>")
  set(split "$<TARGET_PROPERTY:${arg_TARGET},SCYTHE_DEVICE_CODE_SPLIT>")
  set(split "$<$<BOOL:${split}>:-fsycl-device-code-split=${split}>")
  set(compile -fsycl "${targets}" "$<TARGET_PROPERTY:${arg_TARGET},SCYTHE_COMPILE_OPTIONS>")
  set(link -fsycl "${targets}" "${split}" "$<TARGET_PROPERTY:${arg_TARGET},SCYTHE_LINK_OPTIONS>")

  if(arg_SOURCES)
    _scythe_add_options("${arg_SOURCES}" "${compile}" ${arg_TARGET})
  else()
    target_compile_options(${arg_TARGET} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${compile}>")
  endif()
  # Scythe finds its headers by itself. Editors and other tools that read the commands do not.
  target_include_directories(${arg_TARGET} SYSTEM PRIVATE "${Scythe_INCLUDE_DIR}")
  target_compile_features(${arg_TARGET} PRIVATE cxx_std_17)

  if(type STREQUAL "STATIC_LIBRARY" OR type STREQUAL "OBJECT_LIBRARY")
    # The device code of such a library is linked where the library is.
    target_link_options(${arg_TARGET} INTERFACE -fsycl)
  else()
    target_link_options(${arg_TARGET} PRIVATE "${link}")
  endif()
  if(NOT _scythe_is_compiler)
    set(launch "\"${_scythe_launcher}\" \"${Scythe_COMPILER}\" \"${CMAKE_CXX_COMPILER}\"")
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      string(APPEND launch " clang")
    else()
      string(APPEND launch " foreign")
    endif()
    set_target_properties(${arg_TARGET} PROPERTIES RULE_LAUNCH_COMPILE "${launch}")
    if(NOT type STREQUAL "STATIC_LIBRARY")
      set_target_properties(${arg_TARGET} PROPERTIES RULE_LAUNCH_LINK "${launch}")
    endif()
  endif()
endfunction()

# Adds options to sources, which a target must have.
function(_scythe_add_options sources options target)
  get_target_property(all ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(absolute "${source}" ABSOLUTE)
    if(NOT source IN_LIST all AND NOT absolute IN_LIST all)
      message(FATAL_ERROR "add_sycl_to_target: '${source}' is no source of the target '${target}'")
    endif()
    set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS "${options}")
  endforeach()
endfunction()

set(Scythe_FOUND TRUE)
