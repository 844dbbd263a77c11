# SPDX-License-Identifier: Apache-2.0
# cmake -DEXPLAIN=<file> -DEVIDENCE=<file> -DOUTPUT=<file> -P score_rows.cmake
#
# Of what `assay explain --json` says of a cell, and of the cell's evidence, writes lines whose fields
# are parted by tabs: `verdict`, `overall`, `sandbox_level`, `seed`, `compiler` and their values, then for
# each criterion `row`, its id, `timed`, `emulated` (kind gpu: it depends on the code that nvcc makes) or
# `measured`, its state and its score. In CMake because it reads
# JSON and is on every machine that builds Assay.
file(READ "${EXPLAIN}" explain)
file(READ "${EVIDENCE}" evidence)
string(JSON verdict GET "${explain}" verdict)
string(JSON overall GET "${explain}" overall)
string(JSON level GET "${evidence}" environment sandbox_level)
string(JSON seed GET "${evidence}" environment seed)
string(JSON compiler GET "${evidence}" environment compiler)
set(lines "verdict\t${verdict}\noverall\t${overall}\nsandbox_level\t${level}\nseed\t${seed}\n")
string(APPEND lines "compiler\t${compiler}\n")

string(JSON criteria GET "${explain}" criteria)
string(JSON count LENGTH "${criteria}")
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON criterion GET "${criteria}" ${i})
  string(JSON id GET "${criterion}" id)
  string(JSON state GET "${criterion}" state)
  string(JSON score GET "${criterion}" score)
  string(JSON timed GET "${criterion}" timed)
  string(JSON criterion_kind GET "${criterion}" kind)
  set(kind measured)
  if(timed)
    set(kind timed)
  elseif(criterion_kind STREQUAL "gpu")
    set(kind emulated)
  endif()
  string(APPEND lines "row\t${id}\t${kind}\t${state}\t${score}\n")
endforeach()
file(WRITE "${OUTPUT}" "${lines}")
