# SPDX-License-Identifier: Apache-2.0
# Functions that every CMakeLists.txt below uses.

# Most of a compilation here is reading headers, so that several sources of a layer or a test are compiled as
# one: fuzzers take 3.0 minutes of processors so, and 7.0 each source alone. The price: names of unnamed
# namespaces must differ within a target (or assay_apart), and a change compiles its neighbours too. Where code is worked on (preset dev)
# and under sanitizers each source stands alone.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(joined ON)
else()
  set(joined OFF)
endif()
option(ASSAY_JOINED "Compile several sources as one" ${joined})

# assay_join(<target>)
function(assay_join target)
  if(ASSAY_JOINED)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# assay_apart(<files>): these are compiled alone, since they name the same things as a neighbour.
function(assay_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# assay_layer(<name> SOURCES <files> HEADERS <files> [PUBLIC <targets>] [PRIVATE <targets>]
#             [FOLDER <folder>] [UNTIMED] [APART])
# One static library a harness layer, as assay::<name>. HEADERS lists the public headers: a header
# that leans on another's includes breaks the build, since each is the first include of its own
# source, or compiled alone (so layers have no precompiled headers). FOLDER is where headers are
# included from, when it is not <name>: a part of a layer. UNTIMED: nobody waits for its code.
# APART: no two of its sources are joined, since tests put functions of their own in the place of some.
function(assay_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "UNTIMED;APART" "FOLDER" "SOURCES;HEADERS;PUBLIC;PRIVATE")
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${name})
  endif()
  add_library(assay_${name} STATIC ${ARG_SOURCES})
  add_library(assay::${name} ALIAS assay_${name})
  if(NOT ARG_APART)
    assay_join(assay_${name})
  endif()
  target_include_directories(assay_${name} PUBLIC "${PROJECT_SOURCE_DIR}/harness")
  target_link_libraries(assay_${name} PUBLIC ${ARG_PUBLIC} PRIVATE assay::options ${ARG_PRIVATE})
  if(ARG_UNTIMED)
    target_compile_options(assay_${name} PRIVATE ${ASSAY_UNTIMED_FLAGS})
  endif()
  assay_check_headers(${name} "${ARG_FOLDER}" "${ARG_HEADERS}" "${ARG_SOURCES}")
endfunction()

function(assay_check_headers name folder headers sources)
  foreach(header IN LISTS headers)
    if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${header}")
      message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt lists a header that is not there: "
        "${header}. Remove it from HEADERS, or add the file.")
    endif()
  endforeach()
  if(ASSAY_JOINED)  # scripts/lint does it then.
    return()
  endif()
  set(checks)
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "\\.h$" ".cc" source "${header}")
    if(source IN_LIST sources)
      file(STRINGS "${source}" first_include REGEX "^#include" LIMIT_COUNT 1)
      if(first_include STREQUAL "#include \"${folder}/${header}\"")
        continue()
      endif()
    endif()
    string(REPLACE "/" "_" check "${header}")
    set(check "${CMAKE_CURRENT_BINARY_DIR}/header_check/${check}.cc")
    file(CONFIGURE OUTPUT "${check}" CONTENT "#include \"${folder}/${header}\"\n")
    list(APPEND checks "${check}")
  endforeach()
  if(checks)
    add_library(assay_${name}_headers OBJECT ${checks})
    target_link_libraries(assay_${name}_headers PRIVATE assay::${name} assay::options)
    target_compile_options(assay_${name}_headers PRIVATE -O0)
  endif()
endfunction()

