// SPDX-License-Identifier: Apache-2.0
#include "client/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace assay {
namespace {

/// How far behind the last saved tensor its area is checked: a stray write lands near.
constexpr std::uint64_t kCheckedTail_bytes = std::uint64_t{64} << 10;

std::uint64_t SlackBefore(const Slot& slot) { return slot.offset_bytes - slot.region_offset_bytes; }
std::uint64_t EndOf(const Slot& slot) { return slot.offset_bytes + slot.size_bytes; }
std::uint64_t SlackAfter(const Slot& slot) {
  return slot.region_offset_bytes + slot.region_bytes - EndOf(slot);
}

void FillSlack(const Poison& poison, std::byte* arena, const Slot& slot) {
  poison.Fill(arena, slot.region_offset_bytes, SlackBefore(slot));
  poison.Fill(arena, EndOf(slot), SlackAfter(slot));
}

void Place(const Poison& poison, std::byte* arena, const Slot& slot, const std::byte* source) {
  if (slot.size_bytes == 0) {
    return;
  }
  FillSlack(poison, arena, slot);
  if (source != nullptr) {
    std::memcpy(arena + slot.offset_bytes, source, slot.size_bytes);
  } else {
    poison.Fill(arena, slot.offset_bytes, slot.size_bytes);
  }
}

std::optional<std::string> StrayAroundOutput(const Slot& slot, std::size_t argument,
                                             const Poison& poison, const std::byte* outputs) {
  if (const auto at = poison.FirstChange(outputs, EndOf(slot), SlackAfter(slot))) {
    return fmt::format("wrote {} bytes past the end of argument {} (of {} bytes)",
                       *at - EndOf(slot) + 1, argument, slot.size_bytes);
  }
  if (const auto at = poison.FirstChange(outputs, slot.region_offset_bytes, SlackBefore(slot))) {
    return fmt::format("wrote {} bytes before the start of argument {} (of {} bytes)",
                       slot.offset_bytes - *at, argument, slot.size_bytes);
  }
  return std::nullopt;
}

std::optional<std::string> StrayBetweenTensors(const CallPlan& plan,
                                               const std::vector<SavedRange>& saved,
                                               const Poison& poison, const std::byte* outputs) {
  std::vector<const SavedRange*> by_place;
  by_place.reserve(saved.size());
  for (const SavedRange& range : saved) {
    if (range.size_bytes > 0) {  // One without bytes may lie anywhere, inside another too.
      by_place.push_back(&range);
    }
  }
  std::ranges::sort(by_place, {}, &SavedRange::offset_bytes);
  std::uint64_t end = 0;
  std::string_view before = "the first";
  const auto check_gap = [&](std::uint64_t gap_end) -> std::optional<std::string> {
    gap_end = std::min(gap_end, plan.save_poison_bytes);
    if (end < gap_end &&
        poison.FirstChange(outputs, plan.save_area.offset_bytes + end, gap_end - end)) {
      return fmt::format("wrote outside the memory of saved tensor {}", before);
    }
    return std::nullopt;
  };
  for (const SavedRange* range : by_place) {
    if (auto stray = check_gap(range->offset_bytes)) {
      return stray;
    }
    end = range->offset_bytes + range->size_bytes;
    before = range->name;
  }
  return check_gap(std::min(end + kCheckedTail_bytes, plan.save_area.region_bytes));
}

}  // namespace

void CopyIn(const Invocation& invocation, const CallPlan& plan, const Poison& poison,
            const ArenaMemory& memory) {
  for (std::size_t i = 0; i < plan.arguments.size(); ++i) {
    const Invocation::Argument& argument = invocation.arguments()[i];
    const bool is_input = argument.parameter.kind == wire::ParameterKind::kInput;
    Place(poison, is_input ? memory.inputs : memory.outputs, plan.arguments[i], argument.source);
  }
  for (std::size_t i = 0; i < plan.loads.size(); ++i) {
    Place(poison, memory.inputs, plan.loads[i], (*invocation.loads())[i].data.data());
  }
  poison.Fill(memory.outputs, plan.save_area.region_offset_bytes, plan.save_poison_bytes);
}

void CopyOutputs(const Invocation& invocation, const CallPlan& plan, const ArenaMemory& memory) {
  for (std::size_t i = 0; i < plan.arguments.size(); ++i) {
    const Invocation::Argument& argument = invocation.arguments()[i];
    if (argument.destination != nullptr && argument.size_bytes > 0) {
      std::memcpy(argument.destination, memory.outputs + plan.arguments[i].offset_bytes,
                  argument.size_bytes);
    }
  }
}

SavedTensors CopySaved(const std::vector<SavedRange>& saved, const CallPlan& plan,
                       const ArenaMemory& memory) {
  SavedTensors tensors;
  for (const SavedRange& range : saved) {
    const std::byte* begin = memory.outputs + plan.save_area.offset_bytes + range.offset_bytes;
    tensors.push_back({range.name, std::vector<std::byte>(begin, begin + range.size_bytes)});
  }
  return tensors;
}

std::optional<std::string> FindStrayWrite(const Invocation& invocation, const CallPlan& plan,
                                          const std::vector<SavedRange>& saved,
                                          const Poison& poison, const ArenaMemory& memory) {
  for (std::size_t i = 0; i < plan.arguments.size(); ++i) {
    if (invocation.arguments()[i].parameter.kind == wire::ParameterKind::kOutput) {
      if (auto stray = StrayAroundOutput(plan.arguments[i], i + 1, poison, memory.outputs)) {
        return stray;
      }
    }
  }
  return StrayBetweenTensors(plan, saved, poison, memory.outputs);
}

}  // namespace assay
