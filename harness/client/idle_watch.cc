// SPDX-License-Identifier: Apache-2.0
#include "client/idle_watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

void IdleWatch::Replied(Nanoseconds cpu, Nanoseconds now) { reply_ = Reply{cpu, now}; }

IdleWatch::Nanoseconds IdleWatch::Excess(Nanoseconds cpu, Nanoseconds now) const {
  if (!reply_) {
    return Nanoseconds(0);
  }
  const Nanoseconds allowed = spin_ + kSlack + (now - reply_->when) / kWakeUpsShare;
  return std::max(Nanoseconds(0), cpu - reply_->cpu - allowed);
}

std::optional<std::string> IdleWatch::Judge(Nanoseconds cpu, Nanoseconds now) {
  if (!reply_) {
    return std::nullopt;
  }
  const Nanoseconds excess = Excess(cpu, now);
  const Nanoseconds burnt = cpu - reply_->cpu;
  const Nanoseconds interval = now - reply_->when;
  reply_.reset();
  ++intervals_;
  if (excess > Nanoseconds(0)) {
    ++small_excesses_;
  }
  const bool is_the_rule =
      small_excesses_ >= kLeastSmall && small_excesses_ * kSmallOneIn >= intervals_;
  if (excess < kLarge && !(excess > Nanoseconds(0) && is_the_rule)) {
    return std::nullopt;
  }
  return fmt::format("work left running after its reply: {:.3f} ms of CPU time in {:.3f} ms",
                     static_cast<double>(burnt.count()) * 1e-6,
                     static_cast<double>(interval.count()) * 1e-6);
}

}  // namespace assay
