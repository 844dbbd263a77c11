# SPDX-License-Identifier: Apache-2.0
include(AssayInputs)

# add_challenge(<id> [CUDA] [SUITE_LINK <targets>] [BENCH_LINK <targets>])
#
# Everything that is built for one challenge, from what lies in its two directories:
#
#   challenges/<id>/    interface.h adapter.cc suite*.cc bench*.cc
#   reference/<id>/     baseline.cc, baseline.cu   the implementation that speed is measured against,
#                                              on the CPU and on a GPU; either may be missing
#                       baseline_bench.cc      times it in its own process, against the libraries
#                                              that BENCH_LINK names; may be missing
#                       mutants/<bug>.cc, .cu  implementations, each with one planted bug: it takes
#                                              the place of the baseline's half of that extension
#                       *_test.cc              unit tests, linked with all of the below; *_cuda_test.cc
#                                              call the CUDA half, and are left out without nvcc
#                       any other *.cc         the oracle
#
# A mutant <bug>.cu is linked with baseline.cc. The host of a mutant <bug>.cc is linked with baseline.cu
# where the challenge is declared CUDA: it is a CUDA challenge, and nothing of it is built where there
# is no nvcc. Other challenges have their .cu sources left out there. Libraries have both halves.
#
# Targets (output below build/<preset>/reference/<id>/):
#
#   <id>_oracle            the oracle, a library of trusted code
#   <id>_baseline          libbaseline.a, of both halves; its host is baseline_host
#   <id>_baseline_as_mutant
#                          libbaseline_as_mutant.a, compiled as mutants are: what own tests of
#                          submissions must pass on
#   <id>_baseline_v4       the same for machines with AVX-512: only with ASSAY_PORTABLE, where
#                          baseline_host is for those without
#   <id>_mutant_<bug>      mutants/lib<bug>.a; its host is mutants/<bug>_host
#   <id>_suite, _bench     suite and bench, which drive any host; the suite is linked with what
#                          SUITE_LINK names too
#   <id>_baseline_bench    baseline_bench
#   <id>_<x>_test          the unit tests of reference/<id>/<x>_test.cc
#
#   <id>_adapter           adapter.cc, an object that every host of the challenge has
#   <id>_inputs            inputs/<id>.digests: what all of the above was built from
#
#   <id>_mutants_test      runs the suite against the baseline and every mutant (label controls)
#   <id>_controls_test     grades every control (label controls), and times some (label times)
#   <id>_seeds_test        runs the suite against the baseline with many seeds (label seeds)
#   <id>_signatures_test   whether signatures.json is of the sources as they are (label unit)
#   <id>_by_machine_test   what a diagnosis says of bugs that were planted by machine (label unit)
#   <id>_cost_once_test    whether one bug costs once in the cells that are graded (label unit)
#
# reference/<id>/signatures.json is no target: scripts/signatures computes it, and it is committed.

