// SPDX-License-Identifier: Apache-2.0
// Sending to a host, waiting for it, and what is looked at meanwhile and between its calls.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "client/failure.h"
#include "client/host_impl.h"
#include "client/threads.h"

namespace assay {
namespace {

using std::chrono::nanoseconds;

/// The first look at a host that does not answer. A reply wakes us at once; only a death or a limit
/// is seen this late.
constexpr std::uint64_t kFirstSlice_ns = 1'000'000;

/// How long a stopped host may seem to run on: a thread that the machine gives no processor to is
/// runnable until it gets one, and then stops before it does anything.
constexpr std::uint64_t kLongestStop_ns = 20'000'000;

double Milliseconds(nanoseconds time) { return static_cast<double>(time.count()) * 1e-6; }

}  // namespace

nanoseconds HostImpl::Now() { return nanoseconds(wire::Now_ns()); }

HostImpl::Deadline HostImpl::DeadlineFromNow(nanoseconds limit) const {
  return {wire::Now_ns() + static_cast<std::uint64_t>(limit.count()), limit};
}

HostImpl::Outcome<void> HostImpl::Exchange(const Deadline& deadline, std::string_view activity) {
  if (channel_.Poll() != wire::Arrival::kNothing) {
    return Fail(Verdict::kRejected, fmt::format("spoke out of turn {}", activity));
  }
  const std::uint64_t published_ns = wire::Now_ns();
  channel_.Publish();
  GoOn();  // Not before the clock runs. It wakes to the message, and not to wait for it.
  if (auto arrived = Await(deadline, activity); !arrived) {
    return arrived;
  }
  elapsed_ns_ = arrived_ns_ - published_ns;
  idle_.Answered(nanoseconds(elapsed_ns_), nanoseconds(arrived_ns_));
  return {};
}

HostImpl::Outcome<void> HostImpl::Await(const Deadline& deadline, std::string_view activity) {
  wire::Arrival arrival = channel_.Spin();
  std::uint64_t slice_ns = kFirstSlice_ns;
  while (arrival == wire::Arrival::kNothing) {
    arrival = channel_.Sleep(slice_ns);
    slice_ns = std::min(2 * slice_ns, kLongestSlice_ns);
    if (arrival == wire::Arrival::kNothing) {
      auto failure = Watch(deadline, activity);
      // It may have answered, and then died, after we looked: the answer counts.
      arrival = failure ? channel_.Poll() : arrival;
      if (failure && arrival == wire::Arrival::kNothing) {
        return Fail(std::move(*failure));
      }
    }
  }
  arrived_ns_ = wire::Now_ns();
  if (arrival == wire::Arrival::kOutOfTurn) {
    return Fail(Verdict::kRejected, fmt::format("a message out of sequence {}", activity));
  }
  incoming_bytes_ = channel_.Take(incoming_.data(), incoming_.size());
  if (incoming_bytes_ == 0) {
    return Fail(Verdict::kRejected, fmt::format("a message of impossible length {}", activity));
  }
  return {};
}

std::optional<HostFailure> HostImpl::Watch(const Deadline& deadline, std::string_view activity) {
  if (const auto status = process_.TryWait()) {
    return DescribeExit(*status, activity, process_.Output());
  }
  if (wire::Now_ns() > deadline.end_ns) {
    return HostFailure{
        Verdict::kTimeLimit,
        fmt::format("no answer within {} ms {}",
                    std::chrono::duration_cast<std::chrono::milliseconds>(deadline.limit).count(),
                    activity)};
  }
  // Pages of the outputs arena are nobody's anonymous memory, and would escape the other watches.
  const auto limit = static_cast<std::uint64_t>(options_.memory_limit_bytes);
  if (shared_.outputs.UsedBytes() > limit + layout_outputs_bytes_ + kKeptOutputs_bytes) {
    return HostFailure{Verdict::kMemoryLimit,
                       fmt::format("filled memory that is none of its buffers {}", activity)};
  }
  return std::nullopt;
}

void HostImpl::StandStill() {
  if (failure_ || stands_still_) {
    return;
  }
  stands_still_ = true;
  process_.Pause();
  const std::uint64_t give_up_ns = wire::Now_ns() + kLongestStop_ns;
  while (HasRunnableThread(process_.pid()) && wire::Now_ns() < give_up_ns) {
    std::this_thread::yield();
  }
}

void HostImpl::GoOn() {
  if (std::exchange(stands_still_, false)) {
    process_.Resume();
  }
}

HostImpl::Outcome<void> HostImpl::JudgeIdleness() {
  if (failure_) {
    return std::unexpected(*failure_);
  }
  if (auto excess = idle_.Judge(process_.CpuTime(), Now())) {
    return Fail(Verdict::kRejected, fmt::format("{} to {}", *excess, last_operation_));
  }
  return {};
}

HostImpl::Outcome<void> HostImpl::CheckIdle() {
  if (failure_) {
    return std::unexpected(*failure_);
  }
  GoOn();  // Standing still it would look idle.
  IdleLooks looks;
  IdleLooks::Finding finding = IdleLooks::Finding::kInDoubt;
  while (finding == IdleLooks::Finding::kInDoubt) {
    const nanoseconds before = process_.CpuTime();
    std::this_thread::sleep_for(looks.next());
    const nanoseconds used = process_.CpuTime() - before;
    finding = looks.Add(used, HasRunnableThread(process_.pid()) ? IdleLooks::Threads::kRunnable
                                                                : IdleLooks::Threads::kAsleep);
  }
  if (finding == IdleLooks::Finding::kIdle) {
    return JudgeIdleness();
  }
  return Fail(
      Verdict::kRejected,
      fmt::format("work left running after its reply to {}: {:.3f} ms of CPU time in {:.0f} "
                  "ms, and not yet done",
                  last_operation_.empty() ? "nothing" : last_operation_, Milliseconds(looks.used()),
                  Milliseconds(looks.looked())));
}

std::unexpected<HostFailure> HostImpl::Fail(Verdict verdict, std::string detail) {
  return Fail(HostFailure{verdict, std::move(detail)});
}

std::unexpected<HostFailure> HostImpl::Fail(HostFailure failure) {
  process_.Kill();
  failure_ = failure;
  return std::unexpected(std::move(failure));
}

wire::FrameType HostImpl::incoming_type() const {
  wire::FrameHeader header{};
  std::memcpy(&header, incoming_.data(), sizeof header);
  return header.type;
}

}  // namespace assay
