// SPDX-License-Identifier: Apache-2.0
#include "cli/cell_reason.h"

#include "report/plain_text.h"
#include "report/words.h"

namespace assay {
namespace {

constexpr std::size_t kLongestReason_bytes = 300;

}  // namespace

std::string ReasonOf(const Evidence& evidence) {
  if (evidence.verdict == Verdict::kAccepted) {
    return "";
  }
  const bool built = evidence.release.verdict == Verdict::kAccepted;
  return PlainLine(Shorten(built || evidence.release.diagnostics.empty()
                               ? evidence.verdict_detail
                               : FirstErrorOf(evidence.release.diagnostics),
                           kLongestReason_bytes));
}

}  // namespace assay
