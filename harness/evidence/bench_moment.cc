// SPDX-License-Identifier: Apache-2.0
#include "evidence/bench_moment.h"

namespace assay {

std::string_view ToString(BenchMoment moment) {
  switch (moment) {
    case BenchMoment::kSuite:
      return "suite";
    case BenchMoment::kSanitizedSuite:
      return "sanitized_suite";
    case BenchMoment::kOwnTests:
      return "own_tests";
  }
  return "suite";
}

std::optional<BenchMoment> BenchMomentFromString(std::string_view text) {
  for (const BenchMoment moment :
       {BenchMoment::kSuite, BenchMoment::kSanitizedSuite, BenchMoment::kOwnTests}) {
    if (text == ToString(moment)) {
      return moment;
    }
  }
  return std::nullopt;
}

}  // namespace assay
