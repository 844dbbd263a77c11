// SPDX-License-Identifier: Apache-2.0
#include "client/host_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "client/failure.h"
#include "process/processors.h"

namespace assay {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kStopLimit = std::chrono::seconds(5);

wire::CallFrame NopFrame() {
  wire::CallFrame frame;
  frame.header = {wire::FrameType::kCall, offsetof(wire::CallFrame, loads)};
  std::memset(&frame.operation, 0, offsetof(wire::CallFrame, loads) - sizeof frame.header);
  return frame;
}

}  // namespace

HostImpl::HostImpl(const HostOptions& options, Memory memory, std::unique_ptr<DeviceService> device,
                   SandboxedProcess process, const Spin& spin)
    : options_(options),
      shared_(std::move(memory)),
      process_(std::move(process)),
      channel_(&reinterpret_cast<wire::Control*>(shared_.control.data())->to_host,
               &reinterpret_cast<wire::Control*>(shared_.control.data())->to_client,
               static_cast<std::uint64_t>(spin.ours.count())),
      idle_(spin.hosts,
            static_cast<int>(
                (options.processors.empty() ? UsableProcessors() : options.processors).size()),
            TimerTick()),
      random_(options.seed),
      incoming_(wire::kFrameBytes),
      device_(std::move(device)) {
  if (device_ && !process_.HasMemoryGroup()) {
    service_watch_ = std::make_unique<ServiceWatch>(&process_, options_.memory_limit_bytes);
  }
}

HostImpl::Outcome<std::uint32_t> HostImpl::Resolve(const Invocation& invocation) const {
  if (failure_) {
    return std::unexpected(*failure_);
  }
  const auto judge_error = [](std::string detail) {
    return std::unexpected(HostFailure{Verdict::kJudgeError, std::move(detail)});
  };
  if (invocation.loads() != nullptr) {
    if (invocation.loads()->size() > wire::kMaxTensors) {
      return judge_error(fmt::format("a call of {} loads more than {} tensors",
                                     invocation.operation(), wire::kMaxTensors));
    }
    for (const SavedTensor& tensor : *invocation.loads()) {
      if (tensor.name.empty() || tensor.name.size() >= wire::kNameBytes) {
        return judge_error(fmt::format(
            "a call of {} loads a tensor whose name is empty or too long", invocation.operation()));
      }
    }
  }
  if (invocation.save_limits().tensors > wire::kMaxTensors) {
    return judge_error(fmt::format("a call of {} allows more than {} saved tensors",
                                   invocation.operation(), wire::kMaxTensors));
  }
  const auto found = std::ranges::find(operations_, invocation.operation(), &OperationInfo::name);
  if (found == operations_.end()) {
    return std::unexpected(HostFailure{Verdict::kRuntimeError,
                                       fmt::format("has no operation {}", invocation.operation())});
  }
  const std::vector<wire::Parameter> asked = invocation.parameters();
  if (found->parameters != asked) {
    // The table comes from the host: were this our own error, a host could claim it at will.
    return std::unexpected(HostFailure{
        Verdict::kRejected, fmt::format("its {} takes {}, and is called with {}", found->name,
                                        Describe(found->parameters), Describe(asked))});
  }
  return static_cast<std::uint32_t>(found - operations_.begin());
}

HostImpl::Outcome<void> HostImpl::Apply(const Layout& layout) {
  if (failure_) {
    return std::unexpected(*failure_);
  }
  if (std::ranges::equal(layout_, layout.regions())) {
    return {};
  }
  if (!layout.Fits()) {
    return std::unexpected(HostFailure{
        Verdict::kJudgeError,
        fmt::format("a call needs {} buffers with {} bytes in and {} bytes out, which is more "
                    "than the wire carries; use smaller shapes",
                    layout.regions().size(), layout.RegionBytes(Arena::kInputs),
                    layout.RegionBytes(Arena::kOutputs))});
  }
  if (auto idle = JudgeIdleness(); !idle) {
    return idle;
  }
  layout_outputs_bytes_ = layout.RegionBytes(Arena::kOutputs);
  if (shared_.outputs.UsedBytes() > layout_outputs_bytes_ + kKeptOutputs_bytes) {
    shared_.outputs.Release(0, shared_.outputs.size_bytes());
  }
  wire::LayoutFrame frame;
  frame.count = layout.regions().size();
  frame.header = {wire::FrameType::kLayout, static_cast<std::uint32_t>(ASSAY_WIRE_FRAME_BYTES(
                                                wire::LayoutFrame, regions, frame.count))};
  std::ranges::copy(layout.regions(), frame.regions);
  channel_.Stage(&frame, frame.header.length_bytes);
  constexpr std::string_view kActivity = "while its memory was laid out";
  if (auto done = Exchange(DeadlineFromNow(options_.call_limit), kActivity); !done) {
    return done;
  }
  if (incoming_type() != wire::FrameType::kDone || incoming_bytes_ != sizeof(wire::PlainFrame)) {
    return Fail(Verdict::kRejected, fmt::format("malformed message {}", kActivity));
  }
  layout_.assign(layout.regions().begin(), layout.regions().end());
  return {};
}

