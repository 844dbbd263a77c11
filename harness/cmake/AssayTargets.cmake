# SPDX-License-Identifier: Apache-2.0
# Functions that every CMakeLists.txt below uses.

# assay_layer(<name> SOURCES <files> HEADERS <files> [PUBLIC <targets>] [PRIVATE <targets>]
#             [FOLDER <folder>])
# One static library a harness layer, as assay::<name>. HEADERS lists the public headers: a header
# that leans on another's includes breaks the build, since each is the first include of its own
# source, or compiled alone. FOLDER is where headers are included from, when it is not <name>: a
# part of a layer.
function(assay_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "FOLDER" "SOURCES;HEADERS;PUBLIC;PRIVATE")
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${name})
  endif()
  add_library(assay_${name} STATIC ${ARG_SOURCES})
  add_library(assay::${name} ALIAS assay_${name})
  target_include_directories(assay_${name} PUBLIC "${PROJECT_SOURCE_DIR}/harness")
  target_link_libraries(assay_${name} PUBLIC ${ARG_PUBLIC} PRIVATE assay::options ${ARG_PRIVATE})
  assay_check_headers(${name} "${ARG_FOLDER}" "${ARG_HEADERS}" "${ARG_SOURCES}")
endfunction()

function(assay_check_headers name folder headers sources)
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
  target_link_libraries(${name} PRIVATE assay::options ${ARG_LINK} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()

# assay_fuzzer(<name> SOURCES <files> LINK <targets>)
# One libFuzzer executable, when ASSAY_FUZZ is on. Run it with a folder that keeps what it finds.
function(assay_fuzzer name)
  if(NOT ASSAY_FUZZ)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINK")
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE assay::options ${ARG_LINK})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()
