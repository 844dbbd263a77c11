// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "cli/cell_reason.h"
#include "report/plain_text.h"

namespace assay {
namespace {

// Faster than the eye reads, slower than a terminal suffers from.
constexpr auto kRedrawInterval = std::chrono::milliseconds(100);

std::size_t CountGraded(const std::vector<PlannedCell>& plan) {
  return static_cast<std::size_t>(
      std::ranges::count_if(plan, [](const PlannedCell& cell) { return !cell.reason.empty(); }));
}

}  // namespace

ProgressDisplay::ProgressDisplay(Console& console, ProgressStyle style,
                                 const std::vector<PlannedCell>& plan)
    : console_(console), style_(style), time_left_(CountGraded(plan)) {
  state_.cells = CountGraded(plan);
}

ProgressDisplay::~ProgressDisplay() { Erase(); }

bool ProgressDisplay::IsDrawn() const {
  return style_ == ProgressStyle::kShown && console_.error_stream == ErrorStream::kTerminal;
}

double ProgressDisplay::SecondsInPhase() const {
  return std::chrono::duration<double>(Clock::now() - phase_start_).count();
}

void ProgressDisplay::Say(std::string_view line) {
  Erase();
  if (style_ == ProgressStyle::kShown) {
    console_.err << line << "\n" << std::flush;
  }
}

void ProgressDisplay::Draw() {
  state_.seconds_left =
      time_left_.Seconds(state_.phase, SecondsInPhase(), state_.done, state_.total);
  console_.err << "\r\x1b[2K" << FormatProgress(state_, console_.columns - 1) << std::flush;
  drawn_ = true;
  last_draw_ = Clock::now();
}

void ProgressDisplay::Erase() {
  if (drawn_) {
    console_.err << "\r\x1b[2K" << std::flush;
    drawn_ = false;
  }
}

void ProgressDisplay::EndPhase() {
  if (in_phase_) {
    time_left_.PhaseEnded(state_.phase, SecondsInPhase());
    in_phase_ = false;
  }
}

std::string ProgressDisplay::Painted(Verdict verdict) const {
  return Paint(console_.error_colour, verdict == Verdict::kAccepted ? Tone::kGood : Tone::kBad,
               ToString(verdict));
}

std::string ProgressDisplay::BecauseOf(const CellOutcome& outcome) {
  const std::string reason = std::exchange(reason_, "");
  if (outcome.error) {
    return ": " + PlainLine(outcome.error->cause);
  }
  return reason.empty() ? "" : ": " + reason;
}

void ProgressDisplay::CellStarted(std::size_t /*index*/, const PlannedCell& cell) {
  state_.cell = ToString(IdOf(cell));
  reason_ = cell.reason.empty() && cell.evidence ? ReasonOf(*cell.evidence) : "";
  if (!cell.reason.empty()) {
    Say(fmt::format("[{}/{}] {}: grading, since {}", state_.cell_index + 1, state_.cells,
                    state_.cell, cell.reason));
  }
}

void ProgressDisplay::CellRetried(const Error& error) {
  in_phase_ = false;
  Say(fmt::format("[{}/{}] {}: failed by our fault ({}); once more", state_.cell_index + 1,
                  state_.cells, state_.cell, error.cause));
}

void ProgressDisplay::CellEnded(const CellOutcome& outcome) {
  EndPhase();
  const std::string because = BecauseOf(outcome);
  if (outcome.action == CellOutcome::Action::kReused) {
    Say(fmt::format("{}: {}, evidence still holds{}", state_.cell, Painted(outcome.verdict),
                    because));
    return;
  }
  Say(fmt::format("[{}/{}] {}: {} in {}{}", state_.cell_index + 1, state_.cells, state_.cell,
                  Painted(outcome.verdict), FormatDuration(outcome.seconds), because));
  time_left_.CellEnded();
  ++state_.cell_index;
}

void ProgressDisplay::PhaseStarted(GradePhase phase) {
  EndPhase();
  in_phase_ = true;
  phase_start_ = Clock::now();
  state_.phase = phase;
  state_.done = 0;
  state_.total = 0;
  if (IsDrawn()) {
    Draw();
  } else {
    Say(fmt::format("[{}/{}] {}: {}", state_.cell_index + 1, state_.cells, state_.cell,
                    ToString(phase)));
  }
}

void ProgressDisplay::CaseDone(int done, int total, std::string_view /*name*/) {
  state_.done = done;
  state_.total = total;
  if (IsDrawn() && Clock::now() - last_draw_ >= kRedrawInterval) {
    Draw();
  }
}

}  // namespace assay
