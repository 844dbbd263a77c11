# SPDX-License-Identifier: Apache-2.0
# What the evidence of a challenge's cells is made from: harness/exec/README.md has the whole story.
include_guard(GLOBAL)

# assay_linked_sources(<variable> <targets>)
# The sources of `targets` and of all that they link or need built, relative to the repository. Every
# word of a generator expression that names a target counts: too many rather than too few.
function(assay_linked_sources variable)
  set(queue ${ARGN})
  set(seen)
  set(sources)
  while(queue)
    list(POP_FRONT queue target)
    get_target_property(aliased ${target} ALIASED_TARGET)
    if(aliased)
      set(target ${aliased})
    endif()
    get_target_property(imported ${target} IMPORTED)
    if(imported OR target IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${target})
    get_target_property(folder ${target} SOURCE_DIR)
    foreach(property SOURCES INTERFACE_SOURCES PRECOMPILE_HEADERS LINK_LIBRARIES
        INTERFACE_LINK_LIBRARIES MANUALLY_ADDED_DEPENDENCIES)
      get_target_property(value ${target} ${property})
      # A name of a target has no single colon, a relative path no angle bracket. An absolute one begins
      # with the folder of the checkout, which may have any name, and is taken whole.
      set(words)
      foreach(item IN LISTS value)
        cmake_path(IS_ABSOLUTE item is_path)
        if(NOT is_path)
          string(REGEX MATCHALL "[^][<>:;,$@()\"]+(::[^][<>:;,$@()\"]+)*" item "${item}")
        endif()
        list(APPEND words ${item})
      endforeach()
      foreach(word IN LISTS words)
        get_property(compiled_from GLOBAL PROPERTY ASSAY_SOURCE_OF_${word})
        if(TARGET ${word} AND NOT word STREQUAL "assay_all")
          list(APPEND queue ${word})
          continue()
        elseif(compiled_from)  # AssayCuda.cmake: the object of a .cu
          set(word "${compiled_from}")
        endif()
        cmake_path(ABSOLUTE_PATH word BASE_DIRECTORY "${folder}" NORMALIZE)
        cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${word}" in_repository)
        cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${word}" is_generated)
        if(in_repository AND NOT is_generated AND EXISTS "${word}" AND NOT IS_DIRECTORY "${word}")
          cmake_path(RELATIVE_PATH word BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
          list(APPEND sources "${word}")
        endif()
      endforeach()
    endforeach()
  endwhile()
  list(REMOVE_DUPLICATES sources)
  list(SORT sources)
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()

# assay_inputs(<challenge> <targets>)
# For a challenge whose implementations, suite and bench are `targets`, in <build>/inputs/:
#
#   <challenge>.sources   what is compiled, or read when a cell is graded: written when configuring
#   <challenge>.products  what is built from it: programs and libraries, by path
#   <challenge>.digests   SHA-256 of those sources and all that they include, as they were built
#   <challenge>.built     SHA-256 of the products
#
# The last two are made by the target <challenge>_inputs, when all is linked, and a package holds the
# one named .digests.
function(assay_inputs challenge)
  # What grades, and what is linked with submissions.
  set(graders assay::grade assay_host)
  foreach(target assay_cuda_host assay_cudart)
    if(TARGET ${target})
      list(APPEND graders ${target})
    endif()
  endforeach()
  assay_linked_sources(sources ${ARGN} ${graders})
  foreach(name interface.h adapter.cc challenge.yaml)
    list(APPEND sources "challenges/${challenge}/${name}")
  endforeach()
  list(REMOVE_DUPLICATES sources)
  list(SORT sources)
  list(JOIN sources "\n" lines)
  set(folder "${PROJECT_BINARY_DIR}/inputs")
  file(CONFIGURE OUTPUT "${folder}/${challenge}.sources" CONTENT "${lines}\n")

  set(products)
  foreach(target IN LISTS ARGN ITEMS assay_sandbox_init assay assay_host assay_cuda_host assay_cudart)
    if(TARGET ${target})
      list(APPEND products ${target})
    endif()
  endforeach()
  list(TRANSFORM products REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
  list(JOIN files "\n" lines)
  file(GENERATE OUTPUT "${folder}/${challenge}.products" CONTENT "${lines}\n")

  add_custom_command(OUTPUT "${folder}/${challenge}.digests" "${folder}/${challenge}.built"
    COMMAND assay_stamp_inputs "${challenge}" "${PROJECT_SOURCE_DIR}" "${folder}"
    DEPENDS assay_stamp_inputs ${products} "${folder}/${challenge}.sources"
      "${folder}/${challenge}.products"
    DEPFILE "${folder}/${challenge}.d"
    COMMENT "Digests of what ${challenge} was built from" VERBATIM)
  add_custom_target(${challenge}_inputs ALL
    DEPENDS "${folder}/${challenge}.digests" "${folder}/${challenge}.built")
  add_dependencies(assay_all ${challenge}_inputs)
endfunction()
