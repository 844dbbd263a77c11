# SPDX-License-Identifier: Apache-2.0
# Finds the headers of a CUDA toolkit: the runtime of the emulated GPU is built against them, and
# needs nothing else of it. Sets ASSAY_CUDA_INCLUDE, empty where there is none.
set(ASSAY_CUDA AUTO CACHE STRING "Build the CUDA runtime of the emulated GPU: ON, OFF or AUTO")
set_property(CACHE ASSAY_CUDA PROPERTY STRINGS AUTO ON OFF)

if(ASSAY_CUDA STREQUAL "OFF")
  set(ASSAY_CUDA_INCLUDE "")
else()
  find_path(ASSAY_CUDA_INCLUDE cuda_runtime_api.h
    HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES include)
  if(NOT ASSAY_CUDA_INCLUDE)
    if(ASSAY_CUDA STREQUAL "ON")
      message(FATAL_ERROR "cuda_runtime_api.h not found: run scripts/setup --cuda, set CUDA_HOME, "
        "or configure with -DASSAY_CUDA=OFF")
    endif()
    message(STATUS "No CUDA toolkit: without `assay cuda run` (scripts/setup --cuda installs one)")
    set(ASSAY_CUDA_INCLUDE "")
  endif()
endif()

# The major version, as in libcudart.so.13.
if(ASSAY_CUDA_INCLUDE)
  file(STRINGS "${ASSAY_CUDA_INCLUDE}/cuda_runtime_api.h" ASSAY_CUDA_VERSION_LINE
    REGEX "^#define CUDART_VERSION +[0-9]+")
  string(REGEX MATCH "[0-9]+$" ASSAY_CUDA_VERSION "${ASSAY_CUDA_VERSION_LINE}")
  math(EXPR ASSAY_CUDA_MAJOR "${ASSAY_CUDA_VERSION} / 1000")
endif()
