// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_BENCH_HOSTS_H_
#define ASSAY_CLIENT_BENCH_HOSTS_H_

#include <chrono>
#include <optional>
#include <string_view>

#include "client/host_pool.h"
#include "client/paired_series.h"
#include "client/results.h"

namespace assay {

/// The hosts of one side of a bench: real ones, by role.
///
/// A timed call is laid out and filled first, while its host stands still; then, so that it is not
/// charged for waking, the host answers some empty calls; then the clock runs. The inputs are there
/// while it answers these, so that their time is kept too (Elapsed::waking). Between timed calls it
/// stands still, and leaves the processor that they share to the other side.
class PooledBenchHosts : public TimedHosts {
 public:
  /// Starts and calls of these hosts may take `run_limit` together; then each further one fails at
  /// the time limit.
  explicit PooledBenchHosts(HostOptions options,
                            std::chrono::nanoseconds run_limit = std::chrono::nanoseconds::max());

  /// What is taken off each timed call from now on.
  void SetRoundTrip(std::chrono::nanoseconds round_trip) { round_trip_ = round_trip; }
  /// Median and 99th percentile of `samples` empty calls in the host of `role`. Throws
  /// BenchCallFailed.
  [[nodiscard]] RoundTrip MeasureRoundTrip(std::string_view role, int samples);

  [[nodiscard]] bool Has(std::string_view operation) override;
  void Call(std::string_view role, const Invocation& invocation) override;
  void CallTimed(std::string_view role, const Invocation& invocation) override;
  [[nodiscard]] std::optional<Elapsed> TakeElapsed() override;
  [[nodiscard]] std::chrono::nanoseconds TakeUntimed() override;
  void SetUnsupportedStatus(std::optional<int> status) override { unsupported_status_ = status; }
  void Renew() override { hosts_.Clear(); }

 private:
  /// What `step` gives the host of `role`, which is started if need be.
  template <class Step>
  auto Ask(std::string_view role, Step step);
  void RequireStatusOk(const Invocation& invocation, const Reply& reply) const;

  HostPool hosts_;
  GiveUpRule give_up_;
  std::chrono::nanoseconds round_trip_{0};
  std::optional<int> unsupported_status_;
  std::optional<Elapsed> elapsed_;
  std::chrono::nanoseconds untimed_{0};
};

}  // namespace assay

#endif  // ASSAY_CLIENT_BENCH_HOSTS_H_