function(add_challenge id)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "CUDA" "" "SUITE_LINK;BENCH_LINK")
  if(ARG_CUDA AND NOT ASSAY_NVCC)
    message(STATUS "Without the challenge ${id}: it needs nvcc (scripts/setup installs it)")
    return()
  endif()
  set(challenge "${PROJECT_SOURCE_DIR}/challenges/${id}")
  set(reference "${PROJECT_SOURCE_DIR}/reference/${id}")
  set(output "${PROJECT_BINARY_DIR}/reference/${id}")

  file(GLOB tests CONFIGURE_DEPENDS "${reference}/*_test.cc")
  file(GLOB oracle CONFIGURE_DEPENDS "${reference}/*.cc")
  list(REMOVE_ITEM oracle ${tests} "${reference}/baseline.cc" "${reference}/baseline_bench.cc")
  file(GLOB suite CONFIGURE_DEPENDS "${challenge}/suite*.cc")
  file(GLOB bench CONFIGURE_DEPENDS "${challenge}/bench*.cc")

  add_library(${id}_oracle STATIC ${oracle})
  target_include_directories(${id}_oracle PUBLIC "${reference}" "${challenge}")
  target_link_libraries(${id}_oracle PRIVATE assay::options)

  add_library(${id}_adapter OBJECT "${challenge}/adapter.cc")
  target_include_directories(${id}_adapter PRIVATE "${challenge}" "${PROJECT_SOURCE_DIR}/harness")
  target_link_libraries(${id}_adapter PRIVATE assay::host_options)

  assay_implementations(${id} "${ARG_CUDA}" "${output}")
  assay_driver(${id} suite "${suite}" "${output}")
  target_link_libraries(${id}_suite PRIVATE ${ARG_SUITE_LINK})
  assay_driver(${id} bench "${bench}" "${output}")
  assay_baseline_bench(${id} "${ARG_BENCH_LINK}" "${output}")

  if(NOT TARGET assay_cudart)
    list(FILTER tests EXCLUDE REGEX "_cuda_test\\.cc$")
  endif()
  foreach(test IN LISTS tests)
    cmake_path(GET test STEM name)
    assay_test(${id}_${name} SOURCES "${test}"
      LINK ${id}_oracle ${id}_baseline Eigen3::Eigen assay::client assay::gpu_suite LABELS unit.${id})
    target_include_directories(${id}_${name} PRIVATE "${PROJECT_SOURCE_DIR}/reference")
    if(TARGET assay_cudart)
      target_link_libraries(${id}_${name} PRIVATE assay_cuda_headers)
    endif()
  endforeach()
  foreach(kind mutants controls)
    assay_reference_test(${id} ${kind} controls)
    add_dependencies(${id}_${kind}_test assay_all)
  endforeach()
  assay_reference_test(${id} seeds seeds)
  add_dependencies(${id}_seeds_test ${id}_suite)
  if(TARGET ${id}_baseline_host)  # Not under sanitizers: there is no runtime of CUDA for it.
    add_dependencies(${id}_seeds_test ${id}_baseline_host)
  endif()
  assay_reference_test(${id} signatures unit)
  assay_reference_test(${id} cost_once unit)
  if(EXISTS "${reference}/mutants/by_machine.json")
    assay_reference_test(${id} by_machine unit)
  endif()

  get_property(implementations GLOBAL PROPERTY ASSAY_IMPLEMENTATIONS_OF_${id})
  assay_inputs(${id} ${id}_suite ${id}_bench ${implementations})
  set_property(GLOBAL APPEND PROPERTY ASSAY_CHALLENGES ${id})
endfunction()

# assay_implementations(<challenge> <declared CUDA> <output directory>)
# The baseline and every mutant.
function(assay_implementations challenge declared_cuda output)
  set(reference "${PROJECT_SOURCE_DIR}/reference/${challenge}")
  set(extensions .cc)
  if(ASSAY_NVCC)
    list(APPEND extensions .cu)
  endif()
  set(halves)
  foreach(extension IN LISTS extensions)
    # CONFIGURE_DEPENDS: a half that is added later is found.
    file(GLOB half CONFIGURE_DEPENDS "${reference}/baseline${extension}")
    if(half)
      assay_half(baseline${extension} ${challenge} "${half}")
      list(APPEND halves ${baseline${extension}})
    endif()
  endforeach()
  assay_implementation(${challenge} baseline "${halves}" "${output}")
  # A program is half as large with a mutant as with the baseline, and slower: nothing but its bug may
  # tell a mutant from what own tests pass on.
  set(halves)
  foreach(extension IN LISTS extensions)
    if(EXISTS "${reference}/baseline${extension}")
      set(without_bug "${PROJECT_BINARY_DIR}/reference/${challenge}/without_bug${extension}")
      assay_mutant_without_bug("${reference}/baseline${extension}" "${without_bug}")
      assay_half(as_mutant${extension} ${challenge} "${without_bug}" assay::mutant_options)
      list(APPEND halves ${as_mutant${extension}})
    endif()
  endforeach()
  assay_implementation(${challenge} baseline_as_mutant "${halves}" "${output}" LIBRARY_ALONE)
  if(ASSAY_PORTABLE AND EXISTS "${reference}/baseline.cc")
    assay_half(wide.cc ${challenge} "${reference}/baseline.cc" assay::wide_host_options)
    assay_implementation(${challenge} baseline_v4 "${wide.cc};${baseline.cu}" "${output}")
  endif()

  foreach(extension IN LISTS extensions)
    set(other .cu)
    if(extension STREQUAL ".cu")
      set(other .cc)
    endif()
    set(other_of_host)
    if(extension STREQUAL ".cu" OR declared_cuda)
      set(other_of_host ${baseline${other}})
    endif()
    file(GLOB mutants CONFIGURE_DEPENDS "${reference}/mutants/*${extension}")
    foreach(mutant IN LISTS mutants)
      cmake_path(GET mutant STEM bug)
      assay_half(half ${challenge} "${mutant}")
      # The library always has both halves: a program can ask which functions there are.
      assay_implementation(${challenge} mutant_${bug} "${half};${other_of_host}" "${output}/mutants"
        LIBRARY "${half};${as_mutant${other}}")
    endforeach()
  endforeach()
