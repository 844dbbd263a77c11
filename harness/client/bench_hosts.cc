// SPDX-License-Identifier: Apache-2.0
#include "client/bench_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay {
namespace {

/// Enough for a sleeping host to wake and spin again.
constexpr int kWakingCalls = 8;

template <class T>
T ValueOrThrow(std::expected<T, HostFailure> result) {
  if (!result) {
    throw BenchCallFailed(result.error().verdict, result.error().detail);
  }
  if constexpr (!std::is_void_v<T>) {
    return *std::move(result);
  }
}

}  // namespace

PooledBenchHosts::PooledBenchHosts(HostOptions options) : hosts_(std::move(options)) {}

Host& PooledBenchHosts::GetHost(std::string_view role) { return *ValueOrThrow(hosts_.Get(role)); }

RoundTrip PooledBenchHosts::MeasureRoundTrip(std::string_view role, int samples) {
  return ValueOrThrow(GetHost(role).MeasureRoundTrip(samples));
}

bool PooledBenchHosts::Has(std::string_view operation) { return GetHost("forward").Has(operation); }

void PooledBenchHosts::RequireStatusOk(const Invocation& invocation, const Reply& reply) const {
  if (reply.status == 0) {
    return;
  }
  if (reply.status == unsupported_status_) {
    throw BenchCallFailed(Verdict::kSkipped,
                          fmt::format("{} says it is not supported", invocation.operation()));
  }
  throw BenchCallFailed(Verdict::kWrongAnswer, fmt::format("{} returned {} instead of 0",
                                                           invocation.operation(), reply.status));
}

void PooledBenchHosts::Call(std::string_view role, const Invocation& invocation) {
  Host& host = GetHost(role);
  const Reply reply = ValueOrThrow(host.Call(invocation));
  host.StandStill();
  RequireStatusOk(invocation, reply);
}

void PooledBenchHosts::CallTimed(std::string_view role, const Invocation& invocation) {
  Host& host = GetHost(role);
  PreparedCall prepared = ValueOrThrow(host.Prepare(invocation, 1));
  ValueOrThrow(prepared.Fill());
  const std::chrono::nanoseconds waking = ValueOrThrow(host.CallEmpty(kWakingCalls));
  const Reply reply = ValueOrThrow(prepared.Run());
  host.StandStill();
  RequireStatusOk(invocation, reply);
  Elapsed& total = elapsed_ ? *elapsed_ : elapsed_.emplace();
  total.raw += reply.elapsed;
  total.net += std::max(reply.elapsed - round_trip_, std::chrono::nanoseconds(1));
  total.waking += waking + reply.empty_elapsed;
}

std::optional<TimedHosts::Elapsed> PooledBenchHosts::TakeElapsed() {
  return std::exchange(elapsed_, std::nullopt);
}

}  // namespace assay
