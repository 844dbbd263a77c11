# SPDX-License-Identifier: Apache-2.0
# Every dependency is a Debian package; scripts/setup installs what is missing.
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(hwy REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(ARCHIVE REQUIRED IMPORTED_TARGET libarchive)
include(GoogleTest)

# What is timed by hand, beside the libraries that baselines are compared with: no grading and no
# test needs it, so a machine without them configures. libdnnl-dev only recommends the OpenCL that
# its CMake file asks for; scripts/setup --benchmarks installs both.
option(ASSAY_BENCHMARKS "Build the benchmarks that no grading needs (scripts/setup --benchmarks)" OFF)
if(ASSAY_BENCHMARKS)
  find_package(dnnl REQUIRED)
endif()
