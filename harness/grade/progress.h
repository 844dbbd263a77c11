// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_PROGRESS_H_
#define ASSAY_GRADE_PROGRESS_H_

#include <string_view>

namespace assay {

/// The steps of grading one cell, in their order.
enum class GradePhase { kBuild, kSuite, kBench, kSanitizedSuite, kOwnTests, kStatics };
inline constexpr int kGradePhases = 6;

/// `build`, `suite`, `bench`, `sanitized suite`, `own tests`, `reading`.
[[nodiscard]] std::string_view ToString(GradePhase phase);

/// Hears how far grading has come. Called from the thread that grades.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void PhaseStarted(GradePhase phase) = 0;
  /// `done` of `total` cases or samples of the current phase; `name` is the one that ended last.
  virtual void CaseDone(int done, int total, std::string_view name) = 0;
};

/// Hears nothing.
class NoProgress : public ProgressSink {
 public:
  void PhaseStarted(GradePhase /*phase*/) override {}
  void CaseDone(int /*done*/, int /*total*/, std::string_view /*name*/) override {}
};

}  // namespace assay

#endif  // ASSAY_GRADE_PROGRESS_H_
