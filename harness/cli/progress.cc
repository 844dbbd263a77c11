// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay {
namespace {

// A cell of layernorm_backward on two cores; the first finished cell of a run replaces them.
constexpr std::array<double, kGradePhases> kTypicalSeconds = {4, 10, 8, 15, 8, 4, 8, 0, 2};
constexpr int kBarCells = 10;

std::size_t IndexOf(GradePhase phase) { return static_cast<std::size_t>(phase); }

double ShareOfPhase(int done, int total) {
  return total > 0 ? std::clamp(static_cast<double>(done) / total, 0.0, 1.0) : 0.0;
}

std::string Bar(double share) {
  const int filled = static_cast<int>(std::floor(share * kBarCells));
  return std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(kBarCells - filled), '.');
}

}  // namespace

double ShareDone(const ProgressState& state) {
  const auto now = kTypicalSeconds.begin() + static_cast<std::ptrdiff_t>(IndexOf(state.phase));
  const double before = std::accumulate(kTypicalSeconds.begin(), now, 0.0);
  const double all = std::accumulate(kTypicalSeconds.begin(), kTypicalSeconds.end(), 0.0);
  return (before + *now * ShareOfPhase(state.done, state.total)) / all;
}

std::string FormatProgress(const ProgressState& state, int columns) {
  const std::string counter = fmt::format("[{}/{}]", state.cell_index + 1, state.cells);
  const std::string cases =
      state.total > 0 ? fmt::format(" {}/{}", state.done, state.total) : std::string();
  const std::string left = state.seconds_left
                               ? fmt::format(", about {} left", FormatDuration(*state.seconds_left))
                               : std::string();
  const std::string tail = fmt::format("{}{}{}", ToString(state.phase), cases, left);
  std::string line =
      fmt::format("{} [{}] {}: {}", counter, Bar(ShareDone(state)), state.cell, tail);
  const auto width = static_cast<std::size_t>(std::max(columns, 1));
  if (line.size() > width) {
    line = fmt::format("{} {}", counter, tail);
  }
  return line.substr(0, width);
}

std::string FormatDuration(double seconds) {
  constexpr double kLongest_s = 1e9;
  if (!(seconds >= 0 && seconds < kLongest_s)) {
    return "?";
  }
  const auto whole = std::llround(seconds);
  if (whole < 60) {
    return fmt::format("{} s", whole);
  }
  if (whole < 3600) {
    return fmt::format("{} min {} s", whole / 60, whole % 60);
  }
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

void TimeLeft::PhaseEnded(GradePhase phase, double seconds) {
  Observed& observed = observed_.at(IndexOf(phase));
  observed.seconds += seconds;
  ++observed.times;
}

void TimeLeft::CellEnded() { cells_left_ -= cells_left_ > 0 ? 1 : 0; }

double TimeLeft::Expected(std::size_t phase) const {
  const Observed& observed = observed_.at(phase);
  return observed.times > 0 ? observed.seconds / observed.times : kTypicalSeconds.at(phase);
}

double TimeLeft::Seconds(GradePhase phase, double seconds, int done, int total) const {
  const double share = ShareOfPhase(done, total);
  const double expected = Expected(IndexOf(phase));
  // Early in a phase one slow case says little, so its own pace counts as much as its share done.
  const double by_pace = share > 0 ? seconds / share : expected;
  const double phase_total = share * by_pace + (1 - share) * expected;
  double left = std::max(phase_total - seconds, 0.0);
  for (std::size_t later = IndexOf(phase) + 1; later < kTypicalSeconds.size(); ++later) {
    left += Expected(later);
  }
  if (cells_left_ > 1) {
    double whole_cell = 0;
    for (std::size_t any = 0; any < kTypicalSeconds.size(); ++any) {
      whole_cell += Expected(any);
    }
    left += whole_cell * static_cast<double>(cells_left_ - 1);
  }
  return left;
}

}  // namespace assay
