# SPDX-License-Identifier: Apache-2.0
# `cmake --install` and `cpack`: what grading needs, and no sources of what is linked. The layout below
# <prefix>/lib/assay is the build tree's and that below <prefix>/share/assay the repository's, so that
# harness/grade/installation.* has one name for each part. scripts/package makes the package.

# scripts/package builds assay_package, and tests are no part of that.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

set(parts lib/assay)
set(data share/assay)
set(maintainer "Assay maintainers <maintainers@assay.invalid>")

install(TARGETS assay RUNTIME DESTINATION bin COMPONENT assay)
install(TARGETS assay_sandbox_init RUNTIME DESTINATION ${parts}/harness/sandbox COMPONENT assay)
install(TARGETS assay_host ARCHIVE DESTINATION ${parts}/harness/host COMPONENT assay)
if(TARGET assay_cuda_host)
  install(TARGETS assay_cuda_host ARCHIVE DESTINATION ${parts}/harness/cudart COMPONENT assay)
  install(TARGETS assay_cudart LIBRARY DESTINATION ${parts}/lib COMPONENT assay)
endif()

# What an adapter may include (harness/build/build_host.cc stages it).
foreach(layer host wire gpu/adapter)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/harness/${layer}/"
    DESTINATION ${data}/harness/${layer} COMPONENT assay
    FILES_MATCHING PATTERN "*.h" PATTERN testhosts EXCLUDE)
endforeach()

get_property(challenges GLOBAL PROPERTY ASSAY_CHALLENGES)
foreach(id IN LISTS challenges)
  get_property(implementations GLOBAL PROPERTY ASSAY_IMPLEMENTATIONS_OF_${id})
  install(TARGETS ${id}_suite ${id}_bench
    RUNTIME DESTINATION ${parts}/reference/${id} COMPONENT assay)
  # Of a mutant only the library: its host serves the making of signatures, which needs a checkout.
  foreach(target IN LISTS implementations)
    if(target MATCHES "^${id}_baseline(_v4)?_host$")
      install(TARGETS ${target} RUNTIME DESTINATION ${parts}/reference/${id} COMPONENT assay)
    elseif(target STREQUAL "${id}_baseline_as_mutant")
      install(TARGETS ${target} ARCHIVE DESTINATION ${parts}/reference/${id} COMPONENT assay)
    elseif(target MATCHES "^${id}_mutant_" AND NOT target MATCHES "_host$")
      install(TARGETS ${target} ARCHIVE DESTINATION ${parts}/reference/${id}/mutants
        COMPONENT assay)
    endif()
  endforeach()
  install(FILES "${PROJECT_BINARY_DIR}/inputs/${id}.digests"
    DESTINATION ${parts}/inputs COMPONENT assay)

  set(challenge "${PROJECT_SOURCE_DIR}/challenges/${id}")
  set(reference "${PROJECT_SOURCE_DIR}/reference/${id}")
  install(FILES "${challenge}/PROMPT.md" "${challenge}/challenge.yaml" "${challenge}/rubric.yaml"
      "${challenge}/interface.h" "${challenge}/adapter.cc" "${challenge}/bench.cc"
    DESTINATION ${data}/challenges/${id} COMPONENT assay)
  # The baseline is compiled where it grades, to see that the machine can.
  file(GLOB baseline CONFIGURE_DEPENDS "${reference}/baseline.c[cu]" "${reference}/*.h"
    "${reference}/*.cuh")
  install(FILES ${baseline} "${reference}/signatures.json" "${reference}/mutants.yaml"
    DESTINATION ${data}/reference/${id} COMPONENT assay)
  if(EXISTS "${PROJECT_SOURCE_DIR}/reports/anchors/${id}")
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/reports/anchors/${id}"
      DESTINATION ${data}/reports/anchors COMPONENT assay)
  endif()
endforeach()

# What `assay init` writes for CI.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scripts/ci/init/"
  DESTINATION ${data}/scripts/ci/init COMPONENT assay)

# The page of `assay site`, where this machine builds it.
if(TARGET assay_site)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/harness/site/page"
    DESTINATION ${parts}/harness/site COMPONENT assay OPTIONAL)
