# SPDX-License-Identifier: Apache-2.0
# cmake -DASSAY= -DROOT= -DNPM= -DCHROMIUM= -DWORK= -DPAGE= -DSITE= -P test_page.cmake
#
# Makes the site of the evidence in ROOT, and tests the page in a browser with it. Where the page was not
# built, since npm could not fetch its packages (ASSAY_SITE=AUTO), there is nothing to test.

if(NOT EXISTS "${PAGE}/index.html")
  message("skipped: the page was not built")
  return()
endif()
set(ENV{PAGE} "${PAGE}")
set(ENV{SITE} "${SITE}")
set(ENV{CHROMIUM} "${CHROMIUM}")
foreach(command "${ASSAY};--root;${ROOT};site;${SITE}" "${NPM};test")
  execute_process(COMMAND ${command} WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
