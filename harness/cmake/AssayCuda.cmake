# SPDX-License-Identifier: Apache-2.0
# Finds a CUDA toolkit: the nvcc of CUDA_HOME or CUDA_PATH where one of them is set, else of PATH, else
# of /usr/local/cuda or /opt/cuda (scripts/find_nvcc and `assay cuda run` look there in the same order),
# and the headers of that toolkit; -DASSAY_NVCC=... names another, for good. Sets
#   ASSAY_NVCC           the compiler of CUDA submissions, baselines and mutants
#   ASSAY_CUDA_INCLUDE   the folder of its cuda_runtime_api.h
#   ASSAY_CUDA_VERSION   of these headers: 11080 for 11.8
# each empty where there is none. No GPU and no driver are needed.
include_guard(GLOBAL)

set(ASSAY_CUDA AUTO CACHE STRING "Build what is for CUDA: ON, OFF or AUTO")
set_property(CACHE ASSAY_CUDA PROPERTY STRINGS AUTO ON OFF)

# assay_cuda_include(<variable> <nvcc>): where the headers of an nvcc are.
function(assay_cuda_include variable nvcc)
  file(REAL_PATH "${nvcc}" real)
  cmake_path(GET real PARENT_PATH bin)
  cmake_path(GET bin PARENT_PATH root)
  # NVIDIA's layout. Debian's nvcc is in /usr/bin, and its headers in a folder that every compiler
  # searches. Else nvcc says where it looks.
  foreach(folder "${root}/include" "${root}/targets/${CMAKE_SYSTEM_PROCESSOR}-linux/include")
    if(EXISTS "${folder}/cuda_runtime_api.h")
      file(REAL_PATH "${folder}" folder)
      set(${variable} "${folder}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  execute_process(COMMAND "${nvcc}" --dryrun -x cu /dev/null
    OUTPUT_QUIET ERROR_VARIABLE said RESULT_VARIABLE ignored)
  if(said MATCHES "INCLUDES=\"-I([^\"]+)\"")
    set(CUDA_SAID_INCLUDE "${CMAKE_MATCH_1}")
  endif()
  find_path(ASSAY_CUDA_INCLUDE_FOUND cuda_runtime_api.h HINTS "${CUDA_SAID_INCLUDE}" NO_CACHE)
  if(ASSAY_CUDA_INCLUDE_FOUND)
    set(${variable} "${ASSAY_CUDA_INCLUDE_FOUND}" PARENT_SCOPE)
  endif()
endfunction()

# assay_read_cuda_version(<variable> <include folder>)
function(assay_read_cuda_version variable include)
  file(STRINGS "${include}/cuda_runtime_api.h" line REGEX "^#define CUDART_VERSION +[0-9]+")
  string(REGEX MATCH "[0-9]+$" version "${line}")
  set(${variable} "${version}" PARENT_SCOPE)
endfunction()

if(ASSAY_CUDA STREQUAL "OFF")
  set(ASSAY_NVCC "")
  set(ASSAY_CUDA_INCLUDE "")
else()
  # None of what is found is kept: when this is configured again CUDA_HOME may name another toolkit, a link
  # lead to another, and the one that was found be gone. Build folders of before have it in their caches,
  # with these words.
  foreach(kept ASSAY_NVCC ASSAY_NVCC_HOST_COMPILER ASSAY_CUDART_STATIC)
    get_property(help CACHE ${kept} PROPERTY HELPSTRING)
    if(help MATCHES "^Path to a (program|library)\\.$")
      unset(${kept} CACHE)
    endif()
  endforeach()
  if(NOT ASSAY_NVCC)
    find_program(ASSAY_NVCC nvcc PATHS ENV CUDA_HOME ENV CUDA_PATH PATH_SUFFIXES bin NO_DEFAULT_PATH NO_CACHE)
    find_program(ASSAY_NVCC nvcc PATHS /usr/local/cuda /opt/cuda PATH_SUFFIXES bin NO_CACHE)
  endif()
  if(ASSAY_NVCC AND NOT DEFINED CACHE{ASSAY_CUDA_INCLUDE})
    assay_cuda_include(ASSAY_CUDA_INCLUDE "${ASSAY_NVCC}")
  endif()
  if(NOT ASSAY_CUDA_INCLUDE OR NOT ASSAY_NVCC)
    if(ASSAY_CUDA STREQUAL "ON")
      message(FATAL_ERROR "No CUDA toolkit (nvcc, cuda_runtime_api.h): run scripts/setup, set "
        "CUDA_HOME, or configure with -DASSAY_CUDA=OFF")
    endif()
    message(STATUS "No CUDA toolkit: without CUDA challenges and `assay cuda run` "
      "(scripts/setup installs one)")
    set(ASSAY_NVCC "")
    set(ASSAY_CUDA_INCLUDE "")
  endif()