endif()

# --- what people read ---------------------------------------------------------------------------
# Made by the program itself from the options that it parses, so that they say what it does.
set(generated "${PROJECT_BINARY_DIR}/package")
file(MAKE_DIRECTORY "${generated}")
find_program(ASSAY_GZIP gzip REQUIRED)
function(assay_printed file)
  add_custom_command(OUTPUT "${generated}/${file}"
    COMMAND assay ${ARGN} > "${generated}/${file}" DEPENDS assay VERBATIM
    COMMENT "Writing ${file}")
  set(printed ${printed} "${generated}/${file}" PARENT_SCOPE)
endfunction()
# As Debian wants it: the same bytes from the same text.
function(assay_compressed file source)
  add_custom_command(OUTPUT "${generated}/${file}"
    COMMAND "${ASSAY_GZIP}" -9nc "${source}" > "${generated}/${file}" DEPENDS "${source}" VERBATIM
    COMMENT "Writing ${file}")
  set(printed ${printed} "${generated}/${file}" PARENT_SCOPE)
endfunction()
set(printed)
assay_printed(assay.bash completion bash)
assay_printed(_assay completion zsh)
assay_printed(assay.fish completion fish)
assay_printed(assay.1 manual)
assay_compressed(assay.1.gz "${generated}/assay.1")
assay_compressed(CHANGELOG.md.gz "${PROJECT_SOURCE_DIR}/CHANGELOG.md")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # Of SOURCE_DATE_EPOCH where that is set.
file(CONFIGURE OUTPUT "${generated}/changelog" @ONLY CONTENT
"assay (@PROJECT_VERSION@) unstable; urgency=medium

  * CHANGELOG.md.gz beside this file says what changed.

 -- ${maintainer}  ${date}
")
assay_compressed(changelog.gz "${generated}/changelog")

install(FILES "${generated}/assay.1.gz" DESTINATION share/man/man1 COMPONENT assay)
install(FILES "${generated}/assay.bash" RENAME assay
  DESTINATION share/bash-completion/completions COMPONENT assay)
install(FILES "${generated}/_assay" DESTINATION share/zsh/vendor-completions COMPONENT assay)
install(FILES "${generated}/assay.fish" DESTINATION share/fish/vendor_completions.d COMPONENT assay)
set(debian "${PROJECT_SOURCE_DIR}/harness/cmake/debian")
install(FILES "${debian}/copyright" "${generated}/CHANGELOG.md.gz" "${generated}/changelog.gz"
  DESTINATION share/doc/assay COMPONENT assay)
install(FILES "${debian}/lintian-overrides" RENAME assay
  DESTINATION share/lintian/overrides COMPONENT assay)

# All that is installed and no more: scripts/package builds it.
add_custom_target(assay_package DEPENDS ${printed})
add_dependencies(assay_package assay_all)
if(TARGET assay_site)
  add_dependencies(assay_package assay_site)
endif()

# --- the package --------------------------------------------------------------------------------
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME assay)
set(CPACK_PACKAGE_VENDOR "Assay")
set(CPACK_PACKAGE_CONTACT "${maintainer}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "grades the code that language models write")
set(CPACK_PACKAGE_DESCRIPTION
"Builds submissions in C++ and CUDA in a sandbox, tests them against an oracle,
times them against a baseline, reads them, and writes scoreboards, tables of
each challenge and matchups as markdown. CUDA runs on an emulated GPU, which
checks every access and counts every byte; no GPU is needed.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
  GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL assay)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What grading runs or compiles with: of the -dev packages the baselines, and hosts of CUDA.
set(CPACK_DEBIAN_PACKAGE_DEPENDS
  "g++, bubblewrap, cloc, clang-tidy-19, patch, libhwy-dev, libfmt-dev, libzstd-dev, liblz4-dev")
# CUDA is not free software, and 2 GB: without it all but the challenges in CUDA is graded. Signatures
# of evidence need openssh-client, pull requests git, pictures gnuplot.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "nvidia-cuda-toolkit, nvidia-cuda-toolkit-gcc, openssh-client, git, gnuplot-nox")
include(CPack)
