// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever a compiler prints of a hostile source, what is kept of it is bounded, and
// names no path of this machine.
//
// Input: texts that end with NUL; each is the output for one source.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "build/diagnostics.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using assay::fuzz::Require;
  assay::fuzz::FuzzInput input(data, size);
  std::vector<std::string> outputs;
  while (!input.empty()) {
    outputs.emplace_back(input.Until('\0'));
  }
  const int warnings = assay::CountWarnings(outputs);
  Require(warnings >= 0 && static_cast<std::size_t>(warnings) <= size, "a warning is a line");
  std::vector<std::string> twice = outputs;
  twice.insert(twice.end(), outputs.begin(), outputs.end());
  Require(assay::CountWarnings(twice) == warnings, "a line counts once");

  constexpr std::size_t kLimit_bytes = 100;
  constexpr std::size_t kNote_bytes = 50;  // `[N more bytes]`.
  for (const std::string& output : outputs) {
    Require(assay::FirstDiagnostics(output, kLimit_bytes).size() <= kLimit_bytes + kNote_bytes,
            "diagnostics are limited");
    const std::string clean =
        assay::ReplacePaths(output, {{"/ho", "<home>"}, {"/ho/b", "<build>"}, {"/b", "<b>"}});
    Require(clean.find("/ho") == std::string::npos, "a path that is replaced is gone");
  }
  return 0;
}
