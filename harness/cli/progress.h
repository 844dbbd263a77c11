// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_PROGRESS_H_
#define ASSAY_CLI_PROGRESS_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "grade/progress.h"

namespace assay {

/// Where a run is, as its reader sees it.
struct ProgressState {
  std::size_t cell_index = 0;  ///< Of the cells that are graded, from 0.
  std::size_t cells = 0;
  std::string cell = {};  ///< `model/challenge`.
  GradePhase phase = GradePhase::kBuild;
  int done = 0;  ///< Cases of the phase; total is 0 where it has none.
  int total = 0;
  std::optional<double> seconds_left = {};  ///< Of the whole run.
};

/// `[2/3] [#####.....] glm-5/layernorm_backward: suite 12/96, about 1 min 20 s left`, at most
/// `columns` wide: the name gives way first.
[[nodiscard]] std::string FormatProgress(const ProgressState& state, int columns);

/// `9 s`, `1 min 20 s`, `2 h 5 min`. Not finite or negative: `?`.
[[nodiscard]] std::string FormatDuration(double seconds);

/// Estimates how long a run still takes, from the phases it has finished and, before there are
/// any, from typical ones. Knows no clock: the caller says how long things took.
class TimeLeft {
 public:
  /// `cells_left` counts the current one.
  explicit TimeLeft(std::size_t cells_left) : cells_left_(cells_left) {}

  void PhaseEnded(GradePhase phase, double seconds);
  void CellEnded();

  /// `phase` has run for `seconds`, and `done` of `total` of its cases are done.
  [[nodiscard]] double Seconds(GradePhase phase, double seconds, int done, int total) const;

 private:
  struct Observed {
    double seconds = 0;
    int times = 0;
  };
  [[nodiscard]] double Expected(std::size_t phase) const;

  std::size_t cells_left_;
  std::array<Observed, kGradePhases> observed_ = {};
};

/// The share of a cell that is behind a phase and so many of its cases, 0 to 1.
[[nodiscard]] double ShareDone(const ProgressState& state);

}  // namespace assay

#endif  // ASSAY_CLI_PROGRESS_H_
