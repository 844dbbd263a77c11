// SPDX-License-Identifier: Apache-2.0
#include "client/host_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

#include "client/failure.h"
#include "client/threads.h"
#include "process/processors.h"

namespace assay {
namespace {

using std::chrono::nanoseconds;

/// The first look at a host that does not answer, and the interval between later ones. A reply
/// wakes us at once; only a death or a limit is seen this late.
constexpr std::uint64_t kFirstSlice_ns = 1'000'000;
constexpr std::uint64_t kLongestSlice_ns = 10'000'000;

/// Memory of the outputs arena beyond the present layout that is worth giving back.
constexpr std::uint64_t kKeptOutputs_bytes = std::uint64_t{64} << 20;

constexpr nanoseconds kStopLimit = std::chrono::seconds(5);

/// How long a stopped host may seem to run on: a thread that the machine gives no processor to is
/// runnable until it gets one, and then stops before it does anything.
constexpr std::uint64_t kLongestStop_ns = 20'000'000;

wire::CallFrame NopFrame() {
  wire::CallFrame frame;
  frame.header = {wire::FrameType::kCall, offsetof(wire::CallFrame, loads)};
  std::memset(&frame.operation, 0, offsetof(wire::CallFrame, loads) - sizeof frame.header);
  return frame;
}

double Milliseconds(nanoseconds time) { return static_cast<double>(time.count()) * 1e-6; }

}  // namespace

nanoseconds HostImpl::Now() { return nanoseconds(wire::Now_ns()); }

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

HostImpl::Outcome<void> HostImpl::AwaitReturn(const Invocation& invocation, const CallPlan& plan,
                                              Deadline deadline, std::string_view activity) {
  std::uint64_t upcalls = 0;
  while (incoming_type() == wire::FrameType::kUpcall ||
         incoming_type() == wire::FrameType::kDeviceCall) {
    if (incoming_type() == wire::FrameType::kDeviceCall) {
      if (auto served = ServeDevice(&deadline, activity); !served) {
        return served;
      }
      continue;
    }
    if (!invocation.upcall_handler()) {
      return Fail(Verdict::kRejected, fmt::format("an upcall that nobody asked for {}", activity));
    }
    if (++upcalls > invocation.upcall_limits().calls) {
      return Fail(Verdict::kRejected, fmt::format("more than {} upcalls {}",
                                                  invocation.upcall_limits().calls, activity));
    }
    const std::uint64_t began_ns = wire::Now_ns();
    if (auto served = ServeUpcall(invocation, plan, activity); !served) {
      return served;
    }
    deadline.end_ns += wire::Now_ns() - began_ns;
    if (auto sent = Resume(activity, deadline); !sent) {
      return sent;
    }
  }
  if (incoming_type() != wire::FrameType::kReturn) {
    return Fail(Verdict::kRejected, fmt::format("a message of the wrong type {}", activity));
  }
  return {};
}

HostImpl::Outcome<void> HostImpl::ServeUpcall(const Invocation& invocation, const CallPlan& plan,
                                              std::string_view activity) {
  auto upcall = ParseUpcall(incoming(), plan.upcall_area.size_bytes);
  if (!upcall) {
    return Fail(Verdict::kRejected,
                fmt::format("malformed upcall {}: {}", activity, upcall.error()));
  }
  std::byte* area = shared_.outputs.data() + plan.upcall_area.offset_bytes;
  std::vector<std::vector<std::byte>> inputs;
  for (const wire::UpcallBuffer& buffer : upcall->inputs) {
    const std::byte* begin = area + buffer.offset_bytes;
    inputs.emplace_back(begin, begin + buffer.size_bytes);
  }
  std::vector<std::vector<std::byte>> outputs;
  for (const wire::UpcallBuffer& buffer : upcall->outputs) {
    outputs.emplace_back(buffer.size_bytes);
  }
  wire::UpcallReplyFrame reply{{wire::FrameType::kUpcallReply, sizeof reply}, 0, 0};
  try {
    reply.status =
        invocation.upcall_handler()({.id = upcall->id, .inputs = inputs, .outputs = outputs});
  } catch (...) {
    // The suite gives up in the middle of a call: the conversation cannot go on, its reason may.
    (void)Fail(Verdict::kJudgeError, fmt::format("abandoned by the suite {}", activity));
    throw;
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::ranges::copy(outputs[i], area + upcall->outputs[i].offset_bytes);
  }
  channel_.Stage(&reply, sizeof reply);
  return {};
}

HostImpl::Outcome<void> HostImpl::Resume(std::string_view activity, const Deadline& deadline) {
  const std::uint64_t elapsed_ns = elapsed_ns_;
  auto sent = Exchange(deadline, activity);
  elapsed_ns_ += elapsed_ns;
  return sent;
}

std::optional<HostFailure> HostImpl::WatchDeviceUse(const Deadline& deadline,
                                                    std::string_view activity) {
  if (service_watch_ && service_watch_->stopped()) {
    return HostFailure{Verdict::kMemoryLimit,
                       fmt::format("took more memory than it may {}", activity)};
  }
  if (device_ns_ > static_cast<std::uint64_t>(options_.device_limit.count())) {
    const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(options_.device_limit);
    return HostFailure{Verdict::kTimeLimit, fmt::format("its device worked for more than {} ms {}",
                                                        limit.count(), activity)};
  }
  // A host that asks again and again never lets Await sleep, and so be watched there.
  const std::uint64_t now_ns = wire::Now_ns();
  if (now_ns < device_watched_ns_ + kLongestSlice_ns) {
    return std::nullopt;
  }
  device_watched_ns_ = now_ns;
  return Watch(deadline, activity);
}

HostImpl::Outcome<void> HostImpl::ServeDevice(Deadline* deadline, std::string_view activity) {
  const std::uint64_t began_ns = wire::Now_ns();
  if (auto asked = AskDevice(activity); !asked) {
    return asked;
  }
  const std::uint64_t served_ns = wire::Now_ns() - began_ns;
  device_ns_ += served_ns;
  deadline->end_ns += served_ns;
  if (auto failure = WatchDeviceUse(*deadline, activity)) {
    return Fail(std::move(*failure));
  }
  // Other threads of the host may well have worked while its device did.
  idle_.Answered(nanoseconds(served_ns), nanoseconds(began_ns + served_ns));
  return Resume(activity, *deadline);
}

HostImpl::Outcome<void> HostImpl::AskDevice(std::string_view activity) {
  if (!device_) {
    return Fail(Verdict::kRejected,
                fmt::format("a message to a device, which it does not have, {}", activity));
  }
  const auto size_bytes = ParseDeviceCall(incoming());
  if (!size_bytes) {
    return Fail(Verdict::kRejected, fmt::format("malformed message to the device {}: {}", activity,
                                                size_bytes.error()));
  }
  const std::byte* request = *size_bytes <= wire::DeviceFrame::kInlineBytes
                                 ? incoming().data() + offsetof(wire::DeviceFrame, message)
                                 : shared_.device->data();
  device_request_.assign(request, request + *size_bytes);
  device_reply_.clear();
  std::expected<void, std::string> served;
  std::optional<std::string> thrown;
  try {
    const ServiceWatch::Work work(service_watch_.get());
    served = device_->Serve(device_request_, &device_reply_);
  } catch (const std::exception& error) {
    thrown = error.what();
  }
  if (thrown) {
    return Fail(Verdict::kJudgeError, fmt::format("the device failed {}: {}", activity, *thrown));
  }
  if (!served) {
    return Fail(Verdict::kRejected,
                fmt::format("malformed message to the device {}: {}", activity, served.error()));
  }
  if (device_reply_.size() > wire::kDeviceMessageBytes) {
    return Fail(Verdict::kJudgeError, fmt::format("the device's reply is of {} bytes {}",
                                                  device_reply_.size(), activity));
  }
  wire::DeviceFrame frame;
  frame.size_bytes = device_reply_.size();
  const bool is_inline = frame.size_bytes <= wire::DeviceFrame::kInlineBytes;
  std::ranges::copy(device_reply_, is_inline ? frame.message : shared_.device->data());
  frame.header = {wire::FrameType::kDeviceReply,
                  static_cast<std::uint32_t>(offsetof(wire::DeviceFrame, message) +
                                             (is_inline ? frame.size_bytes : 0))};
  channel_.Stage(&frame, frame.header.length_bytes);
  return {};
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

HostImpl::Outcome<void> HostImpl::JudgeIdleness() {
  if (failure_) {
    return std::unexpected(*failure_);
  }
  if (auto excess = idle_.Judge(process_.CpuTime(), Now())) {
    return Fail(Verdict::kRejected, fmt::format("{} to {}", *excess, last_operation_));
  }
  return {};
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

HostImpl::Deadline HostImpl::DeadlineFromNow(nanoseconds limit) const {
  return {wire::Now_ns() + static_cast<std::uint64_t>(limit.count()), limit};
}

HostImpl::Outcome<void> HostImpl::Exchange(const Deadline& deadline, std::string_view activity) {
  if (channel_.Poll() != wire::Arrival::kNothing) {
    return Fail(Verdict::kRejected, fmt::format("spoke out of turn {}", activity));
  }
  const std::uint64_t published_ns = wire::Now_ns();
  GoOn();  // Not before the clock runs.
  channel_.Publish();
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

std::int64_t HostImpl::PrivateBytes() {
  shared_.outputs.Release(0, shared_.outputs.size_bytes());
  if (shared_.device) {
    shared_.device->Release(0, shared_.device->size_bytes());
  }
  return failure_ ? 0 : process_.AnonymousBytes();
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
