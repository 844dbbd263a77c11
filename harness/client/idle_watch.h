// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_IDLE_WATCH_H_
#define ASSAY_CLIENT_IDLE_WATCH_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace assay {

/// Decides, from CPU time alone, whether a host goes on working after it has replied: the work
/// would be missing in the time of the call that it belongs to.
///
/// A host that has replied spins for its budget, sleeps, and wakes about once a second. What it
/// burns beyond that is an excess. A large one is judged at once; small ones, such as a virtual
/// machine's stolen time charged to a spinning host, only when they are the rule.
class IdleWatch {
 public:
  using Nanoseconds = std::chrono::nanoseconds;

  explicit IdleWatch(Nanoseconds spin) : spin_(spin) {}

  /// The host, having used `cpu` so far, has replied at `now`.
  void Replied(Nanoseconds cpu, Nanoseconds now);

  /// The host, still not asked anything, has used `cpu` so far: what it did wrong, if anything.
  /// Ends the interval that Replied began; without one there is nothing to judge.
  [[nodiscard]] std::optional<std::string> Judge(Nanoseconds cpu, Nanoseconds now);

  /// CPU time beyond what an idle host may have used since the reply.
  [[nodiscard]] Nanoseconds Excess(Nanoseconds cpu, Nanoseconds now) const;

  static constexpr Nanoseconds kSlack = std::chrono::microseconds(200);
  static constexpr Nanoseconds kLarge = std::chrono::milliseconds(20);
  static constexpr std::int64_t kLeastSmall = 5;       ///< Small excesses before they count …
  static constexpr std::int64_t kSmallOneIn = 5;       ///< … when at least one in so many.
  static constexpr std::int64_t kWakeUpsShare = 1000;  ///< An idle host may use 1/1000 of the time.

 private:
  struct Reply {
    Nanoseconds cpu;
    Nanoseconds when;
  };

  Nanoseconds spin_;
  std::optional<Reply> reply_;
  std::int64_t intervals_ = 0;
  std::int64_t small_excesses_ = 0;
};

}  // namespace assay

#endif  // ASSAY_CLIENT_IDLE_WATCH_H_
