// SPDX-License-Identifier: Apache-2.0
#include "emulator/core/finding_log.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace assay::gpu {
namespace {

// Which of two accesses came first is chance: the same race is one finding in either order.
FindingKind KindInAnyOrder(FindingKind kind) {
  return kind == FindingKind::kWriteAfterRead ? FindingKind::kReadAfterWrite : kind;
}

auto InstructionsInAnyOrder(const FindingRecord& record) {
  const std::uint32_t other = record.has_other ? record.other.instruction : kNoInstruction;
  return std::minmax({record.site.instruction, other});
}

bool SameFinding(const FindingRecord& a, const FindingRecord& b) {
  return KindInAnyOrder(a.kind) == KindInAnyOrder(b.kind) && a.has_other == b.has_other &&
         InstructionsInAnyOrder(a) == InstructionsInAnyOrder(b);
}

auto InSchedule(const FindingRecord& record) {
  return std::tuple(record.position, record.site.thread, record.address, record.other.block,
                    record.other.thread, record.kind, record.site.instruction);
}

}  // namespace

void FindingLog::Add(FindingRecord record) {
  const auto same = std::ranges::find_if(
      records_, [&](const FindingRecord& known) { return SameFinding(known, record); });
  if (same == records_.end()) {
    records_.push_back(std::move(record));
    return;
  }
  const std::uint64_t count = same->count + record.count;
  std::uint64_t count_at_position = 0;
  for (const FindingRecord* each : {&*same, &record}) {
    const bool is_first = each->position == std::min(same->position, record.position);
    count_at_position += is_first ? each->count_at_position : 0;
  }
  const Severity severity = std::min(same->severity, record.severity);
  if (InSchedule(record) < InSchedule(*same)) {
    *same = std::move(record);
  }
  same->count = count;
  same->count_at_position = count_at_position;
  same->severity = severity;
}

void FindingLog::MergeFrom(const FindingLog& other) {
  for (const FindingRecord& record : other.records_) {
    Add(record);
  }
}

void FindingLog::KeepUpTo(std::uint64_t position) {
  std::erase_if(records_, [&](const FindingRecord& record) { return record.position > position; });
  for (FindingRecord& record : records_) {
    record.count = record.count_at_position;
  }
}

void FindingLog::Sort() {
  std::ranges::sort(records_, {}, [](const FindingRecord& record) {
    return std::tuple(record.site.instruction, record.kind, record.other.instruction);
  });
}

}  // namespace assay::gpu
