// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/finding_log.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace assay::gpu {
namespace {

bool SameFinding(const FindingRecord& a, const FindingRecord& b) {
  return a.kind == b.kind && a.site.instruction == b.site.instruction &&
         a.has_other == b.has_other && (!a.has_other || a.other.instruction == b.other.instruction);
}

auto InSchedule(const FindingRecord& record) {
  return std::tuple(record.position, record.site.thread, record.address, record.other.block,
                    record.other.thread);
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
  const Severity severity = std::min(same->severity, record.severity);
  if (InSchedule(record) < InSchedule(*same)) {
    *same = std::move(record);
  }
  same->count = count;
  same->severity = severity;
}

void FindingLog::MergeFrom(const FindingLog& other) {
  for (const FindingRecord& record : other.records_) {
    Add(record);
  }
}

void FindingLog::Sort() {
  std::ranges::sort(records_, {}, [](const FindingRecord& record) {
    return std::tuple(record.site.instruction, record.kind, record.other.instruction);
  });
}

}  // namespace assay::gpu
