// SPDX-License-Identifier: Apache-2.0
#include "grade/progress.h"

namespace assay {

std::string_view ToString(GradePhase phase) {
  switch (phase) {
    case GradePhase::kBuild:
      return "build";
    case GradePhase::kSuite:
      return "suite";
    case GradePhase::kSanitizedSuite:
      return "sanitized suite";
    case GradePhase::kBench:
      return "bench 1 of 3";
    case GradePhase::kSecondBench:
      return "bench 2 of 3";
    case GradePhase::kThirdBench:
      return "bench 3 of 3";
    case GradePhase::kFurtherBench:
      return "bench once more, for noise";
    case GradePhase::kOwnTests:
      return "own tests";
    case GradePhase::kStatics:
      return "reading";
  }
  return "";
}

}  // namespace assay
