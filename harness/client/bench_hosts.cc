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

PooledBenchHosts::PooledBenchHosts(HostOptions options, std::chrono::nanoseconds run_limit)
    : hosts_(std::move(options)), give_up_(run_limit) {}

template <class Step>
auto PooledBenchHosts::Ask(std::string_view role, Step step) {
  if (const auto stop = give_up_.ReasonToStop()) {
    throw BenchCallFailed(Verdict::kTimeLimit, stop->reason);
  }
  const auto start = std::chrono::steady_clock::now();
  const auto host = hosts_.Get(role);
  auto result = host ? step(**host) : std::unexpected(host.error());
  const auto taken = std::chrono::steady_clock::now() - start;
  give_up_.SawHostTime(taken);
  untimed_ += taken;
  return ValueOrThrow(std::move(result));
}

RoundTrip PooledBenchHosts::MeasureRoundTrip(std::string_view role, int samples) {
  return Ask(role, [&](Host& host) { return host.MeasureRoundTrip(samples); });
}

bool PooledBenchHosts::Has(std::string_view operation) {
  return Ask("forward",
             [&](Host& host) -> std::expected<bool, HostFailure> { return host.Has(operation); });
}

void PooledBenchHosts::RequireStatusOk(const Invocation& invocation, const Reply& reply) const {
  if (reply.status == 0) {
    return;
  }
  if (reply.status == unsupported_status_) {
    throw BenchCallFailed(SkipCause::kRefused,
                          fmt::format("{} says it is not supported", invocation.operation()));
  }
  throw BenchCallFailed(Verdict::kWrongAnswer, fmt::format("{} returned {} instead of 0",
                                                           invocation.operation(), reply.status));
}

void PooledBenchHosts::Call(std::string_view role, const Invocation& invocation) {
  RequireStatusOk(invocation, Ask(role, [&](Host& host) {
                    auto reply = host.Call(invocation);
                    host.StandStill();
                    return reply;
                  }));
}

void PooledBenchHosts::CallTimed(std::string_view role, const Invocation& invocation) {
  std::chrono::nanoseconds waking{0};
  const Reply reply = Ask(role, [&](Host& host) -> std::expected<Reply, HostFailure> {
    PreparedCall prepared = ValueOrThrow(host.Prepare(invocation, 1));
    ValueOrThrow(prepared.Fill());
    waking = ValueOrThrow(host.CallEmpty(kWakingCalls));
    return prepared.Run();
  });
  RequireStatusOk(invocation, reply);
  Elapsed& total = elapsed_ ? *elapsed_ : elapsed_.emplace();
  total.raw += reply.elapsed;
  total.net += std::max(reply.elapsed - round_trip_, std::chrono::nanoseconds(1));
  total.waking += waking + reply.empty_elapsed;
  untimed_ -= reply.elapsed;
}

std::optional<TimedHosts::Elapsed> PooledBenchHosts::TakeElapsed() {
  return std::exchange(elapsed_, std::nullopt);
}

std::chrono::nanoseconds PooledBenchHosts::TakeUntimed() {
  return std::exchange(untimed_, std::chrono::nanoseconds(0));
}

}  // namespace assay
