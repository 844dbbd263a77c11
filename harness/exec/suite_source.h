// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_SUITE_SOURCE_H_
#define ASSAY_EXEC_SUITE_SOURCE_H_

#include <map>
#include <string>
#include <string_view>

#include "score/signatures.h"

namespace assay {

/// A source of a suite as clang-format leaves it: each case begins with its macro and ends with a
/// `}`, both at the start of a line.
struct SuiteSource {
  SuiteFileDigests digests;
  /// The case whose macro stands in a line (from 1), as its macro names it: `Edge.NanInX`.
  std::map<int, std::string> case_at_line;
  bool operator==(const SuiteSource&) const = default;
};

/// What the cases of a source are, and what all else in it is: SHA-256 each, without lines that are
/// comments or blank. A case that another macro makes belongs to all else.
[[nodiscard]] SuiteSource ReadSuiteSource(std::string_view text);

}  // namespace assay

#endif  // ASSAY_EXEC_SUITE_SOURCE_H_
