# SPDX-License-Identifier: Apache-2.0
# Hosts for a real GPU: linked with NVIDIA's runtime instead of the emulated one. Opt-in, since no
# grading without a GPU needs them; scripts/gpu_check turns it on. Linking needs no GPU and no driver.
include_guard(GLOBAL)
include(AssayCuda)

option(ASSAY_REAL_GPU "Link hosts with NVIDIA's runtime too, for --assay_device=cuda" OFF)

add_custom_target(assay_real_hosts)
if(NOT ASSAY_REAL_GPU)
  return()
endif()

# Of the same toolkit, which is looked for each time.
if(NOT ASSAY_CUDART_STATIC)
  find_library(ASSAY_CUDART_STATIC cudart_static
    HINTS "${ASSAY_CUDA_INCLUDE}/.." "${ASSAY_CUDA_INCLUDE}/../../.."
    PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib NO_CACHE)
endif()
if(NOT ASSAY_CUDART_STATIC OR NOT ASSAY_CUDA_INCLUDE)
  message(FATAL_ERROR "ASSAY_REAL_GPU needs a CUDA toolkit with libcudart_static.a: run "
    "scripts/setup --cuda, or set CUDA_HOME")
endif()

# What such a host links beside its objects and assay::host.
add_library(assay_gpu_real_host OBJECT
  "${PROJECT_SOURCE_DIR}/harness/gpu/real/device_operations.cc"
  "${PROJECT_SOURCE_DIR}/harness/gpu/adapter/device_stream.cc")
add_library(assay::gpu_real_host ALIAS assay_gpu_real_host)
target_include_directories(assay_gpu_real_host SYSTEM PRIVATE "${ASSAY_CUDA_INCLUDE}")
target_link_libraries(assay_gpu_real_host
  PRIVATE assay::options
  PUBLIC assay::host "${ASSAY_CUDART_STATIC}" Threads::Threads ${CMAKE_DL_LIBS} rt)

# assay_real_host(<challenge> <file name> <objects> <output directory>)
# <output directory>/<file name>_real_host: an implementation of the challenge, from the objects that
# its host for the emulated GPU has.
function(assay_real_host challenge file_name objects output)
  set(target ${challenge}_${file_name}_real_host)
  add_executable(${target} EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${challenge}_adapter> ${objects})
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX OUTPUT_NAME ${file_name}_real_host RUNTIME_OUTPUT_DIRECTORY "${output}")
  target_link_libraries(${target} PRIVATE assay::host_options assay::gpu_real_host)
  add_dependencies(assay_real_hosts ${target})
endfunction()
