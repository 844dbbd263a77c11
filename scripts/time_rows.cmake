# SPDX-License-Identifier: Apache-2.0
# cmake -DEXPLAIN=<file> -DEVIDENCE=<file> -DOUTPUT=<file> -P time_rows.cmake
#
# Of what `assay explain --json` says of a cell, and of the cell's evidence, writes lines whose fields
# are parted by tabs: `overall`, the score and its uncertainty; for each row of time `row`, its id, its
# state, and where that is `measured` value, low and high; for each workload that was accepted
# `workload`, its name, ratio, low and high. In CMake because it reads JSON and is on every machine that
# builds Assay.
file(READ "${EXPLAIN}" explain)
file(READ "${EVIDENCE}" evidence)
string(JSON overall GET "${explain}" overall)
string(JSON uncertainty GET "${explain}" uncertainty)
set(lines "overall\t${overall}\t${uncertainty}\n")

string(JSON criteria GET "${explain}" criteria)
string(JSON count LENGTH "${criteria}")
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON criterion GET "${criteria}" ${i})
  string(JSON timed GET "${criterion}" timed)
  string(JSON id GET "${criterion}" id)
  string(JSON state GET "${criterion}" state)
  string(JSON low ERROR_VARIABLE no_interval GET "${criterion}" interval 0)
  if(timed AND (no_interval STREQUAL "NOTFOUND" OR NOT state STREQUAL "measured"))
    set(numbers "")
    if(state STREQUAL "measured")
      string(JSON value GET "${criterion}" value)
      string(JSON high GET "${criterion}" interval 1)
      set(numbers "\t${value}\t${low}\t${high}")
    endif()
    string(APPEND lines "row\t${id}\t${state}${numbers}\n")
  endif()
endforeach()

string(JSON workloads GET "${evidence}" bench workloads)
string(JSON count LENGTH "${workloads}")
math(EXPR last "${count} - 1")
foreach(i RANGE 0 ${last})
  if(count EQUAL 0)
    break()
  endif()
  string(JSON workload GET "${workloads}" ${i})
  string(JSON verdict GET "${workload}" verdict)
  if(verdict STREQUAL "accepted")
    set(line "workload")
    foreach(key name ratio ratio_low ratio_high)
      string(JSON value GET "${workload}" ${key})
      string(APPEND line "\t${value}")
    endforeach()
    string(APPEND lines "${line}\n")
  endif()
endforeach()
file(WRITE "${OUTPUT}" "${lines}")
