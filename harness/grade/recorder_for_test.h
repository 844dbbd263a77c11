// SPDX-License-Identifier: Apache-2.0
// What the tests of run_suite and suite_processes share.
#ifndef ASSAY_GRADE_RECORDER_FOR_TEST_H_
#define ASSAY_GRADE_RECORDER_FOR_TEST_H_

#include <string>
#include <string_view>
#include <vector>

#include "grade/progress.h"

namespace assay {

/// Keeps what it hears of cases: `1/2 Edge.Nan`.
class Recorder : public ProgressSink {
 public:
  void PhaseStarted(GradePhase /*phase*/) override {}
  void CaseDone(int done, int total, std::string_view name) override {
    heard.push_back(std::to_string(done) + "/" + std::to_string(total) + " " + std::string(name));
  }
  std::vector<std::string> heard;
};

}  // namespace assay

#endif  // ASSAY_GRADE_RECORDER_FOR_TEST_H_
