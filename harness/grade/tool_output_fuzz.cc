// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever cloc and clang-tidy print, what is read from it are counts that lines of a
// submission can have.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/fuzz_input.h"
#include "grade/tool_output.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using assay::fuzz::Require;
  const std::string_view text = assay::fuzz::FuzzInput(data, size).Rest();
  if (const auto lines = assay::ParseLineCounts(text)) {
    std::int64_t total = 0;
    for (const auto& [file, count] : *lines) {
      Require(count >= 0, "a file has a count");
      total += count;
    }
    Require(total <= std::int64_t{16} << 20, "no more lines than a submission has bytes");
  }
  const assay::FunctionMeasures worst = assay::ParseFunctionMeasures(text);
  Require(worst.longest_lines >= 0 && worst.cognitive_complexity >= 0, "measures are counts");
  const std::string respelt = assay::WithoutSuppressions(std::string(text));
  Require(respelt.size() == text.size() && respelt.find("NOLINT") == std::string::npos,
          "suppressions are respelt in as many bytes");
  return 0;
}
