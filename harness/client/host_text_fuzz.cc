// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever a host prints, what is kept of it as a sanitizer's finding is a short line.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "client/results.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using assay::fuzz::Require;
  const std::string_view output = assay::fuzz::FuzzInput(data, size).Rest();
  const auto check_line = [](const std::string& line) {
    Require(line.size() <= assay::kLongestDetail_bytes, "a line is limited");
    Require(std::ranges::none_of(line, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }),
            "a line holds no control characters");
    Require(assay::OneLine(line) == line, "one line stays as it is");
  };
  check_line(assay::OneLine(output));
  const std::vector<std::string> findings = assay::SanitizerFindings(output);
  Require(findings.size() <= 20, "findings are limited");
  std::ranges::for_each(findings, check_line);
  return 0;
}
