// SPDX-License-Identifier: Apache-2.0
// Run by the build when all of a challenge is linked (cmake/AssayInputs.cmake).
#include <cstdio>
#include <exception>

#include "exec/build_stamp.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: assay_stamp_inputs CHALLENGE REPOSITORY INPUTS_FOLDER\n", stderr);
    return 2;
  }
  try {
    const auto written = assay::WriteBuildStamp({.folder = argv[3], .sources = argv[2]}, argv[1]);
    if (!written) {
      std::fprintf(stderr, "assay_stamp_inputs: %s\n", ToString(written.error()).c_str());
      return 1;
    }
    return 0;
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "assay_stamp_inputs: %s\n", exception.what());
    return 1;
  }
}
