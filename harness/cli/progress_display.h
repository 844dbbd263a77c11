// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_PROGRESS_DISPLAY_H_
#define ASSAY_CLI_PROGRESS_DISPLAY_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/progress.h"
#include "exec/executor.h"

namespace assay {

/// Shows a run on the error stream: on a terminal one line drawn over and over, elsewhere one line
/// a phase. Both end each cell with a line that stays.
class ProgressDisplay : public RunObserver {
 public:
  ProgressDisplay(Console& console, ProgressStyle style, const std::vector<PlannedCell>& plan);
  ~ProgressDisplay() override;
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void CellStarted(std::size_t index, const PlannedCell& cell) override;
  /// What the line that ends the cell in progress says besides its verdict.
  void SetReason(std::string reason) { reason_ = std::move(reason); }
  void CellRetried(const Error& error) override;
  void CellEnded(const CellOutcome& outcome) override;
  void PhaseStarted(GradePhase phase) override;
  void CaseDone(int done, int total, std::string_view name) override;

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool IsDrawn() const;
  void Say(std::string_view line);  ///< A line that stays.
  void Draw();
  void Erase();
  void EndPhase();
  [[nodiscard]] std::string Painted(Verdict verdict) const;
  std::string BecauseOf(const CellOutcome& outcome);
  [[nodiscard]] double SecondsInPhase() const;

  Console& console_;
  ProgressStyle style_;
  ProgressState state_;
  TimeLeft time_left_;
  std::string reason_;
  bool in_phase_ = false;
  bool drawn_ = false;
  Clock::time_point phase_start_;
  Clock::time_point last_draw_;
};

}  // namespace assay

#endif  // ASSAY_CLI_PROGRESS_DISPLAY_H_