endfunction()

# assay_mutant_without_bug(<baseline> <file>)
# Writes `file`: the baseline's source as a mutant's is, with steps of its own to which no other file can
# refer. What the compiler leaves out then would tell mutants from the baseline by size alone.
function(assay_mutant_without_bug baseline file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${baseline}")
  file(READ "${baseline}" source)
  string(REGEX REPLACE "\n([A-Z_]+_EXPORT)\\(([A-Za-z_:]+)\\);"
    "\nnamespace {\nstruct Steps : \\2 {};\n}  // namespace\n\n\\1(Steps);" mutant "${source}")
  if(mutant STREQUAL source)
    message(FATAL_ERROR "${baseline}: has no line like KV_EXPORT(assay::kv_baseline::BaselineSteps); "
      "by which the baseline is made a mutant without a bug")
  endif()
  file(CONFIGURE OUTPUT "${file}" CONTENT "${mutant}" @ONLY)
endfunction()

# assay_half(<variable> <challenge> <source> [<options>])
# Compiles one .cc or .cu of reference/ as a submission's is, a .cc with assay::host_options or what
# is named instead; but a mutant, which no one times, with assay::mutant_options, and with these a .cu
# without machine code. `variable` becomes its object.
function(assay_half variable challenge source)
  set(options assay::host_options)
  if(source MATCHES "/mutants/")
    set(options assay::mutant_options)
  endif()
  if(ARGN)
    set(options ${ARGN})
  endif()
  set(as_mutant FALSE)
  if(options STREQUAL "assay::mutant_options")
    set(as_mutant TRUE)
  endif()
  set(challenge_folder "${PROJECT_SOURCE_DIR}/challenges/${challenge}")
  set(reference "${PROJECT_SOURCE_DIR}/reference/${challenge}")
  cmake_path(GET source FILENAME name)
  if(name MATCHES "\\.cu$")
    set(folder cuda_objects)
    set(how)
    if(as_mutant)
      set(folder cuda_objects/as_mutant)
      set(how AS_MUTANT)
    endif()
    assay_cuda_object(object "${source}"
      "${PROJECT_BINARY_DIR}/reference/${challenge}/${folder}/${name}.o"
      INCLUDE "${challenge_folder}" "${reference}" ${how})
  else()
    string(MAKE_C_IDENTIFIER "${challenge}_half_${variable}_${name}" half)
    add_library(${half} OBJECT "${source}")
    target_include_directories(${half} PRIVATE "${challenge_folder}" "${reference}")
    target_link_libraries(${half} PRIVATE ${options})
    if(as_mutant)
      assay_mutant_headers(${challenge} "${challenge_folder}" "${reference}")
      target_precompile_headers(${half} REUSE_FROM ${challenge}_mutant_headers)
    endif()
    set(object "$<TARGET_OBJECTS:${half}>")
  endif()
  set(${variable} "${object}" PARENT_SCOPE)
endfunction()

# assay_mutant_headers(<challenge> <include folders>...)
# <challenge>_mutant_headers: the baseline's templates, which all mutants instantiate, parsed once.
function(assay_mutant_headers challenge)
  set(target ${challenge}_mutant_headers)
  if(TARGET ${target})
    return()
  endif()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/reference/${challenge}/mutant_headers.cc"
    CONTENT "// Has the precompiled header of mutants.\n")
  add_library(${target} OBJECT "${PROJECT_BINARY_DIR}/reference/${challenge}/mutant_headers.cc")
  target_include_directories(${target} PRIVATE ${ARGN})
  target_link_libraries(${target} PRIVATE assay::mutant_options)
  target_precompile_headers(${target} PRIVATE <export.h>)
  if(ASSAY_CCACHE)
    # ccache knows a precompiled header by what the preprocessor prints, where macros are gone.
    set(headers)
    foreach(folder IN LISTS ARGN)
      file(GLOB of_folder CONFIGURE_DEPENDS "${folder}/*.h")
      list(APPEND headers ${of_folder})
    endforeach()
    list(JOIN headers ":" headers)
    set_target_properties(${target} PROPERTIES
      CXX_COMPILER_LAUNCHER "env;CCACHE_EXTRAFILES=${headers};${ASSAY_CCACHE}")
  endif()
