// SPDX-License-Identifier: Apache-2.0
// What a host asks for while it is called: upcalls, and its device.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <utility>

#include "client/host_impl.h"

namespace assay {

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
  using std::chrono::nanoseconds;
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

}  // namespace assay
