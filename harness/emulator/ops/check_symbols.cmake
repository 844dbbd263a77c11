# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=<nm> -DISA=<namespace> -DOBJECTS=<a|b|...> -P check_symbols.cmake
#
# Fails when an object that was compiled for wide vectors defines a weak function outside the
# namespace of its instruction set: the linker keeps one copy of such a function for the whole
# program, and might keep the one that a narrow machine cannot run.
string(REPLACE "|" ";" objects "${OBJECTS}")
set(leaks)
foreach(object IN LISTS objects)
  execute_process(COMMAND "${NM}" -C --defined-only "${object}"
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "," symbols "${symbols}")
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    if(symbol MATCHES "^[0-9a-f]+ W (.*)$" AND NOT symbol MATCHES "assay::gpu::${ISA}::")
      string(APPEND leaks "\n${object}: ${CMAKE_MATCH_1}")
    endif()
  endforeach()
endforeach()
if(leaks)
  message(FATAL_ERROR "weak functions outside assay::gpu::${ISA}; make each of them "
    "ASSAY_GPU_INLINE, or move what needs it to a source that is compiled once:${leaks}")
endif()