endfunction()

# assay_implementation(<challenge> <name> <objects> <output directory> [LIBRARY_ALONE]
#                      [LIBRARY <objects>])
# One implementation of interface.h, built as a submission is: a static library for programs that
# link it, of objects of its own where they are named, and a host. The file names leave out the prefix
# `mutant_`.
function(assay_implementation challenge name objects output)
  cmake_parse_arguments(PARSE_ARGV 4 ARG "LIBRARY_ALONE" "" "LIBRARY")
  set(target ${challenge}_${name})
  string(REGEX REPLACE "^mutant_" "" file_name "${name}")
  set(has_cuda FALSE)
  foreach(object IN LISTS objects)
    if(object MATCHES "\\.cu\\.o$")
      set(has_cuda TRUE)
    endif()
  endforeach()

  if(NOT ARG_LIBRARY)
    set(ARG_LIBRARY ${objects})
  endif()
  add_library(${target} STATIC ${ARG_LIBRARY})
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX OUTPUT_NAME ${file_name} ARCHIVE_OUTPUT_DIRECTORY "${output}")
  target_link_libraries(${target} INTERFACE Threads::Threads)
  if(ARG_LIBRARY MATCHES "\\.cu\\.o")
    # For programs that link it; a host has a runtime of its own.
    target_link_libraries(${target} INTERFACE assay_cudart)
  endif()
  add_dependencies(assay_all ${target})
  set_property(GLOBAL APPEND PROPERTY ASSAY_IMPLEMENTATIONS_OF_${challenge} ${target})
  if(ARG_LIBRARY_ALONE OR (has_cuda AND (NOT TARGET assay::cuda_host OR ASSAY_SANITIZE)))
    return()
  endif()

  # Objects, not the library: the adapter's references are weak, and pull nothing from an archive.
  add_executable(${target}_host $<TARGET_OBJECTS:${challenge}_adapter> ${objects})
  set_target_properties(${target}_host PROPERTIES
    LINKER_LANGUAGE CXX OUTPUT_NAME ${file_name}_host RUNTIME_OUTPUT_DIRECTORY "${output}")
  target_link_libraries(${target}_host PRIVATE assay::host_options assay::host Threads::Threads)
  if(has_cuda)
    target_link_libraries(${target}_host PRIVATE assay::cuda_host)
    if(COMMAND assay_real_host)  # AssayRealGpu.cmake
      assay_real_host(${challenge} ${file_name} "${objects}" "${output}")
    endif()
  endif()
  add_dependencies(assay_all ${target}_host)
  set_property(GLOBAL APPEND PROPERTY ASSAY_IMPLEMENTATIONS_OF_${challenge} ${target}_host)
endfunction()

