# SPDX-License-Identifier: Apache-2.0
# cmake -DNPM= -DMODE=AUTO|ON -DSOURCE= -DFILES=<relative to it> -DWORK= -DPAGE= -P build_page.cmake
#
# Builds the page in PAGE. The sources are copied to WORK, where npm puts its packages, so that nothing
# is written beside the sources. Where npm cannot fetch them MODE AUTO goes on without the page, since
# nothing else needs it; the next build tries again.

file(REMOVE_RECURSE "${WORK}/src" "${WORK}/tests")
foreach(file IN LISTS FILES)
  cmake_path(GET file PARENT_PATH folder)
  file(COPY "${SOURCE}/${file}" DESTINATION "${WORK}/${folder}")
endforeach()

function(run_npm)
  execute_process(COMMAND "${NPM}" ${ARGN} WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE status
    OUTPUT_VARIABLE out ERROR_VARIABLE out)
  set(status "${status}" PARENT_SCOPE)
  set(out "${out}" PARENT_SCOPE)
endfunction()

# What is installed is known by the lock that it was installed from.
file(SHA256 "${SOURCE}/package-lock.json" lock)
set(installed "${WORK}/node_modules/.of_lock_${lock}")
if(NOT EXISTS "${installed}")
  run_npm(ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=30000)
  if(NOT status EQUAL 0)
    string(STRIP "${out}" out)
    set(what "npm could not fetch what the page of `assay site` is made of:\n${out}")
    if(MODE STREQUAL "ON")
      message(FATAL_ERROR "${what}")
    endif()
    message(NOTICE "${what}\nEverything else is built; with a network, scripts/build release assay_site "
      "builds the page.")
    return()
  endif()
  file(TOUCH "${installed}")
endif()

# Never half a page: a build that fails leaves the one before.
file(REMOVE_RECURSE "${PAGE}.new")
foreach(step "run;check" "run;build;--;${PAGE}.new")
  run_npm(${step})
  if(NOT status EQUAL 0)
    list(JOIN step " " words)
    message(FATAL_ERROR "npm ${words}:\n${out}")
  endif()
endforeach()
file(REMOVE_RECURSE "${PAGE}")
file(RENAME "${PAGE}.new" "${PAGE}")