HostImpl::Outcome<Reply> HostImpl::Call(const Invocation& invocation, const CallPlan& plan,
                                        const Poison& poison, const wire::CallFrame& frame,
                                        AfterReply after_reply) {
  if (auto idle = JudgeIdleness(); !idle) {
    return std::unexpected(idle.error());
  }
  // A host that has slept takes long to wake. An empty call first, so that the time of the real
  // one holds no wake-up.
  const auto roused = Nop();
  if (!roused) {
    return std::unexpected(roused.error());
  }
  last_operation_ = invocation.operation();
  const std::string activity = "in " + last_operation_;
  channel_.Stage(&frame, frame.header.length_bytes);
  device_ns_ = 0;
  const Deadline deadline = DeadlineFromNow(options_.call_limit);
  if (auto sent = Exchange(deadline, activity); !sent) {
    return std::unexpected(sent.error());
  }
  if (auto returned = AwaitReturn(invocation, plan, deadline, activity); !returned) {
    return std::unexpected(returned.error());
  }
  if (after_reply == AfterReply::kStandsStill) {
    StandStill();
  }
  CopyOutputs(invocation, plan, memory());

  auto info = ParseReturn(incoming(), invocation.save_limits(), plan.save_area.size_bytes);
  if (!info) {
    return Fail(Verdict::kRejected, fmt::format("malformed reply {}: {}", activity, info.error()));
  }
  if (invocation.saved() != nullptr) {
    *invocation.saved() = CopySaved(info->saved, plan, memory());
  }
  if (auto stray = FindStrayWrite(invocation, plan, info->saved, poison, memory())) {
    return Fail(Verdict::kRuntimeError, fmt::format("{} {}", *stray, activity));
  }
  return Reply{.status = info->status,
               .elapsed = nanoseconds(elapsed_ns_),
               .empty_elapsed = *roused,
               .device_elapsed = nanoseconds(device_ns_)};
}

HostImpl::Outcome<nanoseconds> HostImpl::Nop() {
  if (failure_) {
    return std::unexpected(*failure_);
  }
  static const wire::CallFrame kFrame = NopFrame();
  channel_.Stage(&kFrame, kFrame.header.length_bytes);
  const std::string activity =
      last_operation_.empty() ? "before its first call" : "after its reply to " + last_operation_;
  if (auto sent = Exchange(DeadlineFromNow(options_.call_limit), activity); !sent) {
    return std::unexpected(sent.error());
  }
  if (incoming_type() != wire::FrameType::kReturn || !ParseReturn(incoming(), {}, 0)) {
    return Fail(Verdict::kRejected, fmt::format("malformed reply to an empty call {}", activity));
  }
  return nanoseconds(elapsed_ns_);
}

HostImpl::Outcome<void> HostImpl::Stop() {
  if (failure_) {
    return std::unexpected(*failure_);
  }
  const wire::PlainFrame frame{{wire::FrameType::kExit, sizeof frame}};
  GoOn();
  channel_.Put(&frame, sizeof frame);
  const ExitStatus status = process_.WaitUntil(
      std::chrono::steady_clock::now() + std::min<nanoseconds>(kStopLimit, options_.call_limit));
  failure_ = HostFailure{Verdict::kJudgeError, "the host was stopped before"};
  if (status.kind == ExitStatus::Kind::kExited && status.code_or_signal == 0) {
    return {};
  }
  return Fail(DescribeExit(status, "in its static destructors", process_.Output()));
}

std::int64_t HostImpl::PrivateBytes() {
  shared_.outputs.Release(0, shared_.outputs.size_bytes());
  if (shared_.device) {
    shared_.device->Release(0, shared_.device->size_bytes());
  }
  return failure_ ? 0 : process_.AnonymousBytes();
}

}  // namespace assay
