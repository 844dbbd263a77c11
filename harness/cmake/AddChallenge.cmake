# SPDX-License-Identifier: Apache-2.0
# add_challenge(<id> [BENCH_LINK <targets>])
#
# Everything that is built for one challenge, from what lies in its two directories:
#
#   challenges/<id>/    interface.h adapter.cc suite*.cc bench*.cc
#   reference/<id>/     baseline.cc            the implementation that speed is measured against
#                       baseline_bench.cc      times it in its own process, against the libraries
#                                              that BENCH_LINK names
#                       mutants/<bug>.cc       implementations, each with one planted bug
#                       *_test.cc              unit tests, linked with all of the below
#                       any other *.cc         the oracle
#
# Targets (output below build/<preset>/reference/<id>/):
#
#   <id>_oracle            the oracle, a library of trusted code
#   <id>_baseline          libbaseline.a; its host is baseline_host
#   <id>_mutant_<bug>      mutants/lib<bug>.a; its host is mutants/<bug>_host
#   <id>_suite, _bench     suite and bench, which drive any host
#   <id>_baseline_bench    baseline_bench
#   <id>_<x>_test          the unit tests of reference/<id>/<x>_test.cc
#
#   <id>_mutants_test      runs the suite against every mutant (label controls)
#   <id>_controls_test     grades every control (label controls)
#   <id>_signatures_test   whether signatures.json is of the sources as they are (label unit)
#
# reference/<id>/signatures.json is no target: scripts/signatures computes it, and it is committed.

function(add_challenge id)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "BENCH_LINK")
  set(challenge "${PROJECT_SOURCE_DIR}/challenges/${id}")
  set(reference "${PROJECT_SOURCE_DIR}/reference/${id}")
  set(output "${PROJECT_BINARY_DIR}/reference/${id}")

  file(GLOB tests CONFIGURE_DEPENDS "${reference}/*_test.cc")
  file(GLOB oracle CONFIGURE_DEPENDS "${reference}/*.cc")
  list(REMOVE_ITEM oracle ${tests} "${reference}/baseline.cc" "${reference}/baseline_bench.cc")
  file(GLOB mutants CONFIGURE_DEPENDS "${reference}/mutants/*.cc")
  file(GLOB suite CONFIGURE_DEPENDS "${challenge}/suite*.cc")
  file(GLOB bench CONFIGURE_DEPENDS "${challenge}/bench*.cc")

  add_library(${id}_oracle STATIC ${oracle})
  target_include_directories(${id}_oracle PUBLIC "${reference}" "${challenge}")
  target_link_libraries(${id}_oracle PRIVATE assay::options)

  assay_implementation(${id} baseline "${reference}/baseline.cc" "${output}")
  foreach(mutant IN LISTS mutants)
    cmake_path(GET mutant STEM bug)
    assay_implementation(${id} mutant_${bug} "${mutant}" "${output}/mutants")
  endforeach()

  assay_driver(${id} suite "${suite}" "${output}")
  assay_driver(${id} bench "${bench}" "${output}")

  add_executable(${id}_baseline_bench "${reference}/baseline_bench.cc")
  set_target_properties(${id}_baseline_bench PROPERTIES
    OUTPUT_NAME baseline_bench RUNTIME_OUTPUT_DIRECTORY "${output}")
  target_include_directories(${id}_baseline_bench PRIVATE "${reference}" "${challenge}")
  target_link_libraries(${id}_baseline_bench PRIVATE
    assay::host_options benchmark::benchmark Eigen3::Eigen Threads::Threads ${ARG_BENCH_LINK})

  foreach(test IN LISTS tests)
    cmake_path(GET test STEM name)
    assay_test(${id}_${name} SOURCES "${test}" LINK ${id}_oracle ${id}_baseline Eigen3::Eigen)
  endforeach()

  foreach(kind mutants controls)
    assay_reference_test(${id} ${kind} controls)
    add_dependencies(${id}_${kind}_test assay_all)
  endforeach()
  assay_reference_test(${id} signatures unit)
endfunction()

# assay_reference_test(<challenge> <mutants|controls|signatures> <label>)
# reference/<kind>_test.cc for one challenge. Its tests are found when they are run, so that a new
# control needs no build.
function(assay_reference_test challenge kind label)
  set(target ${challenge}_${kind}_test)
  add_executable(${target} "${PROJECT_SOURCE_DIR}/reference/${kind}_test.cc"
    "${PROJECT_SOURCE_DIR}/reference/reference_test_support.cc")
  target_compile_definitions(${target} PRIVATE
    ASSAY_TEST_CHALLENGE="${challenge}"
    ASSAY_TEST_ROOT="${PROJECT_SOURCE_DIR}"
    ASSAY_TEST_BUILD="${PROJECT_BINARY_DIR}")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/reference")
  target_link_libraries(${target} PRIVATE
    assay::options assay::exec assay::grade assay::score fmt::fmt GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST TEST_PREFIX ${challenge}.
    TEST_FILTER "-*Timing*" PROPERTIES LABELS ${label} TIMEOUT 900)
  # Times mean something only while no other test runs.
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST TEST_PREFIX ${challenge}.
    TEST_FILTER "*Timing*" PROPERTIES LABELS ${label} TIMEOUT 900 RUN_SERIAL TRUE)
endfunction()

# assay_implementation(<challenge> <name> <source> <output directory>)
# One implementation of interface.h, built as a submission is: a static library for programs that
# link it, and a host. The file names leave out the prefix `mutant_`.
function(assay_implementation challenge name source output)
  set(target ${challenge}_${name})
  string(REGEX REPLACE "^mutant_" "" file_name "${name}")
  add_library(${target} STATIC "${source}")
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${file_name} ARCHIVE_OUTPUT_DIRECTORY "${output}")
  target_include_directories(${target} PRIVATE
    "${PROJECT_SOURCE_DIR}/challenges/${challenge}" "${PROJECT_SOURCE_DIR}/reference/${challenge}")
  target_link_libraries(${target} PRIVATE assay::host_options PUBLIC Threads::Threads)

  # Objects, not the library: the adapter's references are weak, and pull nothing from an archive.
  add_executable(${target}_host
    "${PROJECT_SOURCE_DIR}/challenges/${challenge}/adapter.cc" $<TARGET_OBJECTS:${target}>)
  set_target_properties(${target}_host PROPERTIES
    OUTPUT_NAME ${file_name}_host RUNTIME_OUTPUT_DIRECTORY "${output}")
  target_include_directories(${target}_host PRIVATE
    "${PROJECT_SOURCE_DIR}/challenges/${challenge}" "${PROJECT_SOURCE_DIR}/harness")
  target_link_libraries(${target}_host PRIVATE assay::host_options assay::host Threads::Threads)
  add_dependencies(assay_all ${target}_host ${target})
endfunction()

# assay_driver(<challenge> <suite|bench> <sources> <output directory>)
# Trusted code that drives hosts: it may see the oracle, and no implementation.
function(assay_driver challenge kind sources output)
  add_executable(${challenge}_${kind} ${sources})
  set_target_properties(${challenge}_${kind} PROPERTIES
    OUTPUT_NAME ${kind} RUNTIME_OUTPUT_DIRECTORY "${output}")
  target_link_libraries(${challenge}_${kind} PRIVATE
    assay::options assay::${kind}_main ${challenge}_oracle GTest::gmock)
  add_dependencies(assay_all ${challenge}_${kind})
endfunction()
