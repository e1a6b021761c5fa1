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

# This file is in <prefix>/lib/cmake/Scythe. The tree can be moved, and a symbolic link can point to
# that folder: the link is resolved before '..', which CMake removes first.
get_filename_component(_scythe_folder "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(_scythe_prefix "${_scythe_folder}/../../.." ABSOLUTE)
set(Scythe_COMPILER "${_scythe_prefix}/bin/scythe")
set(Scythe_INCLUDE_DIR "${_scythe_prefix}/include")
set(Scythe_LIBRARY "${_scythe_prefix}/lib/libscythe.so")
set(_scythe_launcher "${_scythe_folder}/scythe-launch")
unset(_scythe_folder)
unset(_scythe_prefix)

foreach(_scythe_part Scythe_COMPILER Scythe_LIBRARY _scythe_launcher)
  if(NOT EXISTS "${${_scythe_part}}")
    set(Scythe_FOUND FALSE)
    set(Scythe_NOT_FOUND_MESSAGE "the Scythe installation is incomplete: '${${_scythe_part}}' is missing")
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
                        INTERFACE_INCLUDE_DIRECTORIES "${Scythe_INCLUDE_DIR}"
                        INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()

# Sets the launcher for another compiler. The launcher runs Scythe for commands with '-fsycl' and
# does not change other commands, so all targets of the folder can use it: targets that get
# '-fsycl' from a library need it, too. Launchers that the project sets stay, after this one.
function(_scythe_set_launcher)
  set(launch "\"${_scythe_launcher}\" \"${Scythe_COMPILER}\" \"${CMAKE_CXX_COMPILER}\"")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    string(APPEND launch " clang")
  else()
    string(APPEND launch " foreign")
  endif()
  foreach(property RULE_LAUNCH_COMPILE RULE_LAUNCH_LINK)
    get_property(present ${ARGV} PROPERTY ${property})
    string(FIND "${present}" "${launch}" found)
    if(found EQUAL -1)
      set_property(${ARGV} PROPERTY ${property} "${launch} ${present}")
    endif()
  endforeach()
endfunction()

# Compiles SOURCES, or all C++ sources of TARGET, as SYCL, and links TARGET together with the device code of all its
# objects and static libraries.
function(add_sycl_to_target)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET" "SOURCES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_sycl_to_target: unexpected arguments '${arg_UNPARSED_ARGUMENTS}', expected TARGET and SOURCES")
  endif()
  if(NOT arg_TARGET)
    message(FATAL_ERROR "add_sycl_to_target: argument TARGET is missing")
  endif()
  if(TARGET ${arg_TARGET})
    _scythe_check_sources("${arg_SOURCES}" ${arg_TARGET})
  endif()
  _scythe_add_sycl(${arg_TARGET} PRIVATE "${arg_SOURCES}")
endfunction()

# Compiles sources of a target as SYCL and links the target's device code. If 'visibility' is
# PUBLIC, targets that link this target use SYCL, too.
function(_scythe_add_sycl target visibility sources)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "add_sycl_to_target: target '${target}' does not exist")
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    message(FATAL_ERROR "add_sycl_to_target: '${target}' is an interface library, which has no sources to compile")
  endif()

  foreach(property SCYTHE_TARGETS SCYTHE_DEVICE_CODE_SPLIT SCYTHE_COMPILE_OPTIONS SCYTHE_LINK_OPTIONS)
    get_property(known TARGET ${target} PROPERTY ${property} SET)
    if(NOT known AND DEFINED ${property})
      set_property(TARGET ${target} PROPERTY ${property} "${${property}}")
    endif()
  endforeach()

  # Properties are read when the build is generated: they may be set after this call.
  set(targets "$<TARGET_PROPERTY:${target},SCYTHE_TARGETS>")
  set(targets "$<$<BOOL:${targets}>:-fsycl-targets=$<JOIN:${targets},$<COMMA>>>")
  set(split "$<TARGET_PROPERTY:${target},SCYTHE_DEVICE_CODE_SPLIT>")
  set(split "$<$<BOOL:${split}>:-fsycl-device-code-split=${split}>")
  set(compile -fsycl "${targets}" "$<TARGET_PROPERTY:${target},SCYTHE_COMPILE_OPTIONS>")
  set(link -fsycl "${targets}" "${split}" "$<TARGET_PROPERTY:${target},SCYTHE_LINK_OPTIONS>")

  if(sources)
    set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND
                 PROPERTY COMPILE_OPTIONS "${compile}")
    # CMake compiles the precompiled header of the target with the target's options, without SYCL.
    set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  else()
    target_compile_options(${target} ${visibility} "$<$<COMPILE_LANGUAGE:CXX>:${compile}>")
  endif()
  # Scythe finds its headers by itself. Editors and other tools that read the commands do not.
  target_include_directories(${target} SYSTEM ${visibility} "${Scythe_INCLUDE_DIR}")
  target_compile_features(${target} ${visibility} cxx_std_17)

  if(type STREQUAL "STATIC_LIBRARY" OR type STREQUAL "OBJECT_LIBRARY")
    # The device code of such a library is linked where the library is.
    target_link_options(${target} INTERFACE -fsycl)
  else()
    target_link_options(${target} PRIVATE "${link}")
    if(visibility STREQUAL "PUBLIC")
      target_link_options(${target} INTERFACE -fsycl)
    endif()
  endif()
  if(NOT _scythe_is_compiler)
    _scythe_set_launcher(TARGET ${target})
  endif()
endfunction()

# Reports an error for a source that the target does not have.
function(_scythe_check_sources sources target)
  get_target_property(all ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(absolute "${source}" ABSOLUTE)
    if(NOT source IN_LIST all AND NOT absolute IN_LIST all)
      message(FATAL_ERROR "add_sycl_to_target: '${source}' is not a source of target '${target}'")
    endif()
  endforeach()
endfunction()

if(NOT _scythe_is_compiler)
  _scythe_set_launcher(DIRECTORY)
endif()

set(Scythe_FOUND TRUE)
