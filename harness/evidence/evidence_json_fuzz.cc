// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever text is read as evidence, or as the results of a run, what was read is
// written and read again without a change.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/text.h"
#include "evidence/json.h"
#include "fuzz/fuzz_input.h"

namespace {

template <class Read, class Write>
void Check(std::string_view text, Read read, Write write) {
  const auto value = read(text, "x.json");
  if (!value) {
    const std::string& cause = value.error().cause;
    assay::fuzz::Require(value.error().where == "x.json" && !cause.empty() && cause.size() < 1000,
                         "an error names the file and, in short, the cause");
    assay::fuzz::Require(std::ranges::all_of(cause, assay::IsPrintableAscii),
                         "an error can be printed");
    return;
  }
  const std::string written = write(*value);
  const auto again = read(written, "x.json");
  assay::fuzz::Require(again.has_value(), "what was written can be read");
  // As text: NaN is not equal to itself.
  assay::fuzz::Require(write(*again) == written, "what was written is read without a change");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = assay::fuzz::FuzzInput(data, size).Rest();
  Check(text, assay::EvidenceFromJson, assay::EvidenceToJson);
  Check(text, assay::RunResultsFromJson, assay::RunResultsToJson);
  return 0;
}
