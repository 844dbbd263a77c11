// SPDX-License-Identifier: Apache-2.0
#include "client/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/text.h"

namespace assay {
namespace {

using Fault = std::unexpected<std::string>;

/// Copies the fixed part of a frame, and checks that what follows it is `count` elements.
template <class Frame>
bool CopyFixedPart(std::span<const std::byte> frame, std::size_t fixed_bytes, Frame* copy) {
  if (frame.size() < fixed_bytes) {
    return false;
  }
  std::memcpy(static_cast<void*>(copy), frame.data(), fixed_bytes);
  return true;
}

template <class T>
T ElementAt(std::span<const std::byte> frame, std::size_t fixed_bytes, std::size_t index) {
  T element;
  std::memcpy(&element, frame.data() + fixed_bytes + index * sizeof(T), sizeof(T));
  return element;
}

/// The text before the first NUL, if there is one and `accepts` likes each character.
template <class Accepts>
std::optional<std::string> BoundedText(const char (&text)[wire::kNameBytes], Accepts accepts) {
  const std::size_t length = ::strnlen(text, wire::kNameBytes);
  if (length == 0 || length == wire::kNameBytes || !std::all_of(text, text + length, accepts)) {
    return std::nullopt;
  }
  return std::string(text, length);
}

bool IsIdentifierCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsInside(std::uint64_t offset_bytes, std::uint64_t size_bytes, std::uint64_t area_bytes) {
  return offset_bytes <= area_bytes && size_bytes <= area_bytes - offset_bytes;
}

bool IsValid(const wire::Parameter& parameter) {
  using Kind = wire::ParameterKind;
  return parameter.kind >= Kind::kScalar && parameter.kind <= Kind::kLoad &&
         parameter.type <= wire::ElementType::kF64;
}

Parsed<OperationInfo> ParseOperation(const wire::OperationEntry& entry) {
  auto name = BoundedText(entry.name, IsIdentifierCharacter);
  if (!name) {
    return Fault("an operation's name is not 1 to 63 letters, digits and underscores");
  }
  if (entry.parameter_count > wire::kMaxParameters) {
    return Fault(fmt::format("operation {} has {} parameters", *name, entry.parameter_count));
  }
  OperationInfo operation{std::move(*name),
                          {entry.parameters, entry.parameters + entry.parameter_count}};
  if (!std::ranges::all_of(operation.parameters, IsValid)) {
    return Fault(fmt::format("operation {} has an unknown type of parameter", operation.name));
  }
  return operation;
}

Parsed<SavedRange> ParseTensor(const wire::Tensor& tensor, std::uint64_t area_bytes) {
  auto name = BoundedText(tensor.name, IsPrintableAscii);
  if (!name) {
    return Fault("a saved tensor's name is not 1 to 63 printable characters");
  }
  if (!IsInside(tensor.offset_bytes, tensor.size_bytes, area_bytes)) {
    return Fault(fmt::format("saved tensor {} lies outside the memory for it", *name));
  }
  return SavedRange{std::move(*name), tensor.offset_bytes, tensor.size_bytes};
}

/// Tensors must be told apart by name and by place.
std::optional<std::string> FindClash(const std::vector<SavedRange>& saved) {
  std::vector<const SavedRange*> by_place;
  std::vector<std::string_view> names;
  for (const SavedRange& range : saved) {
    names.push_back(range.name);
    if (range.size_bytes > 0) {
      by_place.push_back(&range);
    }
  }
  std::ranges::sort(names);
  if (const auto twin = std::ranges::adjacent_find(names); twin != names.end()) {
    return fmt::format("two saved tensors are called {}", *twin);
  }
  std::ranges::sort(by_place, {}, &SavedRange::offset_bytes);
  const auto overlap =
      std::ranges::adjacent_find(by_place, [](const SavedRange* a, const SavedRange* b) {
        return a->offset_bytes + a->size_bytes > b->offset_bytes;
      });
  if (overlap != by_place.end()) {
    return fmt::format("saved tensors {} and {} overlap", (*overlap)->name,
                       (*std::next(overlap))->name);
  }
  return std::nullopt;
}

}  // namespace

Parsed<std::vector<OperationInfo>> ParseHello(std::span<const std::byte> frame) {
  constexpr std::size_t kFixed_bytes = offsetof(wire::HelloFrame, operations);
  struct {
    wire::FrameHeader header;
    std::uint32_t version;
    std::uint32_t count;
  } fixed{};
  static_assert(sizeof fixed == kFixed_bytes);
  if (!CopyFixedPart(frame, kFixed_bytes, &fixed) || fixed.header.type != wire::FrameType::kHello) {
    return Fault("its first message is not a hello");
  }
  if (fixed.version != wire::kVersion) {
    return Fault(fmt::format("it speaks version {} of the protocol", fixed.version));
  }
  if (fixed.count > wire::kMaxOperations ||
      frame.size() != kFixed_bytes + fixed.count * sizeof(wire::OperationEntry)) {
    return Fault("its table of operations does not have the length that it says");
  }
  std::vector<OperationInfo> operations;
  for (std::uint32_t i = 0; i < fixed.count; ++i) {
    auto operation = ParseOperation(ElementAt<wire::OperationEntry>(frame, kFixed_bytes, i));
    if (!operation) {
      return Fault(std::move(operation).error());
    }
    if (std::ranges::find(operations, operation->name, &OperationInfo::name) != operations.end()) {
      return Fault(fmt::format("two operations are called {}", operation->name));
    }
    operations.push_back(std::move(*operation));
  }
  if (operations.empty() || operations.front().name != wire::kNopName ||
      !operations.front().parameters.empty()) {
    return Fault(fmt::format("its first operation is not {}", wire::kNopName));
  }
  return operations;
}

Parsed<ReturnInfo> ParseReturn(std::span<const std::byte> frame, const SaveLimits& limits,
                               std::uint64_t area_bytes) {
  constexpr std::size_t kFixed_bytes = offsetof(wire::ReturnFrame, saved);
  struct {
    wire::FrameHeader header;
    std::int32_t status;
    std::uint32_t saved_count;
  } fixed{};
  static_assert(sizeof fixed == kFixed_bytes);
  if (!CopyFixedPart(frame, kFixed_bytes, &fixed) || fixed.saved_count > wire::kMaxTensors ||
      frame.size() != kFixed_bytes + fixed.saved_count * sizeof(wire::Tensor)) {
    return Fault("a return does not have the length that it says");
  }
  if (fixed.saved_count > (area_bytes == 0 ? 0 : limits.tensors)) {
    return Fault("it saved more tensors than it may");
  }
  ReturnInfo info{.status = fixed.status, .saved = {}};
  std::uint64_t total_bytes = 0;
  for (std::uint32_t i = 0; i < fixed.saved_count; ++i) {
    auto range = ParseTensor(ElementAt<wire::Tensor>(frame, kFixed_bytes, i), area_bytes);
    if (!range) {
      return Fault(std::move(range).error());
    }
    total_bytes += range->size_bytes;
    info.saved.push_back(std::move(*range));
  }
  if (total_bytes > limits.bytes) {
    return Fault("it saved more bytes than it may");
  }
  if (auto clash = FindClash(info.saved)) {
    return Fault(std::move(*clash));
  }
  return info;
}

Parsed<UpcallInfo> ParseUpcall(std::span<const std::byte> frame, std::uint64_t area_bytes) {
  constexpr std::size_t kFixed_bytes = offsetof(wire::UpcallFrame, buffers);
  struct {
    wire::FrameHeader header;
    std::uint32_t id;
    std::uint32_t input_count;
    std::uint32_t output_count;
    std::uint32_t reserved;
  } fixed{};
  static_assert(sizeof fixed == kFixed_bytes);
  if (!CopyFixedPart(frame, kFixed_bytes, &fixed) || fixed.input_count > wire::kMaxUpcallBuffers ||
      fixed.output_count > wire::kMaxUpcallBuffers - fixed.input_count ||
      frame.size() !=
          kFixed_bytes + (fixed.input_count + fixed.output_count) * sizeof(wire::UpcallBuffer)) {
    return Fault("an upcall does not have the length that it says");
  }
  UpcallInfo info{.id = fixed.id, .inputs = {}, .outputs = {}};
  std::uint64_t total_bytes = 0;
  for (std::uint32_t i = 0; i < fixed.input_count + fixed.output_count; ++i) {
    const auto buffer = ElementAt<wire::UpcallBuffer>(frame, kFixed_bytes, i);
    if (!IsInside(buffer.offset_bytes, buffer.size_bytes, area_bytes)) {
      return Fault("a buffer of an upcall lies outside the memory for it");
    }
    total_bytes += buffer.size_bytes;
    (i < fixed.input_count ? info.inputs : info.outputs).push_back(buffer);
  }
  // Overlapping inputs would make us copy the area many times over.
  if (total_bytes > area_bytes) {
    return Fault("the buffers of an upcall overlap");
  }
  return info;
}

Parsed<std::uint64_t> ParseDeviceCall(std::span<const std::byte> frame) {
  constexpr std::size_t kFixed_bytes = offsetof(wire::DeviceFrame, message);
  struct {
    wire::FrameHeader header;
    std::uint64_t size_bytes;
  } fixed{};
  static_assert(sizeof fixed == kFixed_bytes);
  if (!CopyFixedPart(frame, kFixed_bytes, &fixed)) {
    return Fault("it is shorter than its fixed part");
  }
  if (fixed.size_bytes > wire::kDeviceMessageBytes) {
    return Fault(fmt::format("a message of {} bytes", fixed.size_bytes));
  }
  const bool is_inline = fixed.size_bytes <= wire::DeviceFrame::kInlineBytes;
  if (frame.size() != kFixed_bytes + (is_inline ? fixed.size_bytes : 0)) {
    return Fault("it does not have the length that it says");
  }
  return fixed.size_bytes;
}

}  // namespace assay
