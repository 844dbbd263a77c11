# SPDX-License-Identifier: Apache-2.0
# The one place for compiler flags. INTERFACE targets:
#   assay::options       for trusted code: warnings as errors, and the preset's sanitizers
#   assay::host_options  for code that runs inside the sandbox: the flags of a graded release
#                        build and never a sanitizer, whatever preset builds the harness; with
#                        ASSAY_PORTABLE for any machine, and assay::wide_host_options for those with
#                        AVX-512; assay::mutant_options for what no one times

set(ASSAY_SANITIZE "" CACHE STRING "Sanitizers for trusted code, e.g. address,undefined")

# Preset fuzz: libFuzzer is clang's.
option(ASSAY_FUZZ "Build the fuzzers, and instrument what they call" OFF)

# Submissions, baselines and mutants are all compiled with exactly these flags, so that a
# difference in time is a difference in code. The build layer gets them as definitions.
set(ASSAY_RELEASE_FLAGS -std=c++20 -O3 -march=native)
# Not vptr: it asks through a pipe whether memory can be read, which the sandbox refuses, and then
# takes every object with virtual functions for none.
set(ASSAY_SANITIZED_FLAGS -std=c++20 -O1 -g -march=native -fno-omit-frame-pointer
  -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all)

# A package is built on another machine than it grades on. Submissions are compiled there, with
# -march=native as ever; what is prebuilt beside them is for any x86-64-v3, and what is timed also
# for x86-64-v4.
option(ASSAY_PORTABLE "Prebuilt code for any machine of x86-64-v3, not for this one" OFF)
set(ASSAY_PREBUILT_FLAGS ${ASSAY_RELEASE_FLAGS})
if(ASSAY_PORTABLE)
  # Highway would ask for AES, which is no part of these levels and which nothing here uses.
  list(TRANSFORM ASSAY_PREBUILT_FLAGS REPLACE "^-march=native$"
    "-march=x86-64-v3;-DHWY_DISABLE_PCLMUL_AES")
  string(REPLACE "x86-64-v3" "x86-64-v4" ASSAY_WIDE_PREBUILT_FLAGS "${ASSAY_PREBUILT_FLAGS}")
endif()

# .cu sources of submissions, baselines and mutants: machine code, for its count of registers, and
# PTX, which the emulated GPU runs, with line numbers; the runtime is ours. C++17: nvcc 11.8, Debian's,
# knows no later one.
set(ASSAY_NVCC_FLAGS -std=c++17 -O3 -lineinfo -cudart none -arch=sm_80 -ccbin /usr/bin/g++)

set(ASSAY_WARNING_FLAGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Werror
  -Wno-psabi  # Nothing is linked with objects of g++ 4.5.
  -Wno-restrict)  # g++ 12 sees overlaps in std::string's operator+ that are not there (PR 105651)

add_library(assay_options INTERFACE)
add_library(assay::options ALIAS assay_options)
target_compile_features(assay_options INTERFACE cxx_std_23)
target_compile_options(assay_options INTERFACE ${ASSAY_WARNING_FLAGS})
if(ASSAY_SANITIZE)
  target_compile_options(assay_options INTERFACE -fsanitize=${ASSAY_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(assay_options INTERFACE -fsanitize=${ASSAY_SANITIZE})
endif()

if(ASSAY_FUZZ)
  set(sanitizers address,undefined,float-cast-overflow)
  target_compile_options(assay_options INTERFACE -O1 -gline-tables-only -fno-omit-frame-pointer
    -fsanitize=fuzzer-no-link,${sanitizers} -fno-sanitize-recover=all
    -Wno-unknown-warning-option)  # The warning flags are g++'s.
  target_link_options(assay_options INTERFACE -fsanitize=${sanitizers})
endif()

# assay_prebuilt_options(<name> <flags>)
function(assay_prebuilt_options name)
  add_library(assay_${name} INTERFACE)
  add_library(assay::${name} ALIAS assay_${name})
  # Without it CMake appends its own default standard behind ours.
  target_compile_features(assay_${name} INTERFACE cxx_std_20)
  target_compile_options(assay_${name} INTERFACE ${ARGN} ${ASSAY_WARNING_FLAGS})
endfunction()
assay_prebuilt_options(host_options ${ASSAY_PREBUILT_FLAGS})
if(ASSAY_PORTABLE)
  assay_prebuilt_options(wide_host_options ${ASSAY_WIDE_PREBUILT_FLAGS})
endif()

# Mutants are run for their verdicts. A product and a sum become one instruction as in the baseline,
# so that their numbers differ from its by the bug alone. From a precompiled header g++ 12 warns of what
# its own vector instructions leave undefined on purpose.
assay_prebuilt_options(mutant_options ${ASSAY_PREBUILT_FLAGS} -O1 -fexpensive-optimizations)
target_compile_options(assay_mutant_options INTERFACE -Wno-uninitialized -Wno-maybe-uninitialized
  -fno-rtti)  # Names of types would tell own tests what they are linked with.

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# What is not timed, in a release build: tests, and layers that wait for others (spec, cli, …). A
# third of the time that -O3 takes to compile. In other builds the flags are the preset's.
# At -O1 g++ 12 has more false alarms about std::string's operator+ (see -Wno-restrict above).
set(ASSAY_UNTIMED_FLAGS $<$<CONFIG:Release>:-O1> $<$<CONFIG:Release>:-Wno-array-bounds>
  $<$<CONFIG:Release>:-Wno-stringop-overflow> $<$<CONFIG:Release>:-Wno-stringop-overread>)

# g++ collects garbage below this heap size, in kB, a tenth of the time that a file takes. Its largest
# heap here is 0.9 GB then, and was 0.7 GB.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1000000>)

# The same sources in another checkout are the same compilation, and precompiled headers are trusted
# by their contents; how much memory g++ may use changes no object. Set here, so that any way to build
# has it.
find_program(ASSAY_CCACHE ccache)
if(ASSAY_CCACHE)
  set(ASSAY_CCACHE env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_IGNOREOPTIONS=--param=ggc-* ${ASSAY_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ASSAY_CCACHE})
endif()