# assay_baseline_bench(<challenge> <targets to link> <output directory>)
function(assay_baseline_bench challenge link output)
  set(reference "${PROJECT_SOURCE_DIR}/reference/${challenge}")
  file(GLOB source CONFIGURE_DEPENDS "${reference}/baseline_bench.cc")
  if(NOT source OR NOT ASSAY_BENCHMARKS)
    return()
  endif()
  add_executable(${challenge}_baseline_bench "${source}")
  set_target_properties(${challenge}_baseline_bench PROPERTIES
    OUTPUT_NAME baseline_bench RUNTIME_OUTPUT_DIRECTORY "${output}")
  target_include_directories(${challenge}_baseline_bench PRIVATE
    "${reference}" "${PROJECT_SOURCE_DIR}/reference" "${PROJECT_SOURCE_DIR}/challenges/${challenge}")
  target_link_libraries(${challenge}_baseline_bench PRIVATE
    assay::host_options benchmark::benchmark Eigen3::Eigen Threads::Threads ${link})
endfunction()

# assay_driver(<challenge> <suite|bench> <sources> <output directory>)
# Trusted code that drives hosts: it may see the oracle, and no implementation. Its main gives hosts
# the emulated GPU where that is built.
function(assay_driver challenge kind sources output)
  set(main assay::${kind}_main)
  if(TARGET assay::gpu_${kind}_main)
    set(main assay::gpu_${kind}_main)
  endif()
  add_executable(${challenge}_${kind} ${sources})
  set_target_properties(${challenge}_${kind} PROPERTIES
    OUTPUT_NAME ${kind} RUNTIME_OUTPUT_DIRECTORY "${output}")
  target_link_libraries(${challenge}_${kind} PRIVATE ${main} ${challenge}_oracle)
  assay_test_options(${challenge}_${kind})
  add_dependencies(assay_all ${challenge}_${kind})
endfunction()

# assay_reference_test(<challenge> <mutants|controls|seeds|signatures|cost_once|by_machine> <label>)
# reference/<kind>_test.cc for one challenge. Their label is <label>.<challenge>: `ctest -L` takes
# either half, and sums up the minutes of each.
function(assay_reference_test challenge kind label)
  set(reference "${PROJECT_SOURCE_DIR}/reference")
  # The sources are every challenge's, but for the one that names it.
  foreach(shared ${kind}_test reference_test_support)
    if(NOT TARGET assay_${shared})
      add_library(assay_${shared} OBJECT "${reference}/${shared}.cc")
      target_include_directories(assay_${shared} PUBLIC "${reference}")
      target_compile_options(assay_${shared} PRIVATE ${ASSAY_UNTIMED_FLAGS})
      target_link_libraries(assay_${shared} PUBLIC
        assay::options assay::exec assay::grade assay::score assay_chosen_cases fmt::fmt
        GTest::gmock)
    endif()
  endforeach()
  set(target ${challenge}_${kind}_test)
  add_executable(${target} "${reference}/reference_under_test.cc")
  target_compile_definitions(${target} PRIVATE
    ASSAY_TEST_CHALLENGE="${challenge}"
    ASSAY_TEST_ROOT="${PROJECT_SOURCE_DIR}"
    ASSAY_TEST_BUILD="${PROJECT_BINARY_DIR}")
  target_link_libraries(${target} PRIVATE
    assay_${kind}_test assay_reference_test_support GTest::gtest_main)
  if(kind STREQUAL "controls")
    assay_tests_of_files(${target} "${reference}/${challenge}/controls/*/*")
  endif()
  set(timeout 1800)
  if(kind STREQUAL "mutants")
    # Two runs of the suite beside each other, and the longest test of all: first.
    set(schedule PROCESSORS 2 COST 1000)
  elseif(kind STREQUAL "controls")
    set(schedule COST 100)
  elseif(kind STREQUAL "seeds")
    # As long as ASSAY_TEST_SEEDS says.
    set(schedule PROCESSORS 2)
    set(timeout 21600)
  endif()
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST TEST_PREFIX ${challenge}. NO_PRETTY_VALUES
    TEST_FILTER "-*Timing*"
    PROPERTIES LABELS ${label}.${challenge} TIMEOUT ${timeout} ${schedule})
  if(kind STREQUAL "controls")
    # Times mean something only while no other test runs.
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST TEST_PREFIX ${challenge}. NO_PRETTY_VALUES
      TEST_FILTER "*Timing*" PROPERTIES LABELS times.${challenge} TIMEOUT 1800 RUN_SERIAL TRUE)
  endif()
endfunction()
