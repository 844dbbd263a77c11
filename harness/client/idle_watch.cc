// SPDX-License-Identifier: Apache-2.0
#include "client/idle_watch.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <utility>

namespace assay {

IdleWatch::IdleWatch(Nanoseconds spin, int processors, Nanoseconds tick)
    : spin_(spin), processors_(processors), tick_(tick), unused_(tick) {}

void IdleWatch::Answered(Nanoseconds elapsed, Nanoseconds now) {
  allowed_ += processors_ * elapsed + spin_;
  answered_ = now;
}

std::optional<std::string> IdleWatch::Judge(Nanoseconds cpu, Nanoseconds now) {
  const bool has_before = judged_cpu_.has_value();
  const Nanoseconds used = cpu - judged_cpu_.value_or(cpu);
  if (has_before && !answered_) {
    return std::nullopt;
  }
  const Nanoseconds idle = answered_ ? now - *answered_ : Nanoseconds(0);
  const Nanoseconds allowed =
      std::exchange(allowed_, Nanoseconds(0)) + unused_ + idle / kWakeUpsShare;
  judged_cpu_ = cpu;
  answered_.reset();
  if (!has_before) {
    return std::nullopt;  // Unused is the tick that this reading itself may lack.
  }
  unused_ = std::clamp(allowed - used, Nanoseconds(0), tick_);
  const Nanoseconds excess = std::max(Nanoseconds(0), used - allowed - kSlack);
  ++intervals_;
  if (excess > Nanoseconds(0)) {
    ++small_excesses_;
  }
  const bool is_the_rule =
      small_excesses_ >= kLeastSmall && small_excesses_ * kSmallOneIn >= intervals_;
  if (excess < kLarge && !(excess > Nanoseconds(0) && is_the_rule)) {
    return std::nullopt;
  }
  return fmt::format(
      "work left running after its reply: {:.3f} ms of CPU time more than its calls "
      "can have taken, in the {:.3f} ms after it",
      static_cast<double>(excess.count()) * 1e-6, static_cast<double>(idle.count()) * 1e-6);
}

IdleLooks::Finding IdleLooks::Add(Nanoseconds used, Threads threads) {
  const bool worked = used >= next_ / 10 + IdleWatch::kSlack;
  used_ += used;
  looked_ += next_;
  next_ *= 2;
  if (!worked && threads == Threads::kAsleep) {
    return Finding::kIdle;
  }
  at_work_ += worked ? 1 : 0;
  return at_work_ == kMostAtWork || looked_ >= kLongest ? Finding::kWorking : Finding::kInDoubt;
}

std::chrono::nanoseconds TimerTick() {
  timespec resolution = {};
  if (::clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) != 0) {
    return std::chrono::milliseconds(10);  // The longest of any kernel.
  }
  return std::chrono::seconds(resolution.tv_sec) + std::chrono::nanoseconds(resolution.tv_nsec);
}

}  // namespace assay