endif()

set(ASSAY_CUDA_VERSION "")
if(ASSAY_CUDA_INCLUDE)
  assay_read_cuda_version(ASSAY_CUDA_VERSION "${ASSAY_CUDA_INCLUDE}")
endif()

# nvcc 11 takes g++ up to 11. Debian's brings one and knows where; NVIDIA's needs to be told. In a
# package that is decided again where it grades (build/cuda_toolkit.cc).
set(ASSAY_PREBUILT_NVCC_FLAGS ${ASSAY_NVCC_FLAGS})
if(ASSAY_CUDA_VERSION AND ASSAY_CUDA_VERSION LESS 12000)
  list(REMOVE_ITEM ASSAY_PREBUILT_NVCC_FLAGS -ccbin /usr/bin/g++)
  if(NOT EXISTS /etc/nvcc.profile)
    if(NOT ASSAY_NVCC_HOST_COMPILER)
      find_program(ASSAY_NVCC_HOST_COMPILER NAMES g++-11 g++-10 g++-9 PATHS /usr/bin NO_DEFAULT_PATH NO_CACHE)
    endif()
    if(ASSAY_NVCC_HOST_COMPILER)
      list(APPEND ASSAY_PREBUILT_NVCC_FLAGS -ccbin "${ASSAY_NVCC_HOST_COMPILER}")
    elseif(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
      message(WARNING "nvcc of ${ASSAY_NVCC} is of CUDA 11, which takes g++ up to 11, and there is none: "
        "CUDA will not compile. Install g++-11, or CUDA 12 or 13.")
    endif()
  endif()
  if(NOT ASSAY_PORTABLE)
    set(ASSAY_NVCC_FLAGS ${ASSAY_PREBUILT_NVCC_FLAGS})
  endif()
endif()
if(ASSAY_PORTABLE)
  # Lines come with the paths of the machine that builds.
  list(REMOVE_ITEM ASSAY_PREBUILT_NVCC_FLAGS -lineinfo)
endif()

# assay_cuda_object(<variable> <source> <object> [INCLUDE <folders>] [AS_MUTANT])
# The rule that compiles one .cu as those of submissions are; AS_MUTANT, without machine code, since no
# one asks how many registers a kernel takes, and without names that tell what it was compiled from:
# nvcc writes that of the file into those of kernels, and of each line. `variable` becomes the object's
# path, for use in the same directory alone.
function(assay_cuda_object variable source object)
  cmake_parse_arguments(PARSE_ARGV 3 ARG "AS_MUTANT" "" "INCLUDE")
  list(TRANSFORM ARG_INCLUDE PREPEND "-I")
  set(flags ${ASSAY_PREBUILT_NVCC_FLAGS})
  cmake_path(GET object PARENT_PATH folder)
  file(MAKE_DIRECTORY "${folder}")
  set(compiled "${source}")
  if(ARG_AS_MUTANT)
    list(TRANSFORM flags REPLACE "^-arch=sm_" "-arch=compute_")
    list(REMOVE_ITEM flags -lineinfo)
    list(APPEND flags -Xcompiler=-fno-rtti)
    set(compiled "${object}.source/implementation.cu")
    file(CONFIGURE OUTPUT "${compiled}" CONTENT "#include \"${source}\"\n")
  endif()
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE shown)
  add_custom_command(OUTPUT "${object}"
    COMMAND ${ASSAY_CCACHE} "${ASSAY_NVCC}" ${flags} ${ARG_INCLUDE}
      -Xcompiler=-Wall,-Wextra -Werror all-warnings
      -MD -MF "${object}.d" -c "${compiled}" -o "${object}"
    DEPENDS "${compiled}" "${source}" DEPFILE "${object}.d"
    COMMENT "Compiling CUDA object ${shown}" VERBATIM)
  set_property(GLOBAL PROPERTY ASSAY_SOURCE_OF_${object} "${source}")  # For AssayInputs.cmake.
  set(${variable} "${object}" PARENT_SCOPE)
endfunction()
