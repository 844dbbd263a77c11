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
/// While it owes an answer a host may work all the time; then it spins for its budget, sleeps, and
/// wakes about once a second. What it burns beyond that is an excess. A large one is judged at
/// once; small ones, such as a virtual machine's stolen time charged to a spinning host, only when
/// they are the rule.
///
/// The kernel's clock of another process lags: it is brought up to date when that process leaves
/// its processor, and otherwise by the timer's tick. A reading taken while the host runs may thus
/// lack up to a tick of honest work, which the next reading then shows. So whatever a host might
/// have used and did not, by the reading, is added to what it may use next, up to one tick.
class IdleWatch {
 public:
  using Nanoseconds = std::chrono::nanoseconds;

  /// `processors`: how many the host can work on at once.
  IdleWatch(Nanoseconds spin, int processors, Nanoseconds tick);

  /// The host has answered a message at `now`, `elapsed` after it was sent.
  void Answered(Nanoseconds elapsed, Nanoseconds now);

  /// The host, which owes no answer, has used `cpu` so far: what it did wrong since the last
  /// judgement, if anything. Without an answer since then there is nothing to judge.
  [[nodiscard]] std::optional<std::string> Judge(Nanoseconds cpu, Nanoseconds now);

  static constexpr Nanoseconds kSlack = std::chrono::microseconds(200);
  static constexpr Nanoseconds kLarge = std::chrono::milliseconds(20);
  static constexpr std::int64_t kLeastSmall = 5;       ///< Small excesses before they count …
  static constexpr std::int64_t kSmallOneIn = 5;       ///< … when at least one in so many.
  static constexpr std::int64_t kWakeUpsShare = 1000;  ///< An idle host may use 1/1000 of the time.

 private:
  Nanoseconds spin_;
  std::int64_t processors_;
  Nanoseconds tick_;
  std::optional<Nanoseconds> judged_cpu_;  ///< Reading at the last judgement.
  std::optional<Nanoseconds> answered_;    ///< When it last answered, if not judged since.
  Nanoseconds allowed_{0};                 ///< For its answers since the last judgement.
  Nanoseconds unused_;                     ///< Carried over from before it.
  std::int64_t intervals_ = 0;
  std::int64_t small_excesses_ = 0;
};

/// Decides, look by look, whether a host that owes no answer is idle now. A thread that other work
/// on the machine keeps from running uses no time and is runnable, like one that is about to work:
/// only such a host is looked at for long.
class IdleLooks {
 public:
  using Nanoseconds = std::chrono::nanoseconds;
  enum class Threads { kAsleep, kRunnable };
  enum class Finding { kIdle, kInDoubt, kWorking };

  /// How long the next look lasts: twice as long as the one before.
  [[nodiscard]] Nanoseconds next() const { return next_; }
  /// In all looks together.
  [[nodiscard]] Nanoseconds used() const { return used_; }
  [[nodiscard]] Nanoseconds looked() const { return looked_; }

  /// Of a look that lasted as long as `next` said: the CPU time that the host used in it, and what
  /// its threads did at its end.
  [[nodiscard]] Finding Add(Nanoseconds used, Threads threads);

  static constexpr Nanoseconds kFirst = std::chrono::milliseconds(2);
  static constexpr int kMostAtWork = 6;  ///< So many looks at work are enough.
  static constexpr Nanoseconds kLongest = std::chrono::seconds(2);  ///< In doubt so long: working.

 private:
  Nanoseconds next_ = kFirst;
  Nanoseconds used_{0};
  Nanoseconds looked_{0};
  int at_work_ = 0;
};

/// The timer's tick of this machine.
[[nodiscard]] std::chrono::nanoseconds TimerTick();

}  // namespace assay

#endif  // ASSAY_CLIENT_IDLE_WATCH_H_