# What nearly every test and suite includes, parsed once. g++ takes such a file only with the flags that
# it was made with, so that it serves those of assay_test_options alone. (Sanitized builds have none: with -g
# it is of one folder.)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT ASSAY_SANITIZE)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/test_headers.cc"
    CONTENT "// Has the precompiled headers of tests.\n")
  add_library(assay_test_headers OBJECT "${CMAKE_BINARY_DIR}/test_headers.cc")
  target_link_libraries(assay_test_headers PRIVATE assay::options GTest::gmock)
  # As for executables: CMake gives libraries -fPIC.
  set_target_properties(assay_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(assay_test_headers PRIVATE -fPIE ${ASSAY_UNTIMED_FLAGS})
  target_precompile_headers(assay_test_headers PRIVATE
    <gmock/gmock.h> <gtest/gtest.h> <algorithm> <array> <chrono> <cmath> <cstdint> <expected>
    <filesystem> <fstream> <functional> <map> <memory> <optional> <random> <set> <span> <sstream>
    <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>)
endif()

# assay_test_target(<executable>)
# A GoogleTest executable with GoogleTest's main.
function(assay_test_target name)
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
  assay_test_options(${name})
endfunction()

# assay_test_options(<executable>)
# What the compiler needs of an executable that uses GoogleTest: not speed.
function(assay_test_options name)
  target_compile_options(${name} PRIVATE ${ASSAY_UNTIMED_FLAGS})
  target_link_libraries(${name} PRIVATE assay::options GTest::gmock)
  if(TARGET assay_test_headers)
    target_precompile_headers(${name} REUSE_FROM assay_test_headers)
  endif()
endfunction()

# assay_test(<name> SOURCES <files> [LINK <targets>] [LABELS <labels>] [TIMEOUT <seconds>])
# One GoogleTest executable; each of its tests is one ctest test. LABELS defaults to unit.
function(assay_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "TIMEOUT" "SOURCES;LINK;LABELS")
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  assay_join(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  assay_test_target(${name})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()

# assay_tests_of_files(<test> <patterns>...)
# What the tests of each file that matches are called is asked when <test> has been linked: it is
# linked anew where a file has come or gone, else ctest would not know of it.
function(assay_tests_of_files test)
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${test}_files.txt")
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  string(JOIN "\n" files ${files})
  file(CONFIGURE OUTPUT "${list}" CONTENT "${files}\n")
  set_property(TARGET ${test} APPEND PROPERTY LINK_DEPENDS "${list}")
endfunction()

# assay_benchmark(<name> SOURCES <files> LINK <targets>)
# A program that someone runs by hand to see how fast a part of the harness is. It is built when it
# is asked for, by its name or as assay_benchmarks.
add_custom_target(assay_benchmarks)
function(assay_benchmark name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINK")
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE assay::options ${ARG_LINK})
  add_dependencies(assay_benchmarks ${name})
endfunction()

# assay_fuzzer(<name> SOURCES <files> [PARTS <files> OF <layer>] [LINK <targets>])
# LLVMFuzzerTestOneInput over something that reads hostile bytes (harness/fuzz/README.md). With
# ASSAY_FUZZ a libFuzzer executable, which scripts/fuzz runs; in every other build a test, fuzz.<name>,
# that replays harness/fuzz/corpus/<name>. PARTS is what it calls of a layer that is long to build:
# the fuzzer compiles these alone, the test links the layer.
if(ASSAY_FUZZ)
  add_custom_target(assay_fuzzers)
endif()
function(assay_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "OF" "SOURCES;PARTS;LINK")
  set(fuzz "${PROJECT_SOURCE_DIR}/harness/fuzz")
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/harness")
  if(ASSAY_FUZZ)
    target_sources(${name} PRIVATE ${ARG_PARTS})
    target_link_libraries(${name} PRIVATE assay::options ${ARG_LINK})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzzers")
    add_dependencies(assay_fuzzers ${name})
  else()
    if(NOT TARGET assay_fuzz_replay)
      add_library(assay_fuzz_replay OBJECT "${fuzz}/replay_main.cc")
      target_link_libraries(assay_fuzz_replay PRIVATE assay::options)
      target_compile_options(assay_fuzz_replay PRIVATE ${ASSAY_UNTIMED_FLAGS})
    endif()
    target_compile_options(${name} PRIVATE ${ASSAY_UNTIMED_FLAGS})
    target_link_libraries(${name} PRIVATE assay::options assay_fuzz_replay ${ARG_OF} ${ARG_LINK})
    add_test(NAME fuzz.${name} COMMAND ${name} "${fuzz}/corpus/${name}")
    set_tests_properties(fuzz.${name} PROPERTIES LABELS unit TIMEOUT 120)
  endif()
endfunction()
