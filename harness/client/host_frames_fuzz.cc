// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever a host writes into its mailbox, what is taken from there and believed keeps
// the promises of frames.h; and memory that it then says it saved is copied, and no other.
//
// Input: the mailbox's frame. What is behind it, and every byte that is not there, is zero.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/exchange.h"
#include "client/frames.h"
#include "fuzz/fuzz_input.h"
#include "wire/channel.h"

namespace assay {
namespace {

using fuzz::Require;

constexpr SaveLimits kSaveLimits = {.tensors = 6, .bytes = 4096};
constexpr std::uint64_t kUpcallArea_bytes = 4096;

bool IsInside(std::uint64_t offset, std::uint64_t size, std::uint64_t area) {
  return offset <= area && size <= area - offset;
}

/// The frame as the client has it: a copy of exactly the bytes that it takes.
std::vector<std::byte> Take(std::string_view written) {
  static wire::Mailbox to_host;
  static wire::Mailbox to_client;
  const std::size_t size = std::min(written.size(), wire::kFrameBytes);
  std::memset(to_client.frame, 0, wire::kFrameBytes);
  std::memcpy(to_client.frame, written.data(), size);
  to_client.sequence = 1;
  wire::Channel channel(&to_host, &to_client, 0);
  Require(channel.Poll() == wire::Arrival::kMessage, "the first message has come");
  std::vector<std::byte> frame(wire::kFrameBytes);
  const std::size_t taken = channel.Take(frame.data(), frame.size());
  Require(taken == 0 || (taken >= sizeof(wire::FrameHeader) && taken <= wire::kFrameBytes),
          "a frame has a possible length");
  return {frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(taken)};
}

void CheckHello(std::span<const std::byte> frame) {
  const auto operations = ParseHello(frame);
  if (!operations) {
    return;
  }
  Require(!operations->empty() && operations->size() <= wire::kMaxOperations,
          "a host has 1 to 64 operations");
  std::set<std::string> names;
  wire::HelloFrame again{};
  again.header = {wire::FrameType::kHello, static_cast<std::uint32_t>(frame.size())};
  again.version = wire::kVersion;
  again.count = static_cast<std::uint32_t>(operations->size());
  for (std::size_t i = 0; i < operations->size(); ++i) {
    const OperationInfo& operation = (*operations)[i];
    Require(names.insert(operation.name).second, "names of operations are distinct");
    Require(!operation.name.empty() && operation.name.size() < wire::kNameBytes,
            "names of operations are bounded");
    Require(operation.parameters.size() <= wire::kMaxParameters, "parameters are bounded");
    wire::OperationEntry& entry = again.operations[i];
    operation.name.copy(entry.name, wire::kNameBytes);
    entry.parameter_count = static_cast<std::uint32_t>(operation.parameters.size());
    std::ranges::copy(operation.parameters, entry.parameters);
  }
  const auto reread = ParseHello(std::as_bytes(std::span(&again, 1)).first(frame.size()));
  Require(reread &&
              std::ranges::equal(*reread, *operations, {}, &OperationInfo::name,
                                 &OperationInfo::name) &&
              std::ranges::equal(*reread, *operations, {}, &OperationInfo::parameters,
                                 &OperationInfo::parameters),
          "a hello that is written again reads the same");
}

/// A call with an input, an output and room for saved tensors, in arenas of our own.
struct Call {
  Call() {
    invocation.Input(in).Output(out).Save(&saved, kSaveLimits);
    plan = PlanCall(invocation, &layout);
  }
  ArenaMemory memory() { return {inputs.data(), outputs.data()}; }
  std::byte* area() { return outputs.data() + plan.save_area.offset_bytes; }

  std::vector<float> in = {1, 2, 3};
  std::vector<float> out = std::vector<float>(5);
  SavedTensors saved;
  Invocation invocation{"f"};
  Layout layout{Layout::Faults::kWhenTouched};
  CallPlan plan;
  Poison poison{1};
  std::vector<std::byte> inputs = std::vector<std::byte>(std::size_t{64} << 10);
  std::vector<std::byte> outputs = std::vector<std::byte>(std::size_t{64} << 10);
};

void CheckReturn(std::span<const std::byte> frame) {
  static Call call;
  const std::uint64_t area_bytes = call.plan.save_area.size_bytes;
  Require(!ParseReturn(frame, kSaveLimits, 0) || frame.size() == offsetof(wire::ReturnFrame, saved),
          "what may not save has saved nothing");
  const auto info = ParseReturn(frame, kSaveLimits, area_bytes);
  if (!info) {
    return;
  }
  Require(info->saved.size() <= kSaveLimits.tensors, "tensors are limited");
  CopyIn(call.invocation, call.plan, call.poison, call.memory());
  std::uint64_t total_bytes = 0;
  std::set<std::string> names;
  std::vector<bool> taken(area_bytes);
  for (const SavedRange& range : info->saved) {
    Require(names.insert(range.name).second, "names of tensors are distinct");
    Require(IsInside(range.offset_bytes, range.size_bytes, area_bytes), "tensors lie in the area");
    for (std::uint64_t i = range.offset_bytes; i < range.offset_bytes + range.size_bytes; ++i) {
      Require(!taken[i], "no byte is of two tensors");
      taken[i] = true;
      call.area()[i] ^= std::byte{0xff};
    }
    total_bytes += range.size_bytes;
  }
  Require(total_bytes <= kSaveLimits.bytes, "bytes are limited");
  const SavedTensors copies = CopySaved(info->saved, call.plan, call.memory());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    Require(copies[i].data.size() == info->saved[i].size_bytes, "a copy has its tensor's size");
  }
  const auto stray = [&] {
    return FindStrayWrite(call.invocation, call.plan, info->saved, call.poison, call.memory());
  };
  Require(!stray(), "bytes of a saved tensor are no stray write");
  const auto free = static_cast<std::size_t>(std::ranges::find(taken, false) - taken.begin());
  if (free < std::min(area_bytes, call.plan.save_poison_bytes)) {
    call.area()[free] ^= std::byte{1};
    Require(stray().has_value(), "the first byte that is no tensor's is poison");
  }
}

void CheckUpcall(std::span<const std::byte> frame) {
  const auto upcall = ParseUpcall(frame, kUpcallArea_bytes);
  if (!upcall) {
    return;
  }
  Require(upcall->inputs.size() + upcall->outputs.size() <= wire::kMaxUpcallBuffers,
          "buffers are limited");
  std::uint64_t total_bytes = 0;
  for (const auto* buffers : {&upcall->inputs, &upcall->outputs}) {
    for (const wire::UpcallBuffer& buffer : *buffers) {
      Require(IsInside(buffer.offset_bytes, buffer.size_bytes, kUpcallArea_bytes),
              "buffers lie in the area");
      total_bytes += buffer.size_bytes;
    }
  }
  Require(total_bytes <= kUpcallArea_bytes, "buffers together are no larger than the area");
}

void CheckDeviceCall(std::span<const std::byte> frame) {
  if (const auto size = ParseDeviceCall(frame)) {
    Require(*size <= wire::kDeviceMessageBytes, "a message to the device is limited");
    Require(*size > wire::DeviceFrame::kInlineBytes ||
                frame.size() == offsetof(wire::DeviceFrame, message) + *size,
            "a short message is in its frame");
  }
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::byte> frame = assay::Take(assay::fuzz::FuzzInput(data, size).Rest());
  // Each, whatever type the frame says it has: which one is asked depends on the moment.
  assay::CheckHello(frame);
  assay::CheckReturn(frame);
  assay::CheckUpcall(frame);
  assay::CheckDeviceCall(frame);
  return 0;
}
