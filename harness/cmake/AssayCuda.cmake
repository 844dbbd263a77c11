# SPDX-License-Identifier: Apache-2.0
# Finds a CUDA toolkit. Sets
#   ASSAY_CUDA_INCLUDE   the headers: the runtime of the emulated GPU is built against them
#   ASSAY_NVCC           the compiler of CUDA submissions, baselines and mutants
# each empty where there is none. No GPU and no driver are needed.
include_guard(GLOBAL)

set(ASSAY_CUDA AUTO CACHE STRING "Build what is for CUDA: ON, OFF or AUTO")
set_property(CACHE ASSAY_CUDA PROPERTY STRINGS AUTO ON OFF)

if(ASSAY_CUDA STREQUAL "OFF")
  set(ASSAY_CUDA_INCLUDE "")
  set(ASSAY_NVCC "")
else()
  find_path(ASSAY_CUDA_INCLUDE cuda_runtime_api.h
    HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES include)
  find_program(ASSAY_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
  if(NOT ASSAY_CUDA_INCLUDE OR NOT ASSAY_NVCC)
    if(ASSAY_CUDA STREQUAL "ON")
      message(FATAL_ERROR "No CUDA toolkit (cuda_runtime_api.h, nvcc): run scripts/setup, set "
        "CUDA_HOME, or configure with -DASSAY_CUDA=OFF")
    endif()
    message(STATUS "No CUDA toolkit: without CUDA challenges and `assay cuda run` "
      "(scripts/setup installs one)")
  endif()
  if(NOT ASSAY_CUDA_INCLUDE)
    set(ASSAY_CUDA_INCLUDE "")
  endif()
  if(NOT ASSAY_NVCC)
    set(ASSAY_NVCC "")
  endif()
endif()

# The major version, as in libcudart.so.13.
if(ASSAY_CUDA_INCLUDE)
  file(STRINGS "${ASSAY_CUDA_INCLUDE}/cuda_runtime_api.h" ASSAY_CUDA_VERSION_LINE
    REGEX "^#define CUDART_VERSION +[0-9]+")
  string(REGEX MATCH "[0-9]+$" ASSAY_CUDA_VERSION "${ASSAY_CUDA_VERSION_LINE}")
  math(EXPR ASSAY_CUDA_MAJOR "${ASSAY_CUDA_VERSION} / 1000")
endif()

# nvcc 11 brings the g++ that it takes.
if(ASSAY_CUDA_VERSION AND ASSAY_CUDA_VERSION LESS 12000)
  list(REMOVE_ITEM ASSAY_NVCC_FLAGS -ccbin /usr/bin/g++)
endif()

# assay_cuda_object(<variable> <source> <object> [INCLUDE <folders>])
# The rule that compiles one .cu as those of submissions are. `variable` becomes the object's path,
# for use in the same directory alone.
function(assay_cuda_object variable source object)
  cmake_parse_arguments(PARSE_ARGV 3 ARG "" "" "INCLUDE")
  list(TRANSFORM ARG_INCLUDE PREPEND "-I")
  cmake_path(GET object PARENT_PATH folder)
  file(MAKE_DIRECTORY "${folder}")
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE shown)
  add_custom_command(OUTPUT "${object}"
    COMMAND ${ASSAY_CCACHE} "${ASSAY_NVCC}" ${ASSAY_NVCC_FLAGS} ${ARG_INCLUDE}
      -Xcompiler=-Wall,-Wextra -Werror all-warnings
      -MD -MF "${object}.d" -c "${source}" -o "${object}"
    DEPENDS "${source}" DEPFILE "${object}.d"
    COMMENT "Compiling CUDA object ${shown}" VERBATIM)
  set(${variable} "${object}" PARENT_SCOPE)
endfunction()
