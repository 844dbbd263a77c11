// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_PROGRESS_H_
#define ASSAY_GRADE_PROGRESS_H_

#include <string_view>

namespace assay {

/// The steps of grading one cell, in their order;
/// steps that need others are left out where these failed.
enum class GradePhase {
  kBuild,
  kSuite,
  kBench,
  kSanitizedSuite,
  kSecondBench,
  kOwnTests,
  kThirdBench,
  kFurtherBench,  ///< Up to twice, where the controls of the first three were too noisy.
  kStatics
};
inline constexpr int kGradePhases = 9;

/// `build`, `suite`, `bench 1 of 3`, `sanitized suite`, `bench 2 of 3`, `own tests`, `bench 3 of
/// 3`, `bench once more, for noise`, `reading`.
[[nodiscard]] std::string_view ToString(GradePhase phase);

/// Hears how far grading has come. PhaseStarted is called from the thread that grades; CaseDone may
/// be from another, while that waits, and is never called twice at once.
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
